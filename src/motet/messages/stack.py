"""The message stack: the truth about a conversation, valid for every provider at every moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from motet.messages.message import Message, Role


class MessageStack:
    """An append-mostly list of messages in which every tool call has exactly one result, right behind it.

    What would break that rule raises `ValueError`: no provider would accept the stack.
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
        if len({call.id for call in message.calls}) < len(message.calls):
            raise ValueError("two calls of one message have the same id")
        self._messages.append(message)
        self._open.update({call.id: call.name for call in message.calls})

    @property
    def open_calls(self) -> dict[str, str]:
        """Names of the calls that still need a result, by id, in order."""
        return dict(self._open)

    @property
    def cycle(self) -> int:
        """The user turn that the newest message belongs to, from 1; 0 before the first."""
        return max((message.meta.cycle for message in self._messages), default=0)

    def replace(self, message: Message) -> None:
        """Put `message` in the place of the one with its id. Raises `KeyError` when there is none, `ValueError` when
        its role, calls or result differ."""
        at = self._at(message.id)
        old = self._messages[at]
        if (old.role, old.calls, old.result and old.result.call_id) != (
            message.role,
            message.calls,
            message.result and message.result.call_id,
        ):
            raise ValueError("a message is replaced by one with the same role, calls and result")
        self._messages[at] = message

    def remove_context(self, context_ids: Iterable[str]) -> list[Message]:
        """Take out the messages that are linked to these lines of the context block; returns them."""
        gone = set(context_ids)
        return self.remove(one.id for one in self._messages if one.context and one.context.id in gone)

    def remove(self, message_ids: Iterable[str]) -> list[Message]:
        """Take out the messages with these ids; returns them. Raises `ValueError` when a call would be left without its
        result, or a result without its call."""
        gone = set(message_ids)
        rest = MessageStack(*(message for message in self._messages if message.id not in gone))
        if rest.open_calls.keys() != self._open.keys():
            raise ValueError("a call and its result are taken out together")
        removed = [message for message in self._messages if message.id in gone]
        self._messages = rest._messages
        return removed

    def branch(self, before: str) -> MessageStack:
        """A stack of the messages before the one with the id `before`. Raises `KeyError`, and `ValueError` when that
        one is the result of a call."""
        branch = MessageStack(*self._messages[: self._at(before)])
        if branch.open_calls:
            raise ValueError("between a call and its result no branch begins")
        return branch

    def by_id(self, message_id: str) -> Message:
        """The message with this id. Raises `KeyError`."""
        return self._messages[self._at(message_id)]

    def since(self, message_id: str) -> list[Message]:
        """The messages behind the one with this id; all of them when it is not there."""
        try:
            return self._messages[self._at(message_id) + 1 :]
        except KeyError:
            return list(self._messages)

    def _at(self, message_id: str) -> int:
        for at in range(len(self._messages) - 1, -1, -1):
            if self._messages[at].id == message_id:
                return at
        raise KeyError(message_id)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)
