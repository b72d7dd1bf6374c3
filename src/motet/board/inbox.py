"""Deliveries, as steps of a transaction: queued → leased → in context → acked, answered or declined.

A delivery that was leased and not carried into a conversation in time waits again: whoever held it may have died. The
conversation itself is the proof that it was read, so a recipient that comes back looks there first (`held`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from motet.board import chains, finding, shares
from motet.board.addresses import key
from motet.board.agents import AGENT, agent_of
from motet.board.database import Row, Tx, marks
from motet.board.deciding import Facts
from motet.board.directory import get_board
from motet.board.errors import BoardMissing
from motet.board.limits import DAY, Limits, agent_rate, board_rate, today, use
from motet.board.notices import is_told, notify
from motet.board.rows import JOINED, POST, delivery_of, delivery_values, post_of
from motet.board.values import OPEN, Agent, AgentKind, AgentState, Delivery, DeliveryState, NoticeKind, Post
from motet.messages import new_id
from motet.text.terms import Wanted, wanted

HELD = 60.0
"""Seconds for which a delivery is leased."""
MOST_ATTEMPTS = 5
"""Leases that came to nothing after which a delivery is dead and its sender is told."""

_UNSEEN = (
    "FROM members JOIN broadcasts ON broadcasts.board = members.board AND broadcasts.seq > members.expanded "
    "AND broadcasts.seq > members.joined"
)
"""Posts to everyone that members have not looked at."""
_BROADCASTS = f"SELECT broadcasts.board, broadcasts.seq, broadcasts.high, broadcasts.among {_UNSEEN}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a recipient made of a delivery. `rule` says which rule decided and `reason` why; `tokens` and `cost` are
    what its turn and the decision used."""

    state: DeliveryState
    rule: str = ""
    reason: str = ""
    tokens: int = 0
    cost: float = 0.0
    answer: str = ""


def waiting(tx: Tx, address: str, now: float) -> int:
    """How many deliveries wait for an agent, posts to everyone that it has not looked at included."""
    agent = agent_of(tx, address)
    if agent.state is AgentState.CLOSED:
        return 0
    expand(tx, agent, now)
    sql, values = _queued(agent)
    row = tx.one(f"SELECT count(*) FROM deliveries JOIN posts ON posts.id = deliveries.post WHERE {sql}", *values)
    return int(row[0]) if row else 0


def at_rest(tx: Tx, addresses: Sequence[str]) -> bool:
    """Whether none of these agents works, and nothing is open for one of them or waits for its roles: all at one moment,
    for what one is done with is another's work. Posts to everyone count once they are looked at (see `waiting`)."""
    if not addresses:
        return True
    busy = [
        f"EXISTS (SELECT 1 FROM agents WHERE state = ? AND address IN ({marks(addresses)}))",
        f"EXISTS (SELECT 1 FROM deliveries WHERE recipient IN ({marks(addresses)}) AND state IN ({marks([*OPEN])}))",
    ]
    values: list[object] = [AgentState.WORKING, *addresses, *addresses, *OPEN]
    for address in addresses:
        queued, about = _queued(agent_of(tx, address))
        busy.append(f"EXISTS (SELECT 1 FROM deliveries WHERE {queued})")
        values += about
    return tx.one(f"SELECT 1 WHERE {' OR '.join(busy)}", *values) is None


def pull(tx: Tx, address: str, now: float, limit: int = 20) -> list[Delivery]:
    """Lease what waits for an agent, urgent ones first, then the oldest. Nothing for one that is paused or closed; nothing of a
    board that is paused, but to humans."""
    found, unseen = tx.several(
        [
            (f"SELECT {AGENT} FROM agents WHERE address_key = ?", (key(address),)),
            (f"{_BROADCASTS} WHERE members.address = ?", (address,)),
        ]
    )
    agent = agent_of(tx, found[0] if found else address)
    if agent.paused or agent.state is AgentState.CLOSED:
        return []
    _expand(tx, agent, unseen, now)
    sql, values = _queued(agent)
    rows = tx.all(
        f"{JOINED} WHERE {sql} ORDER BY deliveries.high DESC, deliveries.at, deliveries.seq LIMIT ?", *values, limit
    )
    taken = [
        replace(one, state=DeliveryState.LEASED, recipient=agent.address, changed=now)
        for one in map(delivery_of, rows)
    ]
    for one in taken:
        tx.reckoned(f"chain {one.post.chain}", one.budget.until, 0.0, now)  # known from now on
    # Of two members of a role who claim at once, one gets it: writers take turns.
    tx.many(
        "UPDATE deliveries SET state = 'leased', recipient = ?, leased_until = ?, changed = ? WHERE id = ?",
        [(agent.address, now + HELD, now, one.id) for one in taken],
    )
    return taken


