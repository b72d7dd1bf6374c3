"""Reading posts in order, as steps of a transaction."""

from __future__ import annotations

from motet.board.database import Tx
from motet.board.rows import POST, post_of
from motet.board.values import Post


def posts(tx: Tx, board: str, after: int, limit: int) -> list[Post]:
    """The posts behind number `after`, the oldest first."""
    rows = tx.all(f"SELECT {POST} FROM posts WHERE board = ? AND seq > ? ORDER BY seq LIMIT ?", board, after, limit)
    return [post_of(row) for row in rows]


def last_posts(tx: Tx, board: str, limit: int, before: int | None) -> list[Post]:
    """The newest posts, or those before number `before`, the oldest of them first."""
    top = (1 << 31) if before is None else before
    rows = tx.all(
        f"SELECT {POST} FROM posts WHERE board = ? AND seq < ? ORDER BY seq DESC LIMIT ?", board, top, limit
    )
    return [post_of(row) for row in reversed(rows)]


def altered(tx: Tx, board: str, first: int) -> dict[int, tuple[int, bool]]:
    """The posts from number `first` on that were changed or taken back: their version, and whether they were taken
    back."""
    rows = tx.all(
        "SELECT seq, version, retracted FROM posts WHERE board = ? AND seq >= ? AND (version > 1 OR retracted = 1)",
        *(board, first),
    )
    return {int(seq): (int(version), bool(retracted)) for seq, version, retracted in rows}


def newest(tx: Tx) -> list[tuple[str, int]]:
    """Each board and the number of its newest post."""
    return [(str(board), int(last)) for board, last in tx.all("SELECT id, last FROM boards WHERE last > 0")]
