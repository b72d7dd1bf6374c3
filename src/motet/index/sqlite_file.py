"""A SQLite file of an index."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from motet.index.text_store import IndexUnusable
from motet.storage.failures import Words, explained
from motet.storage.places import make_private


class SqliteFile:
    """The tables of `schema` in the file `path`, or in memory when that is None. Any thread may use them. Raises
    `IndexUnusable`."""

    def __init__(self, path: Path | None, schema: str) -> None:
        self._words = Words(path or Path("memory"), "index", IndexUnusable)
        self._lock = threading.RLock()
        with self._failures():
            if path is not None:
                make_private(path)
            self._base = sqlite3.connect(
                path or ":memory:", check_same_thread=False, isolation_level=None, timeout=10
            )
            try:
                self._base.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {schema}")
            except BaseException:
                self._base.close()
                raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._base.close()

    def _all(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._failures():
            return self._base.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise explained(error, self._words) from error
