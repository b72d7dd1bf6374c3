"""The store of boards while it is open: steps run in its thread, hints go out and come in, somebody looks."""

from __future__ import annotations

import asyncio
import contextlib
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import NoReturn, Self, TypeVar

from motet.board import clock, notices, reading
from motet.board.database import Database, Tx, Work
from motet.board.errors import BoardError, BoardRefused
from motet.board.limits import Limits
from motet.board.looks import Looks
from motet.board.members import Members
from motet.board.outbox import Outbox
from motet.board.tending import Observed
from motet.board.values import Refusal
from motet.board.watch import Bell, Hint, Watch, Watches
from motet.storage.worker import Kind, Worker
from motet.tasks import background

T = TypeVar("T")

LOOK = 5.0
"""Seconds after which whoever waits looks by itself: hints may be lost."""
_TEND = 6
"""Looks after which it does what nobody asks for."""


class BoardStore:
    """What `Boards` stands on. Nothing is opened or made before the first use."""

    def __init__(self, open_database: Callable[[], Database], bell: Bell, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._bell = bell
        self._members = Members()
        self._watches = Watches()
        self._worker: Worker[Tx] = Worker(
            "motet-board", open_database, lambda: BoardError("the boards are closed; open them again")
        )
        self._outbox = Outbox(self._worker, self._members, self.limits, self._ring)
        self._looks = Looks(self._worker)
        self._observed = Observed()
        self._listening: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    async def close(self) -> None:
        """Finish what waits, and let go of the store."""
        if self._listening is not None:
            self._listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listening
        await self._outbox.close()
        await self._bell.close()
        await self._worker.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @abstractmethod
    async def tend(self) -> object:
        """Do what nobody asks for."""

    # --- waiting ---------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def watching(self, names: Iterable[str] = ()) -> AsyncGenerator[Watch]:
        """One who waits for what is new, in this process and others: for all of it, or with `names` (an address, roles as
        `role:NAME`) for what one of them may have to `pull`. What nobody tells of, such as a lease that ran out, it finds
        when it looks by itself."""
        watch = self._watches.open(names)
        try:
            async with self._starting:
                if self._listening is None:
                    await self._bell.listen(self._heard)
                    await self._look()
                    self._listening = background(self._keep_looking())
            yield watch
        finally:
            self._watches.close(watch)

    async def _keep_looking(self) -> None:
        """The safety net below the hints."""
        looks = 0
        while True:
            await asyncio.sleep(LOOK)
            looks += 1
            if not self._watches.is_empty:
                with contextlib.suppress(BoardError):  # it is told to whoever reads next
                    await self._look()
                    if looks % _TEND == 0:
                        await self.tend()

    async def _look(self) -> None:
        self._heard([Hint(board, seq) for board, seq in await self._read(reading.newest)])

    def _heard(self, hints: Iterable[Hint]) -> None:
        self._watches.tell(hints)

    def _ring(self, hints: Sequence[Hint]) -> None:
        if hints:
            self._watches.tell(hints)
            self._bell.ring(hints)

    async def refuse(self, actor: str, what: str, error: BoardRefused) -> NoReturn:
        """Keep that `actor` was refused `what`, and raise `error`."""
        await self._log(actor, what, str(error))
        raise error

    async def refusals(self, limit: int = 100) -> list[Refusal]:
        """What was tried and refused, the newest first."""
        return await self._read(partial(notices.refusals, limit=limit))

    # --- the store -------------------------------------------------------------------------------------------------

    async def _read(self, work: Work[T]) -> T:
        return await self._worker.do(Kind.READ, work)

    async def _write(self, work: Work[T]) -> T:
        return await self._worker.do(Kind.DURABLE, work)

    async def _refusing(self, actor: str, what: str, work: Work[T]) -> T:
        """Do it; a refusal is kept, by whom and of what."""
        try:
            return await self._write(work)
        except BoardRefused as error:
            await self._log(actor, what, str(error))
            raise

    async def _log(self, actor: str, what: str, why: str) -> None:
        await self._write(clock.timed(partial(notices.refused, actor=actor, board="", what=what, why=why)))