def due(tx: Tx, addresses: Sequence[str]) -> frozenset[str]:
    """Those for whom `pull` may have something to do. A post wakes everyone, and most have nothing of it: looking needs
    no turn at writing, and all of a process look at once."""
    these = marks(addresses)
    rows = tx.all(
        f"SELECT recipient FROM deliveries WHERE recipient IN ({these}) AND state = 'queued' "
        f"UNION SELECT members.address {_UNSEEN} WHERE members.address IN ({these}) "
        "UNION SELECT members.address FROM deliveries JOIN members ON members.board = deliveries.board "
        f"WHERE role <> '' AND recipient = '' AND state = 'queued' AND members.address IN ({these})",
        *(*addresses, *addresses, *addresses),
    )
    return frozenset(str(row[0]) for row in rows)


def _queued(agent: Agent) -> tuple[str, list[object]]:
    """The condition for what waits for an agent: its own, and calls of its roles on its boards."""
    own = "recipient = ?"
    values: list[object] = [agent.address]
    if agent.roles:
        own = (
            f"(recipient = ? OR (recipient = '' AND role IN ({marks(agent.roles)}) AND deliveries.author <> ? AND "
            "deliveries.board IN (SELECT board FROM members WHERE address = ?)))"
        )
        values += [*agent.roles, agent.address, agent.address]
    paused = (
        ""
        if agent.kind is AgentKind.HUMAN
        else (" AND deliveries.board NOT IN (SELECT id FROM boards WHERE paused = 1)")
    )
    return f"{own} AND deliveries.state = 'queued'{paused}", values


def expand(tx: Tx, agent: Agent, now: float) -> None:
    """Make deliveries of the posts to everyone that came since the agent last looked."""
    _expand(tx, agent, tx.all(f"{_BROADCASTS} WHERE members.address = ?", agent.address), now)


def _expand(tx: Tx, agent: Agent, unseen: Sequence[Row], now: float) -> None:
    last: dict[str, int] = {}
    for board, seq, high, among in sorted(unseen):
        last[board] = seq
        row = tx.one(f"SELECT {POST} FROM posts WHERE board = ? AND seq = ?", board, seq)
        if row is None:
            continue
        post = post_of(row)
        if post.author != agent.address and not post.retracted:
            _add(tx, post, agent.address, among=among, high=bool(high), now=now)
    for board, seq in last.items():
        tx.run("UPDATE members SET expanded = ? WHERE board = ? AND address = ?", seq, board, agent.address)


def _add(tx: Tx, post: Post, address: str, *, among: int, high: bool, now: float) -> None:
    values = delivery_values(
        new_id(), post, post.budget.share(among), recipient=address, high=high, mentioned=True, now=now
    )
    tx.run(f"INSERT INTO deliveries VALUES ({marks(values)}) ON CONFLICT (post, recipient, role) DO NOTHING", *values)


def give_up(tx: Tx, run_out: Mapping[str, float], now: float) -> None:
    """Leases that ran out, by delivery with the time that they had: what was held waits again, or is dead after too many
    times."""
    rows = [
        row
        for one, until in run_out.items()
        for row in tx.all(f"{JOINED} WHERE deliveries.id = ? AND leased_until = ?", one, until)
    ]
    for one in map(delivery_of, rows):
        is_dead = one.attempts + 1 >= MOST_ATTEMPTS
        tx.run(
            "UPDATE deliveries SET state = ?, attempts = attempts + 1, recipient = ?, changed = ? "
            "WHERE id = ? AND state = 'leased'",
            *("dead" if is_dead else "queued", "" if one.role and not is_dead else one.recipient, now, one.id),
        )
        if is_dead:
            text = f"post {one.post.seq} never reached {one.recipient}: taken {MOST_ATTEMPTS} times, never read"
            notify(tx, one.post.board, NoticeKind.DEAD, text, now, about=one.id)


