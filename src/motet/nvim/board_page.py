"""The page of one board in a buffer: what has to change in it. Its text is `motet.board.page`, line for line."""

from __future__ import annotations

from collections.abc import Sequence

from motet.board import Post, entry
from motet.board.page import Look, Mark, marks, top
from motet.engine.human_boards import HumanBoard
from motet.nvim.frames import Frames, Op
from motet.nvim.rpc import Peer

_GROUPS = {
    Look.HEAD: "MotetBoardHead",
    Look.TAKEN_BACK: "MotetBoardTakenBack",
    Look.OWN: "MotetBoardMention",
    Look.OTHER: "MotetBoardOther",
}


class BoardPage:
    """Draws the posts that `board.following` holds.

    What is drawn: `["put", row, end_row, lines, entries, marks]`: these lines for those from `row` to `end_row` (-1: the
    end); `entries` are the rows in `lines` at which entries begin, `marks` are `[row, start, end, group]` in bytes. Rows
    from 0. `["older", many]`: so many posts are above the first one.
    """

    def __init__(self, peer: Peer, buffer: int, board: HumanBoard) -> None:
        self._board = board
        self._top = top(board.board).split("\n")[:-1]
        self._counts: list[int] = []
        self._frames = Frames(peer, "board_draw", buffer, self._all)

    def show(self) -> None:
        """Draw all of it, whatever stands in the buffer."""
        self._frames.restart()

    def add(self, posts: Sequence[Post]) -> None:
        """Show posts behind the others."""
        row = len(self._top) + sum(self._counts)
        self._put(row, row, posts)
        self._counts += map(_height, posts)

    def put_above(self, posts: Sequence[Post]) -> None:
        """Show posts above the others."""
        self._put(len(self._top), len(self._top), posts)
        self._counts[:0] = map(_height, posts)
        self._frames.add(["older", self._board.following.older])

    def change(self, post: Post) -> None:
        """Show what became of a post that is shown."""
        at = post.seq - self._board.following.posts[0].seq
        row = len(self._top) + sum(self._counts[:at])
        self._put(row, row + self._counts[at], [post])
        self._counts[at] = _height(post)

    async def drawn(self) -> None:
        """Return when all that changed is in the buffer."""
        await self._frames.drawn()

    def _put(self, row: int, end: int, posts: Sequence[Post]) -> None:
        self._frames.add(["put", row, end, *self._drawing(posts)])

    def _all(self) -> Op:
        """All posts anew."""
        posts = self._board.following.posts
        self._counts = [_height(post) for post in posts]
        lines, entries, found = self._drawing(posts)
        above = len(self._top)
        entries = [row + above for row in entries]
        found = [[int(row) + above, *rest] for row, *rest in found]
        return ["all", [*self._top, *lines], entries, found, self._board.following.older]

    def _drawing(self, posts: Sequence[Post]) -> tuple[list[str], list[int], list[tuple[int, int, int, str]]]:
        lines: list[str] = []
        entries: list[int] = []
        found: list[tuple[int, int, int, str]] = []
        for post in posts:
            own = entry(post).split("\n")[:-1]
            lines.append("")
            entries.append(len(lines))
            for mark in marks(post, self._board.roster, self._board.me.address):
                found.append(_in_bytes(mark, own, len(lines)))
            lines += own
        return lines, entries, found


def _height(post: Post) -> int:
    """Lines of an entry, and the blank one above it."""
    return entry(post).count("\n") + 1


def _in_bytes(mark: Mark, lines: Sequence[str], row: int) -> tuple[int, int, int, str]:
    line = lines[mark.line]
    start, end = (len(line[:at].encode("utf-8", "surrogatepass")) for at in (mark.start, mark.end))
    return row + mark.line, start, end, _GROUPS[mark.look]
