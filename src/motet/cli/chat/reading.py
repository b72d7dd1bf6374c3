"""What slash commands say, in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from motet.chat import Chat
from motet.chat.meter import short_count
from motet.chat.view import name_of, tokens_of
from motet.cli.chat.plain_line import is_plain
from motet.cli.chat.screen import ChatScreen
from motet.cli.request_editor import edit_request
from motet.cli.terminal import Terminal
from motet.errors import UsageError
from motet.models.protocol import Completed, ModelRequest, TextDelta

_NUMBERS = 8
"""Characters of a column of numbers."""


class TerminalReader:
    """See `motet.engine.acts.Reader`."""

    def __init__(
        self, terminal: Terminal, screen: ChatScreen, in_editor: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """Ctrl-C belongs to the editor inside of `in_editor`."""
        self._terminal = terminal
        self._screen = screen
        self._in_editor = in_editor

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

    async def inspect(self, chat: Chat, text: str) -> None:
        """See `Reader`."""
        if not is_plain():
            try:
                self.say(await edit_request(chat, text, self._in_editor))
            except UsageError as error:  # there is no editor
                self._terminal.line(str(error), "yellow", hang=2, always=True)
            else:
                return
        self._print(await chat.preview(text))

    def _print(self, request: ModelRequest) -> None:
        for message in request.messages:
            head = f"{message.role.value}  {name_of(message)}  {short_count(tokens_of(message))} tokens"
            self._terminal.line(head, "bold", hang=2)
            for line in message.text.split("\n"):
                self._terminal.verbatim(("  ", ""), (line, "dim"))
            for one in message.calls:
                self._terminal.line(f"  {one.name} {one.arguments}", "dim", hang=4)
        for tool in request.tools:
            self._terminal.line(f"tool  {tool.name}", "bold", hang=2)
