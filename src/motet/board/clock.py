"""What time it is for the steps of a store, and how long this process itself has seen nothing of others.

Machines disagree about the time, and a clock is set while processes run. So a store on a server says what time it is
(`Tx.now`), and nobody is given up for a timestamp alone: whoever does that has itself seen that it stood still.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from motet.board.database import Tx, Work

T = TypeVar("T")

_MOST = 45.0
"""Seconds that may count between two looks: who was itself stopped, or asleep, has seen nothing meanwhile."""


def at(tx: Tx) -> float:
    """What time it is in a transaction, in seconds since 1970."""
    return tx.now


def monotonic() -> float:
    """Seconds of this process, from anywhere; no clock that is set changes them."""
    return time.monotonic()


def timed(work: Callable[..., T]) -> Work[T]:
    """A step that is told, as `now`, when it is done."""
    return lambda tx: work(tx, now=at(tx))


@dataclass(slots=True)
class Silence:
    """For how long each sign of life has stood still under the eyes of this process."""

    _signs: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    _looked: float | None = None

    def look(self, signs: Iterable[tuple[str, float]], at: float) -> dict[str, tuple[float, float]]:
        """Look once more, `at` a moment of this process: by what gave it, each sign and for how many seconds it has stood
        still. What is not among the `signs` any more is forgotten."""
        passed = 0.0 if self._looked is None else min(at - self._looked, _MOST)
        before, self._looked = self._signs, at
        self._signs = {}
        for who, sign in signs:
            last, stood = before.get(who, (None, 0.0))
            self._signs[who] = (sign, stood + passed if last == sign else 0.0)
        return self._signs
