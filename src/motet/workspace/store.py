"""Writing into motet's private state: whole files that are on the disk on return, and one lock. Mode 0700/0600."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from motet.errors import WorkspaceError
from motet.workspace import _fs
from motet.workspace.atomic import write_all

_PAUSE = 0.01  # seconds between two looks at a lock that somebody else holds


def write_durably(path: Path, *pieces: bytes) -> None:
    """Replace `path` by `pieces` in one step, its directories made, and wait for the disk. Under the store's lock."""
    _make_directory(path.parent)
    temporary = path.with_name(f"{path.name}.tmp")
    handle = _fs.open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        for piece in pieces:
            write_all(handle, piece)
        _fs.sync(handle)
    finally:
        os.close(handle)
    _fs.rename(temporary, path)
    _sync_directory(path.parent)


@contextmanager
def locked(path: Path, seconds: float, stop: threading.Event) -> Generator[None]:
    """Hold the lock file `path`; it goes with the process that holds it.

    Raises `WorkspaceError` when another process still holds it after `seconds`, or when `stop` is set.
    """
    _make_directory(path.parent)
    handle = _fs.open_file(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        _wait(handle, path, time.monotonic() + seconds, stop)
        yield
    finally:
        os.close(handle)


def _wait(handle: int, path: Path, deadline: float, stop: threading.Event) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            if stop.wait(_PAUSE) or time.monotonic() > deadline:
                raise WorkspaceError(f"{path}: another motet is writing; try again when it is done") from error
        else:
            return


def _make_directory(path: Path) -> None:
    if path.is_dir():
        return
    _make_directory(path.parent)
    with contextlib.suppress(FileExistsError):
        _fs.make_directory(path, 0o700)
        _sync_directory(path.parent)


def _sync_directory(path: Path) -> None:
    handle = _fs.open_file(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _fs.sync(handle)
    finally:
        os.close(handle)
