"""Rows of the file as values and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import cast

from motet.history.encode import Row, decode, dumps, encode
from motet.history.errors import ChatMissing
from motet.history.values import ChatInfo
from motet.messages import Message, Role
from motet.storage.salvage import is_time

INFO = (
    "chats.id, chats.title, chats.workspace, chats.model, chats.created, chats.updated, chats.cycles, chats.messages, "
    "chats.cost, chats.tokens, chats.parent, chats.forked_at, chats.draft"
)
"""What `info` reads, in its order."""
_INFO_TYPES = (str, str, str, str, float, float, int, int, float, int, str, str, str)
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)
"""What a stored message raises that cannot be understood."""

_BATCH = 32 * 1024
"""Characters of JSON that are read in one go: no other thread waits for longer than that takes."""


def column(text: str) -> str | bytes:
    """`text` for a column: bytes where it is not valid Unicode (a file name may be that)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def text_of(value: str | bytes) -> str:
    """The text that `column` put there."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def info(row: tuple[object, ...]) -> ChatInfo:
    """The chat of a row that begins with `INFO`. Raises `ValueError` when that is damaged."""
    values = [text_of(value) if isinstance(value, bytes) else value for value in row[:13]]
    created, updated = values[4:6]
    if tuple(map(type, values)) != _INFO_TYPES or not (is_time(created) and is_time(updated)):
        raise ValueError("a damaged row of a chat")
    return ChatInfo(*values)  # pyright: ignore[reportArgumentType]


def chat_row(connection: sqlite3.Connection, chat_id: str) -> int:
    """The number of a chat, in the trash or not. Raises `ChatMissing`."""
    found = connection.execute("SELECT row FROM chats WHERE id = ?", (column(chat_id),)).fetchone()
    if found is None:
        raise missing(chat_id)
    return int(found[0])


def missing(chat_id: str) -> ChatMissing:
    """The error for a chat that is not there."""
    return ChatMissing(f"no chat {column(chat_id)!r:.80}: `motet history list` names the chats that there are")


def texts(message: Message) -> tuple[str, str]:
    """The body and the meta of `message` for their columns."""
    body, meta = encode(message)
    return dumps(body), dumps(meta)


def parsed(text: str) -> Row:
    """A body or a meta. Raises `ValueError`."""
    row = json.loads(text)
    if not isinstance(row, dict):
        raise ValueError("not an object")
    return cast("Row", row)


def messages_of(rows: Iterable[tuple[str, str]]) -> list[Message | None]:
    """The messages with these bodies and metas, None for each that cannot be understood."""
    messages: list[Message | None] = []
    batch: list[tuple[str, str]] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row[0]) + len(row[1])
        if size > _BATCH:
            messages.extend(_decoded(batch))
            batch, size = [], 0
    messages.extend(_decoded(batch))
    return messages


def shown(message: Message) -> str:
    """What is searched of a message: what human and model say to each other."""
    return message.shown if message.visible and message.role in (Role.USER, Role.ASSISTANT) else ""


def _decoded(batch: list[tuple[str, str]]) -> list[Message | None]:
    try:
        values = cast("list[Row]", json.loads(f"[{','.join(piece for row in batch for piece in row)}]"))
        if len(values) == 2 * len(batch):
            return [decode(body, meta) for body, meta in zip(values[::2], values[1::2], strict=True)]
    except UNREADABLE:
        pass  # one of them: which one is found out below
    return [_one(body, meta) for body, meta in batch]


def _one(body: str, meta: str) -> Message | None:
    try:
        return decode(parsed(body), parsed(meta))
    except UNREADABLE:
        return None
