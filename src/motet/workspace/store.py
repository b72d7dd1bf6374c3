"""Writing into motet's private state: whole files that are on the disk on return, and one lock. Mode 0700/0600."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from motet.errors import WorkspaceError
from motet.workspace import _fs
from motet.workspace.atomic import write_all
from motet.workspace.temporary import machine, other_alive

_MOST_CACHED = 128 * 1024
"""Bytes of one write that may stay in the system's memory."""
_NOTE = ".writing"
_PAUSE = 0.01  # seconds between two looks at a lock that somebody else holds


def write_durably(path: Path, *pieces: bytes) -> None:
    """Replace `path` by `pieces` in one step, its directories made, and wait for the disk. Under the store's lock."""
    temporary = path.with_name(f"{path.name}.tmp")
    handle = _opened(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW)
    try:
        for piece in pieces:
            write_all(handle, piece)
        _fs.sync(handle)
        uncache(handle, sum(map(len, pieces)))
    finally:
        os.close(handle)
    _fs.rename(temporary, path)
    sync_directory(path.parent)


def uncache(handle: int, size: int) -> None:
    """Tell the system that `size` bytes on the disk will not be read soon.

    Checkpoints only grow: kept in memory, they would push out files that are used, and each write of a large one
    would wait for memory that nobody has touched yet.
    """
    if size > _MOST_CACHED:
        _fs.uncache(handle)


@contextmanager
def locked(path: Path, seconds: float, stop: threading.Event) -> Generator[None]:
    """Hold the lock file `path`; it goes with the process that holds it.

    Raises `WorkspaceError` when another process still holds it after `seconds`, or when `stop` is set.
    """
    handle = _opened(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
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


@contextmanager
def noted(home: Path, paths: Sequence[str]) -> Generator[None]:
    """Inside, `home` says that this process writes the files `paths`: should it be killed, the next one knows where to
    look (see `killed`). A note that cannot be made does not stop a write."""
    note = home / f"{machine()}-{os.getpid()}{_NOTE}"
    with contextlib.suppress(OSError):
        handle = _opened(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW)
        try:
            write_all(handle, json.dumps(paths).encode())  # names that are no text survive as escapes
        finally:
            os.close(handle)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            _fs.remove(note)


def killed(home: Path) -> list[str]:
    """The files that processes of this machine were writing when they were killed; they are told once."""
    found: list[str] = []
    with contextlib.suppress(OSError):
        for note in sorted(home.glob(f"{machine()}-*{_NOTE}")):
            process = note.name.removesuffix(_NOTE).partition("-")[2]
            if process.isdecimal() and int(process) != os.getpid() and not other_alive(int(process)):
                with contextlib.suppress(ValueError):
                    paths: object = json.loads(note.read_bytes())
                    if isinstance(paths, list):
                        found += (path for path in cast("list[object]", paths) if isinstance(path, str))
                note.unlink(missing_ok=True)
    return found


def _opened(path: Path, flags: int) -> int:
    try:
        return _fs.open_file(path, flags, 0o600)
    except FileNotFoundError:
        make_directory(path.parent)
        return _fs.open_file(path, flags, 0o600)


def make_directory(path: Path) -> None:
    """Make a directory and those on the way to it; on the disk on return."""
    if path.is_dir():
        return
    make_directory(path.parent)
    with contextlib.suppress(FileExistsError):
        _fs.make_directory(path, 0o700)
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Wait until the disk holds the names of a directory."""
    handle = _fs.open_file(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _fs.sync(handle)
    finally:
        os.close(handle)
