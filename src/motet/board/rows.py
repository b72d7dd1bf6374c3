"""Posts and deliveries as rows."""

from __future__ import annotations

from motet.board.database import Row
from motet.board.values import Budget, Delivery, DeliveryState, Post, PostKind

POST = (
    "id, board, seq, at, author, kind, body, reply_to, chain, hops, tokens, cost, until, version, retracted, deadline"
)
"""The columns that `post_of` reads."""
_POST_COLUMNS = POST.count(",") + 1
JOINED_POST = ", ".join(f"posts.{column}" for column in POST.split(", "))
DELIVERY = (
    "deliveries.id, recipient, state, high, mentioned, deliveries.at, changed, deliveries.hops, deliveries.tokens, "
    "money, deliveries.until, role, turn, rule, reason, deliveries.cost, answer, attempts"
)
"""The columns of a delivery, which stand behind those of its post."""
JOINED = f"SELECT {JOINED_POST}, {DELIVERY} FROM deliveries JOIN posts ON posts.id = deliveries.post"


_POST_TYPES = (str, str, int, float, str, str, str, str, str, int, int, float, float, int, int)


def post_of(row: Row) -> Post:
    """A row of `POST`. Raises `ValueError` when that is damaged."""
    if tuple(map(type, row[:15])) != _POST_TYPES:
        raise ValueError("a damaged row of a post")
    return Post(
        *(row[0], row[1], row[2], row[3], row[4], PostKind(row[5]), row[6], row[7], row[8]),
        Budget(row[9], row[10], row[11], row[12]),
        version=row[13],
        retracted=bool(row[14]),
        deadline=row[15],
    )


def post_values(post: Post) -> tuple[object, ...]:
    """The values of the columns `POST`."""
    budget = post.budget
    return (
        *(post.id, post.board, post.seq, post.at, post.author, str(post.kind), post.body, post.reply_to, post.chain),
        *(budget.hops, budget.tokens, budget.cost, budget.until),
        *(post.version, int(post.retracted), post.deadline),
    )


def delivery_of(row: Row) -> Delivery:
    """A row of `JOINED`."""
    post, row = post_of(row), row[_POST_COLUMNS:]
    return Delivery(
        *(row[0], post, row[1], DeliveryState(row[2]), bool(row[3]), bool(row[4]), row[5], row[6]),
        Budget(row[7], row[8], row[9], row[10]),
        *row[11:18],
    )


def delivery_values(
    id: str,
    post: Post,
    share: Budget,
    *,
    high: bool,
    mentioned: bool,
    now: float,
    recipient: str = "",
    role: str = "",
) -> tuple[object, ...]:
    """The values of all columns of a delivery that waits."""
    return (
        *(id, post.id, post.board, post.seq, post.author, recipient, role, "queued", int(high), int(mentioned)),
        *(now, now, share.hops, share.tokens, share.cost, share.until, 0.0, "", "", "", 0.0, "", 0),
    )
