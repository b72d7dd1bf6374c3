"""Boards in a file, `<state>/boards.db`: no set-up, for all processes of one user on one machine.

Writers take turns at a lock of the operating system, in the order in which they came; SQLite alone would let the
luckiest one go on for ever.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from motet.board.clock import Ages
from motet.board.database import Asked, Dialect, Row, Work
from motet.board.errors import BoardError, BoardLost, BoardTooNew
from motet.board.salvage import of_boards
from motet.board.schema import SCHEMA, migrate, schema_of
from motet.storage import places, turns
from motet.storage.database_file import DatabaseFile, transaction
from motet.storage.failures import Words, explained, is_lasting

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds that a write waits for other processes' writes."""


class SqliteTx:
    """See `Tx`."""

    dialect = Dialect.SQLITE

    def __init__(self, connection: sqlite3.Connection, ages: Ages | None = None) -> None:
        self._connection = connection
        self._ages = ages or Ages()
        self.now = round(time.time(), 3)

    def reckoned(self, what: str, until: float, span: float, now: float) -> float:
        """See `Tx`."""
        return self._ages.reckoned(what, until, span)

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

    def several(self, asked: Sequence[Asked]) -> list[list[Row]]:
        """See `Tx`."""
        return [self._connection.execute(sql, values).fetchall() for sql, values in asked]

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """See `Tx`."""
        self._connection.executemany(sql, rows)


class SqliteDatabase:
    """See `Database`. Raises `BoardError` when the file is on a network file system: its locks cannot be trusted.
    `is_moving`: it is opened to move its boards (`motet.board.moving`)."""

    def __init__(self, state: Path, *, is_moving: bool = False) -> None:
        self._is_moving = is_moving
        self._path = state / "boards.db"
        self._lock_path = state / "boards.lock"
        self._lock = -1
        self._ages = Ages()
        self._words = Words(self._path, "boards", BoardError)
        self._file = DatabaseFile(self._words, state / "boards.guard", self._connect, of_boards(SqliteTx))

    def read(self, work: Work[T]) -> T:
        """See `Database`."""

        def read(connection: sqlite3.Connection) -> T:
            return self._transaction(connection, [work], "BEGIN")[0]

        return self._safely(lambda: self._file.read(read, self._is_newest))

    def write(self, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        """See `Database`."""

        def write(connection: sqlite3.Connection) -> list[object]:
            with self._turn():
                return self._transaction(connection, works, "BEGIN IMMEDIATE")

        return self._safely(lambda: self._file.run(write))

    def close(self) -> None:
        """See `Database`."""
        self._file.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    @contextlib.contextmanager
    def _turn(self) -> Generator[None]:
        """One process at a time."""
        if self._lock < 0:
            places.make_private(self._lock_path)
            self._lock = os.open(self._lock_path, os.O_RDWR | os.O_CLOEXEC)
        with turns.turn(self._lock, self._lock_path):
            yield

    def _is_newest(self, connection: sqlite3.Connection) -> bool:
        return schema_of(SqliteTx(connection), str(self._path), is_moving=self._is_moving) == SCHEMA

    def _safely(self, run: Callable[[], T]) -> T:
        try:
            if not self._file.is_open:
                self._check_place()
            return run()
        except (sqlite3.Error, OSError) as error:
            if is_lasting(error) or not self._file.is_open:
                self.close()
            raise explained(error, self._words) from error
        except turns.TurnOver as over:
            raise self._too_long(over) from over
        except BoardTooNew:
            self.close()
            raise

    def _too_long(self, over: turns.TurnOver) -> BoardError:
        who = f"process {over.holder}" if over.holder else "another motet"
        if over.is_stopped:
            why = f"{who} was stopped (Ctrl-Z) while it wrote; let it go on with `fg` or `kill -CONT {over.holder}`"
        else:
            why = f"{who} has been writing for too long; try again when it is done"
        return BoardLost(f"{self._path}: {why}; nothing was stored")

    def _transaction(self, connection: sqlite3.Connection, works: Sequence[Work[T]], begin: str) -> list[T]:
        tx = SqliteTx(connection, self._ages)
        with transaction(connection, begin):
            if schema_of(tx, str(self._path), is_moving=self._is_moving) != SCHEMA:
                raise BoardTooNew(f"{self._path}: another motet has changed these boards; start this one again")
            return [work(tx) for work in works]

    def _check_place(self) -> None:
        if network := places.network_file_system(self._path.parent):
            raise BoardError(
                f"{self._path} is on a network file system ({network}), where processes cannot take turns; set "
                'board.url = "postgresql://…" in the settings, or XDG_STATE_HOME to a local directory'
            )

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """The newest schema, write-ahead log, every commit on the disk."""
        with self._turn():
            connection.execute("PRAGMA journal_mode = wal")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA cache_size = -16000")  # KiB
            with transaction(connection):
                tx = SqliteTx(connection)
                there = tx.one("SELECT 1 FROM sqlite_schema WHERE name = 'about'")
                schema = schema_of(tx, str(self._path), is_moving=self._is_moving) if there else 0
                if schema < SCHEMA:
                    migrate(tx, schema)
