"""Text by its words: FTS5 of SQLite, for machines that tantivy has no wheel for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from motet.index.sqlite_file import SqliteFile
from motet.index.text_store import FIELDS, Hit, IndexUnusable, in_order

_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents
    (id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS documents_by_file ON documents (file);
"""
_DEAD = 4
"""As many rows of documents that are no more as there are documents make the store one to be made anew."""


class FtsStore(SqliteFile):
    """One FTS5 table of a kind of documents, in `directory` or, when that is None, in memory. For one thread at a time.

    FTS5 weighs columns, not words, so each word is a query of its own, and their scores are added here. Nothing of a
    text is stored (`content=''`). Before SQLite 3.43 such a row cannot be removed: it stays without its document, until
    there are so many that the store is made anew.
    """

    def __init__(self, kind: str, directory: Path | None) -> None:
        super().__init__(None if directory is None else directory / "words.sqlite", _SCHEMA)
        self._fields = FIELDS[kind]
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    @property
    def documents(self) -> int:
        """How many documents can be found."""
        return int(self._all("SELECT count(*) FROM documents")[0][0])

    def add(self, file: int, first: int, last: int, texts: Mapping[str, str]) -> None:
        """Keep a document; `texts` by field, spread as `motet.index.words` does. Seen after `commit`."""
        with self._lock, self._failures():
            self._begin()
            added = self._base.execute("INSERT INTO documents VALUES (NULL, ?, ?, ?)", (file, first, last))
            marks = ", ".join("?" * (len(self._fields) + 1))
            values = [added.lastrowid, *(texts.get(field, "") for field in self._fields)]
            self._base.execute(f"INSERT INTO words (rowid, {', '.join(self._fields)}) VALUES ({marks})", values)

    def remove(self, files: Iterable[int]) -> None:
        """Forget the documents of `files`. Seen after `commit`."""
        with self._lock, self._failures():
            for file in files:
                self._begin()
                if self._deletes:
                    self._base.execute(
                        "DELETE FROM words WHERE rowid IN (SELECT id FROM documents WHERE file = ?)", (file,)
                    )
                self._base.execute("DELETE FROM documents WHERE file = ?", (file,))

    def commit(self) -> None:
        """Let everyone see what was added and removed."""
        with self._lock, self._failures():
            if self._base.in_transaction:
                self._base.execute("COMMIT")

    def release(self) -> None:
        """Let another process write. What was not committed is forgotten."""
        with self._lock, self._failures():
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")

    def reload(self) -> None:
        """See what others committed: SQLite does by itself."""

    def search(self, wanted: Sequence[tuple[str, str, float]], limit: int) -> list[Hit]:
        """The `limit` best documents for (field, word, weight); best first, equals by number and line."""
        weights: dict[str, dict[str, float]] = {}
        for field, word, weight in wanted:
            weights.setdefault(word, {})[field] = weight
        scores: dict[tuple[int, int, int, int], float] = {}
        for word, fields in weights.items():
            rank = f"bm25(words, {', '.join(str(fields.get(field, 0.0)) for field in self._fields)})"
            for *row, score in self._all(
                f"SELECT id, file, first, last, {rank} FROM words JOIN documents ON id = words.rowid WHERE words MATCH ?",
                (f"{{{' '.join(fields)}}}: {_quoted(word)}",),
            ):
                place = (row[0], row[1], row[2], row[3])
                scores[place] = scores.get(place, 0.0) - score
        return in_order(Hit(file, first, last, score) for (_, file, first, last), score in scores.items())[:limit]

    def frequency(self, field: str, word: str) -> int:
        """How many documents have `word`."""
        query = "SELECT count(*) FROM words JOIN documents ON id = words.rowid WHERE words MATCH ?"
        return int(self._all(query, (f"{field}: {_quoted(word)}",))[0][0])

    def _make(self) -> None:
        self._deletes = sqlite3.sqlite_version_info >= (3, 43)
        options = "content='', tokenize='unicode61 remove_diacritics 0'"
        options += ", contentless_delete=1" if self._deletes else ""
        with self._lock, self._failures():
            self._base.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5({', '.join(self._fields)}, {options})"
            )
        ((last, count),) = self._all("SELECT coalesce(max(id), 0), count(*) FROM documents")
        if not self._deletes and last > _DEAD * count + 10_000:
            raise IndexUnusable(f"{self._words.path}: most of it is of files that changed; `motet index rebuild`")

    def _begin(self) -> None:
        if not self._base.in_transaction:
            self._base.execute("BEGIN IMMEDIATE")


def _quoted(word: str) -> str:
    doubled = word.replace('"', '""')
    return f'"{doubled}"'
