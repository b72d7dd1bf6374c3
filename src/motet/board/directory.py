"""Boards and who is on them, as steps of a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence

from motet.board.addresses import check_name, key
from motet.board.agents import AGENT, agent_of, bump
from motet.board.database import Row, Tx
from motet.board.errors import BoardMissing, BoardRefused
from motet.board.schema import next_number
from motet.board.values import Agent, AgentKind, Board, Rights
from motet.messages import new_id

BOARD = "id, project, name, created, last, paused, rights"
"""The columns that `board_of` reads."""


def board_of(row: Row) -> Board:
    """A row of `BOARD`."""
    rights = json.loads(row[6])
    return Board(
        row[0], row[1], row[2], row[3], row[4], bool(row[5]), Rights(**{name: tuple(rights[name]) for name in rights})
    )


def open_board(tx: Tx, project: str, name: str, now: float) -> tuple[Board, bool]:
    """The board of that name, made when there is none, and whether it was. Raises `UsageError` for a bad name."""
    check_name(name)
    found = tx.one(f"SELECT {BOARD} FROM boards WHERE project = ? AND name_key = ?", project, key(name))
    if found is not None:
        return board_of(found), False
    board = new_id()
    made = tx.run(
        "INSERT INTO boards (id, number, project, name, name_key, created, last, paused, rights) "
        "VALUES (?, ?, ?, ?, ?, ?, 0, 0, '{}') ON CONFLICT (project, name_key) DO NOTHING",
        *(board, next_number(tx, "boards"), project, name, key(name), now),
    )
    found = tx.one(f"SELECT {BOARD} FROM boards WHERE project = ? AND name_key = ?", project, key(name))
    assert found is not None
    return board_of(found), made == 1


def find_board(tx: Tx, project: str, name: str) -> Board:
    """Raises `BoardMissing`."""
    row = tx.one(f"SELECT {BOARD} FROM boards WHERE project = ? AND name_key = ?", project, key(name))
    if row is None:
        there = ", ".join(board.name for board in boards(tx, project)) or "none"
        raise BoardMissing(
            f"there is no board {name!r} here (there are: {there}); `motet board post --new {name} …` makes it"
        )
    return board_of(row)


def get_board(tx: Tx, board: str) -> Board:
    """The board with that id. Raises `BoardMissing`."""
    row = tx.one(f"SELECT {BOARD} FROM boards WHERE id = ?", board)
    if row is None:
        raise BoardMissing(f"there is no board with the id {board!r}")
    return board_of(row)


def boards(tx: Tx, project: str | None) -> list[Board]:
    """The boards of a project, or all, by name."""
    where, values = ("", ()) if project is None else ("WHERE project = ?", (project,))
    return [
        board_of(row) for row in tx.all(f"SELECT {BOARD} FROM boards {where} ORDER BY project, name_key", *values)
    ]


def set_paused(tx: Tx, board: str, paused: bool) -> Board:
    """While it is paused, its posts are stored and delivered, and answered by nobody but humans."""
    tx.run("UPDATE boards SET paused = ? WHERE id = ?", int(paused), board)
    return get_board(tx, board)


def set_rights(tx: Tx, board: str, rights: Rights) -> Board:
    """Who may read, post, and write to everyone. Agents that may read no more leave."""
    text = json.dumps({"read": rights.read, "post": rights.post, "all": rights.all})
    tx.run("UPDATE boards SET rights = ? WHERE id = ?", text, board)
    for agent in members(tx, board):
        if agent.kind is not AgentKind.HUMAN and not may(rights.read, agent):
            leave(tx, board, agent.address)
    return get_board(tx, board)


# --- members ---------------------------------------------------------------------------------------------------


def join(tx: Tx, board: str, address: str) -> bool:
    """Take part from now on; what is older can be read, and is not delivered. Returns whether it was not there yet.
    Raises `BoardMissing`, `BoardRefused`."""
    found, agent = get_board(tx, board), agent_of(tx, address)
    if not may(found.rights.read, agent):
        raise BoardRefused(f"{address} may not read the board {found.name}; a human gives that right")
    joined = tx.run(
        "INSERT INTO members (board, address, joined, expanded, read_to) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (board, address) DO NOTHING",
        *(board, address, found.last, found.last, found.last),
    )
    if joined:
        bump(tx)
    return joined == 1


def leave(tx: Tx, board: str, address: str) -> None:
    """Take part no more: nothing new is delivered; what was stays in the inbox."""
    if tx.run("DELETE FROM members WHERE board = ? AND address = ?", board, address):
        bump(tx)


def members(tx: Tx, board: str) -> list[Agent]:
    """Who is on a board, by address; those who are gone too, those who are closed not."""
    rows = tx.all(
        f"SELECT {AGENT} FROM agents WHERE state <> 'closed' AND address IN "
        "(SELECT address FROM members WHERE board = ?) ORDER BY address",
        board,
    )
    return [agent_of(tx, row) for row in rows]


def boards_of(tx: Tx, address: str) -> list[Board]:
    """The boards that an agent is on."""
    rows = tx.all(
        f"SELECT {BOARD} FROM boards WHERE id IN (SELECT board FROM members WHERE address = ?) ORDER BY name", address
    )
    return [board_of(row) for row in rows]


def may(right: Sequence[str], agent: Agent) -> bool:
    """Whether a right is this agent's: everyone's, its address's, or one of its roles'."""
    own = {"everyone", agent.address, f"kind:{agent.kind}", *(f"role:{role}" for role in agent.roles)}
    return not own.isdisjoint(right)


def read_to(tx: Tx, board: str, address: str) -> int:
    """The number of the last post that an agent has read."""
    row = tx.one("SELECT read_to FROM members WHERE board = ? AND address = ?", board, address)
    return int(row[0]) if row else 0


def set_read(tx: Tx, board: str, address: str, seq: int) -> None:
    """It has read up to `seq`; never back."""
    tx.run("UPDATE members SET read_to = ? WHERE board = ? AND address = ? AND read_to < ?", seq, board, address, seq)
