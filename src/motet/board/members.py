"""Who can be mentioned on a board, remembered until the registry changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from motet.board.database import Asked, Row, Tx
from motet.board.directory import members
from motet.board.mentions import Called, Known, Roster, called, find_mentions
from motet.board.values import Agent, AgentKind, AgentState

REGISTRY: Asked = ("SELECT value FROM counters WHERE name = 'registry'", ())
"""Asks for the number that grows with each change of who is where."""


def known_of(agent: Agent) -> Known:
    """An agent as one who can be called."""
    is_gone = agent.state in (AgentState.GONE, AgentState.CLOSED)
    return Known(agent.address, agent.name, agent.roles, agent.kind is AgentKind.HUMAN, is_gone)


@dataclass(frozen=True, slots=True)
class Membership:
    """Who is on one board."""

    roster: Roster
    addresses: frozenset[str]
    humans: frozenset[str]

    def called(self, body: str, author: str) -> Called:
        """Whom a body calls."""
        return called(find_mentions(body, self.roster), self.roster, author)


@dataclass(slots=True)
class Members:
    """A cache for one process, used in its one thread: one small query tells whether it is still true."""

    _version: int = -1
    _boards: dict[str, Membership] = field(default_factory=dict[str, Membership])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])

    def check(self, registry: Sequence[Row]) -> None:
        """Forget what is not true any more; `registry` is what `REGISTRY` answered in this transaction."""
        version = int(registry[0][0]) if registry else 0
        if version != self._version:
            self._boards.clear()
            self._version = version

    def of(self, tx: Tx, board: str, *, is_checked: bool = False) -> Membership:
        """Who is on the board, as of this transaction."""
        if not is_checked:
            self.check(tx.all(REGISTRY[0]))
        if board not in self._boards:
            agents = members(tx, board)
            known = tuple(map(known_of, agents))
            humans = frozenset(one.address for one in known if one.is_human)
            self._boards[board] = Membership(Roster(known), frozenset(one.address for one in known), humans)
        return self._boards[board]

    def number(self, tx: Tx, board: str) -> int:
        """The number of a board; it never changes."""
        if board not in self._numbers:
            row = tx.one("SELECT number FROM boards WHERE id = ?", board)
            assert row is not None
            self._numbers[board] = int(row[0])
        return self._numbers[board]