def get(tx: Tx, delivery: str) -> Delivery:
    """Raises `BoardMissing`."""
    row = tx.one(f"{JOINED} WHERE deliveries.id = ?", delivery)
    if row is None:
        raise BoardMissing(f"there is no delivery {delivery!r}")
    return delivery_of(row)


def delivery_of_post(tx: Tx, post: str, address: str) -> Delivery | None:
    """The delivery of a post to an agent, if there is one."""
    row = tx.one(f"{JOINED} WHERE deliveries.post = ? AND recipient = ?", post, address)
    return delivery_of(row) if row else None


def held(tx: Tx, address: str) -> list[Delivery]:
    """What an agent has leased and not yet carried: what it must look for in its conversation when it comes back."""
    return [delivery_of(row) for row in tx.all(f"{JOINED} WHERE recipient = ? AND state = 'leased'", address)]


def renew(tx: Tx, address: str, now: float) -> None:
    """A sign of life of who holds deliveries."""
    tx.run("UPDATE deliveries SET leased_until = ? WHERE recipient = ? AND state = 'leased'", now + HELD, address)


def give_back(tx: Tx, address: str, deliveries: Sequence[str], now: float) -> None:
    """They were not carried after all: they wait again."""
    for one in deliveries:
        tx.run(
            "UPDATE deliveries SET state = 'queued', recipient = CASE WHEN role <> '' THEN '' ELSE recipient END, "
            "changed = ? WHERE id = ? AND recipient = ? AND state = 'leased'",
            *(now, one, address),
        )


def carried(tx: Tx, address: str, deliveries: Sequence[str], turn: str, now: float) -> list[str]:
    """They stand in the recipient's conversation, in the message `turn`, which is stored. Returns those for which
    that is news. One whose lease ran out meanwhile is taken all the same: what was read was read."""
    news = [
        one
        for one in deliveries
        if tx.run(
            "UPDATE deliveries SET state = 'in_context', turn = ?, recipient = ?, changed = ? WHERE id = ? "
            "AND state IN ('queued', 'leased') AND recipient IN (?, '')",
            *(turn, address, now, one, address),
        )
    ]
    shares.widen(tx, news)
    return news


def settle(tx: Tx, address: str, delivery: str, outcome: Outcome, limits: Limits, now: float) -> Delivery:
    """What became of it, for good, and what that cost. An answer that was posted stays an answer, and what was taken back
    stays that."""
    one = get(tx, delivery)
    if one.recipient != address:
        raise BoardMissing(f"{delivery!r} is no delivery of {address}")
    keeps = one.state in (DeliveryState.ANSWERED, DeliveryState.WITHDRAWN)
    tx.run(
        "UPDATE deliveries SET state = ?, rule = ?, reason = ?, cost = cost + ?, tokens = tokens - ?, "
        "money = money - ?, answer = ?, changed = ? WHERE id = ?",
        *(one.state if keeps else outcome.state, outcome.rule, outcome.reason, outcome.cost, outcome.tokens),
        *(outcome.cost, outcome.answer or one.answer, now, delivery),
    )
    if outcome.tokens or outcome.cost:
        spend(tx, one, address, outcome.tokens, outcome.cost, now)
        _tell_cap(tx, one, address, limits, now)
    return get(tx, delivery)


def spend(tx: Tx, one: Delivery, address: str, tokens: int, cost: float, now: float) -> None:
    """Count what a delivery's turn used, for its chain, its agent and its board."""
    use(tx, [agent_rate(address), board_rate(one.post.board)], tokens, cost, now)
    chain = chains.use(tx, one.post.chain, tokens, cost)
    if chain.over:
        chains.spent(tx, chain.id, chain.over, now)


