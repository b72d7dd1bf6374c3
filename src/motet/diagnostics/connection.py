"""Requests, answers and notifications over one child process (JSON-RPC 2.0)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from motet.diagnostics.json_value import integer_of, object_of, text_of
from motet.diagnostics.wire import encode, read_message
from motet.errors import ServerError
from motet.process import Child
from motet.tasks import background

METHOD_NOT_FOUND = -32601
_STDERR_TAIL = 4096
_LAST_WORDS = 1.0


class ResponseError(ServerError):
    """The server answered a request with an error. `data` is what it added."""

    def __init__(self, method: str, code: int, message: str, data: object = None) -> None:
        super().__init__(f"{method}: {message} ({code})")
        self.code = code
        self.data = data


class UnknownMethod(Exception):
    """The server asked for something that this client does not do; it is told so."""


class Connection:
    """The two directions of one server.

    `on_request` answers its requests or raises `UnknownMethod`; `on_end` is called once, when nothing more will
    come.
    """

    def __init__(
        self,
        child: Child,
        on_notification: Callable[[str, dict[str, object]], None],
        on_request: Callable[[str, dict[str, object]], object],
        on_end: Callable[[], None],
    ) -> None:
        self._child = child
        self._on_notification = on_notification
        self._on_request = on_request
        self._on_end = on_end
        self._pending: dict[int, tuple[str, asyncio.Future[object]]] = {}
        self._next = 0
        self._stderr = bytearray()
        self._failure: ServerError | None = None
        self._reading = background(self._read())
        self._draining = background(self._drain_stderr())

    @property
    def failure(self) -> ServerError | None:
        """Why nothing more will come, or None while the server is well."""
        return self._failure

    async def request(self, method: str, params: object = None) -> object:
        """The result of `method`.

        Raises `ResponseError` when the server refuses, `ServerError` when it is gone. A cancelled request is
        taken back.
        """
        if self._failure is not None:
            raise self._failure
        self._next += 1
        number = self._next
        answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._pending[number] = method, answer
        try:
            self._send({"id": number, "method": method, "params": params})
            return await answer
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": number})
            raise
        finally:
            self._pending.pop(number, None)

    def notify(self, method: str, params: object = None) -> None:
        """Tell the server; nothing happens when it is gone."""
        self._send({"method": method, "params": params})

    async def flush(self) -> None:
        """Wait until the server has taken most of what was sent: what waits is memory."""
        with suppress(ConnectionError):  # the reading side says why
            await self._child.stdin.drain()

    async def close(self) -> None:
        """End the server with all that it started."""
        self._fail(ServerError("it was ended"))
        self._reading.cancel()
        try:
            await self._child.terminate()
        finally:
            self._draining.cancel()

    def _send(self, message: dict[str, object]) -> None:
        if self._failure is None:
            slim = {key: value for key, value in message.items() if value is not None or key == "result"}
            self._child.stdin.write(encode({"jsonrpc": "2.0", **slim}))

    async def _read(self) -> None:
        try:
            while (message := await read_message(self._child.stdout)) is not None:
                self._take(message)
            self._fail(await self._why_it_ended())
        except ServerError as error:
            self._fail(error)
        except OSError as error:
            self._fail(ServerError(f"its output cannot be read ({error})"))

    def _take(self, message: Mapping[str, object]) -> None:
        method, number = message.get("method"), message.get("id")
        if isinstance(method, str) and number is not None:
            self._answer(method, number, object_of(message.get("params")))
        elif isinstance(method, str):
            self._on_notification(method, object_of(message.get("params")))
        elif isinstance(number, int) and number in self._pending:
            self._settle(number, message)

    def _settle(self, number: int, message: Mapping[str, object]) -> None:
        method, answer = self._pending.pop(number)
        if answer.done():
            return
        error = object_of(message.get("error"))
        if error:
            code = integer_of(error.get("code")) or 0
            answer.set_exception(ResponseError(method, code, text_of(error.get("message")), error.get("data")))
        else:
            answer.set_result(message.get("result"))

    def _answer(self, method: str, number: object, params: dict[str, object]) -> None:
        try:
            self._send({"id": number, "result": self._on_request(method, params)})
        except UnknownMethod:
            error = {"code": METHOD_NOT_FOUND, "message": f"{method} is not supported"}
            self._send({"id": number, "error": error})

    def _fail(self, error: ServerError) -> None:
        if self._failure is not None:
            return
        self._failure = error
        for _, answer in self._pending.values():
            if not answer.done():
                answer.set_exception(error)
                answer.exception()  # whoever asked may be gone; that is no news
        self._pending.clear()
        self._on_end()

    async def _why_it_ended(self) -> ServerError:
        """Its exit code and its last words; it may have closed its output without an exit."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS):
                code = await self._child.wait()
                await asyncio.wait([self._draining])
                words = self._stderr.decode("utf-8", "replace").strip().splitlines()
                how = f"exit code {code}" if code >= 0 else f"signal {-code}"
                return ServerError(f"it ended ({how})" + (f": {words[-1].strip()[:200]}" if words else ""))
        return ServerError("it closed its output")

    async def _drain_stderr(self) -> None:
        with suppress(OSError):
            while chunk := await self._child.stderr.read(65536):
                self._stderr += chunk
                del self._stderr[:-_STDERR_TAIL]
