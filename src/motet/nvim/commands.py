"""What slash commands say in a chat buffer: a line is a notice, more has a window of its own."""

from __future__ import annotations

from collections.abc import Sequence

from motet.chat import Chat
from motet.chat.inspecting import Inspection
from motet.engine.acts import changes_made
from motet.errors import UsageError
from motet.nvim.rpc import Peer


class BufferReader:
    """See `motet.engine.acts.Reader`."""

    def __init__(self, peer: Peer, buffer: int) -> None:
        self._peer = peer
        self._buffer = buffer
        self._inspected: tuple[Chat, Inspection] | None = None

    def say(self, line: str) -> None:
        """See `Reader`."""
        self._peer.tell("notice", self._buffer, "info", line)

    def fail(self, line: str) -> None:
        """See `Reader`."""
        self._peer.tell("notice", self._buffer, "error", line)

    def markdown(self, text: str) -> None:
        """See `Reader`."""
        if "\n" in text:
            self.show("answer", text.split("\n"))
        else:
            self.say(text)

    def table(self, rows: Sequence[tuple[str, str]]) -> None:
        """See `Reader`."""
        width = max((len(first) for first, _ in rows), default=0)
        is_number = not any(first.startswith("/") for first, _ in rows)
        self.show("list", [f"{first:{'>' if is_number else '<'}{width}}  {second}" for first, second in rows])

    async def inspect(self, chat: Chat, text: str) -> None:
        """See `Reader`. What is written in the window is for `change`."""
        inspection = await chat.inspect(text)
        self._inspected = (chat, inspection)
        self._peer.tell("request", self._buffer, chat.id, inspection.text.split("\n"))

    async def change(self, edited: str) -> None:
        """Make the next request what was written in the window that shows it."""
        if self._inspected is None:
            raise UsageError("this request is not the next one any more; `:Motet inspect` shows that")
        chat, inspection = self._inspected
        self.say(changes_made(await chat.change(inspection, edited)))
        self._inspected = None
        self._peer.tell("request_taken", chat.id)

    def show(self, what: str, lines: Sequence[str]) -> None:
        """Show `lines` in a window of their own."""
        self._peer.tell("show", what, [line.replace("\n", "\0") for line in lines])
