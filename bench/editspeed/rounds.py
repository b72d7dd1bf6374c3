"""Rounds in turns, and rows whose bar has a constant."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from measure.table import Measured

Work = Callable[[], object]


def in_turns(
    rounds: int, *works: Work, clock: Callable[[], float] = time.process_time, repeat: int = 1
) -> list[list[float]]:
    """Seconds that each of `works` takes, round by round; the first round does not count.

    Each work runs `repeat` times in a round, and in every other round the works go in reverse, so that whatever else
    the machine does hits all of them alike. Garbage of before is collected once: to look through all there is before
    each round would leave none of them its caches.
    """
    taken: list[list[float]] = [[] for _ in works]
    gc.collect()
    for turn in range(rounds + 1):
        pairs = list(zip(works, taken, strict=True))
        for work, seconds in pairs if turn % 2 else reversed(pairs):
            started = clock()
            for _ in range(repeat):
                work()
            seconds.append((clock() - started) / repeat)
    return [seconds[1:] for seconds in taken]


def alone(rounds: int, work: Work) -> list[float]:
    """Milliseconds of processor time that `work` takes, round by round."""
    return in_milliseconds(in_turns(rounds, work)[0])


def in_milliseconds(seconds: Sequence[float]) -> list[float]:
    """For a row in `ms`."""
    return [1_000 * one for one in seconds]


def in_microseconds(seconds: Sequence[float]) -> list[float]:
    """For a row in `µs`."""
    return [1_000_000 * one for one in seconds]


@dataclass(frozen=True)
class Allowed(Measured):
    """A row whose ratio is that of what is above `free` (in its unit); the bar says so as well."""

    free: float = 0.0

    @property
    def ratio(self) -> float | None:
        """The median of the ratios, pair by pair, of what is above `free`."""
        pairs = zip(self.values, self.beside_values, strict=True)
        return statistics.median(max(one - self.free, 0.0) / other for one, other in pairs)

    @property
    def row(self) -> list[str]:
        """The cells under `MEASURED`."""
        cells = super().row
        cells[6] = f"{cells[6]} + {self.free:g} {self.unit}"
        return cells
