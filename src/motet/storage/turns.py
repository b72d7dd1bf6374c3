"""Taking turns at a lock file between processes, and not waiting for ever for one that has its turn and does nothing."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Generator
from pathlib import Path

LOOK = 3.0
"""Seconds between two looks at who has the turn."""
MOST = 60.0
"""Seconds that one waits for its turn."""


class TurnOver(Exception):
    """The turn did not come. `holder` is the process that has it, 0 where the system does not say; `is_stopped`: it was
    stopped, as by Ctrl-Z."""

    def __init__(self, holder: int, *, is_stopped: bool) -> None:
        super().__init__(f"process {holder} has the turn")
        self.holder = holder
        self.is_stopped = is_stopped


@contextlib.contextmanager
def turn(lock: int, path: Path) -> Generator[None]:
    """Hold the lock of the file at `path`, which is open as `lock`. Raises `OSError`, and `TurnOver` when the process that
    has it is stopped, or after `MOST` seconds."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = lock
    except BlockingIOError:
        held = _Waiting(os.open(path, os.O_RDWR | os.O_CLOEXEC)).lock()
    try:
        yield
    finally:
        if held == lock:
            fcntl.flock(lock, fcntl.LOCK_UN)
        else:
            os.close(held)


class _Waiting:
    """A place in the system's queue. Nothing ends such waiting: a thread does it, on a descriptor of its own, which it
    closes when nobody wants the turn any more."""

    def __init__(self, own: int) -> None:
        self._own = own
        self._change = threading.Condition()
        self._has_come = self._is_given_up = False

    def lock(self) -> int:
        """The descriptor, with the lock. Raises as `turn`."""
        threading.Thread(target=self._wait, name="motet-turn", daemon=True).start()
        with self._change:
            waited = 0.0
            while not self._change.wait_for(lambda: self._has_come, LOOK):
                waited += LOOK
                holder = _holder_of(self._own)
                is_stopped = _is_stopped(holder)
                if is_stopped or waited >= MOST:
                    self._is_given_up = True
                    raise TurnOver(holder, is_stopped=is_stopped)
        return self._own

    def _wait(self) -> None:
        fcntl.flock(self._own, fcntl.LOCK_EX)
        with self._change:
            if self._is_given_up:
                os.close(self._own)
            self._has_come = True
            self._change.notify_all()


def _holder_of(lock: int) -> int:
    """The process that holds the lock; 0 where the system does not say."""
    about = os.fstat(lock)
    file = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            words = line.split()  # proc(5): number, kind, mode, access, process, file; who waits has an arrow first
            if words[1] == "FLOCK" and words[5] == file:
                return int(words[4])
    return 0


def _is_stopped(process: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] in "tT"
    return False
