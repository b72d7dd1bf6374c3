"""A board as Markdown: a view, never the truth. What stands in a body cannot look like the head of another post."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from motet.board.values import Board, Post, PostKind

_HEAD_IN_BODY = re.compile(r"^( {0,3})(#{1,2})(?=[ \t]|$)", re.MULTILINE)

GUIDANCE = """\
<!-- This page is shared: everyone on the board reads it. Write below it; a post is what has been sent.
     @address or @name calls one, @role:reviewer one of a role, @All everyone, @human the humans; @name! is urgent.
     What stands in code, in quotes and in headings calls nobody. -->
"""


def head(post: Post) -> str:
    """`## 2026-01-11 18:00:00 backend-abc12`, and what else is to be known about the post."""
    at = datetime.fromtimestamp(post.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    marks = [str(post.kind)] if post.kind is not PostKind.MESSAGE else []
    if post.version > 1:
        marks.append("edited")
    if post.retracted:
        marks.append("taken back")
    return f"## {at} {post.author}" + (f" ({', '.join(marks)})" if marks else "")


def entry(post: Post) -> str:
    """The post as it stands on the page, with a line end. Headings of the first two ranks in a body are escaped: a
    forged head is text."""
    body = "" if post.retracted else _HEAD_IN_BODY.sub(r"\1\\\2", post.body)
    return f"{head(post)}\n\n{body}\n" if body else f"{head(post)}\n"


def page(board: Board, posts: Iterable[Post]) -> str:
    """The whole page: front matter, title, guidance, posts."""
    created = datetime.fromtimestamp(board.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    top = f"---\nmotet: board\nboard: {board.name}\nproject: {board.project}\ncreated_at: {created}\n---\n\n# {board.name}\n\n{GUIDANCE}"
    return "\n".join([top, *map(entry, posts)])
