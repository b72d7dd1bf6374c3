"""Blocking work side by side: what waits for the disk waits at the same time."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_MOST = 4
"""Threads beside the caller's own: disks have little to gain from more."""


@contextmanager
def meanwhile(works: Sequence[Callable[[], T]]) -> Generator[list[Future[T]]]:
    """Do `works` in a few threads while the block goes on; every one of them has ended when it is left."""
    futures: list[Future[T]] = []
    try:
        futures += map(_pool(os.getpid()).submit, works)
        yield futures
    finally:
        wait(futures)


def later(work: Callable[[], object]) -> None:
    """Do something that nobody waits for, and that cannot fail; at the latest before the process ends."""
    _pool(os.getpid()).submit(work)


@functools.cache
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process: those of another one do not come along when it forks."""
    return ThreadPoolExecutor(_MOST, f"motet-disk-{process}")
