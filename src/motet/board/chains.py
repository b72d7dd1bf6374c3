"""A chain is a post and all that it caused. It has a budget; when that is used up a human is asked, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from motet.board.database import Tx
from motet.board.errors import BoardMissing
from motet.board.limits import Limits, forget_alone
from motet.board.notices import notify, settle_about
from motet.board.values import NoticeKind
from motet.money import dollars, known_cost

_SHARED = ("tokens", "money")
"""What recipients share."""


class ChainState(StrEnum):
    """Whether a chain goes on by itself."""

    RUNNING = "running"
    SPENT = "spent"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Chain:
    """`tokens` and `cost` are what its turns have used, of at most `most_tokens` and `most_cost`."""

    id: str
    board: str
    state: ChainState
    tokens: int
    cost: float
    most_tokens: int
    most_cost: float

    @property
    def over(self) -> str:
        """What is used up; empty when nothing is."""
        if self.tokens >= self.most_tokens:
            return "tokens"
        return "money" if self.cost >= self.most_cost else ""


def begin(tx: Tx, begun: Sequence[tuple[str, str]], limits: Limits, now: float) -> None:
    """Posts, each with its board, that nothing caused."""
    tx.many(
        "INSERT INTO chains (id, board, began, state, tokens, cost, most_tokens, most_cost) "
        "VALUES (?, ?, ?, 'running', 0, 0, ?, ?)",
        [(chain, board, now, limits.tokens, limits.cost) for chain, board in begun],
    )


def get(tx: Tx, chain: str) -> Chain:
    """Raises `BoardMissing`."""
    row = tx.one("SELECT id, board, state, tokens, cost, most_tokens, most_cost FROM chains WHERE id = ?", chain)
    if row is None:
        raise BoardMissing(f"there is no chain {chain!r}; `motet board notices` names those that wait for you")
    return Chain(row[0], row[1], ChainState(row[2]), *row[3:])


def spent(tx: Tx, chain: str, what: str, now: float) -> bool:
    """Its budget is used up: it goes on when a human says so, who is told once. Where only the tokens or the money of one
    of several are used up, the others go on with theirs. Returns whether the human was told now."""
    found = get(tx, chain)
    is_whole = what not in _SHARED or bool(found.over)
    if is_whole and not tx.run("UPDATE chains SET state = 'spent' WHERE id = ? AND state = 'running'", chain):
        return False
    if tx.one(f"SELECT 1 FROM notices WHERE kind = '{NoticeKind.BUDGET}' AND about = ? AND settled = ''", chain):
        return False
    used = f"{found.tokens:,} tokens, {dollars(known_cost(found.cost, found.tokens))}"
    who = "agents have" if is_whole else "one of several agents has"
    whose = "the" if is_whole else "its share of the"
    text = f"{who} used up {whose} {what} of what began with post {chain} ({used}): continue or stop?"
    notify(tx, found.board, NoticeKind.BUDGET, text, now, about=chain)
    return True


def use(tx: Tx, chain: str, tokens: int, cost: float) -> Chain:
    """Count what a turn used."""
    tx.run("UPDATE chains SET tokens = tokens + ?, cost = cost + ? WHERE id = ?", tokens, cost, chain)
    return get(tx, chain)


def go_on(tx: Tx, chain: str, limits: Limits, now: float) -> int:
    """A human says continue: the budget is granted once more, and what was not answered for want of it waits again.
    Returns how many deliveries that are."""
    get(tx, chain)
    tx.run(
        "UPDATE chains SET state = 'running', most_tokens = tokens + ?, most_cost = cost + ? WHERE id = ?",
        *(limits.tokens, limits.cost, chain),
    )
    budget = limits.budget(now)
    again = tx.run(
        "UPDATE deliveries SET state = 'queued', hops = ?, tokens = ?, money = ?, until = ?, rule = '', reason = '', "
        "changed = ? WHERE state = 'declined' AND rule IN ('budget', 'stopped') "
        "AND post IN (SELECT id FROM posts WHERE chain = ?)",
        *(budget.hops, budget.tokens, budget.cost, budget.until, now, chain),
    )
    forget_alone(tx, get(tx, chain).board)
    settle_about(tx, chain, "continue")
    return again


def stop(tx: Tx, chain: str, now: float) -> int:
    """A human says stop: nothing of it is answered any more; what became of it is still told. Returns how many deliveries
    were waiting."""
    get(tx, chain)
    tx.run("UPDATE chains SET state = 'stopped' WHERE id = ?", chain)
    stopped = tx.run(
        "UPDATE deliveries SET state = 'declined', rule = 'stopped', reason = 'a human stopped it', changed = ? "
        "WHERE state IN ('queued', 'leased') "
        "AND post IN (SELECT id FROM posts WHERE chain = ? AND kind NOT IN ('status', 'ack')) "
        "AND recipient NOT IN (SELECT address FROM agents WHERE kind = 'human')",
        *(now, chain),
    )
    settle_about(tx, chain, "stop")
    return stopped
