"""One process holds something, a chat or an identity: a lock of the operating system, gone the moment it is."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import threading
from pathlib import Path


class Lease:
    """What this process holds; until `close`, nobody else gets it."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path = path
        self._handle: int | None = handle

    @classmethod
    def take(cls, path: Path, *, block: bool = False) -> Lease | None:
        """The lease whose lock file is `path`; None when it is taken, never None with `block`, which waits until it is
        let go. Raises `OSError`."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            if not _locked(handle, block):
                os.close(handle)
                return None
            # Whoever let go took the name away: the lock must be on the file that others will find.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(handle)):
                    os.ftruncate(handle, 0)
                    os.write(handle, b"%d" % os.getpid())
                    return cls(path, handle)
            os.close(handle)

    @classmethod
    async def wait(cls, path: Path) -> Lease:
        """The lease, once whoever holds it has let go. Raises `OSError`."""
        while (lease := cls.take(path)) is None:
            await _let_go(path)
        return lease

    @staticmethod
    def holder(path: Path) -> int | None:
        """The process that holds it, for a message; None when that cannot be said."""
        try:
            return int(path.read_bytes())
        except (OSError, ValueError):
            return None

    @property
    def is_open(self) -> bool:
        """Whether it is still held."""
        return self._handle is not None

    def close(self) -> None:
        """Let others have it. Nothing when that was done."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


async def _let_go(path: Path) -> None:
    """Wait until nobody holds the lock file `path`. The system wakes only a thread: one whose waiter was cancelled ends
    with the holder."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    loop, free = asyncio.get_running_loop(), asyncio.Event()

    def wait() -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_SH)
        os.close(handle)
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(free.set)

    threading.Thread(target=wait, name="motet-lease", daemon=True).start()
    await free.wait()


def _locked(handle: int, block: bool) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if block else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            os.close(handle)
            raise
        return False
    return True
