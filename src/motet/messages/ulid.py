"""Identifiers that sort by the time they were made: ULID (github.com/ulid/spec), in Crockford's base 32."""

from __future__ import annotations

import os
import threading
import time

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80


class _Clock:
    """Gives out ascending numbers: milliseconds since 1970 in 48 bits, then 80 random bits; within one millisecond,
    or when the clock goes back, one more than the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        fresh = time.time_ns() // 1_000_000 << _RANDOM_BITS | int.from_bytes(os.urandom(_RANDOM_BITS // 8))
        with self._lock:
            self._last = max(fresh, self._last + 1) if fresh >> _RANDOM_BITS <= self._last >> _RANDOM_BITS else fresh
            return self._last


_clock = _Clock()


def new_id() -> str:
    """A new ULID of 26 characters, greater than all that this process has made before."""
    number = _clock.next()
    return "".join(_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))
