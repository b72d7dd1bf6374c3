"""A damaged file of chats is set aside, whole, and what SQLite can still read of it goes into a new one."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from motet.history import index
from motet.history.migrations import migrate
from motet.storage.failures import no_database
from motet.storage.places import make_private, sync_directory

_CHATS = (
    "row, id, title, workspace, model, created, updated, cycles, messages, cost, tokens, parent, forked_at, draft, "
    "trashed"
)
_MESSAGES = "row, chat, id, position, cycle, kept, added, meta, body"
_PARTIALS = "chat, id, meta, body"
_BESIDE = ("", "-wal", "-shm")
_MOST_ROWS = 2_000_000
"""Row numbers that are tried one by one where the file does not say how many there are."""

SMALLEST = 512
"""Bytes of the smallest page, so of the smallest file (SQLite documentation, "Database File Format", 1.3.2)."""

Row = tuple[object, ...]


def set_aside(path: Path) -> str:
    """Put the damaged file and a new one, with what can be read of it, in its place; returns a line about it.

    Nobody else has the file open. Raises `OSError` or `sqlite3.Error`, with everything as it was. Whoever is killed
    on the way leaves the damaged file where it was, or a new one that is whole and waits (`is_waiting`).
    """
    if not is_waiting(path):
        aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
        fresh = path.with_name(f"{path.name}.new")
        try:
            for ending in _BESIDE:
                _second_name(Path(f"{path}{ending}"), Path(f"{aside}{ending}"))
            for ending in (*_BESIDE, "-journal"):
                Path(f"{fresh}{ending}").unlink(missing_ok=True)
            _build(aside, fresh)
        except BaseException:
            for file in (fresh, aside):
                for ending in _BESIDE:
                    Path(f"{file}{ending}").unlink(missing_ok=True)
            raise
        fresh.replace(_waiting(path))
    for ending in _BESIDE[1:]:  # they belong to the damaged file and must not be taken for the new one's
        Path(f"{path}{ending}").unlink(missing_ok=True)
    _waiting(path).replace(path)
    with contextlib.suppress(OSError):
        sync_directory(path.parent)
    return _report(path)


def is_waiting(path: Path) -> bool:
    """Whether a new file is whole, and its place is still taken by the damaged one."""
    return _waiting(path).exists()


def _waiting(path: Path) -> Path:
    return path.with_name(f"{path.name}.saved")


def _report(path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path)) as fresh:
        chats, messages = (
            fresh.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("chats", "messages")
        )
    files = (file.name for file in path.parent.glob(f"{path.name}.damaged-*"))
    aside = max(name for name in files if not name.endswith(_BESIDE[1:]))
    return (
        f"{path}: the file of chats was damaged; it is kept as {aside}; "
        f"saved from it: {chats} chats, {messages} messages"
    )


def _second_name(file: Path, aside: Path) -> None:
    try:
        os.link(file, aside)
    except FileNotFoundError:
        pass
    except OSError:  # a file system without links
        shutil.copy2(file, aside)


def _build(damaged: Path, fresh: Path) -> None:
    make_private(fresh)
    target = sqlite3.connect(fresh, isolation_level=None)
    try:
        migrate(target, str(fresh))
        target.execute("PRAGMA synchronous = FULL")
        target.execute("BEGIN")
        with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(_reader(damaged)) as source:
            for table, names in (("chats", _CHATS), ("messages", _MESSAGES), ("partials", _PARTIALS)):
                _copy(source, target, table, names)
        _name_nameless(target)
        index.add_all(target)
        target.execute("COMMIT")
    finally:
        target.close()


def _reader(damaged: Path) -> sqlite3.Connection:
    if damaged.stat().st_size < SMALLEST:
        raise no_database()
    source = sqlite3.connect(f"{damaged.as_uri()}?mode=ro", uri=True, isolation_level=None)
    source.execute("PRAGMA writable_schema = ON")  # reads on where the file is shorter than it says
    return source


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str, names: str) -> None:
    marks = ", ".join("?" for _ in names.split(","))
    for row in _readable(source, table, names):
        with contextlib.suppress(sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError):
            target.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", row)


def _readable(source: sqlite3.Connection, table: str, names: str) -> Iterator[Row]:
    """Each row that can be read: all in one go, and from where that fails one by one."""
    key = names.partition(",")[0]
    last = 0
    try:
        for row in source.execute(f"SELECT {names} FROM {table} ORDER BY {key}"):
            yield row
            last = row[0]
    except sqlite3.DatabaseError:
        for number in range(last + 1, _greatest(source, table, key, last) + 1):
            with contextlib.suppress(sqlite3.DatabaseError):
                yield from source.execute(f"SELECT {names} FROM {table} WHERE {key} = ?", (number,)).fetchall()


def _greatest(source: sqlite3.Connection, table: str, key: str, last: int) -> int:
    for question in (
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
        f"SELECT max({key}) FROM {table}",
    ):
        with contextlib.suppress(sqlite3.DatabaseError):
            found = source.execute(question).fetchone()
            if found and isinstance(found[0], int):
                return min(found[0], last + _MOST_ROWS)
    return last + 10_000


def _name_nameless(target: sqlite3.Connection) -> None:
    """Messages whose chat was lost get one."""
    from motet.messages import new_id

    now = time.time()
    lost = target.execute(
        "SELECT chat, count(*), max(cycle) FROM messages WHERE chat NOT IN (SELECT row FROM chats) GROUP BY chat"
    ).fetchall()
    for chat, count, cycles in lost:
        target.execute(
            "INSERT INTO chats (row, id, title, workspace, model, created, updated, cycles, messages, cost, tokens, "
            "parent, forked_at, draft) VALUES (?, ?, 'Saved from a damaged file', '', '', ?, ?, ?, ?, 0, 0, '', '', '')",
            (chat, new_id(), now, now, cycles, count),
        )
    target.execute("UPDATE chats SET messages = (SELECT count(*) FROM messages WHERE chat = chats.row AND kept = 1)")
