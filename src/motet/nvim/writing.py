"""Edits while a model still writes them: which file, how many lines, and in an open file the new lines at their place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from motet.errors import MotetError
from motet.models.protocol import ToolCallDelta
from motet.nvim.rpc import EditorError, Peer
from motet.nvim.workspace import NvimWorkspace
from motet.tasks import background
from motet.tools.arriving import ArrivingCall
from motet.visible import one_line, visible

if TYPE_CHECKING:
    from motet.edits import EditPreview

_FRAME = 0.05
"""Seconds between two frames at least."""
_SEEN = 10
"""Newest lines that are shown in place."""

_LONGEST = 1_000
"""Characters of such a line."""


@dataclass(slots=True)
class _Edit:
    """What has arrived of one edit."""

    path: str
    number: int
    search: list[str] = field(default_factory=list[str])
    new: list[str] = field(default_factory=list[str])
    place: tuple[str, int, int] | None = None
    """File, change number of its buffer and row, from 0, below which the new lines belong."""
    is_placed: bool = False


class Writing:
    """The calls of the answer that arrives in the chat of `buffer`, or, without one, under a number below 0. At most one
    frame waits for the editor; what comes meanwhile is in the next."""

    def __init__(self, peer: Peer, buffer: int, files: NvimWorkspace) -> None:
        self._peer = peer
        self._buffer = buffer
        self._files = files
        self._calls: dict[int, ArrivingCall] = {}
        self._edit: _Edit | None = None
        self._lines = 0
        self._has_news = False
        self._drawing: asyncio.Task[None] | None = None

    def hear(self, piece: ToolCallDelta) -> None:
        """The next piece of a call."""
        from motet.edits import EditPreview  # 70 ms; a chat opens without

        if piece.index not in self._calls:
            self._calls[piece.index] = ArrivingCall(piece.name)
        for found in self._calls[piece.index].hear(piece.arguments):
            if isinstance(found, EditPreview):
                self._add(found)

    def clear(self) -> None:
        """The answer is whole, or has ended: hunks to be reviewed take the place of this."""
        self._calls.clear()
        self._edit, self._lines, self._has_news = None, 0, False
        if self._drawing is not None:
            self._drawing.cancel()
            self._drawing = None
            self._peer.tell("written", self._buffer)

    def _add(self, found: EditPreview) -> None:
        if self._edit is None or (self._edit.path, self._edit.number) != (found.path, found.number):
            self._edit = _Edit(found.path, found.number)
        (self._edit.search if found.part == "search" else self._edit.new).extend(found.lines)
        self._lines += len(found.lines)
        self._has_news = True
        if self._drawing is None or self._drawing.done():
            self._drawing = background(self._draw())

    async def _draw(self) -> None:
        try:
            while self._has_news and self._edit is not None:
                self._has_news = False
                await self._frame(self._edit)
                await asyncio.sleep(_FRAME)
        except EditorError:
            return  # it has gone, and the chat ends

    async def _frame(self, edit: _Edit) -> None:
        if edit.new and not edit.is_placed:
            edit.is_placed, edit.place = True, await self._found(edit)
        count = f"{self._lines} {'line' if self._lines == 1 else 'lines'}"
        doing = f"writes an edit to {one_line(edit.path)}: {count}"
        tail = [visible(line[:_LONGEST]) for line in edit.new[-_SEEN:]]
        await self._peer.lua("writing", self._buffer, doing, edit.place or False, tail, len(edit.new))

    async def _found(self, edit: _Edit) -> tuple[str, int, int] | None:
        """Where the one place of the search text is in an open file."""
        try:
            real, held = self._files.real(edit.path), await self._files.snapshot(edit.path)
        except EditorError:
            raise
        except MotetError:
            return None  # no such path: the tool will say so
        if real is None or held is None:
            return None
        rows = rows_of_lines(held.lines, edit.search) if edit.search else [0]
        return (real, held.tick, rows[0] + len(edit.search)) if len(rows) == 1 else None


def rows_of_lines(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """The first two rows at which `wanted` stands."""
    found: list[int] = []
    borders = _borders(wanted)
    fitting = 0
    for row, line in enumerate(lines):
        while fitting and (fitting == len(wanted) or line != wanted[fitting]):
            fitting = borders[fitting - 1]
        fitting += line == wanted[fitting]
        if fitting == len(wanted):
            found.append(row + 1 - fitting)
            if len(found) == 2:
                break
    return found


def _borders(wanted: Sequence[str]) -> list[int]:
    """How many lines at the end of each start of `wanted` are its beginning, too (Knuth, Morris and Pratt)."""
    borders = [0]
    for line in wanted[1:]:
        size = borders[-1]
        while size and line != wanted[size]:
            size = borders[size - 1]
        borders.append(size + (line == wanted[size]))
    return borders
