"""The wire: what is sent fits the protocol's own types, and what is read is whole or refused."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import converters, types

from motet.diagnostics.capabilities import Abilities, initialize_params
from motet.diagnostics.wire import encode, read_message
from motet.errors import ServerError
from motet.text import PositionEncoding


def test_the_first_request_is_what_the_protocol_says(tmp_path: Path) -> None:
    params = initialize_params(tmp_path, {"a": 1})
    converter = converters.get_converter()
    assert converter.unstructure(converter.structure(params, types.InitializeParams)) == params


def test_what_a_server_can_do_is_read_from_whatever_it_says() -> None:
    assert Abilities.read(None) == Abilities()
    assert Abilities.read({"capabilities": {"positionEncoding": "utf-7", "codeActionProvider": False}}) == Abilities()
    told = {"positionEncoding": "utf-8", "codeActionProvider": {}, "completionProvider": {}, "diagnosticProvider": {}}
    able = Abilities.read({"capabilities": told})
    assert able == Abilities(PositionEncoding.UTF8, {"": ""}, fixes=True, resolves_fixes=False, completes=True)


async def read(data: bytes) -> object:
    """The first message in `data`, fed in single bytes."""
    stream = asyncio.StreamReader()
    for byte in data:
        stream.feed_data(bytes([byte]))
    stream.feed_eof()
    return await read_message(stream)


async def test_a_message_survives_the_wire() -> None:
    message: dict[str, object] = {"text": "日本 🎻 \ud800 \r\n", "n": None, "list": [1, 2.5, True]}
    assert await read(encode({**message, "text": "日本 🎻 \r\n"})) == {**message, "text": "日本 🎻 \r\n"}
    assert encode(message).startswith(b"Content-Length: ")


@pytest.mark.parametrize(
    "data",
    [
        b"content-length:2\r\n\r\n{}",
        b"Content-Type: application/vscode-jsonrpc\r\nContent-Length:  2 \r\n\r\n{}",
        b"Content-Length: 2\r\nX: y: z\r\n\r\n{}trailing",
    ],
)
async def test_headers_are_read_in_any_form_that_is_allowed(data: bytes) -> None:
    assert await read(data) == {}


@pytest.mark.parametrize("data", [b"", b"\r\n"])
async def test_the_end_of_the_stream_is_no_message(data: bytes) -> None:
    assert await read(data) is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"Content-Length: 10\r\n\r\n{}", "it ended in the middle of a message"),
        (b"Content-Length: 1", "it wrote what is not the language server protocol: 'Content-Length: 1'"),
        (b"Content-Length: 2\r\n\r\n\xff\xfe", "it sent what is not JSON"),
        (b"Content-Length: 2\r\n\r\n[]", "it sent JSON that is not a message"),
        (b"Content-Length: 9000\r\n\r\n" + b"[" * 9000, "it sent what is not JSON"),
        (b"Content-Length: 999999999\r\n\r\n", "a message of 954 MiB is more than motet reads"),
        (b"\x00\x01\x02\r\n\r\n", "it wrote what is not the language server protocol"),
    ],
    ids=str,
)
async def test_what_is_not_the_protocol_is_refused_with_what_it_was(data: bytes, why: str) -> None:
    with pytest.raises(ServerError) as caught:
        await read(data)
    assert str(caught.value).startswith(why)
