"""The open file of chats. One thread uses it; several processes may have it open and take turns in writing."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from motet.history import salvage
from motet.history.errors import HistoryError, HistoryTooNew
from motet.history.migrations import SCHEMA, migrate, schema_of
from motet.storage import places
from motet.storage.database_file import DatabaseFile, transaction
from motet.storage.failures import Words, explained, is_damage, is_lasting, no_database

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""A step of a transaction. It may be run again after a rollback, so it changes nothing but the file."""

PATIENCE = 10.0
"""Seconds that a write waits for other processes' writes."""
_REPAIR_PATIENCE = 60.0
"""Seconds that opening waits for a process that sets a damaged file aside."""


class Store:
    """`<state>/history.db`, opened at the first use. `notice` takes a line that the user has to see."""

    def __init__(self, state: Path, notice: Callable[[str], None]) -> None:
        self._state = state
        self._notice = notice
        self._path = state / "history.db"
        self._guard_path = state / "history.lock"
        self._file = DatabaseFile(self._path, self._guard_path, self._connect)

    def read(self, work: Work[T]) -> T:
        """What `work` answers. Raises `HistoryError`, and what `work` raises."""
        return self._run(work)

    def write(self, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        """Run `works` in one transaction and answer what each answers; one that fails makes all fail.

        Durable: on the disk on return. Otherwise a power cut, but no crash of ours, may take it back.
        """
        return self._run(lambda connection: self._transaction(connection, works, durable=durable))

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        self._file.close()

    def _run(self, step: Work[T]) -> T:
        try:
            try:
                return step(self._file.opened())
            except sqlite3.Error as error:
                if not is_damage(error):
                    raise
            self._set_aside()
            return step(self._file.opened())
        except (sqlite3.Error, OSError) as error:
            if is_lasting(error) or not self._file.is_open:
                self.close()
            raise explained(error, Words(self._path, "chats", HistoryError)) from error
        except HistoryTooNew:
            self.close()
            raise

    def _transaction(
        self, connection: sqlite3.Connection, works: Sequence[Work[object]], *, durable: bool
    ) -> list[object]:
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        with transaction(connection):
            if schema_of(connection) != SCHEMA:
                raise HistoryTooNew(f"{self._path}: a newer motet has taken over these chats; start this one again")
            return [work(connection) for work in works]

    def _connect(self) -> sqlite3.Connection:
        _share(self._file.lock, self._path)
        self._file.make()
        if salvage.is_waiting(self._path) or 0 < self._path.stat().st_size < salvage.SMALLEST:
            raise no_database()  # SQLite would fill up a file that is too small
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

    def _set_aside(self) -> None:
        """Put a new file with what can be read in the place of the damaged one, unless another process just did."""
        damaged = self._file.identity
        self.close()
        guard = os.open(self._guard_path, os.O_RDWR | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise HistoryError(
                    f"{self._path}: the file of chats is damaged and another motet has it open; "
                    "close all others, then it is set aside and what can be read is kept"
                ) from error
            if self._file.there() == damaged:
                self._notice(salvage.set_aside(self._path))
        finally:
            os.close(guard)


def connect(path: Path) -> sqlite3.Connection:
    """A connection without transactions of its own making."""
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA secure_delete = ON")  # what is purged is overwritten
    connection.execute("PRAGMA cache_size = -16000")  # KiB
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


def _share(guard: int, path: Path) -> None:
    """Have the file open beside others, but not while one of them sets it aside."""
    deadline = time.monotonic() + _REPAIR_PATIENCE
    while True:
        try:
            fcntl.flock(guard, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                return  # no locks on this file system: then nobody sets anything aside either
            if time.monotonic() > deadline:
                raise HistoryError(f"{path}: another motet repairs the file of chats; try again") from error
            time.sleep(0.02)
        else:
            return
