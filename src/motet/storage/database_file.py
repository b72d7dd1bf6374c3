"""The one connection of a process to a SQLite file that other processes write as well."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import sqlite3
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

from motet.storage import places
from motet.storage.aside import tell
from motet.storage.failures import Words, no_database, takes_nothing
from motet.storage.salvage import SMALLEST, Salvage, is_waiting

T = TypeVar("T")

_ALONE = 1.0
"""Seconds that a reader waits for another one where nothing can be written."""
_REPAIR_PATIENCE = 60.0
"""Seconds that opening waits for a process that sets a damaged file aside."""


class DatabaseFile:
    """The file that `words` speak of. It is opened at the first use, and anew when another file has come to stand at its
    place. `connect` gives a connection that can be used; it may raise `sqlite3.Error`, `OSError` or an error of its store,
    and nothing stays open then.

    Beside it is the file `guard_path`: who has the database open shares its lock; who has it alone may set a damaged file
    aside, and save with `salvage` what can be read. `notice` takes the line about that."""

    def __init__(
        self,
        words: Words,
        guard_path: Path,
        connect: Callable[[], sqlite3.Connection],
        salvage: Salvage,
        notice: Callable[[str], None] = tell,
    ) -> None:
        self._words = words
        self._path = words.path
        self._guard_path = guard_path
        self._connect = connect
        self._salvage = salvage
        self._notice = notice
        self._connection: sqlite3.Connection | None = None
        self._guard = -1
        self.identity = (0, 0)
        """Which file is open, or was last."""

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    def run(self, step: Callable[[sqlite3.Connection], T]) -> T:
        """What `step` answers. When it fails because the file is damaged, that is set aside, and `step` is tried once more
        on what could be saved. Raises what `opened` and `step` raise, and an error of the store when the file is damaged
        and others have it open."""
        try:
            return step(self.opened())
        except Exception as error:
            if not self._salvage.explains(error, self._path, self._connection):
                raise
        self._set_aside()
        return step(self.opened())

    def read(self, step: Callable[[sqlite3.Connection], T], is_newest: Callable[[sqlite3.Connection], bool]) -> T:
        """What `step`, which only reads, answers; also where nothing can be written, as long as the tables are those of this
        motet (`is_newest`). Raises as `run`."""
        try:
            return self.run(step)
        except (sqlite3.Error, OSError) as error:
            self.close()
            if not takes_nothing(error):
                raise
            for there in (_alone, _only_read, _copied):
                with contextlib.suppress(sqlite3.Error, OSError), there(self._path) as connection:
                    connection.execute("PRAGMA query_only = on")
                    if is_newest(connection):
                        return step(connection)
            raise

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
        places.make_private(self._guard_path)
        self._guard = os.open(self._guard_path, os.O_RDWR | os.O_CLOEXEC)
        self._share()
        if self._is_emptied():
            self._notice(f"{self._path}: the file of {self._words.what} was empty; it is begun anew")
        places.make_private(self._path)
        self.identity = self.there()
        if is_waiting(self._path) or 0 < self._path.stat().st_size < SMALLEST:
            raise no_database()  # SQLite would fill up a file that is too small
        connection = self._connect()
        with contextlib.suppress(OSError):
            places.sync_directory(self._path.parent)
        return connection

    def _is_emptied(self) -> bool:
        """Whether there is a file without a byte which nobody is just making."""
        try:
            if self._path.stat().st_size or _has_bytes(Path(f"{self._path}-wal")) or is_waiting(self._path):
                return False
        except OSError:
            return False
        try:
            fcntl.flock(self._guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        finally:
            self._share()  # a shared lock that could not be made exclusive is lost (flock(2))
        return True

    def _share(self) -> None:
        """Have the file open beside others, but not while one of them sets it aside."""
        deadline = time.monotonic() + _REPAIR_PATIENCE
        while True:
            try:
                fcntl.flock(self._guard, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    return  # no locks on this file system: then nobody sets anything aside either
                if time.monotonic() > deadline:
                    raise self._words.in_repair() from error
                time.sleep(0.02)
            else:
                return

    def _set_aside(self) -> None:
        """Put a new file with what can be read in the place of the damaged one, unless another process just did."""
        damaged = self.identity
        self.close()
        guard = os.open(self._guard_path, os.O_RDWR | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise self._words.damaged_and_open() from error
            if self.there() == damaged:
                self._notice(self._salvage.set_aside(self._path))
        finally:
            os.close(guard)

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
        if self._guard >= 0:
            os.close(self._guard)
            self._guard = -1


@contextlib.contextmanager
def _alone(path: Path) -> Generator[sqlite3.Connection]:
    """Who has a file alone keeps in memory the index that processes share beside it: there may be no room for that."""
    with contextlib.closing(sqlite3.connect(path, timeout=_ALONE, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = exclusive")
        yield connection


@contextlib.contextmanager
def _only_read(path: Path) -> Generator[sqlite3.Connection]:
    """A file that nobody here may write to. SQLite reads it beside its log and their index, where both are there; without
    a log it is as it will stay (SQLite documentation, "Write-Ahead Logging", 4)."""
    log = Path(f"{path}-wal")
    is_kept = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)) and not _has_bytes(log)
    how = "immutable=1" if is_kept else "mode=ro"
    uri = f"file:{urllib.parse.quote(os.fsencode(path))}?{how}"
    with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_ALONE, isolation_level=None)) as connection:
        yield connection


@contextlib.contextmanager
def _copied(path: Path) -> Generator[sqlite3.Connection]:
    """The file and what a crash has left in its log, elsewhere: where it is, nothing can be made of that."""
    with tempfile.TemporaryDirectory(prefix="motet-") as place:
        copy = Path(place, path.name)
        for ending in ("", "-wal"):
            if ending == "" or _has_bytes(Path(f"{path}{ending}")):
                shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            yield connection


def _has_bytes(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.stat().st_size > 0
    return False


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
