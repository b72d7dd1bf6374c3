"""A board as Markdown: a view, never the truth. What stands in a body cannot look like the head of another post."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from motet.board.mentions import Addressee, Roster, called, find_mentions
from motet.board.values import Board, DeliveryState, Fate, Post, PostKind

_HEAD_IN_BODY = re.compile(r"^( {0,3})(#{1,2})(?=[ \t]|$)", re.MULTILINE)

_ABOVE_BODY = 2
"""Lines of an entry: its head, and a blank one. No mention stands in a line that is escaped: that one is a heading."""

STATE_WORDS = {
    DeliveryState.QUEUED: "waiting",
    DeliveryState.LEASED: "taken",
    DeliveryState.IN_CONTEXT: "read",
    DeliveryState.ACKED: "read",
}
"""How people call the states that have no word of their own."""

GUIDANCE = """\
<!-- This page is shared: everyone on the board reads it. Write below it; a post is what has been sent.
     @address or @name calls one, @role:reviewer one of a role, @All everyone, @human the humans; @name! is urgent.
     What stands in code, in quotes and in headings calls nobody. -->
"""


def head(post: Post, fates: Sequence[Fate] = ()) -> str:
    """`## 2026-01-11 18:00:00 backend-abc12 (#1; reviewer-yz2mg answered #2)`: its number, which commands take, what else
    is to be known, and whom it was for."""
    at = datetime.fromtimestamp(post.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    marks = [f"#{post.seq}"]
    if post.kind is not PostKind.MESSAGE:
        marks.append(str(post.kind))
    if post.version > 1:
        marks.append("edited")
    if post.retracted:
        marks.append("taken back")
    return f"## {at} {post.author} ({', '.join(marks)}{became(fates)})"


def became(fates: Sequence[Fate]) -> str:
    """What stands in a head behind its marks: `; reviewer-yz2mg answered #2, cho-x1y2z read`; nothing without fates."""
    return f"; {', '.join(map(_became, fates))}" if fates else ""


def _became(fate: Fate) -> str:
    """`reviewer-yz2mg answered #2`, `cho-x1y2z read`, `everyone`."""
    if fate.state is None:
        return fate.whom
    number = f" #{fate.answer}" if fate.answer is not None else ""
    return f"{fate.whom} {STATE_WORDS.get(fate.state, str(fate.state))}{number}"


def entry(post: Post, fates: Sequence[Fate] = ()) -> str:
    """The post as it stands on the page, with a line end. Headings of the first two ranks in a body are escaped: a
    forged head is text."""
    body = "" if post.retracted else _HEAD_IN_BODY.sub(r"\1\\\2", post.body)
    first = head(post, fates)
    return f"{first}\n\n{body}\n" if body else f"{first}\n"


def top(board: Board) -> str:
    """What stands above the posts: front matter, title, guidance."""
    created = datetime.fromtimestamp(board.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"---\nmotet: board\nboard: {board.name}\nproject: {board.project}\ncreated_at: {created}\n---\n\n# {board.name}\n\n{GUIDANCE}"


def page(board: Board, posts: Iterable[Post], fates: Mapping[str, Sequence[Fate]] | None = None) -> str:
    """The whole page: `top`, and the entries of posts, each behind a blank line; `fates` by the ids of posts."""
    return "\n".join([top(board), *(entry(post, (fates or {}).get(post.id, ())) for post in posts)])


class Look(StrEnum):
    """How a part of an entry is to be seen: its head, one of a post that was taken back, a mention of the one who
    reads, one of somebody else."""

    HEAD = "head"
    TAKEN_BACK = "taken back"
    OWN = "own"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start` up to `end` of a line of an entry (both from 0)."""

    line: int
    start: int
    end: int
    look: Look


def marks(post: Post, roster: Roster, reader: str) -> tuple[Mark, ...]:
    """The marks of the post's `entry`, as the agent at the address `reader` sees it. What calls nobody has none."""
    first = Mark(0, 0, len(head(post)), Look.TAKEN_BACK if post.retracted else Look.HEAD)
    if post.retracted:
        return (first,)
    found = [first]
    for mention in find_mentions(post.body, roster):
        is_role = mention.kind is Addressee.ROLE
        if not (mention.name in roster.roles if is_role else roster.kind(mention.name)):
            continue
        calls = called([mention], roster, post.author)
        if calls.everyone or calls.recipients or calls.roles:
            named = {one.address for one in calls.recipients}.union(*(call.members for call in calls.roles))
            is_own = reader in named or (calls.everyone and reader != post.author)
            line = post.body.rfind("\n", 0, mention.start) + 1
            at = _ABOVE_BODY + post.body.count("\n", 0, line)
            look = Look.OWN if is_own else Look.OTHER
            found.append(Mark(at, mention.start - line, mention.end - line, look))
    return tuple(found)
