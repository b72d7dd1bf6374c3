"""When a refused request goes out again."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from motet.errors import ModelError
from motet.models.protocol import ModelEvent, Retrying


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


class Failed(Exception):
    """An attempt came to `error`; `transient`: the same request may well succeed in a moment."""

    def __init__(self, error: ModelError, *, transient: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.transient = transient


async def retried(
    attempt: Callable[[], AsyncGenerator[ModelEvent]], policy: RetryPolicy
) -> AsyncGenerator[ModelEvent]:
    """The events of an attempt, and of further ones while they come to nothing. `attempt` raises `Failed`; what is
    raised here is its `ModelError`."""
    attempts = 0
    while True:
        attempts += 1
        started = False
        try:
            async with aclosing(attempt()) as events:
                async for event in events:
                    started = True
                    yield event
            return
        except Failed as failed:
            delay = None if started or not failed.transient else policy.delay(attempts, failed.error)
            if delay is None:
                raise failed.error from None
            reason = str(failed.error)
        yield Retrying(delay, attempts, reason)
        await policy.sleep(delay)
