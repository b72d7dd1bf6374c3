"""One chat buffer: what has to change in it."""

from __future__ import annotations

from typing import cast

from motet.chat.transcript import Blocks, Change, Entry
from motet.messages import Message
from motet.nvim.frames import Frames, Op
from motet.nvim.rpc import Peer

_LONGEST = 2_000
"""Characters of a line to which more is added before it is drawn."""


class Page:
    """The transcript of one chat in the buffer `buffer`, above the draft, which belongs to the editor.

    What is drawn: `["put", row, end_row, lines]`: these lines for those from `row` to `end_row`. `["grow", row, column,
    lines]`: this text at that byte. Rows and columns from 0. `["all", lines]`: these lines for the whole transcript.
    """

    def __init__(self, peer: Peer, buffer: int, blocks: Blocks) -> None:
        self.blocks = blocks
        self._frames = Frames(peer, "draw", buffer, self._all)
        self._column = 0  # bytes of the line that still grows of what streams

    def show(self) -> None:
        """Draw all of it, whatever stands in the buffer above the draft."""
        self._frames.restart()

    def add(self, *entries: Entry) -> None:
        """Show `entries` at the end."""
        self._put(self.blocks.add(*entries))

    def stream(self, text: str, *, reasoning: bool = False, model: str = "") -> None:
        """Show the next piece of an answer."""
        change = self.blocks.stream(text, reasoning=reasoning, model=model)
        if change.text == text:
            self._grow(change.start.line - 1, text.split("\n"))
        else:
            self._put(change)
            self._column = _bytes(text.rpartition("\n")[2])

    def finish(self, message: Message | None) -> None:
        """Put the whole answer in the place of what was streamed; without one, take that away."""
        for change in self.blocks.finish(message):
            self._put(change)

    async def drawn(self) -> None:
        """Return when all that changed is in the buffer."""
        await self._frames.drawn()

    def _put(self, change: Change) -> None:
        """Whole lines for whole lines; or a marker, which has a line of its own, for another."""
        lines, end = change.text.split("\n"), change.end.line
        if change.end.column == 1:
            end, lines = end - 1, lines[:-1]
        if lines or change.removed:
            self._frames.add(["put", change.start.line - 1, end, lines])

    def _all(self) -> Op:
        return ["all", self.blocks.text.split("\n")[:-1]]

    def _grow(self, row: int, lines: list[str]) -> None:
        last = self._frames.ops[-1] if self._frames.ops else [""]
        told = cast("list[str]", last[3]) if last[0] == "grow" else [""]
        if last[0] == "grow" and len(told[-1]) < _LONGEST:
            told[-1] += lines[0]
            told += lines[1:]
        else:
            self._frames.add(["grow", row, self._column, lines])
        tail = _bytes(lines[-1])
        self._column = tail if len(lines) > 1 else self._column + tail


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
