"""What can be said about tool calls while their arguments still stream: which file they edit, how many lines so far."""

from __future__ import annotations

from motet.models.protocol import ToolCallDelta
from motet.tools.arriving import ArrivingCall


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
    """One call, and what is known of it."""

    def __init__(self, tool: str) -> None:
        self._arriving = ArrivingCall(tool)
        self._tool = tool
        self._path = ""
        self._lines = 0

    @property
    def doing(self) -> str:
        if not self._arriving.edits:
            return f"calls {self._tool}" if self._tool else "calls a tool"
        if not self._path:
            return "writes an edit"
        return f"writes an edit to {self._path}: {self._lines} {'line' if self._lines == 1 else 'lines'}"

    def hear(self, arguments: str) -> None:
        for piece in self._arriving.hear(arguments):
            from motet.edits import EditPreview

            self._path = piece.path
            if isinstance(piece, EditPreview):
                self._lines += len(piece.lines)
