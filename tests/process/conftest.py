"""Waiting for processes that are not our children: a descriptor that becomes readable when they have ended."""

from __future__ import annotations

import os
import select
from collections.abc import Callable

import pytest


@pytest.fixture
def ends() -> Callable[[int], Callable[[], bool]]:
    """`ended = ends(pid)` while it lives; `ended()` waits up to ten seconds and says whether it has ended."""

    def watch(pid: int) -> Callable[[], bool]:
        descriptor = os.pidfd_open(pid)

        def ended() -> bool:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            try:
                return bool(poll.poll(10_000))
            finally:
                os.close(descriptor)

        return ended

    return watch
