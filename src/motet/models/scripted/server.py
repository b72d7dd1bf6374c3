"""A scripted provider over real HTTP, on asyncio alone, on a free port of the loopback interface."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from motet.models.providers.fields import parse_object
from motet.models.scripted.answers import (
    FOR_EVER,
    Answer,
    Answering,
    HttpError,
    Script,
    ScriptedRequest,
    Step,
    Wire,
    WireDialect,
)
from motet.models.scripted.dialects import Event, error_body, events_of
from motet.models.scripted.strict import refusal

if TYPE_CHECKING:
    import ssl

_HEAD_LIMIT = 64 * 1024


class ScriptedServer:
    """Serves a script: a sequence of steps, a `Script`, or a function from the request to a step.

    Speaks to `…/messages` as Anthropic, to `…/chat/completions` and `…/responses` as OpenAI, and lists `models` at
    `…/models`; it also takes requests made through it as an HTTP proxy. `requests` holds what came in. A request beyond the
    script gets status 400. `listener` hears of each request as it comes. With `tls` it speaks HTTPS.

    A request that breaks a rule of its provider (see `strict`) gets status 400 and uses up no step; `refused` holds
    why. With `keys`, a request without one of them gets status 401, `models` included.
    """

    def __init__(
        self,
        script: Sequence[Step] | Script | Answering,
        *,
        repeat: bool = False,
        models: Sequence[str] = ("scripted",),
        port: int = 0,
        listener: Callable[[ScriptedRequest], None] | None = None,
        tls: ssl.SSLContext | None = None,
        strict: bool = True,
        keys: Sequence[str] = (),
    ) -> None:
        self.requests: list[ScriptedRequest] = []
        self.refused: list[str] = []
        self._script: Script | Answering = (
            script if isinstance(script, Script) or callable(script) else Script(script, repeat=repeat)
        )
        self._models = tuple(models)
        self._port = port
        self._listener = listener
        self._tls = tls
        self._strict = strict
        self._keys = frozenset(keys)
        self._server: asyncio.Server | None = None
        self._arrived = asyncio.Condition()
        self._open: set[asyncio.Task[None]] = set()
        self._released = asyncio.Semaphore(0)

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`: the base address for Anthropic; with `/v1` that for OpenAI."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self._port, limit=_HEAD_LIMIT, ssl=self._tls
        )
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None  # entered before
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def received(self, count: int) -> ScriptedRequest:
        """Wait until `count` requests have come; the last of them."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    def release(self) -> None:
        """Let one answer go on that stalls for ever, or will."""
        self._released.release()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # asyncio runs each connection in one
        self._open.add(task)
        try:
            # Whatever a client does to its connection is its own affair.
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await self._serve(reader, writer)
        finally:
            writer.close()
            self._open.discard(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, target, headers = await _read_head(reader)
        path = urlsplit(target).path
        body = await reader.readexactly(int(headers.get("content-length") or 0))
        dialect = _dialect(path, headers)
        if not self._knows(headers):
            await _send(writer, 401, error_body(HttpError(401, "invalid API key", "authentication_error"), dialect))
            return
        if method == "GET" and path.endswith("/models"):
            listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]}
            await _send(writer, 200, json.dumps(listed))
            return
        if method != "POST" or not path.endswith(("/messages", "/chat/completions", "/responses")):
            await _send(writer, 404, error_body(HttpError(404, f"no such place: {method} {path}"), dialect))
            return
        request = ScriptedRequest(dialect, target, headers, parse_object(body) or {})
        async with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        if self._listener:
            self._listener(request)
        await _answer(self._step(request), request, _Line(reader, writer, request, self._released))

    def _knows(self, headers: Mapping[str, str]) -> bool:
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        return not self._keys or given in self._keys

    def _step(self, request: ScriptedRequest) -> Step:
        if self._strict and (error := refusal(request)):
            self.refused.append(error.message)
            return error
        if not isinstance(self._script, Script):
            return self._script(request)
        if not request.body.get("stream"):
            return HttpError(400, "the scripted server only streams")
        over = f"the script of {len(self._script)} has no answer for request {len(self.requests)}"
        return self._script.next(request.text) or HttpError(400, over)


class _ClientLeft(ConnectionError):
    """The client closed the connection before the end."""


class _Line:
    """A connection on which an answer goes out; notices at once when the client leaves."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        request: ScriptedRequest,
        released: asyncio.Semaphore,
    ) -> None:
        self._released = released
        self._reader = reader
        self.writer = writer
        self._request = request

    async def wait(self, seconds: float) -> None:
        """Wait, or raise when the client leaves first."""
        try:
            async with asyncio.timeout(None if seconds == FOR_EVER else seconds):
                await self._reader.read(1)
        except TimeoutError:
            return
        except ConnectionError:
            pass
        self._request.left.set()
        raise _ClientLeft

    async def stall(self, seconds: float) -> None:
        """The same, and those that wait for ever go on when they are released."""
        if seconds != FOR_EVER:
            await self.wait(seconds)
            return
        waiting, released = asyncio.create_task(self.wait(seconds)), asyncio.create_task(self._released.acquire())
        try:
            await asyncio.wait({waiting, released}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                waiting.result()
        finally:
            waiting.cancel()
            released.cancel()

    async def write(self, data: bytes, size: int = 0) -> None:
        """Write `data` as chunks of the body, of `size` bytes each when given."""
        for start in range(0, len(data), size or len(data)):
            piece = data[start : start + (size or len(data))]
            try:
                self.writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                await self.writer.drain()
            except ConnectionError:
                self._request.left.set()
                raise
            await asyncio.sleep(0)
        if self._reader.at_eof():
            self._request.left.set()
            raise _ClientLeft

    def reset(self) -> None:
        """End the connection with RST, so that the client sees an error and not an end."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


async def _answer(step: Step, request: ScriptedRequest, line: _Line) -> None:
    if isinstance(step, HttpError):
        if step.first_byte_delay:
            await line.wait(step.first_byte_delay)
        await _send(line.writer, step.status, error_body(step, request.dialect), step.headers)
        return
    if step.wire.first_byte_delay:
        await line.wait(step.wire.first_byte_delay)
    line.writer.write(_head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}))
    await _stream(events_of(step, request), step, line)


async def _stream(events: Sequence[Event], answer: Answer, line: _Line) -> None:
    wire: Wire = answer.wire
    for number in range(len(events) + 1):
        if number == wire.stall_after:
            await line.stall(wire.stall)
        if number == wire.malformed_after:
            await line.write(Event('{"broken": ').encode(wire), wire.piece_bytes)
        if number == wire.cut_after:
            match wire.cut:
                case "rst":
                    line.reset()
                    return
                case "close":
                    return
                case "end":
                    break
        if number < len(events):
            await line.write(events[number].encode(wire), wire.piece_bytes)
    line.writer.write(b"0\r\n\r\n")
    await line.writer.drain()


def _dialect(path: str, headers: Mapping[str, str]) -> WireDialect:
    if path.endswith("/messages") or "anthropic-version" in headers:
        return "anthropic"
    return "openai-responses" if path.endswith("/responses") else "openai"


async def _read_head(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    return method, target, {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _send(
    writer: asyncio.StreamWriter, status: int, body: str, headers: Mapping[str, str] | None = None
) -> None:
    data = body.encode()
    head = {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}
    writer.write(_head(status, head) + data)
    await writer.drain()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    phrase = next((known.phrase for known in HTTPStatus if known == status), "Unknown")
    lines = [
        f"HTTP/1.1 {status} {phrase}",
        *(f"{name}: {value}" for name, value in headers.items()),
        "Connection: close",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
