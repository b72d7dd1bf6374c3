"""What slash commands say, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from motet.chat.meter import short_count
from motet.chat.view import name_of, tokens_of
from motet.cli.chat.screen import ChatScreen
from motet.cli.terminal import Terminal
from motet.models.protocol import Completed, ModelRequest, TextDelta

_NUMBERS = 8
"""Characters of a column of numbers."""


class TerminalReader:
    """See `motet.engine.acts.Reader`."""

    def __init__(self, terminal: Terminal, screen: ChatScreen) -> None:
        self._terminal = terminal
        self._screen = screen

    def say(self, line: str) -> None:
        """See `Reader`."""
        self._terminal.line(line, "dim", hang=2)

    def fail(self, line: str) -> None:
        """See `Reader`."""
        self._terminal.line(line, "red", hang=2, always=True)

    def markdown(self, text: str) -> None:
        """See `Reader`."""
        self._screen(TextDelta(text))
        self._screen(Completed("stop"))

    def table(self, rows: Sequence[tuple[str, str]]) -> None:
        """See `Reader`."""
        for first, second in rows:
            if first.startswith("/"):
                self._terminal.spans((f"  {first}  ", "cyan"), (second, ""), hang=4)
            else:
                self._terminal.spans((f"{first:>{_NUMBERS}}  ", "dim"), (second, ""), hang=_NUMBERS + 2)

    def request(self, request: ModelRequest) -> None:
        """See `Reader`."""
        for message in request.messages:
            head = f"{message.role.value}  {name_of(message)}  {short_count(tokens_of(message))} tokens"
            self._terminal.line(head, "bold", hang=2)
            for line in message.text.split("\n"):
                self._terminal.verbatim(("  ", ""), (line, "dim"))
            for one in message.calls:
                self._terminal.line(f"  {one.name} {one.arguments}", "dim", hang=4)
        for tool in request.tools:
            self._terminal.line(f"tool  {tool.name}", "bold", hang=2)
