"""What the index knows of each file, and which documents a writer was about to change: one SQLite file.

The catalog is the truth. A document of a file that it does not name is nobody's; so a writer first says which numbers
it will touch, then writes text, then names the files. Whoever comes after a killed writer forgets what was said.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from motet.index.sqlite_file import SqliteFile

VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    path BLOB PRIMARY KEY, id INTEGER NOT NULL, mtime INTEGER NOT NULL, size INTEGER NOT NULL, hash BLOB NOT NULL,
    kind TEXT NOT NULL, lines INTEGER NOT NULL, left_out TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS files_by_id ON files (id) WHERE id > 0;
CREATE TABLE IF NOT EXISTS pending (id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS commits (id INTEGER PRIMARY KEY, name TEXT NOT NULL, made INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS changed (commit_id INTEGER NOT NULL, path BLOB NOT NULL, PRIMARY KEY (commit_id, path)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS changed_by_path ON changed (path);
"""
_INSERT = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_KNOWN = """
SELECT count(*), CAST(group_concat(path, char(0)) AS BLOB), group_concat(id, char(0)),
    group_concat(mtime || ' ' || size, char(0)), group_concat(kind, char(0)),
    group_concat(CASE WHEN hash = x'' THEN left_out ELSE '' END, char(0)) FROM files
"""
_COLUMNS = "path, id, mtime, size, hash, kind, lines, left_out"


