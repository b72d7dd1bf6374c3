"""What an agent missed, in bounded space: who wrote how much, what calls it, and the newest lines."""

from __future__ import annotations

from dataclasses import dataclass

from motet.board.database import Tx
from motet.board.directory import read_to
from motet.board.values import PostKind

_AUTHORS = 8
_LINES = 12
_CALLS = 12
_WIDTH = 120
"""Characters of a line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One post by its first line."""

    seq: int
    author: str
    kind: PostKind
    text: str

    def __str__(self) -> str:
        kind = "" if self.kind is PostKind.MESSAGE else f" ({self.kind})"
        return f"#{self.seq} {self.author}{kind}: {self.text}"


@dataclass(frozen=True, slots=True)
class Digest:
    """`new` posts from number `first` to `last`; `authors` with the most posts first, of `by` authors in all; `calls`
    were delivered to the agent and wait; `newest` come last."""

    new: int
    first: int
    last: int
    authors: tuple[tuple[str, int], ...] = ()
    by: int = 0
    calls: tuple[Line, ...] = ()
    calling: int = 0
    newest: tuple[Line, ...] = ()

    def text(self, board: str) -> str:
        """The digest in a few lines, each post with its number: `board_read` gives it whole."""
        if not self.new:
            return f"Nothing new on {board}."
        who = ", ".join(f"{author} {many}" for author, many in self.authors)
        more = f" and {self.by - len(self.authors)} others" if self.by > len(self.authors) else ""
        lines = [f"{self.new:,} new on {board}, #{self.first} to #{self.last}: {who}{more}."]
        if self.calls:
            left = self.calling - len(self.calls)
            lines += ["For you:", *map(str, self.calls), *([f"and {left:,} more"] if left else [])]
        return "\n".join([*lines, "The newest:", *map(str, self.newest)])


def digest(tx: Tx, board: str, address: str) -> Digest:
    """What is new on a board since the agent last read it. Costs as much as there is new."""
    seen = read_to(tx, board, address)
    row = tx.one(
        "SELECT count(*), min(seq), max(seq) FROM posts WHERE board = ? AND seq > ? AND author <> ?",
        *(board, seen, address),
    )
    if row is None or not row[0]:
        return Digest(0, seen, seen)
    authors = tx.all(
        "SELECT author, count(*) FROM posts WHERE board = ? AND seq > ? AND author <> ? GROUP BY author "
        "ORDER BY count(*) DESC, author",
        *(board, seen, address),
    )
    calls = tx.all(
        f"{_LINE} WHERE board = ? AND seq > ? AND id IN (SELECT post FROM deliveries WHERE recipient = ? "
        "AND state IN ('queued', 'leased')) ORDER BY seq",
        *(board, seen, address),
    )
    newest = tx.all(
        f"{_LINE} WHERE board = ? AND seq > ? AND author <> ? ORDER BY seq DESC LIMIT ?",
        *(board, seen, address, _LINES),
    )
    return Digest(
        int(row[0]),
        int(row[1]),
        int(row[2]),
        tuple((str(author), int(many)) for author, many in authors[:_AUTHORS]),
        len(authors),
        tuple(_line(*found) for found in calls[:_CALLS]),
        len(calls),
        tuple(_line(*found) for found in reversed(newest)),
    )


_LINE = "SELECT seq, author, kind, substr(body, 1, 400), retracted FROM posts"


def _line(seq: int, author: str, kind: str, body: str, retracted: int) -> Line:
    text = "(taken back)" if retracted else " ".join(body.split("\n\n", 1)[0].split())
    return Line(seq, author, PostKind(kind), text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…")
