"""When a refused request goes out again."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from motet.errors import ModelError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most `retries` more attempts, before the first token only.

    Delays double from `first_delay` seconds, each between half and the whole of that; a time that the provider
    names wins. A delay above `longest_delay` seconds is not waited for: the human hears about it instead.
    """

    retries: int = 4
    first_delay: float = 0.5
    longest_delay: float = 60.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    now: Callable[[], float] = time.time

    def delay(self, attempts: int, error: ModelError) -> float | None:
        """Seconds to wait after `attempts` attempts, the last of which came to `error`; None to give up."""
        if attempts > self.retries:
            return None
        if error.retry_after is None:
            return min(self.longest_delay, self.first_delay * 2 ** (attempts - 1)) * (0.5 + self.jitter() / 2)
        return error.retry_after if error.retry_after <= self.longest_delay else None
