"""What a turn talks to: the messages of the next request, and the place where new ones are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from motet.messages import Message, MessageStack


class Conversation(Protocol):
    """A conversation that a turn makes longer."""

    async def next_request(self) -> Sequence[Message]:
        """What the next request says; valid for every provider.

        Called before each request: what the human has said meanwhile may join, and what has become too long may be
        cut. Raises `MotetError` where it cannot be made to fit.
        """
        ...

    async def add(self, message: Message) -> None:
        """Add `message` at the end; it is durable when this returns, if the conversation is a stored one."""
        ...


class InMemory:
    """A conversation that is not kept: the stack itself."""

    def __init__(self, stack: MessageStack) -> None:
        self._stack = stack

    async def next_request(self) -> Sequence[Message]:
        """See `Conversation`."""
        return tuple(self._stack)

    async def add(self, message: Message) -> None:
        """See `Conversation`."""
        self._stack.append(message)
