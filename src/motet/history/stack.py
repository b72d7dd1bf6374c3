"""Messages of one chat in the file: each function is one step of a transaction, and can be run again after a
rollback."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from motet.history import index
from motet.history.columns import INFO, chat_row, column, info, messages_of, missing, parsed, shown, text_of, texts
from motet.history.encode import carried, dumps, encode
from motet.history.errors import HistoryError
from motet.history.repair import repaired
from motet.history.values import StoredChat
from motet.messages import Message, Role


@dataclass(frozen=True, slots=True)
class Repairs:
    """What an earlier process left unfinished in a chat, found when it was loaded; stored with the first write.

    `newest` is the number of the chat's newest message then: when there is a newer one, somebody else went on.
    `made`: new messages, each behind the one with that id (empty: at the end). `dropped`: ids.
    """

    newest: int
    made: tuple[tuple[str, Message], ...]
    changed: tuple[Message, ...]
    dropped: tuple[str, ...]
    partial: str


def load(connection: sqlite3.Connection, chat_id: str) -> tuple[StoredChat, Repairs | None]:
    """The chat, repaired, and what has to be stored for that; nothing is written. Raises `ChatMissing`."""
    found = connection.execute(f"SELECT {INFO}, row, trashed FROM chats WHERE id = ?", (column(chat_id),)).fetchone()
    if found is None:
        raise missing(chat_id)
    chat = int(found[13])
    rows: list[tuple[str, str, str, int]] = connection.execute(
        "SELECT body, meta, id, row FROM messages WHERE chat = ? AND kept = 1 ORDER BY position, row", (chat,)
    ).fetchall()
    begun = connection.execute("SELECT body, meta, id FROM partials WHERE chat = ?", (chat,)).fetchone()
    read = messages_of([(row[0], row[1]) for row in rows])
    stored = [message for message in read if message is not None]
    messages, notes = repaired(stored, messages_of([begun[:2]])[0] if begun else None)
    if len(stored) < len(read):
        notes.insert(0, f"left out, because they cannot be read: {len(read) - len(stored)} of {len(read)} messages")
    repairs = None
    if len(messages) != len(rows) or notes:
        newest = max((row[3] for row in rows), default=0)
        repairs = _repairs(newest, stored, messages, begun[2] if begun else "")
    return StoredChat(info(found), tuple(messages), tuple(notes)), repairs


def _repairs(newest: int, stored: list[Message], messages: list[Message], partial: str) -> Repairs:
    before = {message.id: message for message in stored}
    kept = {message.id for message in messages}
    made: list[tuple[str, Message]] = []
    anchor = ""
    for message in messages:
        if message.id in before:
            anchor = message.id
        else:
            made.append(("" if message.id == partial else anchor, message))
    return Repairs(
        newest,
        tuple(made),
        tuple(one for one in messages if one.id in before and one is not before[one.id]),
        tuple(one for one in before if one not in kept),
        partial,
    )


def repair(connection: sqlite3.Connection, chat_id: str, repairs: Repairs) -> None:
    """Store what `load` repaired; nothing when somebody went on with the chat meanwhile, or it was done."""
    chat = chat_row(connection, chat_id)
    newest = connection.execute("SELECT max(row) FROM messages WHERE chat = ? AND kept = 1", (chat,)).fetchone()[0]
    if (newest or 0) != repairs.newest:
        return
    remove(connection, chat_id, repairs.dropped)
    for message in repairs.changed:
        replace(connection, chat_id, [message])
    workspace = _workspace(connection, chat)
    for number, (anchor, message) in enumerate(repairs.made):
        position = _end(connection, chat) + 1
        if anchor:
            (behind,) = connection.execute(
                "SELECT position FROM messages WHERE chat = ? AND id = ? AND kept = 1", (chat, anchor)
            ).fetchone()
            position = behind + (number + 1) / (len(repairs.made) + 1)
        _insert(connection, chat, message, position, workspace)
    if repairs.partial:
        connection.execute("DELETE FROM partials WHERE chat = ? AND id = ?", (chat, repairs.partial))
    _count(connection, chat)


def append(connection: sqlite3.Connection, chat_id: str, messages: Sequence[Message], now: float) -> None:
    """Add `messages` at the end. One of an assistant takes the place of the answer under way."""
    chat = chat_row(connection, chat_id)
    workspace = _workspace(connection, chat)
    position = _end(connection, chat)
    for message in messages:
        position += 1
        _insert(connection, chat, message, position, workspace, now)
    if any(message.role is Role.ASSISTANT for message in messages):
        connection.execute("DELETE FROM partials WHERE chat = ?", (chat,))
    cycle = max((message.meta.cycle for message in messages), default=0)
    connection.execute(
        "UPDATE chats SET messages = messages + ?, cycles = max(cycles, ?), updated = ? WHERE row = ?",
        (len(messages), cycle, now, chat),
    )


def partial(connection: sqlite3.Connection, chat_id: str, message: Message) -> None:
    """Keep the answer under way, in the place of what was kept of it before."""
    body, meta = texts(message)
    connection.execute(
        "INSERT OR REPLACE INTO partials (chat, id, meta, body) VALUES (?, ?, ?, ?)",
        (chat_row(connection, chat_id), message.id, meta, body),
    )


def settle(connection: sqlite3.Connection, chat_id: str, message: Message | None, now: float) -> None:
    """The answer under way becomes `message`, or nothing."""
    if message is not None:
        append(connection, chat_id, [message], now)
    connection.execute("DELETE FROM partials WHERE chat = ?", (chat_row(connection, chat_id),))


def replace(connection: sqlite3.Connection, chat_id: str, messages: Sequence[Message]) -> None:
    """Put each in the place of the message with its id. What it said before stays in the file."""
    chat = chat_row(connection, chat_id)
    workspace = _workspace(connection, chat)
    for message in messages:
        found = connection.execute(
            "SELECT row, position, added, body, meta FROM messages WHERE chat = ? AND id = ? AND kept = 1",
            (chat, message.id),
        ).fetchone()
        if found is None:
            raise HistoryError(f"chat {chat_id} has no message {message.id}; it cannot be replaced")
        row, position, added, old_body, old_meta = found
        before, known = parsed(old_body), parsed(old_meta)
        body, meta = encode(message)
        if carried(body, before) == before:
            connection.execute(
                "UPDATE messages SET meta = ?, cycle = ? WHERE row = ?",
                (dumps(carried(meta, known)), message.meta.cycle, row),
            )
        else:
            connection.execute("UPDATE messages SET kept = 0 WHERE row = ?", (row,))
            _insert(connection, chat, message, position, workspace, added)
    _count(connection, chat)


def edit(
    connection: sqlite3.Connection, chat_id: str, changed: Sequence[Message], removed: Sequence[str], now: float
) -> None:
    """`replace` and `remove` in one step."""
    replace(connection, chat_id, changed)
    remove(connection, chat_id, removed)
    connection.execute("UPDATE chats SET updated = ? WHERE row = ?", (now, chat_row(connection, chat_id)))


def remove(connection: sqlite3.Connection, chat_id: str, message_ids: Sequence[str]) -> None:
    """Take messages out of the stack; they stay in the file. Ids that are not there do not matter."""
    chat = chat_row(connection, chat_id)
    connection.executemany(
        "UPDATE messages SET kept = 0 WHERE chat = ? AND id = ? AND kept = 1", [(chat, one) for one in message_ids]
    )
    _count(connection, chat)


def copy(connection: sqlite3.Connection, source: int, target: int, before: str | None, chat_id: str) -> None:
    """Give the chat `target` copies of the messages of `source` before the one with the id `before` (None: all, and
    the answer under way). Raises `HistoryError` when there is no such message, or it is a result."""
    limit = None
    if before is not None:
        found = connection.execute(
            "SELECT position, body, meta FROM messages WHERE chat = ? AND id = ? AND kept = 1", (source, before)
        ).fetchone()
        begun = connection.execute("SELECT 1 FROM partials WHERE chat = ? AND id = ?", (source, before)).fetchone()
        if found is None and begun is None:
            raise HistoryError(f"chat {chat_id} has no message {before}; a fork begins before one that is there")
        if found is not None:
            limit = found[0]
            message = messages_of([found[1:]])[0]
            if message is not None and message.role is Role.TOOL:
                raise HistoryError(f"chat {chat_id}: a fork cannot begin between a call and its result")
    connection.execute(
        "INSERT INTO messages (chat, id, position, cycle, kept, added, meta, body, said) "
        "SELECT ?, id, position, cycle, 1, added, meta, body, said FROM messages "
        "WHERE chat = ? AND kept = 1 AND (?3 IS NULL OR position < ?3) ORDER BY position, row",
        (target, source, limit),
    )
    if before is None:
        connection.execute(
            "INSERT INTO partials (chat, id, meta, body) SELECT ?, id, meta, body FROM partials WHERE chat = ?",
            (target, source),
        )
    _count(connection, target)


def _insert(
    connection: sqlite3.Connection,
    chat: int,
    message: Message,
    position: float,
    workspace: str,
    added: float | None = None,
) -> None:
    body, meta = texts(message)
    if added is None:
        (added,) = connection.execute("SELECT updated FROM chats WHERE row = ?", (chat,)).fetchone()
    try:
        row = connection.execute(
            "INSERT INTO messages (chat, id, position, cycle, kept, added, meta, body) VALUES (?, ?, ?, ?, 1, ?, ?, ?)",
            (chat, message.id, position, message.meta.cycle, added, meta, body),
        ).lastrowid
    except sqlite3.IntegrityError as error:
        raise HistoryError(f"the message {message.id} is in its chat already; it is replaced, not added") from error
    text = shown(message)
    if text and row is not None:
        index.add(connection, index.FOUND, row, text, workspace)
        connection.execute("UPDATE messages SET said = row WHERE row = ?", (row,))


def _workspace(connection: sqlite3.Connection, chat: int) -> str:
    return text_of(connection.execute("SELECT workspace FROM chats WHERE row = ?", (chat,)).fetchone()[0])


def _end(connection: sqlite3.Connection, chat: int) -> float:
    found = connection.execute("SELECT max(position) FROM messages WHERE chat = ? AND kept = 1", (chat,)).fetchone()
    return float(int(found[0] or 0))


def _count(connection: sqlite3.Connection, chat: int) -> None:
    connection.execute(
        "UPDATE chats SET (messages, cycles) = "
        "(SELECT count(*), coalesce(max(cycle), 0) FROM messages WHERE chat = ?1 AND kept = 1) WHERE row = ?1",
        (chat,),
    )
