"""The full-text index of what is shown, over terms of our own (`motet.text.terms`)."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

from motet.history.columns import UNREADABLE, messages_of, parsed, shown, text_of
from motet.history.encode import decode
from motet.text.terms import Wanted, terms

FOUND, TITLES = "found", "titles"
"""The index of messages and the one of chats' titles."""
_STEP = 10_000


def add(connection: sqlite3.Connection, table: str, row: int, text: str, workspace: str) -> None:
    """Make `text` findable under the number `row`."""
    connection.execute(
        f"INSERT INTO {table} (rowid, words, whole, place) VALUES (?, ?, ?, ?)", (row, *_values(text, workspace))
    )


def remove(connection: sqlite3.Connection, table: str, row: int, text: str, workspace: str) -> None:
    """Take it out again; `text` must be what was added."""
    connection.execute(
        f"INSERT INTO {table} ({table}, rowid, words, whole, place) VALUES ('delete', ?, ?, ?, ?)",
        (row, *_values(text, workspace)),
    )


def add_all(connection: sqlite3.Connection) -> None:
    """Fill empty indexes from all chats and messages."""
    workspaces: dict[int, str] = {}
    for row, workspace, title in connection.execute("SELECT row, workspace, title FROM chats").fetchall():
        workspaces[row] = text_of(workspace)
        if title:
            add(connection, TITLES, row, text_of(title), workspaces[row])
    for row, chat, body, meta in _all_messages(connection):
        message = messages_of([(body, meta)])[0]
        text = shown(message) if message else ""
        if text:
            add(connection, FOUND, row, text, workspaces.get(chat, ""))
            connection.execute("UPDATE messages SET said = row WHERE row = ?", (row,))


def shown_in(body: str, meta: str) -> str:
    """The text that is searched of a stored message; empty when it cannot be understood."""
    try:
        return shown(decode(parsed(body), parsed(meta)))
    except UNREADABLE:
        return ""


def expression(wanted: list[Wanted], workspace: str | None) -> str:
    """What FTS5 is asked for: everything in `wanted`, and the place (SQLite documentation, FTS5, section 3)."""
    pieces: list[str] = []
    for one in wanted:
        star = "*" if one.begins else ""
        choices = [f'words : "{" ".join(one.words)}"{star}'] if one.words else []
        if one.whole:
            choices.append(f'whole : "{one.whole}"{star}')
        pieces.append(f"({' OR '.join(choices)})")
    if workspace is not None:
        pieces.append(f'place : "{_place(workspace)}"')
    return " AND ".join(pieces)


def _values(text: str, workspace: str) -> tuple[str, str, str]:
    found = terms(text)
    return _joined(found.words), _joined(found.whole), _place(workspace)


def _joined(words: list[str]) -> str:
    """All in one text, made in steps: no other thread waits for a million words."""
    return " ".join([" ".join(words[at : at + _STEP]) for at in range(0, len(words), _STEP)])


def _place(workspace: str) -> str:
    return "w" + hashlib.sha256(workspace.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _all_messages(connection: sqlite3.Connection) -> Iterator[tuple[int, int, str, str]]:
    last = 0
    while True:
        rows = connection.execute(
            "SELECT row, chat, body, meta FROM messages WHERE row > ? ORDER BY row LIMIT 200", (last,)
        ).fetchall()
        if not rows:
            return
        yield from rows
        last = rows[-1][0]
