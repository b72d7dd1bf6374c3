"""A log of lines that several processes write, of limited size."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


class LogFile:
    """`<name>.jsonl` in `directory`, mode 0600. When it would pass `max_bytes` it becomes `<name>.1.jsonl`, in place of
    the one before. Each line is one write to the end of the file, and a lock stands around the renaming. Nothing is
    opened before the first line.
    """

    def __init__(self, directory: Path, name: str, *, max_bytes: int) -> None:
        self.path = directory / f"{name}.jsonl"
        self._old = directory / f"{name}.1.jsonl"
        self._max_bytes = max_bytes

    def append(self, line: bytes) -> None:
        """Write `line`, which has no end of its own, or nothing of it. Raises `OSError`."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._append(line + b"\n")

    def lines(self) -> Iterator[bytes]:
        """All that is there, oldest first. Raises `OSError`."""
        yield from self.old_lines()
        with suppress(FileNotFoundError), self.path.open("rb") as file:
            yield from file

    def old_lines(self) -> Iterator[bytes]:
        """Those of the file before. Raises `OSError`."""
        with suppress(FileNotFoundError), self._old.open("rb") as file:
            yield from file

    def _append(self, line: bytes) -> None:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            if size and size + len(line) > self._max_bytes and self._is_current(descriptor):
                self.path.replace(self._old)
            if self._is_current(descriptor):
                is_broken = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"  # its end was lost
                _write(descriptor, b"\n" + line if is_broken else line, size)
                return
        finally:
            os.close(descriptor)
        self._append(line)  # it was renamed, by us or by another process since it was opened

    def _is_current(self, descriptor: int) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        return False


def _write(descriptor: int, line: bytes, size: int) -> None:
    """Write the whole line behind `size` bytes, or leave none of it. Raises `OSError`."""
    if os.write(descriptor, line) < len(line):
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
