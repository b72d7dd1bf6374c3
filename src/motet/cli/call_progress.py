"""What can be said about tool calls while their arguments still stream: which file they edit, how many lines so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motet.errors import EditFormatError
from motet.models.protocol import ToolCallDelta
from motet.tools.builtin import EDIT_TOOLS

if TYPE_CHECKING:
    from motet.edits import StreamParser


class CallProgress:
    """The calls of one answer. Each piece is read once, so that a long call costs no more than its length."""

    def __init__(self) -> None:
        self._calls: dict[int, _Call] = {}

    def clear(self) -> None:
        """Another answer begins."""
        self._calls.clear()

    def hear(self, piece: ToolCallDelta) -> str:
        """What the call of `piece` does: `writes an edit to a.py: 12 lines`."""
        if piece.index not in self._calls:
            self._calls[piece.index] = _Call(piece.name)
        call = self._calls[piece.index]
        call.hear(piece.arguments)
        return call.doing


class _Call:
    """One call; the tools that edit say by their name in which format they do."""

    def __init__(self, tool: str) -> None:
        from motet.edits import FORMATS, StreamParser  # 70 ms; many an answer calls nothing

        format = next((format for format, name in EDIT_TOOLS.items() if name == tool), tool)
        self._parser: StreamParser | None = StreamParser(format) if format in FORMATS else None
        self._edits = format in FORMATS
        self._tool = tool
        self._path = ""
        self._lines = 0

    @property
    def doing(self) -> str:
        if not self._edits:
            return f"calls {self._tool}" if self._tool else "calls a tool"
        if not self._path:
            return "writes an edit"
        return f"writes an edit to {self._path}: {self._lines} {'line' if self._lines == 1 else 'lines'}"

    def hear(self, arguments: str) -> None:
        if self._parser is None:
            return
        from motet.edits import EditPreview

        try:
            pieces = self._parser.feed(arguments)
        except EditFormatError:
            self._parser = None  # the tool will say what is wrong with the call, once it is complete
            return
        for piece in pieces:
            self._path = piece.path
            if isinstance(piece, EditPreview):
                self._lines += len(piece.lines)
