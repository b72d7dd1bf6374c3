"""What time it is for the steps of a store, and how long this process itself has seen nothing of others.

Machines disagree about the time, and a clock is set while processes run. So a store on a server says what time it is
(`Tx.now`), and nobody is given up for a timestamp alone: whoever does that has itself seen that it stood still. In a file,
where nobody says what time it is, what others gave a time ends once that time has passed under one's own eyes (`Ages`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from motet.board.database import Work

T = TypeVar("T")

_MOST = 45.0
"""Seconds that may count between two looks: who was itself stopped, or asleep, has seen nothing meanwhile."""
_MOST_KNOWN = 10_000


def monotonic() -> float:
    """Seconds of this process, from anywhere; no clock that is set changes them."""
    return time.monotonic()


def timed(work: Callable[..., T]) -> Work[T]:
    """A step that is told, as `now`, when it is done."""
    return lambda tx: work(tx, now=tx.now)


@dataclass(slots=True)
class Ages:
    """For how long this process has known what has a time of its own. Used by one thread."""

    _since: dict[tuple[str, float], float] = field(default_factory=dict[tuple[str, float], float])

    def reckoned(self, what: str, until: float, span: float) -> float:
        """What time it is for `what`, which lasts `span` seconds and ends at `until`: as much later than its beginning as this
        process has known of it, since it was first asked. Another end is another beginning."""
        now = monotonic()
        known = now - self._since.setdefault((what, until), now)
        while len(self._since) > _MOST_KNOWN:
            del self._since[next(iter(self._since))]
        return until - span + known


@dataclass(slots=True)
class Silence:
    """For how long each sign of life has stood still under the eyes of this process. `moved`: those that were other ones
    when it looked before."""

    moved: dict[str, float] = field(default_factory=dict[str, float])
    _signs: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    _looked: float | None = None

    def look(self, signs: Iterable[tuple[str, float]], at: float) -> dict[str, tuple[float, float]]:
        """Look once more, `at` a moment of this process: by what gave it, each sign and for how many seconds it has stood
        still. What is not among the `signs` any more is forgotten."""
        passed = 0.0 if self._looked is None else min(at - self._looked, _MOST)
        before, self._looked = self._signs, at
        self._signs, self.moved = {}, {}
        for who, sign in signs:
            last, stood = before.get(who, (None, 0.0))
            self._signs[who] = (sign, stood + passed if last == sign else 0.0)
            if last not in (None, sign):
                self.moved[who] = sign
        return self._signs
