"""The page of one board in a buffer: what has to change in it. Its text is `motet.board.page`, line for line; what became
of the human's own posts stands in their heads beside the text, as it changes while the text does not."""

from __future__ import annotations

from collections.abc import Sequence

from motet.board import Post, entry
from motet.board.page import Look, Mark, became, head, marks, top
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

    What is drawn: `["put", row, end_row, lines, entries, marks, states]`: these lines for those from `row` to `end_row` (-1:
    the end); `entries` are the rows in `lines` at which entries begin, `marks` are `[row, start, end, group]` in bytes,
    `states` are `[row, byte, text]`, which stand there beside the text. Rows from 0. `["state", row, byte, text]`: that one
    is another one now. `["older", many]`: so many posts are above the first one.
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

    def change_state(self, post: Post) -> None:
        """Show what became of the deliveries of a post that is shown."""
        at = post.seq - self._board.following.posts[0].seq
        row = len(self._top) + sum(self._counts[:at]) + 1
        self._frames.add(["state", row, *self._state(post)])

    async def drawn(self) -> None:
        """Return when all that changed is in the buffer."""
        await self._frames.drawn()

    def _put(self, row: int, end: int, posts: Sequence[Post]) -> None:
        self._frames.add(["put", row, end, *self._drawing(posts)])

    def _all(self) -> Op:
        """All posts anew."""
        posts = self._board.following.posts
        self._counts = [_height(post) for post in posts]
        lines, entries, found, states = self._drawing(posts)
        above = len(self._top)
        entries = [row + above for row in entries]
        found = [(row + above, *rest) for row, *rest in found]
        states = [(row + above, *rest) for row, *rest in states]
        return ["all", [*self._top, *lines], entries, found, states, self._board.following.older]

    def _drawing(
        self, posts: Sequence[Post]
    ) -> tuple[list[str], list[int], list[tuple[int, int, int, str]], list[tuple[int, int, str]]]:
        lines: list[str] = []
        entries: list[int] = []
        found: list[tuple[int, int, int, str]] = []
        states: list[tuple[int, int, str]] = []
        for post in posts:
            own = entry(post).split("\n")[:-1]
            lines.append("")
            entries.append(len(lines))
            if post.id in self._board.following.fates:
                states.append((len(lines), *self._state(post)))
            for mark in marks(post, self._board.roster, self._board.me.address):
                found.append(_in_bytes(mark, own, len(lines)))
            lines += own
        return lines, entries, found, states

    def _state(self, post: Post) -> tuple[int, str]:
        """In front of which byte of its head it stands, and what became of the post."""
        column = len(head(post).encode("utf-8", "surrogatepass")) - len(")")
        return column, became(self._board.following.fates.get(post.id, ()))


def _height(post: Post) -> int:
    """Lines of an entry, and the blank one above it."""
    return entry(post).count("\n") + 1


def _in_bytes(mark: Mark, lines: Sequence[str], row: int) -> tuple[int, int, int, str]:
    line = lines[mark.line]
    start, end = (len(line[:at].encode("utf-8", "surrogatepass")) for at in (mark.start, mark.end))
    return row + mark.line, start, end, _GROUPS[mark.look]
