"""The one connection of a process to a SQLite file that other processes write as well."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Generator
from pathlib import Path

from motet.storage import places


class DatabaseFile:
    """`path`, and beside it `lock_path`, by whose lock processes take turns. Both are opened at the first use, and anew
    when another file has come to stand at `path`. `connect` is called with the lock file open, and gives a connection
    that can be used; it may raise `sqlite3.Error`, `OSError` or an error of its store, and nothing stays open then."""

    def __init__(self, path: Path, lock_path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._lock_path = lock_path
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self.identity = (0, 0)
        """Which file is open, or was last."""
        self.lock = -1
        """The lock file's descriptor; -1 while it is closed."""

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    def opened(self) -> sqlite3.Connection:
        """The connection. Raises what `connect` raises, and `OSError`."""
        if self._connection is not None and self.there() != self.identity:
            self.close()  # the file was moved or removed: what is stored now must be where it will be looked for
        if self._connection is None:
            try:
                self._connection = self._open()
            except BaseException:
                self.close()
                raise
        return self._connection

    def _open(self) -> sqlite3.Connection:
        places.make_private(self._lock_path)
        self.lock = os.open(self._lock_path, os.O_RDWR | os.O_CLOEXEC)
        connection = self._connect()
        with contextlib.suppress(OSError):
            places.sync_directory(self._path.parent)
        return connection

    def make(self) -> None:
        """Have a file at `path`, and remember which it is. For `connect`, before it connects."""
        places.make_private(self._path)
        self.identity = self.there()

    def there(self) -> tuple[int, int]:
        """Which file has this name now; none has (0, 0)."""
        try:
            found = self._path.stat()
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino

    def close(self) -> None:
        """Let go of both files; they are opened again when they are needed."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Generator[None]:
    """All that is done within is committed, or none of it."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
