"""What caused a post: the deliveries in the turn that wrote it. From them it has its budget, and the right to be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from motet.board import chains
from motet.board.database import Asked, Tx, marks
from motet.board.errors import BoardMissing, BoardRefused
from motet.board.limits import Limits, Rates, agent_rate, board_rate
from motet.board.rows import JOINED, JOINED_POST, delivery_of, delivery_values, post_of
from motet.board.values import Agent, AgentKind, Budget, Delivery, DeliveryState, Draft
from motet.messages import new_id
from motet.text.terms import folded

_RECENT = 600.0
"""Seconds for which what an agent was given counts as the cause of what it posts without saying why."""
_LOOKED_BACK = 200
"""Posts among which one of others is looked for, that an agent has read."""
_SAME = 95.0
"""From this likeness on (0 to 100, `rapidfuzz.fuzz.ratio`) two posts say the same."""
_LOOKED_AT = 5
"""Earlier posts that a new one is compared with."""
_OTHERS = (AgentKind.MCP, AgentKind.ACP)
_ONLY_ACKNOWLEDGES = re.compile(
    "(?:ok(?:ay)?|thanks?(?:you)?|thx|ty|gotit|noted|understood|willdo|soundsgood|great|done|ack(?:nowledged)?|yes|sure|"
    "yourewelcome|了解(?:です|しました)?|承知(?:しました)?|ありがとう(?:ございます)?|はい|わかりました|👍|🙏)+"
)
"""Words of thanks and assent, without what stands between them."""
_NOISE = re.compile(r"@[\w:?-]+!?|[^\w👍🙏]+")


_GIVEN = (
    "state IN ('in_context', 'acked', 'answered', 'declined') AND changed > ? AND (state <> 'declined' OR turn <> '')"
)
"""Of what was declined, that which was read first."""


def asks_given(authors: Sequence[str], now: float) -> Asked:
    """Asks for those of `authors` that were given something recently."""
    sql = f"SELECT DISTINCT recipient FROM deliveries WHERE recipient IN ({marks(authors)}) AND {_GIVEN}"
    return sql, (*authors, now - _RECENT)


def of(tx: Tx, draft: Draft, author: Agent, now: float, *, was_given: bool) -> list[Delivery]:
    """The deliveries that caused a draft. Of an agent's post that names none, the newest post that it was `given` or has
    read there, while that is recent: nobody gets out of a chain by not saying so. Raises `BoardMissing` for one that is
    not its own."""
    if author.kind is AgentKind.HUMAN:
        return []
    wanted = [one for one in (draft.answers, *draft.causes) if one]
    if wanted:
        rows = tx.all(f"{JOINED} WHERE deliveries.id IN ({marks(wanted)}) AND recipient = ?", *wanted, author.address)
        found = [delivery_of(row) for row in rows]
        if draft.answers and draft.answers not in {one.id for one in found}:
            raise BoardMissing(f"{draft.answers!r} is no delivery of yours; `board_read` lists what waits for you")
        return found
    if draft.by_human:
        return []
    row = None
    if was_given:
        row = tx.one(
            f"{JOINED} WHERE recipient = ? AND {_GIVEN} ORDER BY changed DESC LIMIT 1",
            *(author.address, now - _RECENT),
        )
    known = [*([delivery_of(row)] if row else []), *_read(tx, draft.board, author, now)]
    return sorted(known, key=lambda one: one.post.at)[-1:]


def _read(tx: Tx, board: str, author: Agent, now: float) -> list[Delivery]:
    """As a delivery the newest post of others that an agent has read on a board, which nobody may have delivered to it."""
    row = tx.one(
        f"SELECT {JOINED_POST} FROM posts JOIN members ON members.board = posts.board AND members.address = ? "
        "WHERE posts.board = ? AND posts.seq > members.joined AND posts.seq <= members.read_to AND posts.seq > members.read_to - ? AND posts.author <> ? "
        "AND posts.at > ? AND posts.retracted = 0 AND posts.kind NOT IN ('status', 'ack') ORDER BY posts.seq DESC LIMIT 1",
        *(author.address, board, _LOOKED_BACK, author.address, now - _RECENT),
    )
    if row is None:
        return []
    post = post_of(row)
    given = tx.one(f"{JOINED} WHERE deliveries.post = ? AND recipient = ?", post.id, author.address)
    if given is not None:
        return [delivery_of(given)]
    return [Delivery(new_id(), post, author.address, DeliveryState.IN_CONTEXT, False, False, now, now, post.budget)]


def answered(tx: Tx, reply_to: str, board: str) -> str:
    """The author of the post that another one replies to; empty when it replies to none. Raises `BoardMissing`."""
    if not reply_to:
        return ""
    row = tx.one("SELECT author FROM posts WHERE id = ? AND board = ?", reply_to, board)
    if row is None:
        raise BoardMissing(f"there is no post {reply_to!r} on this board to reply to")
    return str(row[0])


def budget(tx: Tx, caused: Sequence[Delivery], draft: Draft, limits: Limits, now: float) -> tuple[Budget, str]:
    """What a draft may cause, and its chain; no chain when it begins one. A reply takes all that its delivery has
    left, another post of the same turn half of it."""
    if not caused:
        return limits.budget(now), ""
    source = min(caused, key=lambda one: (one.id != draft.answers, one.budget.hops, one.budget.tokens, one.id))
    given = source.budget
    if source.id != draft.answers:
        given = replace(given, tokens=given.tokens // 2, cost=given.cost / 2)
    tx.run(
        "UPDATE deliveries SET tokens = ?, money = ? WHERE id = ?",
        *(source.budget.tokens - given.tokens, source.budget.cost - given.cost, source.id),
    )
    chain = chains.get(tx, source.post.chain)
    hops = min(one.budget.hops for one in caused) - 1
    left = replace(
        given,
        hops=hops,
        tokens=min(given.tokens, max(chain.most_tokens - chain.tokens, 0)),
        cost=min(given.cost, max(chain.most_cost - chain.cost, 0.0)),
        until=min(one.budget.until for one in caused),
    )
    return left, chain.id


def refuse_ended(tx: Tx, author: Agent, caused: Sequence[Delivery], now: float) -> None:
    """Raises `BoardRefused` for what an agent of another program writes because of a post that nobody is to answer any
    more: motet does not decide for it, so it is held where it writes. Its delivery waits for the human's word."""
    if author.kind not in _OTHERS:
        return
    for one in caused:
        chain = chains.get(tx, one.post.chain)
        if chain.state is chains.ChainState.RUNNING and one.budget.hops > 0:
            continue
        is_stopped = chain.state is chains.ChainState.STOPPED
        if chain.state is chains.ChainState.RUNNING:
            chains.spent(tx, chain.id, "hops", now)
        rule, why = (
            ("stopped", "a human stopped it") if is_stopped else ("budget", "the budget of its chain is used up")
        )
        values = delivery_values(
            one.id, one.post, one.budget, recipient=author.address, high=False, mentioned=False, now=now
        )
        tx.run(
            f"INSERT INTO deliveries VALUES ({marks(values)}) ON CONFLICT (post, recipient, role) DO NOTHING", *values
        )
        tx.run(
            "UPDATE deliveries SET state = 'declined', rule = ?, reason = ?, changed = ? "
            "WHERE id = ? AND (state IN ('in_context', 'acked') OR state = 'queued' AND mentioned = 0)",
            *(rule, why, now, one.id),
        )
        wait = "" if is_stopped else "; a human was asked whether it goes on, and it comes again then"
        raise BoardRefused(
            f"not posted: {why} (post {one.post.seq} by {one.post.author}){wait}. Do something else, or end your turn"
        )


