"""Waking other processes through the server: one notification for all that was rung within a moment."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from motet.board.database import Tx
from motet.board.errors import BoardError
from motet.board.server_url import ServerUrl
from motet.board.watch import Heard, Hint, of_wire, to_wire
from motet.errors import MotetError
from motet.storage.worker import Kind, Worker
from motet.tasks import background

if TYPE_CHECKING:
    import psycopg

QUIET = 0.02
"""Seconds between two notifications of a process."""
_LONGEST = 7_900
"""Bytes of one notification (the server takes 8,000); more hints than fit follow in the next."""
_AGAIN = (0.1, 0.5, 1.0, 5.0)
"""Seconds to wait before listening again, after the first, second, … lost connection in a row."""


class ServerBell:
    """See `Bell`. What is rung goes through the connection of the boards' thread; listening has one of its own."""

    def __init__(self, url: str, password: Callable[[], str] | None = None) -> None:
        self._url = url
        self._password = password
        self._tag = secrets.token_hex(4)
        self._worker: Worker[Tx] | None = None
        self._rung: dict[tuple[str, str], Hint] = {}
        self._ringing: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def through(self, worker: Worker[Tx]) -> None:
        """Ring through this thread."""
        self._worker = worker

    def ring(self, hints: Iterable[Hint]) -> None:
        """See `Bell`."""
        for hint in hints:
            key = hint.board, hint.what
            self._rung[key] = self._rung[key].and_also(hint) if key in self._rung else hint
        if self._rung and (self._ringing is None or self._ringing.done()):
            self._ringing = background(self._ring())

    async def listen(self, heard: Heard) -> None:
        """See `Bell`. A connection that is cut is made again."""
        if self._listening is not None:
            return
        began = asyncio.Event()
        self._listening = background(self._listen(heard, began))
        await began.wait()

    async def close(self) -> None:
        """See `Bell`."""
        self._closing.set()
        if self._ringing is not None:
            await self._ringing
        if self._listening is not None:
            self._listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listening

    async def _ring(self) -> None:
        while self._rung and self._worker is not None:
            channel, text = ServerUrl.of(self._url).schema, self._next()

            def notify(tx: Tx, channel: str = channel, text: str = text) -> None:
                # It need not be on the disk.
                tx.several(
                    [
                        ("SELECT set_config('synchronous_commit', 'off', true)", ()),
                        ("SELECT pg_notify(?, ?)", (channel, text)),
                    ]
                )

            with contextlib.suppress(BoardError):  # who is not woken looks by itself
                await self._worker.do(Kind.READ, notify)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), QUIET)

    def _next(self) -> str:
        """The hints that go next."""
        text = ""
        hints: list[list[object]] = []
        while self._rung:
            key, hint = next(iter(self._rung.items()))
            hints.append(to_wire(hint))
            longer = json.dumps([self._tag, *hints], separators=(",", ":"))
            if len(longer) > _LONGEST and text:
                break
            text, _ = longer, self._rung.pop(key)
        return text

    async def _listen(self, heard: Heard, began: asyncio.Event) -> None:
        failures = 0
        try:
            import psycopg

            while True:
                with contextlib.suppress(psycopg.Error, MotetError, OSError):
                    async with self._connected() as connection:
                        began.set()
                        failures = 0
                        while True:
                            async for note in connection.notifies(timeout=0):
                                heard(self._hints(note.payload))
                            await _readable(connection.fileno())
                began.set()
                await asyncio.sleep(_AGAIN[min(failures, len(_AGAIN) - 1)])
                failures += 1
        except ImportError:
            pass  # it is told to whoever reads or writes
        finally:
            began.set()

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        import psycopg
        from psycopg.sql import SQL, Identifier

        from motet.board.postgres import settings_of

        url = ServerUrl.of(self._url)
        settings = await asyncio.to_thread(settings_of, url, self._password)
        connection = await psycopg.AsyncConnection.connect(autocommit=True, **settings)
        try:
            await connection.execute(SQL("LISTEN {}").format(Identifier(url.schema)))
            yield connection
        finally:
            await connection.close()

    def _hints(self, payload: str) -> list[Hint]:
        """What a notification of another process says; nothing when it is none of ours."""
        try:
            tag, *hints = json.loads(payload)
            return [of_wire(said) for said in hints] if tag != self._tag else []
        except (ValueError, TypeError):
            return []


async def _readable(handle: int) -> None:
    """Return when there is something to read. The driver's own waiting looks ten times a second."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(handle)
