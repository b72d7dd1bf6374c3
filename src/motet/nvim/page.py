"""One chat buffer: what has to change in it, drawn in frames, of which one at most waits for the editor."""

from __future__ import annotations

import asyncio
from typing import cast

from motet.chat.transcript import Blocks, Change, Entry
from motet.messages import Message
from motet.nvim.rpc import EditorError, Peer

FRAME = 0.03
"""Seconds between two frames at least."""

Op = list[object]
"""`["put", row, end_row, lines]`: these lines for those from `row` to `end_row`. `["grow", row, column, lines]`: this
text at that byte. Rows and columns from 0. `["all", lines]`: these lines for the whole transcript."""


class Page:
    """The transcript of one chat in the buffer `buffer`, above the draft, which belongs to the editor.

    What changes while a frame is on its way is put together into the next one: a slow editor slows the drawing, never
    the chat.
    """

    def __init__(self, peer: Peer, buffer: int, blocks: Blocks) -> None:
        self.blocks = blocks
        self._peer = peer
        self._buffer = buffer
        self._ops: list[Op] = []
        self._line = b""  # of what streams, the line that still grows
        self._drawing: asyncio.Task[None] | None = None
        self._drawn = 0.0

    def show(self) -> None:
        """Draw all of it, whatever stands in the buffer above the draft."""
        self._ops.clear()
        self._soon(self._all())

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
            self._line = _bytes(text.rpartition("\n")[2])

    def finish(self, message: Message | None) -> None:
        """Put the whole answer in the place of what was streamed; without one, take that away."""
        for change in self.blocks.finish(message):
            self._put(change)

    async def drawn(self) -> None:
        """Return when all that changed is in the buffer."""
        while self._drawing is not None and not self._drawing.done():
            await asyncio.wait({self._drawing})

    def _put(self, change: Change) -> None:
        """Whole lines for whole lines; or a marker, which has a line of its own, for another."""
        lines, end = change.text.split("\n"), change.end.line
        if change.end.column == 1:
            end, lines = end - 1, lines[:-1]
        if lines or change.removed:
            self._soon(["put", change.start.line - 1, end, lines])

    def _all(self) -> Op:
        return ["all", self.blocks.text.split("\n")[:-1]]

    def _grow(self, row: int, lines: list[str]) -> None:
        last = self._ops[-1] if self._ops else [""]
        if last[0] == "grow":
            told = cast("list[str]", last[3])
            told[-1] += lines[0]
            told += lines[1:]
        else:
            self._soon(["grow", row, len(self._line), lines])
        tail = _bytes(lines[-1])
        self._line = tail if len(lines) > 1 else self._line + tail

    def _soon(self, op: Op) -> None:
        self._ops.append(op)
        if self._drawing is None or self._drawing.done():
            self._drawing = asyncio.create_task(self._draw())

    async def _draw(self) -> None:
        loop, tried = asyncio.get_running_loop(), False
        try:
            while self._ops:
                if (early := self._drawn + FRAME - loop.time()) > 0:
                    await asyncio.sleep(early)
                ops, self._ops = self._ops, []
                self._drawn = loop.time()
                if not await self._peer.lua("draw", self._buffer, ops) and not tried:
                    # It was broken off in the middle: all of it is drawn anew, once.
                    self._ops.append(self._all())
                    tried = True
                else:
                    tried = False
        except EditorError:
            self._ops.clear()  # the buffer has gone; the chat goes on


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