def mark_answered(tx: Tx, delivery: str, recipient: str, post: str, now: float) -> None:
    """The delivery was answered with `post`."""
    tx.run(
        "UPDATE deliveries SET state = 'answered', answer = ?, changed = ? WHERE id = ? AND recipient = ?",
        *(post, now, delivery, recipient),
    )


def refuse_fast(rates: Rates, author: str, board: str, pairs: Sequence[str], limits: Limits) -> None:
    """Raises `BoardRefused` when an agent writes too many posts, to one other, or on one board."""
    for who, most, what in (
        (agent_rate(author), limits.agent_posts, "posts of yours in a minute"),
        *((pair, limits.pair_posts, f"posts from you to {pair.partition('>')[2]} in a minute") for pair in pairs),
        (board_rate(board), limits.board_posts, "posts of agents on this board in a minute"),
    ):
        if rates.is_over(who, most):
            raise BoardRefused(
                f"not posted: {most} {what} are the limit; wait, and say it in one post (status and ack still go)"
            )
    if limits.alone is not None and rates.alone[board_rate(board)] >= limits.alone:
        raise BoardRefused(
            f"not posted: agents have written {limits.alone} posts on this board since a human did; a human was told. Do "
            "something else, or end your turn"
        )
    for who, most, what in (
        (agent_rate(author), limits.agent_posts_per_day, "posts of yours"),
        (board_rate(board), limits.board_posts_per_day, "posts of agents on this board"),
    ):
        if most is not None and rates.today(who) >= most:
            raise BoardRefused(
                f"not posted: {most} {what} are the limit of a day; end your turn until midnight (UTC)"
            )


def only_acknowledges(body: str) -> bool:
    """Whether it holds nothing but thanks and assent."""
    plain = _NOISE.sub("", folded(body))
    return not plain or _ONLY_ACKNOWLEDGES.fullmatch(plain) is not None


def refuse_empty_words(tx: Tx, author: str, board: str, body: str, caused: Sequence[Delivery], now: float) -> None:
    """Raises `BoardRefused` for a caused post that only acknowledges, or says what its author has just said."""
    if not caused:
        return
    if only_acknowledges(body):
        raise BoardRefused("not posted: it only acknowledges; post it with the kind `ack`, which nobody answers")
    from rapidfuzz.fuzz import ratio

    rows = tx.all(
        "SELECT body FROM posts WHERE author = ? AND at > ? AND board = ? AND retracted = 0 ORDER BY at DESC LIMIT ?",
        *(author, now - _RECENT, board, _LOOKED_AT),
    )
    for (earlier,) in rows:
        if ratio(folded(str(earlier)), folded(body), score_cutoff=_SAME) >= _SAME:
            raise BoardRefused("not posted: you have just said that; add something new, or say nothing")
