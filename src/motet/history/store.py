"""The open file of chats. One thread uses it; several processes may have it open and take turns in writing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from motet.history.errors import HistoryError, HistoryTooNew
from motet.history.migrations import SCHEMA, check_schema, migrate, schema_of
from motet.history.salvage import of_chats
from motet.storage import places
from motet.storage.database_file import DatabaseFile, transaction
from motet.storage.failures import Words, explained, is_lasting

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""A step of a transaction. It may be run again after a rollback, so it changes nothing but the file."""

PATIENCE = 10.0
"""Seconds that a write waits for other processes' writes."""


class Store:
    """`<state>/history.db`, opened at the first use. `notice` takes a line that the user has to see."""

    def __init__(self, state: Path, notice: Callable[[str], None]) -> None:
        self._notice = notice
        self._path = state / "history.db"
        self._words = Words(self._path, "chats", HistoryError)
        self._file = DatabaseFile(self._words, state / "history.lock", self._connect, of_chats(), notice)

    def read(self, work: Work[T]) -> T:
        """What `work` answers. Raises `HistoryError`, and what `work` raises."""

        def step(connection: sqlite3.Connection) -> T:
            self._require_schema(connection)
            return work(connection)

        return self._safely(lambda: self._file.read(step, self._is_newest))

    def write(self, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        """Run `works` in one transaction and answer what each answers; one that fails makes all fail.

        Durable: on the disk on return. Otherwise a power cut, but no crash of ours, may take it back.
        """
        return self._safely(
            lambda: self._file.run(lambda connection: self._transaction(connection, works, durable=durable))
        )

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        self._file.close()

    def _is_newest(self, connection: sqlite3.Connection) -> bool:
        return check_schema(connection, str(self._path)) == SCHEMA

    def _safely(self, run: Callable[[], T]) -> T:
        try:
            return run()
        except (sqlite3.Error, OSError) as error:
            if is_lasting(error) or not self._file.is_open:
                self.close()
            raise explained(error, self._words) from error
        except HistoryTooNew:
            self.close()
            raise

    def _transaction(
        self, connection: sqlite3.Connection, works: Sequence[Work[object]], *, durable: bool
    ) -> list[object]:
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        with transaction(connection):
            self._require_schema(connection)
            return [work(connection) for work in works]

    def _require_schema(self, connection: sqlite3.Connection) -> None:
        if schema_of(connection) != SCHEMA:
            raise HistoryTooNew(f"{self._path}: a newer motet has taken over these chats; start this one again")

    def _connect(self) -> sqlite3.Connection:
        connection = connect(self._path)
        try:
            migrate(connection, str(self._path))
            self._choose_journal(connection)
            # A file whose pages are missing says so only when they are looked at.
            connection.execute("SELECT count(*) FROM chats").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _choose_journal(self, connection: sqlite3.Connection) -> None:
        network = places.network_file_system(self._path)
        wanted = "delete" if network else "wal"
        mode = set_journal(connection, wanted)
        if network:
            self._notice(f"{self._path} is on a network file system ({network}): chats are stored more slowly there")
        elif mode != wanted:
            self._notice(
                f"{self._path}: this file system takes no write-ahead log: chats are stored more slowly there"
            )


def connect(path: Path) -> sqlite3.Connection:
    """A connection without transactions of its own making."""
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA secure_delete = ON")  # what is purged is overwritten
        connection.execute("PRAGMA cache_size = -16000")  # KiB
    except BaseException:
        connection.close()  # else whoever tries again another way finds it locked
        raise
    return connection


def set_journal(connection: sqlite3.Connection, wanted: str) -> str:
    """Change how writes are made safe; returns what it is then. Others who have the file open may be in the way."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return str(connection.execute(f"PRAGMA journal_mode = {wanted}").fetchone()[0])
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)  # SQLite itself does not wait here
