"""Whether anything waits: all of a process who ask at the same time, woken by the same post, ask the store once."""

from __future__ import annotations

import asyncio
from functools import partial

from motet.board import inbox
from motet.board.database import Tx
from motet.storage.worker import Kind, Worker


class Looks:
    """See the module."""

    def __init__(self, worker: Worker[Tx]) -> None:
        self._worker = worker
        self._asking: set[str] = set()
        self._next: asyncio.Task[frozenset[str]] | None = None

    async def is_due(self, address: str) -> bool:
        """Whether something may wait for an agent. False means that nothing did at some moment since this was asked.
        Raises `BoardError`."""
        self._asking.add(address)
        if self._next is None:
            self._next = asyncio.create_task(self._look())
        return address in await asyncio.shield(self._next)

    async def _look(self) -> frozenset[str]:
        asking, self._asking, self._next = self._asking, set(), None
        return await self._worker.do(Kind.READ, partial(inbox.due, addresses=sorted(asking)))
