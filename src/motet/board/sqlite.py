"""Boards in a file, `<state>/boards.db`: no set-up, for all processes of one user on one machine.

Writers take turns at a lock of the operating system, in the order in which they came; SQLite alone would let the
luckiest one go on for ever.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from motet.board.database import Dialect, Row, Work
from motet.board.errors import BoardError, BoardTooNew
from motet.board.schema import SCHEMA, migrate, schema_of
from motet.storage import places
from motet.storage.failures import Words, explained, is_lasting

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds that a write waits for other processes' writes."""


class SqliteTx:
    """See `Tx`."""

    dialect = Dialect.SQLITE

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, sql: str, *values: object) -> int:
        """See `Tx`."""
        return self._connection.execute(sql, values).rowcount

    def all(self, sql: str, *values: object) -> list[Row]:
        """See `Tx`."""
        return self._connection.execute(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> Row | None:
        """See `Tx`."""
        rows = self._connection.execute(sql, values).fetchall()  # all of them: the statement is done
        return rows[0] if rows else None

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """See `Tx`."""
        self._connection.executemany(sql, rows)


class SqliteDatabase:
    """See `Database`. Raises `BoardError` when the file is on a network file system: its locks cannot be trusted.
    `is_moving`: it is opened to move its boards (`motet.board.moving`)."""

    def __init__(self, state: Path, *, is_moving: bool = False) -> None:
        self._is_moving = is_moving
        self._path = state / "boards.db"
        self._turn_path = state / "boards.lock"
        self._words = Words(self._path, "boards", BoardError)
        self._connection: sqlite3.Connection | None = None
        self._turn = -1
        self._identity = (0, 0)

    def read(self, work: Work[T]) -> T:
        """See `Database`."""
        return self._safely(lambda: self._transaction([work], "BEGIN")[0])

    def write(self, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        """See `Database`."""

        def write() -> list[object]:
            self._opened()
            fcntl.flock(self._turn, fcntl.LOCK_EX)
            try:
                return self._transaction(works, "BEGIN IMMEDIATE")
            finally:
                fcntl.flock(self._turn, fcntl.LOCK_UN)

        return self._safely(write)

    def close(self) -> None:
        """See `Database`."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        if self._turn >= 0:
            os.close(self._turn)
            self._turn = -1

    def _safely(self, step: Callable[[], T]) -> T:
        try:
            return step()
        except (sqlite3.Error, OSError) as error:
            if is_lasting(error) or self._connection is None:
                self.close()
            raise explained(error, self._words) from error
        except BoardTooNew:
            self.close()
            raise

    def _transaction(self, works: Sequence[Work[T]], begin: str) -> list[T]:
        connection = self._opened()
        tx = SqliteTx(connection)
        connection.execute(begin)
        try:
            if schema_of(tx, str(self._path), is_moving=self._is_moving) != SCHEMA:
                raise BoardTooNew(f"{self._path}: another motet has changed these boards; start this one again")
            answers = [work(tx) for work in works]
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return answers

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and _identity(self._path) != self._identity:
            self.close()  # the file was moved or removed: what is stored now must be where it will be looked for
        if self._connection is None:
            try:
                self._connection = self._open()
            except BaseException:
                self.close()
                raise
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if network := places.network_file_system(self._path.parent):
            raise BoardError(
                f"{self._path} is on a network file system ({network}), where processes cannot take turns; set "
                'board.url = "postgresql://…" in the settings, or XDG_STATE_HOME to a local directory'
            )
        places.make_private(self._turn_path)
        self._turn = os.open(self._turn_path, os.O_RDWR | os.O_CLOEXEC)
        places.make_private(self._path)
        self._identity = _identity(self._path)
        connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        with contextlib.suppress(OSError):
            places.sync_directory(self._path.parent)
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """The newest schema, write-ahead log, every commit on the disk. One process at a time."""
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        try:
            connection.execute("PRAGMA journal_mode = wal")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA cache_size = -16000")  # KiB
            connection.execute("BEGIN IMMEDIATE")
            try:
                tx = SqliteTx(connection)
                there = tx.one("SELECT 1 FROM sqlite_schema WHERE name = 'about'")
                schema = schema_of(tx, str(self._path), is_moving=self._is_moving) if there else 0
                if schema < SCHEMA:
                    migrate(tx, schema)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        finally:
            fcntl.flock(self._turn, fcntl.LOCK_UN)


def _identity(path: Path) -> tuple[int, int]:
    """Which file has this name; none has (0, 0)."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
