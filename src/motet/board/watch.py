"""Waiting for boards: hints that something is new, and who listens. The log is the truth; a hint may be lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, order=True)
class Hint:
    """Something is new on a board: `seq` is its last post; `what` is `posts`, or `people`, `notices`, `changes` (posts
    that were changed, deliveries)."""

    board: str
    seq: int = 0
    what: str = "posts"


class Bell(Protocol):
    """How processes wake each other."""

    def ring(self, hints: Iterable[Hint]) -> None:
        """Tell the others. Never waits, never fails."""
        ...

    async def listen(self, heard: Heard) -> None:
        """Pass on what others ring, until `close`. Where that cannot be had, nothing."""
        ...

    async def close(self) -> None:
        """Tell what was rung, listen no more."""
        ...


class Heard(Protocol):
    """Takes hints of other processes, in the event loop."""

    def __call__(self, hints: Iterable[Hint]) -> None: ...


@dataclass(slots=True, eq=False)
class Watch:
    """One who waits. What was hinted since the last `next` is kept, once."""

    _new: dict[Hint, None] = field(default_factory=dict[Hint, None])
    _event: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, hints: Iterable[Hint]) -> None:
        """Something is new."""
        self._new.update(dict.fromkeys(hints))
        self._event.set()

    async def next(self, timeout: float | None = None) -> list[Hint]:
        """What is new since the last time; waits for the first hint, at most `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._event.wait()
        except TimeoutError:
            return []
        self._event.clear()
        hints = list(self._new)
        self._new.clear()
        return hints


@dataclass(slots=True)
class Watches:
    """All who wait in this process. A hint about posts that are known already wakes nobody."""

    last: dict[str, int] = field(default_factory=dict[str, int])
    _open: set[Watch] = field(default_factory=set[Watch])

    def open(self) -> Watch:
        """A new one."""
        watch = Watch()
        self._open.add(watch)
        return watch

    def close(self, watch: Watch) -> None:
        """It waits no more."""
        self._open.discard(watch)

    @property
    def is_empty(self) -> bool:
        """Whether nobody waits."""
        return not self._open

    def tell(self, hints: Iterable[Hint]) -> list[Hint]:
        """Wake all; returns what was news."""
        news: list[Hint] = []
        for hint in hints:
            if hint.what == "posts":
                if hint.seq <= self.last.get(hint.board, 0):
                    continue
                self.last[hint.board] = hint.seq
            news.append(hint)
        if news:
            for watch in self._open:
                watch.tell(news)
        return news
