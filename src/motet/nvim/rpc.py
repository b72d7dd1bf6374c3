"""A msgpack-RPC peer: requests and notifications in both directions over two pipes. `:help rpc` in Neovim."""

from __future__ import annotations

import asyncio
import codecs
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from typing import Protocol, cast

import msgpack

from motet.errors import MotetError

_REQUEST, _RESPONSE, _NOTIFICATION = 0, 1, 2
_READ = 1 << 18
_REPLACED = "\N{REPLACEMENT CHARACTER}".encode()


class EditorError(MotetError):
    """The editor refused a call, or has gone."""


class EditorGone(EditorError):
    """Nobody answers any more."""


class Peer:
    """One end of the connection. `heard` gets each notification, by name with its arguments; it returns at once, and what
    it raises ends nothing: the loop's exception handler gets it."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.WriteTransport,
        heard: Callable[[str, list[object]], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._heard = heard
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._has_gone = False
        self._pack = _packer()

    async def run(self) -> None:
        """Read until the other end has gone; what waits for an answer fails then with `EditorGone`."""
        unpacker = _unpacker()
        try:
            while data := await self._reader.read(_READ):
                unpacker.feed(data)
                for message in unpacker:
                    self._take(cast("list[object]", message))
        finally:
            self._has_gone = True
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(EditorGone("the editor has gone"))
            self._waiting.clear()

    def notify(self, method: str, *arguments: object) -> None:
        """Tell the other end; nobody answers."""
        self._send([_NOTIFICATION, method, arguments])

    async def request(self, method: str, *arguments: object) -> object:
        """The answer of the other end. Raises `EditorError` with what it says, or when it has gone."""
        if self._has_gone:
            raise EditorGone("the editor has gone")
        number = next(self._ids)
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._send([_REQUEST, number, method, arguments])
        try:
            return await future
        finally:
            self._waiting.pop(number, None)

    async def lua(self, function: str, *arguments: object) -> object:
        """What `require("motet.remote").<function>(…)` gives."""
        return await self.request("nvim_exec_lua", f"return require('motet.remote').{function}(...)", arguments)

    def tell(self, function: str, *arguments: object) -> None:
        """Have `require("motet.remote").<function>(…)` called."""
        self.notify("nvim_exec_lua", f"require('motet.remote').{function}(...)", arguments)

    def _take(self, message: list[object]) -> None:
        match message:
            case [2, str(method), arguments] if isinstance(arguments, list):
                asyncio.get_running_loop().call_soon(self._heard, method, cast("list[object]", arguments))
            case [1, int(number), error, result]:
                self._answered(number, error, result)
            case [0, int(number), *_]:
                self._send([_RESPONSE, number, "motet answers no requests: tell it, and it will tell you", None])
            case _:
                raise EditorError("what the editor sent is no message")

    def _answered(self, number: int, error: object, result: object) -> None:
        future = self._waiting.get(number)
        if future is None or future.done():
            return
        if error is None:
            future.set_result(result)
            return
        text = cast("list[object]", error)[-1] if isinstance(error, list) else error
        future.set_exception(EditorError(f"the editor: {text}"))

    def _send(self, message: object) -> None:
        if not self._writer.is_closing():
            self._writer.write(self._pack(message))


class _Packs(Protocol):
    """The part of `msgpack.Packer` that is used; the library says nothing of its types."""

    def pack(self, message: object) -> bytes: ...


class _Unpacks(Protocol):
    """The same of `msgpack.Unpacker`."""

    def feed(self, data: bytes) -> None: ...
    def __iter__(self) -> Iterator[object]: ...


def _half_characters(error: UnicodeError) -> tuple[str | bytes, int]:
    """Bytes of a file that are no text go as they are; half a character, which no file can hold, is replaced."""
    assert isinstance(error, UnicodeEncodeError)
    half = ord(error.object[error.start])
    return bytes([half - 0xDC00]) if 0xDC80 <= half <= 0xDCFF else _REPLACED, error.start + 1


codecs.register_error("motet-editor", _half_characters)


def _packer() -> Callable[[object], bytes]:
    make = cast("Callable[..., _Packs]", msgpack.Packer)  # pyright: ignore[reportUnknownMemberType]
    return make(unicode_errors="motet-editor").pack


def _unpacker() -> _Unpacks:
    make = cast("Callable[..., object]", msgpack.Unpacker)  # pyright: ignore[reportUnknownMemberType]
    return cast("_Unpacks", make(raw=False, unicode_errors="surrogateescape", strict_map_key=False))


async def over_stdio(heard: Callable[[str, list[object]], None]) -> Peer:
    """A peer at this process's standard input and output, which nothing else may write to from now on."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_READ)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes where errors go
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    writer, _ = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, out)
    return Peer(reader, writer, heard)
