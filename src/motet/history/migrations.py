"""The schema of the file of chats, as numbered steps: each is a function, new ones come at the end, none changes.

`PRAGMA user_version` is how many have run. They run in one transaction: a file is of one schema or of the next.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import motet
from motet.history import index
from motet.history.errors import HistoryTooNew
from motet.storage.database_file import transaction


def _chats_and_messages(connection: sqlite3.Connection) -> None:
    """Chats; their messages, kept or taken out of the stack (`kept` 0), in the order of `position`; the one answer
    that is under way in a chat; what is known about the file itself. Text that is not valid Unicode is a blob."""
    for statement in (
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE chats (
            row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
            workspace TEXT NOT NULL, model TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
            cycles INTEGER NOT NULL, messages INTEGER NOT NULL, cost REAL NOT NULL, tokens INTEGER NOT NULL,
            parent TEXT NOT NULL, forked_at TEXT NOT NULL, draft TEXT NOT NULL, trashed REAL)""",
        "CREATE INDEX chats_by_time ON chats (updated, id)",
        "CREATE INDEX chats_of_workspace ON chats (workspace, updated, id)",
        """CREATE TABLE messages (
            row INTEGER PRIMARY KEY AUTOINCREMENT, chat INTEGER NOT NULL, id TEXT NOT NULL, position REAL NOT NULL,
            cycle INTEGER NOT NULL, kept INTEGER NOT NULL, added REAL NOT NULL, meta TEXT NOT NULL,
            body TEXT NOT NULL)""",
        "CREATE UNIQUE INDEX messages_kept ON messages (chat, id) WHERE kept = 1",
        "CREATE INDEX messages_in_order ON messages (chat, position) WHERE kept = 1",
        "CREATE TABLE partials (chat INTEGER PRIMARY KEY, id TEXT NOT NULL, meta TEXT NOT NULL, body TEXT NOT NULL)",
    ):
        connection.execute(statement)


def _search(connection: sqlite3.Connection) -> None:
    """The index of what is shown. `said` is a message's number in it; the copies in forks share it. The indexes keep
    no text of their own, only terms (`motet.text.terms`), and `place`, a term for the workspace; beginnings of three to
    five characters are found without looking at every word that begins so."""
    connection.execute("ALTER TABLE messages ADD COLUMN said INTEGER")
    connection.execute("CREATE INDEX messages_said ON messages (said) WHERE said IS NOT NULL")
    for table in ("found", "titles"):
        connection.execute(
            f"CREATE VIRTUAL TABLE {table} USING fts5"
            """(words, whole, place, content='', columnsize=0, prefix='3 4 5', tokenize="ascii tokenchars '_'")"""
        )
    index.add_all(connection)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_chats_and_messages, _search)
SCHEMA = len(MIGRATIONS)


def schema_of(connection: sqlite3.Connection) -> int:
    """How many migrations have run."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_schema(connection: sqlite3.Connection, path: str) -> int:
    """The schema of the file `path`. Raises `HistoryTooNew` when this motet does not know it."""
    schema = schema_of(connection)
    if schema > SCHEMA:
        writer = ""
        try:
            row = connection.execute("SELECT value FROM about WHERE name = 'motet'").fetchone()
            writer = str(row[0]) if row else ""
        except sqlite3.Error:
            pass  # then nobody knows which one
        wanted = f"motet {writer} or later" if writer else "a newer motet"
        raise HistoryTooNew(
            f"{path}: these chats were written by a newer motet (schema {schema}; motet {motet.__version__} knows "
            f"{SCHEMA}); update to {wanted}, or set XDG_STATE_HOME to another place for this one"
        )
    return schema


def migrate(
    connection: sqlite3.Connection,
    path: str,
    migrations: Sequence[Callable[[sqlite3.Connection], None]] = MIGRATIONS,
) -> None:
    """Bring the file to the newest schema, in one transaction. Raises `HistoryTooNew`, `sqlite3.Error`."""
    if check_schema(connection, path) == len(migrations):
        return
    with transaction(connection):
        for step in migrations[check_schema(connection, path) :]:  # another process may have been first
            step(connection)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("INSERT OR REPLACE INTO about VALUES ('motet', ?)", (motet.__version__,))
