"""The private store of checkpoints on disk: contents by hash, small records, one lock. All of it mode 0700/0600.

Whatever is written here is on the disk (fsync of the file and of its directory) before the call returns.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
import time
import zlib
from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path

from motet.errors import WorkspaceError
from motet.workspace import _fs
from motet.workspace.atomic import digest, write_all

_PAUSE = 0.01  # seconds between two looks at a lock that somebody else holds


class BlobStore:
    """Contents under their SHA-256, compressed. Writers hold the store's lock."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put(self, data: bytes) -> str:
        """Keep `data` and return its name; one damaged by the disk is written anew."""
        name = digest(data)
        path = self._path(name)
        if self._load(path) != data:
            write_durably(path, zlib.compress(data, 1))
        return name

    def get(self, name: str) -> bytes:
        """The content called `name`. Raises `WorkspaceError` when it is lost or damaged."""
        data = self._load(self._path(name))
        if data is None or digest(data) != name:
            raise WorkspaceError(
                f"{self._path(name)}: this saved content is missing or damaged; it cannot be restored"
            )
        return data

    def keep_only(self, names: Collection[str]) -> None:
        """Remove every other content, and what killed writes left. Only under the store's lock."""
        for path in self._directory.glob("*/*"):
            if path.name not in names:
                path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._directory / name[:2] / name

    @staticmethod
    def _load(path: Path) -> bytes | None:
        try:
            return zlib.decompress(path.read_bytes())
        except (FileNotFoundError, zlib.error):
            return None


def write_durably(path: Path, data: bytes) -> None:
    """Replace `path` by `data` in one step, its directories made, and wait for the disk. Under the store's lock."""
    _make_directory(path.parent)
    temporary = path.with_name(f"{path.name}.tmp")
    handle = _fs.open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        write_all(handle, data)
        _fs.sync(handle)
    finally:
        os.close(handle)
    _fs.rename(temporary, path)
    _sync_directory(path.parent)


def remove_durably(path: Path) -> None:
    """Remove `path` if it is there, and wait for the disk."""
    with contextlib.suppress(FileNotFoundError):
        _fs.remove(path)
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
