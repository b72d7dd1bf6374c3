"""Work that usually takes no time, and is said to go on where it does."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Timer

from motet.cli.terminal import Terminal

PATIENCE = 1.0
"""Seconds for which nothing need be said."""


@contextmanager
def told_when_slow(what: str) -> Generator[None]:
    """Say `what` on stderr, once, when the work within takes longer than a second. A thread says it, because the work
    holds up everything else; the line stands there before anything that follows."""
    timer = Timer(PATIENCE, lambda: Terminal().line(what, "dim", hang=2))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
