"""How much agents may do on boards. Humans, status and acks are never held back. No model can change any of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from motet.board.database import Asked, Row, Tx, marks
from motet.board.values import Budget
from motet.money import dollars

L = TypeVar("L", int, float)

_MINUTE = 60
DAY = 86_400
"""Seconds."""
_ALONE = 0
"""In the place of a day, for what counts since a human wrote on a board."""
_PAIR = "pair:"
_BOARD = "board:"


@dataclass(frozen=True, slots=True)
class Limits:
    """`hops`, `tokens`, `cost` (US dollars) and `seconds`: what one post of a human may cause. The rates are posts of
    agents in a minute; None: any number. `alone`: posts of agents on one board since a human wrote there. The caps of a
    day (UTC) are for posts of agents, and for the turns that boards cause. `alert`: so many posts of agents on one board
    in a minute are told to the human. After `forget_days` an agent that is gone is closed."""

    hops: int = 6
    tokens: int = 500_000
    cost: float = 1.0
    seconds: float = 3600.0
    agent_posts: int | None = 30
    pair_posts: int | None = 15
    board_posts: int | None = 600
    alone: int | None = 300
    agent_posts_per_day: int | None = 1_000
    board_posts_per_day: int | None = 5_000
    alert: int = 60
    request_seconds: float = 3600.0
    body: int = 100_000
    agent_tokens_per_day: int | None = 5_000_000
    agent_cost_per_day: float | None = 10.0
    board_tokens_per_day: int | None = 20_000_000
    board_cost_per_day: float | None = 50.0
    forget_days: float = 14.0

    @classmethod
    def without_caps(cls) -> Limits:
        """What one post may cause, and no rate and no cap of a day: for tests and measurements."""
        return cls(
            agent_posts=None, pair_posts=None, board_posts=None, alone=None, agent_posts_per_day=None,
            board_posts_per_day=None, alert=1_000_000_000, agent_tokens_per_day=None, agent_cost_per_day=None,
            board_tokens_per_day=None, board_cost_per_day=None,
        )  # fmt: skip

    def budget(self, now: float) -> Budget:
        """What a post has that nothing caused."""
        return Budget(self.hops, self.tokens, self.cost, now + self.seconds)


@dataclass(slots=True)
class Rates:
    """How many posts agents have made in the last minute, of some who may make more: what they wrote in the last
    whole minute counts by the part of it that is not a minute ago. `day`: today, before those that were `made` now;
    `alone`: by board, since a human wrote on it; `humans`: the boards on which one does now, where that matters."""

    now: float
    before: Counter[str] = field(default_factory=Counter[str])
    made: Counter[str] = field(default_factory=Counter[str])
    day: Counter[str] = field(default_factory=Counter[str])
    alone: Counter[str] = field(default_factory=Counter[str])
    humans: set[str] = field(default_factory=set[str])

    @staticmethod
    def asks(who: Iterable[str], now: float) -> Asked:
        """Asks what the store says of `who`, some at least."""
        wanted = sorted(set(who))
        return (
            f"SELECT who, span, posts FROM used WHERE who IN ({marks(wanted)}) AND (span >= ? OR span IN (?, ?))",
            (*wanted, int(now // _MINUTE) - 1, int(now // DAY), _ALONE),
        )

    @classmethod
    def found(cls, rows: Iterable[Row], now: float) -> Rates:
        """What was answered."""
        rates, minute, old = cls(now), int(now // _MINUTE), 1 - now % _MINUTE / _MINUTE
        for name, span, posts in rows:
            if span == int(now // DAY):
                rates.day[str(name)] = int(posts)
            elif span == _ALONE:
                rates.alone[str(name)] = int(posts)
            elif span in (minute - 1, minute):
                rates.before[str(name)] += int(posts) if span == minute else round(posts * old)
        return rates

    def is_over(self, who: str, most: int | None) -> bool:
        """Whether one more would be too many."""
        return most is not None and self.count(who) >= most

    def count(self, who: str) -> int:
        """Posts in the last minute."""
        return self.before[who] + self.made[who]

    def add(self, names: Iterable[str], board: str) -> None:
        """One more post, counted under each of `names`, on a board."""
        self.made.update(names)
        self.alone[board] += 1

    def human(self, board: str) -> None:
        """A human writes on a board."""
        if self.alone[board]:
            self.humans.add(board)
        self.alone[board] = 0

    def today(self, who: str) -> int:
        """Posts of this day."""
        return self.day[who] + self.made[who]

    def used_up(self, limits: Limits) -> list[tuple[str, str]]:
        """Which caps the posts that were made now have come to, in words, and under whose name."""
        found: list[tuple[str, str]] = []
        for who, made in sorted(self.made.items()):
            is_board = who.startswith(_BOARD)
            most = limits.board_posts_per_day if is_board else limits.agent_posts_per_day
            if not who.startswith(_PAIR) and most is not None and self.day[who] < most <= self.today(who):
                found.append((f"the {most:,} posts of agents of today are used up", who))
            if is_board and limits.alone is not None and limits.alone <= self.alone[who] < limits.alone + made:
                why = f"agents have written {limits.alone:,} posts since a human did, and are held"
                found.append((f"{why}; write there, or continue one of them", who))
        return found

    def write(self, tx: Tx) -> None:
        """Store what was made, and forget what is older than two minutes."""
        minute = int(self.now // _MINUTE)
        kept = [
            (who, int(self.now // DAY), self.today(who)) for who in sorted(self.made) if not who.startswith(_PAIR)
        ]
        alone = [
            (board, _ALONE, self.alone[board])
            for board in sorted(self.alone.keys() & (self.made.keys() | self.humans))
        ]
        tx.many(
            "INSERT INTO used (who, span, posts, tokens, cost) VALUES (?, ?, ?, 0, 0) "
            "ON CONFLICT (who, span) DO UPDATE SET posts = excluded.posts",
            [*kept, *alone],
        )
        tx.many(
            "INSERT INTO used (who, span, posts, tokens, cost) VALUES (?, ?, ?, 0, 0) "
            "ON CONFLICT (who, span) DO UPDATE SET posts = used.posts + excluded.posts",
            [(who, minute, posts) for who, posts in sorted(self.made.items())],
        )
        if self.made:
            tx.many(
                f"DELETE FROM used WHERE who IN ({marks(list(self.made))}) AND span > 1000000 AND span < ?",
                [(*sorted(self.made), minute - 1)],  # days are smaller numbers
            )


def agent_rate(address: str) -> str:
    """Under which name an agent's posts are counted."""
    return f"agent:{address}"


