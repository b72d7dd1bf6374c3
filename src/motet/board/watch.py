"""Waiting for boards: hints that something is new, and who listens. The log is the truth; a hint may be lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

MOST_NAMED = 50
"""Names that a hint holds; one that concerns more concerns all."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Something is new on a board: `seq` is its last post; `what` is `posts`, or `people`, `notices`, `changes` (posts
    that were changed, deliveries). `whom` are the addresses and roles (`role:NAME`) for which something may wait now;
    None: for anyone. Of posts it says so of those from number `first` on; 0: of which is not known."""

    board: str
    seq: int = 0
    what: str = "posts"
    first: int = field(default=0, compare=False)
    whom: tuple[str, ...] | None = field(default=None, compare=False)

    def concerns(self, names: frozenset[str]) -> bool:
        """Whether something may wait for one of `names` now."""
        return self.whom is None or not names.isdisjoint(self.whom)

    def and_also(self, other: Hint) -> Hint:
        """Both in one, of the same board and kind."""
        first, seq = min(self.first, other.first), max(self.seq, other.seq)
        is_whole = max(self.first, other.first) <= min(self.seq, other.seq) + 1  # of posts: no other is between them
        if self.whom is None or other.whom is None or not is_whole:
            return replace(self, first=first, seq=seq, whom=None)
        return replace(self, first=first, seq=seq, whom=named([*self.whom, *other.whom]))


def named(whom: Iterable[str]) -> tuple[str, ...] | None:
    """Whom a hint names: each once; None when they are too many."""
    names = tuple(dict.fromkeys(whom))
    return names if len(names) <= MOST_NAMED else None


def to_wire(hint: Hint) -> list[object]:
    """A hint as JSON."""
    return [hint.board, hint.seq, hint.what, hint.first, hint.whom]


def of_wire(said: Sequence[object]) -> Hint:
    """The hint that another process sent. Raises `ValueError`, `TypeError` when it is none."""
    board, seq, what, first, whom = said
    if not isinstance(seq, int) or not isinstance(first, int):
        raise TypeError("numbers of posts are no numbers")
    if whom is not None and not isinstance(whom, list):
        raise TypeError("names are no list")
    names = None if whom is None else tuple(str(name) for name in cast("list[object]", whom))
    return Hint(str(board), seq, str(what), first, names)


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
    """One who waits, for all that is new, or with `names` for what may wait for one of them. What was hinted since the
    last `next` is kept, once."""

    names: frozenset[str] = frozenset()
    _new: dict[Hint, None] = field(default_factory=dict[Hint, None])
    _event: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, hints: Iterable[Hint]) -> None:
        """Something is new."""
        if new := [hint for hint in hints if not self.names or hint.concerns(self.names)]:
            self._new.update(dict.fromkeys(new))
            self._event.set()

    @property
    def is_woken(self) -> bool:
        """Whether `next` would answer at once."""
        return self._event.is_set()

    def forget(self) -> None:
        """What was hinted until now is known."""
        self._event.clear()
        self._new.clear()

    async def next(self, timeout: float | None = None) -> list[Hint]:
        """What is new since the last time; waits for the first hint, at most `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._event.wait()
        except TimeoutError:
            return []
        hints = list(self._new)
        self.forget()
        return hints


@dataclass(slots=True)
class Watches:
    """All who wait in this process. A hint about posts that are known already wakes nobody. One that leaves out posts
    wakes all: whoever told of those may have been too late, or not heard."""

    last: dict[str, int] = field(default_factory=dict[str, int])
    _open: set[Watch] = field(default_factory=set[Watch])

    def open(self, names: Iterable[str] = ()) -> Watch:
        """A new one."""
        watch = Watch(frozenset(names))
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
                known = self.last.get(hint.board, 0)
                if hint.seq <= known:
                    continue
                self.last[hint.board] = hint.seq
                if not 0 < hint.first <= known + 1:
                    hint = replace(hint, whom=None)
            news.append(hint)
        if news:
            for watch in self._open:
                watch.tell(news)
        return news
