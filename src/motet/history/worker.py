"""The thread that uses the file of chats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from motet.history.errors import HistoryError
from motet.storage.worker import Store, Worker

if TYPE_CHECKING:
    import sqlite3


def worker(state: Path, notice: Callable[[str], None]) -> Worker[sqlite3.Connection]:
    """The worker of the chats in the directory `state`. `notice` is called in its thread."""

    def open_store() -> Store[sqlite3.Connection]:
        try:
            from motet.history.store import Store  # brings SQLite, which a chat that is not stored does not need
        except ImportError as error:
            raise HistoryError(f"this Python cannot store chats ({error}); use one that comes with SQLite") from error
        return Store(state, notice)

    def closed() -> HistoryError:
        return HistoryError(f"{state / 'history.db'}: the chats are closed; open them again")

    return Worker("motet-history", open_store, closed)
