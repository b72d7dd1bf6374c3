"""Where the facts of a project's map lie between two runs: one SQLite file, which can be made anew from the files."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from motet.index.map_facts import VERSION, Facts, decoded, encoded
from motet.storage.places import make_private

_log = logging.getLogger(__name__)
_SCHEMA = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS facts (
    path BLOB PRIMARY KEY, mtime INTEGER NOT NULL, size INTEGER NOT NULL, facts BLOB NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Known:
    """The facts of a file as it was: `mtime` in nanoseconds, `size` in bytes."""

    mtime: int
    size: int
    facts: Facts


class MapStore:
    """Facts by path in the file `path`. A damaged file, or one of another version, is made anew; where none can be
    written, what is kept is gone with this process. Any thread may use it."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self.lasts = True
        try:
            self._base = self._opened(path)
        except (sqlite3.DatabaseError, OSError) as error:
            _log.info("%s: made anew: %s", path, error)
            try:
                for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                    name.unlink(missing_ok=True)
                self._base = self._opened(path)
            except (sqlite3.DatabaseError, OSError) as failure:
                _log.info("%s: the map is kept in memory: %s", path, failure)
                self.lasts = False
                self._base = self._opened(None)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._base.close()

    def stamps(self) -> dict[str, tuple[int, int]]:
        """`mtime` and `size` of each file that is kept."""
        with self._lock, self._failures():
            return {_path(row[0]): row[1:] for row in self._base.execute("SELECT path, mtime, size FROM facts")}
        return {}

    def load(self, paths: Iterable[str]) -> dict[str, Known]:
        """What is kept of `paths`."""
        found: dict[str, Known] = {}
        with self._lock, self._failures():
            for path in paths:
                row = self._base.execute(
                    "SELECT mtime, size, facts FROM facts WHERE path = ?", [_key(path)]
                ).fetchone()
                if row is not None:
                    with contextlib.suppress(msgspec.DecodeError):
                        found[path] = Known(row[0], row[1], decoded(row[2]))
        return found

    def keep(self, found: Mapping[str, Known], gone: Iterable[str] = ()) -> None:
        """Keep `found`, forget `gone`. What cannot be kept will be read again by the next process."""
        with self._lock, self._failures(), self._base:
            self._base.executemany("DELETE FROM facts WHERE path = ?", [[_key(path)] for path in gone])
            self._base.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)",
                [[_key(path), each.mtime, each.size, encoded(each.facts)] for path, each in found.items()],
            )

    def _opened(self, path: Path | None) -> sqlite3.Connection:
        if path is not None:
            make_private(path)
        base = sqlite3.connect(path or ":memory:", check_same_thread=False, timeout=10)
        try:
            if base.execute("PRAGMA user_version").fetchone()[0] not in (0, VERSION):
                base.execute("DROP TABLE IF EXISTS facts")
            base.executescript(f"{_SCHEMA}PRAGMA user_version = {VERSION};")
        except sqlite3.DatabaseError:
            base.close()
            raise
        return base

    @contextlib.contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            _log.warning("the map could not be read or kept: %s", error)


def _key(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _path(key: bytes) -> str:
    return key.decode("utf-8", "surrogateescape")
