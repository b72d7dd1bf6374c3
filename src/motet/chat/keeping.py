"""Where a chat is kept while it goes on: every message durable before anything is sent, an answer under way each
second."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from motet.history import History
from motet.messages import Message, Meta, Role, Text

_EVERY = 1.0
"""Seconds between two stores of an answer that is under way."""


class Keeping:
    """The stored side of one chat. Without a history nothing is kept, and nothing else is different."""

    def __init__(self, history: History | None, chat_id: str, create: Callable[[], Awaitable[None]] | None) -> None:
        """`create` makes the chat known to the history, before the first thing is kept; None: it is known."""
        self._history = history
        self._chat_id = chat_id
        self._create = create
        self._stored_at = 0.0
        self._answer: Message | None = None
        self._pieces: list[str] = []

    async def append(self, *messages: Message) -> None:
        """Durable when it returns; what was kept of an answer under way is part of it, or gone."""
        if self._history is not None:
            await self._known()
            await self._history.append(self._chat_id, messages)

    async def draft(self, text: str) -> None:
        """Keep what is typed and not sent."""
        if self._history is not None and (text or self._create is None):
            await self._known()
            await self._history.set_draft(self._chat_id, text)

    async def _known(self) -> None:
        if self._create is not None:
            create, self._create = self._create, None
            await create()

    async def replace(self, messages: Sequence[Message]) -> None:
        """Keep other versions of messages that are there."""
        if self._history is not None and messages:
            await self._history.replace(self._chat_id, *messages)

    async def remove(self, messages: Sequence[Message]) -> None:
        """Take messages out of the conversation; history still has them."""
        if self._history is not None and messages:
            await self._history.remove(self._chat_id, [message.id for message in messages])

    def begin_answer(self, cycle: int, source: str) -> None:
        """A request goes out to the model `source`."""
        self._pieces.clear()
        self._answer = Message(Role.ASSISTANT, meta=Meta(cycle=cycle, source=source, partial=True))
        self._stored_at = time.monotonic()

    async def hear(self, text: str) -> None:
        """The next piece of the answer."""
        self._pieces.append(text)
        if time.monotonic() - self._stored_at >= _EVERY:
            self._stored_at = time.monotonic()
            answer = self.broken_off()
            if answer is not None and self._history is not None:
                await self._history.partial(self._chat_id, answer)

    def broken_off(self) -> Message | None:
        """What has arrived of the answer so far; None when that is nothing."""
        text = "".join(self._pieces)
        if self._answer is None or not text.strip():
            return None
        return replace(self._answer, parts=(Text(text),))

    def as_answer(self, message: Message) -> Message:
        """The whole answer, with the id and source under which it was kept while it was under way."""
        if self._answer is None:
            return message
        return message.with_meta(id=self._answer.id, source=self._answer.meta.source)

    def end_answer(self) -> None:
        """The answer under way was appended."""
        self._answer = None
        self._pieces.clear()
