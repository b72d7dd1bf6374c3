"""Chats in the file: each function is one step of a transaction, and can be run again after a rollback."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from motet.history import index, stack
from motet.history.columns import INFO, chat_row, column, info, missing, text_of
from motet.history.errors import HistoryError
from motet.history.values import ChatInfo

CHANGEABLE = frozenset({"title", "model", "cost", "tokens", "draft"})
"""Fields of `ChatInfo` that are set from outside; the others follow from what happens."""


def create(connection: sqlite3.Connection, chat: ChatInfo, now: float) -> ChatInfo:
    """A new chat without messages."""
    chat = replace(chat, updated=chat.updated or now, cycles=0, messages=0)
    texts = (chat.id, chat.title, chat.workspace, chat.model)
    try:
        row = connection.execute(
            "INSERT INTO chats (id, title, workspace, model, created, updated, cycles, messages, cost, tokens, "
            "parent, forked_at, draft) VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?)",
            (*map(column, texts), chat.created, chat.updated, chat.cost, chat.tokens,
             *map(column, (chat.parent, chat.forked_at, chat.draft))),
        ).lastrowid  # fmt: skip
    except sqlite3.IntegrityError as error:
        raise HistoryError(f"there is a chat {chat.id} already; a new one needs an id of its own") from error
    if chat.title and row is not None:
        index.add(connection, index.TITLES, row, chat.title, chat.workspace)
    return chat


def get(connection: sqlite3.Connection, chat_id: str) -> ChatInfo:
    """What is known about one chat, in the trash or not. Raises `ChatMissing`."""
    row = connection.execute(f"SELECT {INFO} FROM chats WHERE id = ?", (column(chat_id),)).fetchone()
    if row is None:
        raise missing(chat_id)
    return info(row)


def change(connection: sqlite3.Connection, chat_id: str, **values: str | float | None) -> None:
    """Set fields of `CHANGEABLE`; None leaves one as it is."""
    row = chat_row(connection, chat_id)
    title = values.get("title")
    if isinstance(title, str):
        old, workspace = connection.execute("SELECT title, workspace FROM chats WHERE row = ?", (row,)).fetchone()
        _retitle(connection, row, text_of(old), title, text_of(workspace))
    for name, value in values.items():
        if value is not None and name in CHANGEABLE:
            stored = column(value) if isinstance(value, str) else value
            connection.execute(f"UPDATE chats SET {name} = ? WHERE row = ?", (stored, row))


def recent(
    connection: sqlite3.Connection, workspace: str | None, limit: int, before: ChatInfo | None, *, trash: bool
) -> list[ChatInfo]:
    """Chats, the last changed first, those after `before` in that order."""
    where = ["trashed IS NOT NULL" if trash else "trashed IS NULL"]
    values: list[str | bytes | float] = []
    if workspace is not None:
        where.append("workspace = ?")
        values.append(column(workspace))
    if before is not None:
        where.append("(updated, id) < (?, ?)")
        values += [before.updated, column(before.id)]
    rows = connection.execute(
        f"SELECT {INFO} FROM chats WHERE {' AND '.join(where)} ORDER BY updated DESC, id DESC LIMIT ?",
        (*values, limit),
    )
    return [info(row) for row in rows.fetchall()]


def trash(connection: sqlite3.Connection, chat_id: str, when: float | None) -> None:
    """Put a chat into the trash, or (None) take it out."""
    connection.execute("UPDATE chats SET trashed = ? WHERE row = ?", (when, chat_row(connection, chat_id)))


def purge(connection: sqlite3.Connection, chat_id: str) -> None:
    """Remove a chat and its messages, from the index as well; what its forks hold stays."""
    row = chat_row(connection, chat_id)
    title, workspace = map(
        text_of, connection.execute("SELECT title, workspace FROM chats WHERE row = ?", (row,)).fetchone()
    )
    _retitle(connection, row, title, "", workspace)
    said: Sequence[tuple[int, str, str]] = connection.execute(
        "SELECT said, body, meta FROM messages AS one WHERE chat = ?1 AND said IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM messages WHERE said = one.said AND chat <> ?1)",
        (row,),
    ).fetchall()
    for number, body, meta in said:
        index.remove(connection, index.FOUND, number, index.shown_in(body, meta), workspace)
    for table, key in (("partials", "chat"), ("messages", "chat"), ("chats", "row")):
        connection.execute(f"DELETE FROM {table} WHERE {key} = ?", (row,))


def forget_purged(connection: sqlite3.Connection) -> None:
    """Rewrite the index and empty the log of writes, so that nothing of what was purged is left in either. Outside a
    transaction; what another process still reads goes when it is done."""
    for table in (index.FOUND, index.TITLES):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def fork(connection: sqlite3.Connection, chat_id: str, before: str | None, new_id: str, now: float) -> ChatInfo:
    """A chat `new_id` with what `chat_id` held before the message `before`."""
    source = get(connection, chat_id)
    fresh = ChatInfo(
        id=new_id, title=source.title, workspace=source.workspace, model=source.model,
        created=now, updated=now, parent=source.id, forked_at=before or "",
    )  # fmt: skip
    create(connection, fresh, now)
    stack.copy(connection, chat_row(connection, chat_id), chat_row(connection, new_id), before, chat_id)
    return get(connection, new_id)


def _retitle(connection: sqlite3.Connection, row: int, old: str, new: str, workspace: str) -> None:
    if old:
        index.remove(connection, index.TITLES, row, old, workspace)
    if new:
        index.add(connection, index.TITLES, row, new, workspace)
