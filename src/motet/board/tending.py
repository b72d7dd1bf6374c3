"""What has to be done though nobody asks: agents that died, leases that ran out, requests that are overdue.

Any process that waits for boards looks from time to time; looking costs one small query, and only one of them does it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from motet.board import agents, chains, directory, inbox, leases
from motet.board.clock import Silence
from motet.board.database import Row, Tx
from motet.board.errors import BoardRefused
from motet.board.globs import normal
from motet.board.limits import DAY, Limits
from motet.board.members import Members
from motet.board.notices import notify
from motet.board.posting import Posting
from motet.board.rows import JOINED, delivery_of
from motet.board.values import Agent, AgentKind, Delivery, Draft, NoticeKind, Posted, PostKind

_WAITS = "deliveries.state IN ('queued', 'leased')"
_NAMED = 5
_FRESH = 30.0
"""Seconds within which a sign of life needs no second look: the next comes sooner."""
_STOPS = "posts.kind = 'request' AND deliveries.state IN ('queued', 'leased', 'in_context')"


@dataclass(frozen=True, slots=True)
class Tended:
    """What was done: status posts that say which requests stopped and why, and the addresses that were closed."""

    reports: tuple[Posted, ...] = ()
    closed: tuple[str, ...] = ()


Signs = Sequence[tuple[str, float]]
"""By agent or by leased delivery the last sign of life: `seen`, `leased_until`."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is to be watched, as of `now`: agents that are there and leased deliveries, but for those whose sign of life is
    neither old nor ahead of the time, and agents that have been gone for long. `is_overdue`: a request is."""

    now: float
    agents: Signs
    leased: Signs
    gone: Signs
    is_overdue: bool


@dataclass(slots=True)
class Observed:
    """What one process has itself seen of others. `own`: the agents whose clock is that of this process."""

    own: set[str] = field(default_factory=set[str])
    lost: Mapping[str, float] = field(default_factory=dict[str, float])
    gone: Mapping[str, float] = field(default_factory=dict[str, float])
    _there: Silence = field(default_factory=Silence)
    _gone: Silence = field(default_factory=Silence)

    def look(self, seen: Seen, at: float) -> bool:
        """Look once more, `at` a moment of this process; returns whether there is anything to do. `lost` is then, by agent
        and by delivery, the sign of life after which it is given up, and `gone` by agent the one of those that are closed.

        None is closed while one that lives shows that it has another time than this process."""
        self.lost = _given_up(self._there.look([*seen.agents, *seen.leased], at))
        living = dict(seen.agents)
        others = [living[who] for who in self._there.moved if who in living]
        is_apart = any(abs(seen.now - sign) > agents.LOST for sign in others)
        self.gone = _given_up(self._gone.look([] if is_apart else seen.gone, at))
        return bool(seen.is_overdue or self.lost or self.gone)


def _given_up(stood: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    return {who: sign for who, (sign, seconds) in stood.items() if seconds >= agents.LOST}


def look(tx: Tx, own: Set[str], days: float, now: float) -> Seen:
    """What there is to be watched."""
    there, leased = tx.several(
        [
            (
                f"SELECT address, seen FROM agents WHERE {agents.THERE} AND (seen < ? OR seen > ?)",
                (now - _FRESH, now + _FRESH),
            ),
            (
                "SELECT id, leased_until FROM deliveries WHERE state = 'leased' AND leased_until < ? "
                "UNION ALL SELECT id, leased_until FROM deliveries WHERE state = 'leased' AND leased_until > ?",
                (now + inbox.HELD - _FRESH, now + inbox.HELD + _FRESH),
            ),
        ]
    )
    gone = agents.gone_since(tx, now - days * DAY)
    return Seen(now, _signs(there), _signs(leased), gone, bool(inbox.overdue(tx, own, now)))


def _signs(rows: Sequence[Row]) -> Signs:
    return [(str(who), float(sign)) for who, sign in rows]


def tend(tx: Tx, members: Members, limits: Limits, observed: Observed, now: float) -> Tended:
    """Do what there is to do, by what this process has seen."""
    drafts: list[Draft] = []
    given = observed.lost
    inbox.give_up(
        tx, given, now
    )  # before what the lost ones held is passed on: it counts how often that came to nothing
    for agent in agents.lost(tx, given):
        leases.expire(tx, agent.address)
        drafts += stops(tx, agent.address, "gave no sign of life")
        _pass_on(tx, agent, now)
    overdue = inbox.overdue(tx, observed.own, now)
    inbox.expire(tx, overdue, now)
    for one in overdue:
        drafts += _overdue(tx, one)
    still = agents.gone_since(tx, now - limits.forget_days * DAY)
    gone = [address for address, seen in still if observed.gone.get(address) == seen]
    return _closed(tx, gone, drafts, members, limits, now)


def clean(tx: Tx, days: float, members: Members, limits: Limits, now: float) -> Tended:
    """A human has agents closed that have been gone for `days`, by the clock in front of him."""
    gone = [address for address, _ in agents.gone_since(tx, now - days * DAY)]
    return _closed(tx, gone, [], members, limits, now)


def _closed(
    tx: Tx, gone: Sequence[str], drafts: Sequence[Draft], members: Members, limits: Limits, now: float
) -> Tended:
    """Post `drafts`, and close the agents that are `gone`."""
    unread = [draft for address in gone for draft in _unread(tx, address, now)]
    outcomes = Posting(tx, now, limits, members).append([*drafts, *unread])
    agents.close(tx, gone)  # who is closed posts nothing more
    return Tended(tuple(one for one in outcomes if isinstance(one, Posted)), tuple(gone))


def stops(tx: Tx, address: str, why: str) -> list[Draft]:
    """A status post for each open request that an agent was given: whoever asked is told that it stopped."""
    rows = tx.all(f"{JOINED} WHERE recipient = ? AND {_STOPS} ORDER BY deliveries.at", address)
    return [_stop(delivery_of(row), why) for row in rows]


def stopped(tx: Tx, address: str, why: str, members: Members, limits: Limits, now: float) -> list[Posted]:
    """An agent stops: say so to whoever waits for it, in its name, and tell the humans."""
    drafts = stops(tx, address, why)
    for draft in drafts:
        notify(tx, draft.board, NoticeKind.STOPPED, f"{address} stopped: {why}", now, about=address)
    outcomes = Posting(tx, now, limits, members).append(drafts)
    return [outcome for outcome in outcomes if isinstance(outcome, Posted)]


def revoke(
    tx: Tx, project: str, by: str, owner: str, globs: Sequence[str], members: Members, limits: Limits, now: float
) -> tuple[list[str], list[Posted]]:
    """A human takes claims of an agent away, all when none of `globs` is named, and tells it so on a board of the project
    on which both are. Returns which. Raises `BoardRefused`."""
    if agents.agent_of(tx, by).kind is not AgentKind.HUMAN:
        raise BoardRefused(f"{by} is no human; ask @{owner} for a hand-over")
    held = [lease.glob for lease in leases.leases(tx, project, now, owner)]
    revoked = [glob for glob in held if not globs or glob in map(normal, globs)]
    if not revoked:
        return [], []
    leases.release(tx, project, owner, revoked)
    text = f"@{owner} {by} has taken your claim of {', '.join(f'`{glob}`' for glob in revoked)} away; others may write there."
    shared = [board.id for board in directory.boards_of(tx, by) if board.project == project]
    board = next((one.id for one in directory.boards_of(tx, owner) if one.id in shared), "")
    drafts = [Draft(board, by, text, PostKind.STATUS)] if board else []
    outcomes = Posting(tx, now, limits, members).append(drafts)
    return revoked, [one for one in outcomes if isinstance(one, Posted)]


def chain_stopped(tx: Tx, chain: str, members: Members, limits: Limits, now: float) -> tuple[int, list[Posted]]:
    """A human ends a chain: an agent whose request nobody has begun to deal with is told. Returns also how many
    deliveries were waiting."""
    humans = "(SELECT address FROM agents WHERE kind = 'human')"
    rows = tx.all(
        f"{JOINED} WHERE posts.chain = ? AND posts.kind = 'request' AND {_WAITS} AND recipient <> '' "
        f"AND recipient NOT IN {humans} AND posts.author NOT IN {humans} ORDER BY deliveries.at",
        chain,
    )
    waited = chains.stop(tx, chain, now)
    outcomes = Posting(tx, now, limits, members).append(
        [_stop(delivery_of(row), "a human stopped it") for row in rows]
    )
    return waited, [one for one in outcomes if isinstance(one, Posted)]


def _overdue(tx: Tx, one: Delivery) -> list[Draft]:
    """Tell who asked that the time of a request is over; of one that no member of a role has taken, one of them does."""
    if one.recipient:
        return [_stop(one, "its time is over")]
    there = [agent.address for agent in directory.members(tx, one.post.board) if one.role in agent.roles]
    others = [address for address in there if address != one.post.author]
    return [_stop(one, f"nobody of role:{one.role} took it in time", others[0])] if others else []


def _unread(tx: Tx, address: str, now: float) -> list[Draft]:
    """An agent is closed for good: what waits for it is dead, and each author is told once on each board."""
    rows = tx.all(f"{JOINED} WHERE recipient = ? AND {_WAITS} ORDER BY deliveries.at", address)
    tx.run(
        f"UPDATE deliveries SET state = 'dead', rule = 'closed', reason = ?, changed = ? WHERE recipient = ? AND {_WAITS}",
        *(f"{address} is closed", now, address),
    )
    unread: dict[tuple[str, str], list[Delivery]] = {}
    for one in map(delivery_of, rows):
        unread.setdefault((one.post.board, one.post.author), []).append(one)
    return [
        _stop(ones[-1], f"{address} is closed for good and has not read {_numbers(ones)}") for ones in unread.values()
    ]


def _numbers(ones: Sequence[Delivery]) -> str:
    named = ", ".join(f"#{one.post.seq}" for one in ones[:_NAMED])
    return f"{named} and {len(ones) - _NAMED} more" if len(ones) > _NAMED else named


def _stop(one: Delivery, why: str, author: str = "") -> Draft:
    # The key makes it one post for each reason, however many processes notice.
    return Draft(
        one.post.board, author or one.recipient, f"Stopped, without an answer: {why}.", PostKind.STATUS, one.post.id,
        key=f"stop:{one.id}:{why}"[:200],
    )  # fmt: skip


def _pass_on(tx: Tx, agent: Agent, now: float) -> None:
    """What a dead agent held waits again; what it took for its role waits for another one of it."""
    tx.run(
        "UPDATE deliveries SET state = 'queued', changed = ?, "
        "recipient = CASE WHEN role <> '' THEN '' ELSE recipient END "
        "WHERE recipient = ? AND (state = 'leased' OR (state = 'in_context' AND role <> ''))",
        *(now, agent.address),
    )
