"""What is saved of a damaged file of boards (see `motet.storage.salvage`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import cast

from motet.board import finding
from motet.board.addresses import check_name, key
from motet.board.agents import bump
from motet.board.chains import ChainState
from motet.board.database import Tx
from motet.board.moving import TABLES
from motet.board.schema import migrate
from motet.board.values import AgentKind, AgentState, DeliveryState, NoticeKind, Policy, PostKind
from motet.errors import UsageError
from motet.messages import new_id
from motet.storage.salvage import Allowed, Salvage

_RIGHTS = frozenset({"read", "post", "all"})
_AT_ONCE = 500
_TIMES = (
    *("boards.created", "posts.at", "posts.deadline", "versions.at", "chains.began", "agents.created", "agents.seen"),
    *("deliveries.at", "deliveries.changed", "notices.at", "refusals.at"),
)


def of_boards(tx_of: Callable[[sqlite3.Connection], Tx]) -> Salvage:
    """The tables of the file of boards; `tx_of` a connection is what steps work with."""
    return Salvage(
        what="boards",
        tables=("about", *TABLES),
        counted=("boards", "posts"),
        version="SELECT value FROM about WHERE name = 'schema'",
        make=lambda connection: migrate(tx_of(connection), 0),
        finish=lambda connection: _finish(connection, tx_of(connection)),
        replaced=frozenset({"counters"}),
        lasting=frozenset({"boards", "posts", "versions", "chains", "agents", "deliveries", "notices"}),
        times=frozenset(_TIMES),
        allowed={
            "boards.name": Allowed(_is_name, _new_name),
            "boards.rights": Allowed(_are_rights, lambda: "{}"),
            "posts.kind": _one_of(PostKind, PostKind.MESSAGE),
            "chains.state": _one_of(ChainState, ChainState.STOPPED),
            "agents.kind": _one_of(AgentKind, AgentKind.MCP),
            "agents.roles": Allowed(_is_list, lambda: "[]"),
            "agents.policy": _one_of(Policy, Policy.NEVER),
            "agents.state": _one_of(AgentState, AgentState.GONE),
            "deliveries.state": _one_of(DeliveryState, DeliveryState.QUEUED),
            "notices.kind": _one_of(NoticeKind, NoticeKind.UNKNOWN),
        },
    )


def _one_of(kind: type[StrEnum], otherwise: StrEnum) -> Allowed:
    return Allowed(partial(_is_one_of, frozenset(map(str, kind))), lambda: str(otherwise))


def _is_one_of(allowed: frozenset[str], text: str) -> bool:
    return text in allowed


def _is_name(text: str) -> bool:
    try:
        return check_name(text) == text
    except UsageError:
        return False


def _new_name() -> str:
    return f"saved-{new_id()[-6:].lower()}"


def _is_list(text: str) -> bool:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, list) and all(isinstance(one, str) for one in cast("list[object]", found))


def _are_rights(text: str) -> bool:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict):
        return False
    rights = cast("dict[str, object]", found)
    return rights.keys() <= _RIGHTS and all(_is_list(json.dumps(one)) for one in rights.values())


def _finish(target: sqlite3.Connection, tx: Tx) -> None:
    """Posts whose board was lost get one, numbers go on behind those that were given, all can be found again."""
    projects = [str(project) for (project,) in target.execute("SELECT DISTINCT project FROM boards").fetchall()]
    lost = target.execute(
        "SELECT board, min(row) >> 32, min(at) FROM posts WHERE board NOT IN (SELECT id FROM boards) GROUP BY board"
    ).fetchall()
    for board, number, began in lost:
        name = _new_name()
        target.execute(
            "INSERT OR IGNORE INTO boards (id, number, project, name, name_key, created, last, paused, rights) "
            "VALUES (?, ?, ?, ?, ?, ?, 0, 0, '{}')",
            (board, number, projects[0] if len(projects) == 1 else "", name, key(name), began),
        )
    for table in ("posts", "members", "broadcasts", "deliveries"):
        target.execute(f"DELETE FROM {table} WHERE board NOT IN (SELECT id FROM boards)")
    target.execute("DELETE FROM versions WHERE post NOT IN (SELECT id FROM posts)")
    target.execute("DELETE FROM deliveries WHERE post NOT IN (SELECT id FROM posts)")
    for board, name in target.execute("SELECT id, name FROM boards").fetchall():
        target.execute("UPDATE OR IGNORE boards SET name_key = ? WHERE id = ?", (key(name), board))
    target.execute(
        "UPDATE boards SET last = max(last, coalesce((SELECT max(seq) FROM posts WHERE board = boards.id), 0))"
    )
    for counter, used in (
        ("boards", "SELECT max(number) FROM boards"),
        ("leases", "SELECT max(token) FROM file_leases"),
        ("lines", "SELECT max(id) FROM (SELECT id FROM notices UNION ALL SELECT id FROM refusals)"),
    ):
        target.execute(
            f"UPDATE counters SET value = max(value, coalesce(({used}), 0)) WHERE name = ?",
            (counter,),
        )
    bump(tx)
    last = -1
    while posts := target.execute(
        "SELECT row, body FROM posts WHERE row > ? ORDER BY row LIMIT ?", (last, _AT_ONCE)
    ).fetchall():
        finding.add(tx, posts)
        last = posts[-1][0]
