"""The edits of a tool call while its arguments still arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motet.errors import EditFormatError
from motet.tools.builtin import EDIT_TOOLS

if TYPE_CHECKING:
    from motet.edits import Edit, EditPreview, StreamParser


class ArrivingCall:
    """One call; the tools that edit say by their name in which format they do. Each piece is read once, so that a long
    call costs no more than its length."""

    def __init__(self, tool: str) -> None:
        from motet.edits import FORMATS, StreamParser  # 70 ms; many an answer calls nothing

        format = next((format for format, name in EDIT_TOOLS.items() if name == tool), tool)
        self.edits = format in FORMATS
        """Whether it is an edit."""
        self._parser: StreamParser | None = StreamParser(format) if self.edits else None

    def hear(self, arguments: str) -> list[EditPreview | Edit]:
        """What these characters of the arguments complete. Of what cannot be understood nothing more comes: the tool
        will say what is wrong with it, once it is complete."""
        if self._parser is None:
            return []
        try:
            return self._parser.feed(arguments)
        except EditFormatError:
            self._parser = None
            return []