def _tell_cap(tx: Tx, one: Delivery, address: str, limits: Limits, now: float) -> None:
    """A cap of the day is reached: the humans are told, once a day."""
    left = today(tx, address, one.post.board, limits, now)
    if left.over and not is_told(tx, NoticeKind.STOPPED, left.whose, now - now % DAY):
        text = f"{left.over}: nothing more is answered until midnight (UTC)"
        notify(tx, one.post.board, NoticeKind.STOPPED, text, now, about=left.whose)


def overdue(tx: Tx, own: Set[str], now: float) -> list[Delivery]:
    """Open deliveries of requests whose time is over: of those of the agents `own` by this process's clock, of others once
    this process has seen it pass."""
    rows = tx.all(
        f"{JOINED} WHERE posts.deadline IS NOT NULL AND posts.kind = 'request' "
        "AND deliveries.state IN ('queued', 'leased', 'in_context')"
    )
    found: list[Delivery] = []
    for one in map(delivery_of, rows):
        deadline = one.post.deadline or 0.0
        at = tx.reckoned(f"request {one.post.id}", deadline, deadline - one.post.at, now)
        if deadline < (now if one.post.author in own else at):
            found.append(one)
    return found


def expire(tx: Tx, overdue: Sequence[Delivery], now: float) -> None:
    """Nobody answered these requests in time; the humans are told."""
    for one in overdue:
        tx.run("UPDATE deliveries SET state = 'expired', changed = ? WHERE id = ?", now, one.id)
        who = one.recipient or f"role:{one.role}"
        text = f"{who} did not answer request {one.post.seq} of {one.post.author} in time"
        notify(tx, one.post.board, NoticeKind.STOPPED, text, now, about=one.id)


def facts(tx: Tx, delivery: str, limits: Limits, now: float) -> Facts:
    """What is to be known for the decision whether it is answered. Raises `BoardMissing`."""
    one = get(tx, delivery)
    agent, board = agent_of(tx, one.recipient), get_board(tx, one.post.board)
    paused = agent.address if agent.paused else f"the board {board.name}" if board.paused else ""
    left = today(tx, agent.address, board.id, limits, now)
    at = tx.reckoned(f"chain {one.post.chain}", one.budget.until, limits.seconds, now)
    return Facts(one, agent, chains.get(tx, one.post.chain), left, paused, at)


@dataclass(frozen=True, slots=True)
class Sought:
    """Which deliveries are looked for; what is empty does not matter. `words`: as in `finding.search`; times: when it
    was delivered."""

    recipient: str = ""
    board: str = ""
    author: str = ""
    state: str = ""
    boards: tuple[str, ...] = ()
    after: float | None = None
    before: float | None = None
    words: str = ""


def deliveries(tx: Tx, sought: Sought, limit: int = 100) -> list[Delivery]:
    """The newest deliveries first."""
    words = wanted(sought.words)
    if sought.words.strip() and not words:
        return []
    where, values = _sought(tx, sought, words)
    found: list[Delivery] = []
    at = 0
    while len(found) < limit:
        rows = tx.all(
            f"{JOINED} WHERE {where} ORDER BY deliveries.at DESC, deliveries.id DESC LIMIT ? OFFSET ?",
            *(*values, limit, at),
        )
        found += [one for one in map(delivery_of, rows) if finding.matches(one.post.body, words)]
        at += limit
        if len(rows) < limit:
            break
    return found[:limit]


def _sought(tx: Tx, sought: Sought, words: Sequence[Wanted]) -> tuple[str, list[object]]:
    """The condition that every match fulfils, and its values."""
    where, values = ["1 = 1"], list[object]()
    for condition, value in (
        ("recipient = ?", sought.recipient),
        ("deliveries.board = ?", sought.board),
        ("deliveries.author = ?", sought.author),
        ("state = ?", sought.state),
        ("deliveries.at >= ?", sought.after),
        ("deliveries.at < ?", sought.before),
    ):
        if value not in ("", None):
            where.append(condition)
            values.append(value)
    if sought.boards:
        where.append(f"deliveries.board IN ({marks(sought.boards)})")
        values += sought.boards
    if words:
        condition, asked = finding.indexed(tx, words)
        where.append(condition)
        values += asked
    return " AND ".join(where), values
