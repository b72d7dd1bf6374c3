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
        held = _place_in_queue(lock, path).lock()
    try:
        yield
    finally:
        if held == lock:
            fcntl.flock(lock, fcntl.LOCK_UN)
        else:
            os.close(held)


class _Waiting:
    """A place in the system's queue. Nothing ends such waiting: a thread does it, on a descriptor of its own. Who gives
    up leaves the place to whoever asks next; when nobody did until the turn comes, it is over at once."""

    def __init__(self, own: int) -> None:
        self._own = own
        self._change = threading.Condition(_changing)
        self._has_come = False
        self.file = _file_of(own)
        threading.Thread(target=self._wait, name="motet-turn", daemon=True).start()

    def lock(self) -> int:
        """The descriptor, with the lock. Raises as `turn`."""
        with self._change:
            try:
                waited = 0.0
                while not self._change.wait_for(lambda: self._has_come, LOOK):
                    waited += LOOK
                    holder = _holder_of(self._own)
                    is_stopped = _is_stopped(holder)
                    if is_stopped or waited >= MOST:
                        raise TurnOver(holder, is_stopped=is_stopped)
            except BaseException:
                if self._has_come:
                    os.close(self._own)
                else:
                    _left.append(self)
                raise
        return self._own

    def _wait(self) -> None:
        fcntl.flock(self._own, fcntl.LOCK_EX)
        with self._change:
            if self in _left:
                _left.remove(self)
                os.close(self._own)
            self._has_come = True
            self._change.notify_all()


_changing = threading.Lock()
_left: list[_Waiting] = []
"""Places that nobody wants now."""


def _place_in_queue(lock: int, path: Path) -> _Waiting:
    with _changing:
        for one in _left:
            if one.file == _file_of(lock):
                _left.remove(one)
                return one
    return _Waiting(os.open(path, os.O_RDWR | os.O_CLOEXEC))


def _file_of(descriptor: int) -> tuple[int, int]:
    about = os.fstat(descriptor)
    return about.st_dev, about.st_ino


def _holder_of(lock: int) -> int:
    """The process that holds the lock; 0 where the system does not say."""
    device, number = _file_of(lock)
    file = f"{os.major(device):02x}:{os.minor(device):02x}:{number}"
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
