"""Text by its words. Chunks and whole files are two stores, since the lengths of one would bend the other.

Nothing of a text is stored, only which words it has. What is known of a file lies in the catalog; a document names it
by a number that is never used again. tantivy does the work; where it is not to be had, SQLite's FTS5 does, slower and
in more room.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from motet.errors import MotetError

CHUNKS, FILES, COMMITS = "chunks", "files", "commits"
FIELDS = {CHUNKS: ("body", "names", "path"), FILES: ("body", "path"), COMMITS: ("body",)}
TANTIVY, FTS5 = "tantivy", "fts5"


class IndexUnusable(MotetError):
    """The index of a project cannot be written or read; the message says why."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document: the number of its file (or commit), its lines (1-based, both inside), and its BM25 score."""

    file: int
    first: int
    last: int
    score: float


class Searched(Protocol):
    """What ranking asks."""

    def search(self, wanted: Sequence[tuple[str, str, float]], limit: int) -> list[Hit]:
        """The `limit` best documents for (field, word, weight); best first, equals by number and line."""
        ...

    def frequency(self, field: str, word: str) -> int:
        """How many documents have `word`."""
        ...

    @property
    def documents(self) -> int:
        """How many documents can be found."""
        ...


class TextStore(Searched, Protocol):
    """Documents of one kind, on disk or in memory. For one thread at a time. Raises `IndexUnusable`."""

    def add(self, file: int, first: int, last: int, texts: Mapping[str, str]) -> None:
        """Keep a document; `texts` by field, spread as `motet.index.words` does. Seen after `commit`."""
        ...

    def remove(self, files: Iterable[int]) -> None:
        """Forget the documents of `files`. Seen after `commit`."""
        ...

    def commit(self) -> None:
        """Let everyone see what was added and removed."""
        ...

    def release(self) -> None:
        """Let another process write. What was not committed is forgotten."""
        ...

    def reload(self) -> None:
        """See what others committed."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


@functools.cache
def engine_name() -> str:
    """`tantivy`, or `fts5` where there is no tantivy for this machine."""
    try:
        importlib.import_module("tantivy")
    except ImportError:
        return FTS5
    return TANTIVY


def open_text_store(kind: str, directory: Path | None) -> TextStore:
    """The store of `kind` in `directory`, or in memory."""
    if engine_name() == TANTIVY:
        from motet.index.tantivy_store import TantivyStore

        return TantivyStore(kind, directory)
    from motet.index.fts_store import FtsStore

    return FtsStore(kind, directory)


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Best first, equals by number and line."""
    return sorted(hits, key=lambda hit: (-round(hit.score, 6), hit.file, hit.first))
