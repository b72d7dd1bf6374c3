"""Who takes part, as steps of a transaction. An address is given once and stays its agent's for ever."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from motet.board import limits
from motet.board.addresses import address as new_address
from motet.board.addresses import check_name, key, look
from motet.board.database import Row, Tx
from motet.board.errors import AgentMissing
from motet.board.values import Agent, AgentKind, AgentState, NewAgent, Policy
from motet.errors import UsageError

AGENT = "address, name, kind, identity, roles, model, workspace, policy, state, why, paused, created, seen, session"
"""The columns that `agent_of` reads."""
LOST = 90.0
"""Seconds without a sign of life after which an agent that was there counts as gone."""
THERE = "state IN ('idle', 'working', 'waiting') AND kind <> 'human'"
"""The condition for agents that give signs of life; humans come and go as they like."""
_SILENT = "gave no sign of life"
_AWAY = (AgentState.GONE, AgentState.CLOSED)


def agent_of(tx: Tx, found: str | Row) -> Agent:
    """The agent at an address, in any case, or of a row of `AGENT`. Raises `AgentMissing`."""
    if isinstance(found, str):
        row = tx.one(f"SELECT {AGENT} FROM agents WHERE address_key = ?", key(found))
        if row is None:
            raise AgentMissing(f"there is no agent {found!r}; `motet agents list` shows all")
        found = row
    values = dict(zip((one.name for one in fields(Agent)), found, strict=False))
    values |= {
        "kind": AgentKind(values["kind"]),
        "roles": tuple(json.loads(values["roles"])),
        "policy": Policy(values["policy"]),
        "state": AgentState(values["state"]),
        "paused": bool(values["paused"]),
    }
    return Agent(**values)


def register(tx: Tx, new: NewAgent, now: float) -> Agent:
    """The agent with this identity, at the address that it has always had, or at a new one. What it says of itself is
    kept: its model may have changed, its address does not. Raises `UsageError` for a bad name."""
    check_name(new.name)
    roles = sorted({key(role) for role in new.roles})
    said = (json.dumps(roles), new.model, new.workspace, new.policy, AgentState.IDLE, "", now, new.session)
    known = tx.one("SELECT address FROM agents WHERE kind = ? AND identity = ?", new.kind, new.identity)
    if known is not None:
        tx.run(
            "UPDATE agents SET roles = ?, model = ?, workspace = ?, policy = ?, state = ?, why = ?, seen = ?, "
            "session = ? WHERE address = ?",
            *(*said, known[0]),
        )
        bump(tx)
        return agent_of(tx, str(known[0]))

    if new.kind is not AgentKind.HUMAN:
        humans = tx.all("SELECT name FROM agents WHERE kind = 'human' AND state <> 'closed'")
        if look(new.name) in {look(str(name)) for (name,) in humans}:
            raise UsageError(f"{new.name} cannot be an agent's name: a human here is called so; take another")

    def is_taken(address: str) -> bool:
        return tx.one("SELECT 1 FROM agents WHERE address_key = ?", address) is not None

    address = new_address(new.name, new.identity, is_taken)
    tx.run(
        "INSERT INTO agents (address, address_key, name, kind, identity, roles, model, workspace, policy, state, why, "
        "seen, session, paused, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
        *(address, key(address), new.name, new.kind, new.identity, *said, now),
    )
    bump(tx)
    return agent_of(tx, address)


def set_state(tx: Tx, address: str, state: AgentState, why: str, now: float) -> Agent:
    """What it does from now on, and why."""
    agent = agent_of(tx, address)
    tx.run("UPDATE agents SET state = ?, why = ?, seen = ? WHERE address = ?", state, why, now, agent.address)
    if (state in _AWAY) != (agent.state in _AWAY) or AgentState.CLOSED in (state, agent.state):
        bump(tx)
    return replace(agent, state=state, why=why, seen=now)


def beat(tx: Tx, address: str, now: float) -> None:
    """A sign of life; who was given up for want of it is back."""
    tx.run("UPDATE agents SET seen = ? WHERE address = ?", now, address)
    back = "UPDATE agents SET state = 'idle', why = '' WHERE address = ? AND state = 'gone' AND why = ?"
    if tx.run(back, address, _SILENT):
        bump(tx)


def set_agent_paused(tx: Tx, address: str, paused: bool) -> Agent:
    """While it is paused, deliveries wait for it and its own posts are refused."""
    agent = agent_of(tx, address)
    tx.run("UPDATE agents SET paused = ? WHERE address = ?", int(paused), agent.address)
    return replace(agent, paused=paused)


def agents(tx: Tx, now: float, *, board: str = "", with_closed: bool = False) -> list[Agent]:
    """All agents, or those on a board, by address, each with how many deliveries wait for it and what the turns that
    boards caused have used today."""
    where, values = list[str](), list[str]()
    if board:
        where.append("address IN (SELECT address FROM members WHERE board = ?)")
        values.append(board)
    if not with_closed:
        where.append("state <> 'closed'")
    condition = f"WHERE {' AND '.join(where)}" if where else ""
    rows = tx.all(f"SELECT {AGENT} FROM agents {condition} ORDER BY address", *values)
    waiting, used = _waiting(tx), limits.agents_today(tx, now)
    found: list[Agent] = []
    for agent in (agent_of(tx, row) for row in rows):
        tokens, cost = used.get(agent.address, (0, 0.0))
        found.append(replace(agent, unread=waiting[agent.address], tokens=tokens, cost=cost))
    return found


def _waiting(tx: Tx) -> Counter[str]:
    """How many deliveries wait, by recipient, posts to everyone that it has not looked at included."""
    waiting = Counter[str]()
    for sql in (
        "SELECT recipient, count(*) FROM deliveries WHERE state IN ('queued', 'leased') GROUP BY recipient",
        "SELECT members.address, count(*) FROM members JOIN broadcasts ON broadcasts.board = members.board "
        "AND broadcasts.seq > members.expanded AND broadcasts.seq > members.joined "
        "JOIN posts ON posts.board = broadcasts.board AND posts.seq = broadcasts.seq "
        "WHERE posts.author <> members.address AND posts.retracted = 0 "
        "AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.post = posts.id "
        "AND deliveries.recipient = members.address AND deliveries.role = '') GROUP BY members.address",
    ):
        for address, many in tx.all(sql):
            waiting[str(address)] += int(many)
    return waiting


def lost(tx: Tx, silent: Mapping[str, float]) -> list[Agent]:
    """Of agents that gave no sign of life since one, those that are there; they are marked as gone."""
    found = [
        agent_of(tx, address)
        for address, seen in silent.items()
        if tx.run(
            f"UPDATE agents SET state = 'gone', why = ? WHERE address = ? AND seen = ? AND {THERE}",
            _SILENT,
            address,
            seen,
        )
    ]
    if found:
        bump(tx)
    return found


def gone_since(tx: Tx, before: float) -> list[tuple[str, float]]:
    """The addresses of agents that have been gone since `before`, each with its last sign of life."""
    sql = "SELECT address, seen FROM agents WHERE state = 'gone' AND kind <> 'human' AND seen < ? ORDER BY address"
    return [(str(address), float(seen)) for address, seen in tx.all(sql, before)]


def close(tx: Tx, addresses: Sequence[str]) -> None:
    """Close agents for good; their addresses stay theirs."""
    for address in addresses:
        tx.run("UPDATE agents SET state = 'closed', why = 'cleaned up' WHERE address = ?", address)
    if addresses:
        bump(tx)


def bump(tx: Tx) -> None:
    """Who can be mentioned has changed: whoever remembers it looks again. A number that was never there before, also
    when this is rolled back."""
    tx.run("UPDATE counters SET value = ? WHERE name = 'registry'", secrets.randbits(62))
