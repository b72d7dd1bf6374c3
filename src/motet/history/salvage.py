"""What is saved of a damaged file of chats (see `motet.storage.salvage`)."""

from __future__ import annotations

import sqlite3
import time
from functools import cache

from motet.history import index
from motet.history.migrations import migrate
from motet.history.values import ID
from motet.messages import new_id
from motet.storage.salvage import Allowed, Salvage

MADE_UP = "Saved from a damaged file"
"""The title of a chat of which only messages were left."""


@cache
def of_chats() -> Salvage:
    """The tables of the file of chats."""
    return Salvage(
        what="chats",
        tables=("chats", "messages", "partials"),
        counted=("chats", "messages"),
        version="PRAGMA user_version",
        make=lambda connection: migrate(connection, "a new file of chats"),
        finish=_finish,
        lasting=frozenset({"chats", "messages"}),
        times=frozenset({"chats.created", "chats.updated", "chats.trashed", "messages.added"}),
        allowed={"chats.id": Allowed(lambda id: ID.fullmatch(id) is not None, new_id)},
    )


def _finish(target: sqlite3.Connection) -> None:
    """Messages whose chat was lost get one; all can be found again."""
    now = time.time()
    lost = target.execute(
        "SELECT chat, count(*), max(cycle) FROM messages WHERE chat NOT IN (SELECT row FROM chats) GROUP BY chat"
    ).fetchall()
    for chat, count, cycles in lost:
        target.execute(
            "INSERT INTO chats (row, id, title, workspace, model, created, updated, cycles, messages, cost, tokens, "
            "parent, forked_at, draft) VALUES (?, ?, ?, '', '', ?, ?, ?, ?, 0, 0, '', '', '')",
            (chat, new_id(), MADE_UP, now, now, cycles, count),
        )
    target.execute("UPDATE messages SET said = NULL")
    target.execute("UPDATE chats SET messages = (SELECT count(*) FROM messages WHERE chat = chats.row AND kept = 1)")
    index.add_all(target)