class Row(NamedTuple):  # tens of thousands are made for an update
    """A file: `id` numbers its documents (0: it has none, `left_out` says why). `mtime` in ns, `size` in bytes."""

    path: str
    id: int
    mtime: int
    size: int
    hash: bytes = b""
    kind: str = ""
    lines: int = 0
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of all files: by path, the stamp of each (see `motet.workspace.listing`), and why some were left out
    unread; by number, path and kind of those that have documents."""

    stamps: Mapping[str, str]
    left_out: Mapping[str, str]
    paths: Mapping[int, str]
    kinds: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Totals:
    """How much is indexed: files, lines and bytes of them; `left_out`: how many for each reason."""

    files: int
    lines: int
    size: int
    left_out: dict[str, int]


class Catalog(SqliteFile):
    """The catalog in the file `path`, or in memory. Any thread may use it. Raises `IndexUnusable`."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, _SCHEMA)

    def about(self, name: str) -> str:
        """What was noted as `name`; empty when nothing was."""
        found = self._all("SELECT value FROM about WHERE name = ?", (name,))
        return str(found[0][0]) if found else ""

    def note(self, name: str, value: str) -> None:
        """Keep `value` as `name`."""
        with self._transaction() as base:
            base.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def generation(self) -> tuple[int, int]:
        """Differs whenever files may have changed, by this process or another."""
        with self._lock, self._failures():
            (version,) = self._base.execute("PRAGMA data_version").fetchone()
            return int(version), self._base.total_changes

    def rows(self) -> dict[str, Row]:
        """All files by path."""
        return {row.path: row for row in map(_row, self._all(f"SELECT {_COLUMNS} FROM files"))}

    def known(self) -> Known:
        """All files, as far as a question needs them. SQLite joins them to one row: meanwhile another thread looks at the
        files, and tens of thousands of rows would be slower to take over than to read."""
        ((count, keys, *columns),) = self._all(_KNOWN)
        if not count:
            return Known({}, {}, {}, {})
        names = os.fsdecode(keys).split("\0")
        stamps, kinds, reasons = (column.split("\0") for column in columns[1:])
        ids = list(map(int, columns[0].split("\0")))
        left_out = {path: reason for path, reason in zip(names, reasons, strict=True) if reason}
        paths = dict(zip(ids, names, strict=True))
        paths.pop(0, None)
        return Known(dict(zip(names, stamps, strict=True)), left_out, paths, dict(zip(ids, kinds, strict=True)))

    @property
    def is_empty(self) -> bool:
        """Whether no file was ever looked at."""
        return not self._all("SELECT 1 FROM files LIMIT 1")

    def row(self, path: str) -> Row | None:
        """What is known of `path`."""
        found = self._all(f"SELECT {_COLUMNS} FROM files WHERE path = ?", (os.fsencode(path),))
        return _row(found[0]) if found else None

    def below(self, paths: Iterable[str]) -> dict[str, Row]:
        """What is known of `paths`, and of all that lies below one of them."""
        found: dict[str, Row] = {}
        query = f"SELECT {_COLUMNS} FROM files WHERE path = ? OR (path > ? AND path < ?)"
        for path in paths:
            key = os.fsencode(path)
            rows = map(_row, self._all(query, (key, key + b"/", key + b"0")))  # 0 comes after /
            found.update((row.path, row) for row in rows)
        return found

    def directories(self) -> set[str]:
        """The directories that known files lie in, and those around them; the root is the empty name."""
        found = {""}
        for (path,) in self._all("SELECT path FROM files"):
            parent = os.fsdecode(path).rpartition("/")[0]
            while parent not in found:
                found.add(parent)
                parent = parent.rpartition("/")[0]
        return found

    def indexed(self) -> list[tuple[int, str, str]]:
        """Number, path and kind of each file that has documents, by path."""
        found = self._all("SELECT id, path, kind FROM files WHERE id > 0 ORDER BY path")
        return [(id, os.fsdecode(path), kind) for id, path, kind in found]

    def totals(self) -> Totals:
        """How much there is."""
        ((files, lines, size),) = self._all(
            "SELECT count(*), coalesce(sum(lines), 0), coalesce(sum(size), 0) FROM files WHERE id > 0"
        )
        left_out = self._all("SELECT left_out, count(*) FROM files WHERE id = 0 GROUP BY left_out ORDER BY 2 DESC, 1")
        return Totals(files, lines, size, dict(left_out))

    def next_id(self) -> int:
        """A number that no document has or had."""
        ((last,),) = self._all(
            "SELECT max(coalesce((SELECT max(id) FROM files WHERE id > 0), 0), coalesce((SELECT max(id) FROM pending), 0),"
            " coalesce((SELECT CAST(value AS INTEGER) FROM about WHERE name = 'last id'), 0))"
        )
        return int(last) + 1

    def size_of(self, most: int) -> tuple[int, int]:
        """How many files there are and their bytes; no more than `most` are looked at."""
        query = "SELECT count(*), coalesce(sum(size), 0) FROM (SELECT size FROM files WHERE id > 0 LIMIT ?)"
        ((files, size),) = self._all(query, (most,))
        return int(files), int(size)

    def given(self) -> int:
        """How many files were given a number since all were read `anew`, and one again each time that they changed."""
        return self.next_id() - int(self.about("first id") or 1)

    def anew(self, first: int) -> None:
        """All files have numbers from `first` on."""
        self.note("first id", str(first))

    def pending(self) -> list[int]:
        """The documents that a writer was about to change when it ended."""
        return [id for (id,) in self._all("SELECT id FROM pending")]

    def announce(self, ids: Iterable[int]) -> None:
        """Say which documents will be added or removed now."""
        with self._transaction() as base:
            base.executemany("INSERT OR IGNORE INTO pending VALUES (?)", [(id,) for id in ids])
            base.execute(
                "INSERT INTO about SELECT 'last id', max(id) FROM pending WHERE true ON CONFLICT DO UPDATE"
                " SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))"
            )

    def record(self, rows: Sequence[Row], gone: Iterable[str], chunks: int) -> None:
        """The documents are as announced: keep `rows`, forget the paths in `gone`; there are so many `chunks`."""
        with self._transaction() as base:
            base.executemany("DELETE FROM files WHERE path = ?", [(os.fsencode(path),) for path in gone])
            base.executemany(_INSERT, map(_values, rows))
            _settle(base, chunks)

    def forget(self, ids: Sequence[int], chunks: int) -> None:
        """Files of which the documents are no more: they will be read again. There are so many `chunks`."""
        with self._transaction() as base:
            base.executemany("DELETE FROM files WHERE id = ?", [(id,) for id in ids])
            _settle(base, chunks)

    def counts(self) -> tuple[int, int, int]:
        """How many documents of chunks (-1: not known), files and commits there are, where none is pending."""
        ((files, commits),) = self._all(
            "SELECT (SELECT count(*) FROM files WHERE id > 0), (SELECT count(*) FROM commits)"
        )
        chunks = self.about("chunks")
        return int(chunks) if chunks.isdecimal() else -1 if files else 0, files, commits

    def add_commits(self, commits: Sequence[tuple[int, str, int, Sequence[str]]], newest: str) -> None:
        """Keep (number, name, seconds, paths) of each; `newest`: the commit up to which all are known."""
        with self._transaction() as base:
            for id, name, made, paths in commits:
                base.execute("INSERT OR REPLACE INTO commits VALUES (?, ?, ?)", (id, name, made))
                base.executemany(
                    "INSERT OR IGNORE INTO changed VALUES (?, ?)", [(id, os.fsencode(path)) for path in paths]
                )
            base.execute("INSERT OR REPLACE INTO about VALUES ('newest commit', ?)", (newest,))

    def clear_commits(self) -> None:
        """Forget all commits."""
        with self._transaction() as base:
            for query in (
                "DELETE FROM commits",
                "DELETE FROM changed",
                "DELETE FROM about WHERE name = 'newest commit'",
            ):
                base.execute(query)

    def last_commit(self) -> int:
        """The highest number of a commit; 0 when there is none."""
        ((last,),) = self._all("SELECT coalesce(max(id), 0) FROM commits")
        return int(last)

    def changed_by(self, commits: Sequence[int]) -> dict[int, list[str]]:
        """The paths that each of `commits` changed."""
        found: dict[int, list[str]] = {}
        marks = ",".join("?" * len(commits))
        query = f"SELECT commit_id, path FROM changed WHERE commit_id IN ({marks}) ORDER BY commit_id, path"
        for id, path in self._all(query, commits):
            found.setdefault(id, []).append(os.fsdecode(path))
        return found

    def churn(self, newest: int) -> dict[str, int]:
        """How many of the `newest` commits changed each path."""
        found = self._all(
            "SELECT path, count(*) FROM changed WHERE commit_id IN (SELECT id FROM commits ORDER BY made DESC LIMIT ?)"
            " GROUP BY path",
            (newest,),
        )
        return {os.fsdecode(path): count for path, count in found}

    @contextlib.contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._lock, self._failures():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")


def _settle(base: sqlite3.Connection, chunks: int) -> None:
    """Nothing is pending, and there are so many chunks."""
    base.execute("DELETE FROM pending")
    base.execute("INSERT OR REPLACE INTO about VALUES ('chunks', ?)", (str(chunks),))


def _row(values: tuple[Any, ...]) -> Row:
    return Row._make((os.fsdecode(values[0]), *values[1:]))


def _values(row: Row) -> tuple[object, ...]:
    path = os.fsencode(row.path)
    return path, row.id, row.mtime, row.size, row.hash, row.kind, row.lines, row.left_out
