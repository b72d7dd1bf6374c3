"""The line in which the human writes where the terminal knows no sequences (`TERM=dumb`): one row, as it is."""

from __future__ import annotations

import os

from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.terminal import Terminal


def is_plain() -> bool:
    """Whether the terminal cannot do what `EditorLine` needs."""
    return os.environ.get("TERM", "dumb") in ("", "dumb", "unknown")


class PlainLine:
    """Reads one row after the other; nothing is completed, Ctrl-C stays a signal."""

    def __init__(self, terminal: Terminal, keyboard: Keyboard) -> None:
        self._terminal = terminal
        self._keyboard = keyboard

    async def read(self, draft: str = "") -> str:
        """The next text, which is not blank; an empty row sends `draft`. Raises `EndOfInput` when the human leaves."""
        if draft.strip():
            self._terminal.line("Not sent yet; Enter alone sends it:", "dim")
            for row in draft.splitlines():
                self._terminal.spans(("  ", ""), (row, ""), hang=2)
        while True:
            self._terminal.ask("›")
            try:
                text = await self._keyboard.line(self._terminal.typed)
            except EndOfInput:
                self._terminal.answered()
                raise
            self._terminal.line_typed()
            if text.strip() or draft.strip():
                return text if text.strip() else draft