def pair_rate(author: str, recipient: str) -> str:
    """Under which name posts of one to another are counted."""
    return f"{_PAIR}{author}>{recipient}"


def board_rate(board: str) -> str:
    """Under which name a board's posts are counted."""
    return f"{_BOARD}{board}"


def forget_alone(tx: Tx, board: str) -> None:
    """A human lets the agents of a board go on."""
    tx.run("DELETE FROM used WHERE who = ? AND span = ?", board_rate(board), _ALONE)


def use(tx: Tx, names: Iterable[str], tokens: int, cost: float, now: float) -> None:
    """Count what a turn used, today, under each of `names`."""
    tx.many(
        "INSERT INTO used (who, span, posts, tokens, cost) VALUES (?, ?, 0, ?, ?) ON CONFLICT (who, span) DO UPDATE "
        "SET tokens = used.tokens + excluded.tokens, cost = used.cost + excluded.cost",
        [(who, int(now // DAY), tokens, cost) for who in sorted(names)],
    )


def used_today(tx: Tx, who: str, now: float) -> tuple[int, float]:
    """Tokens and US dollars that were counted today."""
    row = tx.one("SELECT tokens, cost FROM used WHERE who = ? AND span = ?", who, int(now // DAY))
    return (int(row[0]), float(row[1])) if row else (0, 0.0)


def agents_today(tx: Tx, now: float) -> dict[str, tuple[int, float]]:
    """Tokens and US dollars that were counted today, by the address of an agent."""
    rows = tx.all("SELECT who, tokens, cost FROM used WHERE span = ?", int(now // DAY))
    start = agent_rate("")
    return {
        str(who).removeprefix(start): (int(tokens), float(cost))
        for who, tokens, cost in rows
        if str(who).startswith(start)
    }


@dataclass(frozen=True, slots=True)
class Today:
    """What an agent may still use on a board today; None: any amount. `over`: which cap is used up, in words, and `whose`
    it is; empty when none is."""

    tokens: int | None = None
    cost: float | None = None
    over: str = ""
    whose: str = ""

    def least(self, other: Today) -> Today:
        """What both allow."""
        over = self if self.over else other
        return Today(_least(self.tokens, other.tokens), _least(self.cost, other.cost), over.over, over.whose)


def _least(one: L | None, other: L | None) -> L | None:
    return other if one is None else one if other is None else min(one, other)


def today(tx: Tx, agent: str, board: str, limits: Limits, now: float) -> Today:
    """What the caps of the day leave for an agent on a board."""
    left = Today()
    for who, whose, most_tokens, most_cost in (
        (agent_rate(agent), f"{agent}'s", limits.agent_tokens_per_day, limits.agent_cost_per_day),
        (board_rate(board), "the board's", limits.board_tokens_per_day, limits.board_cost_per_day),
    ):
        if most_tokens is None and most_cost is None:
            continue
        tokens, cost = used_today(tx, who, now)
        over = ""
        if most_tokens is not None and tokens >= most_tokens:
            over = f"{whose} {most_tokens:,} tokens of today are used up"
        elif most_cost is not None and cost >= most_cost:
            over = f"{whose} {dollars(most_cost)} of today are used up"
        left = left.least(
            Today(
                None if most_tokens is None else max(most_tokens - tokens, 0),
                None if most_cost is None else max(most_cost - cost, 0.0),
                over,
                who if over else "",
            )
        )
    return left
