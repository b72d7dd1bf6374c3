"""The message stack: the truth about a conversation, valid for every provider at every moment."""

from __future__ import annotations

from collections.abc import Iterator

from motet.messages.message import Message, Role


class MessageStack:
    """An append-only list of messages in which every tool call has exactly one result.

    `append` raises `ValueError` for a message that would break that rule: no provider would accept the stack.
    """

    __slots__ = ("_messages", "_open")

    def __init__(self, *messages: Message) -> None:
        self._messages: list[Message] = []
        self._open: dict[str, str] = {}
        for message in messages:
            self.append(message)

    def append(self, message: Message) -> None:
        """Add `message` at the end."""
        if message.role is Role.TOOL:
            if message.result is None or self._open.pop(message.result.call_id, None) is None:
                raise ValueError("a tool message must answer an open call")
        elif self._open:
            raise ValueError(f"calls without a result: {', '.join(self._open.values())}")
        self._messages.append(message)
        self._open.update({call.id: call.name for call in message.calls})

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)
