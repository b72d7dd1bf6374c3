"""Ctrl-C, the end of the terminal and the end of the reader: the run is ended in good order."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from types import FrameType

from motet.errors import ExitCode

_PATIENCE = 3.0
"""Seconds that an orderly end may take before another Ctrl-C quits at once."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


Modes = list[int | list[bytes | int]]


class Interrupts:
    """While entered, a signal cancels the current task, once: what has begun is ended, servers included.

    A signal more than three seconds later leaves at once, also when the run is over and only its end takes long.
    A signal that is ignored (nohup) stays ignored.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._first: float | None = None
        self._held = False
        self._modes: Modes | None = None
        self.on_interrupt: Callable[[], None] = self.stop
        """What Ctrl-C does."""

    def stop(self) -> None:
        """End the run as Ctrl-C does."""
        now = time.monotonic()
        if self._first is None:
            self._first = now
            if self._task is not None:
                self._task.cancel()
        elif now - self._first > _PATIENCE:
            self._leave()

    @contextmanager
    def installed(self) -> Generator[None]:
        """Heed signals for the current task."""
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._modes = _modes()
        heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        for number in heeded:
            loop.add_signal_handler(number, self._arrived, number)
        try:
            yield
        finally:
            with _blocked(heeded):
                for number in heeded:
                    loop.remove_signal_handler(number)
                if self._first is not None:
                    signal.signal(signal.SIGINT, self._late)

    @contextmanager
    def held(self) -> Generator[None]:
        """Leave Ctrl-C and the terminal, with the modes that it had at first, to another program; put the modes of now
        back afterwards."""
        modes, self._held = _modes(), True
        _set_modes(self._modes)
        try:
            yield
        finally:
            self._held = False
            _set_modes(modes)

    def _arrived(self, number: signal.Signals) -> None:
        if number is not signal.SIGINT:
            self.stop()
        elif not self._held:
            self.on_interrupt()

    def _late(self, number: int, frame: FrameType | None) -> None:
        self.stop()

    def _leave(self) -> None:
        _set_modes(self._modes)
        os._exit(ExitCode.INTERRUPTED)


@contextmanager
def _blocked(numbers: Iterable[signal.Signals]) -> Generator[None]:
    """What arrives meanwhile arrives afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _modes() -> Modes | None:
    try:
        return termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):
        return None  # no terminal


def _set_modes(modes: Modes | None) -> None:
    if modes is not None:
        try:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, modes)
        except termios.error:
            return  # it has gone meanwhile
