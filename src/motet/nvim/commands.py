"""What slash commands say in a chat buffer: a line is a notice, more has a window of its own."""

from __future__ import annotations

from collections.abc import Sequence

from motet.chat import Chat
from motet.chat.view import name_of, tokens_of
from motet.nvim.rpc import Peer


class BufferReader:
    """See `motet.engine.acts.Reader`."""

    def __init__(self, peer: Peer, buffer: int) -> None:
        self._peer = peer
        self._buffer = buffer

    def say(self, line: str) -> None:
        """See `Reader`."""
        self._peer.tell("notice", self._buffer, "info", line)

    def fail(self, line: str) -> None:
        """See `Reader`."""
        self._peer.tell("notice", self._buffer, "error", line)

    def markdown(self, text: str) -> None:
        """See `Reader`."""
        if "\n" in text:
            self._show("answer", text.split("\n"))
        else:
            self.say(text)

    def table(self, rows: Sequence[tuple[str, str]]) -> None:
        """See `Reader`."""
        width = max((len(first) for first, _ in rows), default=0)
        is_number = not any(first.startswith("/") for first, _ in rows)
        self._show("list", [f"{first:{'>' if is_number else '<'}{width}}  {second}" for first, second in rows])

    async def inspect(self, chat: Chat, text: str) -> None:
        """See `Reader`."""
        request = await chat.preview(text)
        lines: list[str] = []
        for message in request.messages:
            lines += [f"# {message.role.value}: {name_of(message)} ({tokens_of(message):,} tokens)", ""]
            lines += [*message.text.split("\n"), *(f"{one.name} {one.arguments}" for one in message.calls), ""]
        self._show("request", [*lines, *(f"# tool: {tool.name}" for tool in request.tools)])

    def _show(self, what: str, lines: Sequence[str]) -> None:
        self._peer.tell("show", what, [line.replace("\n", "\0") for line in lines])
