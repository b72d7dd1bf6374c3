"""What may be posted: the body, and who may write where."""

from __future__ import annotations

import re

from motet.board.database import Tx
from motet.board.directory import may
from motet.board.errors import BoardRefused
from motet.board.limits import Limits
from motet.board.mentions import Called
from motet.board.values import Agent, AgentKind, AgentState, Board, Draft, PostKind
from motet.errors import UsageError

_PROGRESS = re.compile(r"\s*(?:\[progress\]|\[進捗\]|［進捗］)", re.IGNORECASE)


def checked_body(body: str, limits: Limits) -> str:
    """`body` without blank lines around it. Raises `UsageError` when no engine could store it."""
    body = body.strip("\r\n").rstrip()
    if not body.strip():
        raise UsageError("the post is empty; write something")
    if len(body) > limits.body:
        raise UsageError(
            f"the post has {len(body):,} characters, a board takes {limits.body:,}; put the text into a file of the "
            "project and name the file"
        )
    if "\0" in body:
        raise UsageError("the post holds the character U+0000, which no board can store; leave it out")
    if any("\ud800" <= character <= "\udfff" for character in body):
        raise UsageError("the post holds half a character (a lone surrogate); leave it out")
    return body


def kind_of(draft: Draft) -> PostKind:
    """What a draft is for; `[progress]` at its beginning says it too."""
    if draft.kind is PostKind.MESSAGE and _PROGRESS.match(draft.body):
        return PostKind.PROGRESS
    return draft.kind


def screen(
    tx: Tx, author: Agent, board: Board, kind: PostKind, called: Called, now: float, *, is_member: bool
) -> None:
    """Raises `BoardRefused` when `author` may not post this here."""
    name = board.name
    if author.state is AgentState.CLOSED:
        raise BoardRefused(f"{author.address} is closed; it posts nothing more")
    if not is_member:
        raise BoardRefused(f"{author.address} is not on the board {name}; join it first")
    if author.kind is AgentKind.HUMAN:
        return
    quiet = kind in (PostKind.STATUS, PostKind.ACK)
    if author.paused and not quiet:
        raise BoardRefused(f"{author.address} is paused by a human; wait until it is resumed")
    if board.paused and not quiet:
        raise BoardRefused(f"the board {name} is paused by a human; wait until it is resumed")
    if not may(board.rights.post, author):
        raise BoardRefused(f"{author.address} may not post on {name}; a human gives that right")
    if called.everyone and not may(board.rights.all, author):
        raise BoardRefused(f"{author.address} may not write to @All on {name}; name those who should know")
