"""The base protocol of language servers: JSON messages behind a header (LSP 3.17, "Base Protocol")."""

from __future__ import annotations

import asyncio
import json
from typing import cast

from motet.diagnostics.json_value import object_of
from motet.errors import ServerError

MAX_MESSAGE = 64 * 2**20
"""Bytes of the longest message that is read."""
_MAX_HEADER = 8 * 1024


def encode(message: dict[str, object]) -> bytes:
    """`message` as it goes over the wire."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def read_message(stream: asyncio.StreamReader) -> dict[str, object] | None:
    """The next message; None at the end of the stream.

    Raises `ServerError` for what is not the protocol: a wrong header, a length beyond `MAX_MESSAGE`, a body
    that ends early or is not a JSON object.
    """
    try:
        header = await stream.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial.strip():
            raise _garbage(error.partial) from error
        return None
    except asyncio.LimitOverrunError as error:
        raise _garbage(await stream.read(_MAX_HEADER)) from error
    length = _content_length(header)
    if length > MAX_MESSAGE:
        raise ServerError(f"a message of {length / 2**20:.0f} MiB is more than motet reads")
    try:
        message: object = json.loads(await stream.readexactly(length))
    except asyncio.IncompleteReadError as error:
        raise ServerError("it ended in the middle of a message") from error
    except (ValueError, RecursionError) as error:
        raise ServerError(f"it sent what is not JSON ({error})") from error
    if not isinstance(message, dict):
        raise ServerError("it sent JSON that is not a message")
    return object_of(cast("object", message))


def _content_length(header: bytes) -> int:
    length: int | None = None
    for line in header[:-4].split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise _garbage(header)
        if name.strip().lower() == b"content-length":
            if not value.strip().isdigit() or len(value) > 20:
                raise _garbage(header)
            length = int(value)
    if length is None:
        raise _garbage(header)
    return length


def _garbage(data: bytes) -> ServerError:
    start = data[:60].decode("utf-8", "replace")
    return ServerError(f"it wrote what is not the language server protocol: {start!r}")
