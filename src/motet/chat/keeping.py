"""Where a chat is kept while it goes on: every message durable before anything is sent, an answer under way each
second."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from motet.history import ChatInfo, ChatMissing, History, HistoryError
from motet.messages import Document, Message, Meta, Part, Role, Text
from motet.permissions.redact import redact
from motet.tasks import background

_EVERY = 1.0
"""Seconds between two stores of an answer that is under way."""


def _safe_part(part: Part) -> Part:
    """`part` without what looks like a key."""
    match part:
        case Text(text):
            return Text(found.text) if (found := redact(text)).notes else part
        case Document():
            return replace(part, plain=found.text) if (found := redact(part.plain)).notes else part
        case _:
            return part


class Keeping:
    """The stored side of one chat. Without a history nothing is kept, and nothing else is different."""

    def __init__(
        self, history: History | None, info: Callable[[], ChatInfo], create: Callable[[], Awaitable[None]] | None
    ) -> None:
        """`info` is what is known about the chat now. `create` makes it known to the history, before the first thing is
        kept; None: it is known."""
        self._history = history
        self._info = info
        self._chat_id = info().id
        self._create = create
        self._creating = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._storing: asyncio.Task[None] | None = None
        self._answer: Message | None = None
        self._pieces: list[str] = []
        self._seen: dict[str, tuple[tuple[Part, ...], tuple[Part, ...]]] = {}

    async def append(self, *messages: Message) -> None:
        """Durable when it returns; what was kept of an answer under way is part of it, or gone."""
        if self._history is not None:
            await self._known()
            await self._history.append(self._chat_id, self._safe(messages))

    async def begin_again(self, messages: Sequence[Message]) -> None:
        """Keep the chat as it is now, where the history does not know it any more."""
        if self._history is not None:
            try:
                await self._history.info(self._chat_id)
            except ChatMissing:
                await self._history.create(self._info())
            await self._history.append(self._chat_id, self._safe(messages))

    async def draft(self, text: str) -> None:
        """Keep what is typed and not sent."""
        if self._history is not None and (text or self._create is None):
            await self._known()
            await self._history.set_draft(self._chat_id, text)

    @property
    def is_known(self) -> bool:
        """Whether the history knows the chat."""
        return self._history is not None and self._create is None

    async def make_known(self) -> None:
        """Have the history know the chat."""
        if self._history is not None:
            await self._known()

    async def _known(self) -> None:
        async with self._creating:
            if self._create is not None:
                await self._create()
                self._create = None

    async def replace(self, messages: Sequence[Message]) -> None:
        """Keep other versions of messages that are there."""
        if self._history is not None and messages:
            await self._history.replace(self._chat_id, *self._safe(messages))

    async def remove(self, messages: Sequence[Message]) -> None:
        """Take messages out of the conversation; history still has them."""
        if self._history is not None and messages:
            await self._history.remove(self._chat_id, [message.id for message in messages])

    async def copy(self) -> ChatInfo | None:
        """Keep the chat as it is now under another id; None where it is not kept at all."""
        return await self._history.fork(self._chat_id) if self._history is not None and self.is_known else None

    async def edit(self, changed: Sequence[Message], removed: Sequence[Message]) -> None:
        """`replace` and `remove`, both or neither."""
        if self._history is not None and (changed or removed):
            await self._history.edit(self._chat_id, self._safe(changed), [message.id for message in removed])

    def _safe(self, messages: Sequence[Message]) -> list[Message]:
        """`messages` as they are kept: of what was shared or found only what may be sent, without what looks like a key.
        What the human typed, and what a model said, is kept as it is."""
        return [self._without_keys(message) for message in messages]

    def _without_keys(self, message: Message) -> Message:
        if message.visible and message.role is not Role.TOOL:
            return message
        seen = self._seen.get(message.id)
        if seen is None or seen[0] is not message.parts:
            parts = tuple(_safe_part(part) for part in message.parts)
            self._seen[message.id] = seen = (message.parts, message.parts if parts == message.parts else parts)
        return message if seen[1] is message.parts else replace(message, parts=seen[1])

    def begin_answer(self, cycle: int, source: str) -> None:
        """A request goes out to the model `source`."""
        self._pieces.clear()
        self._answer = Message(Role.ASSISTANT, meta=Meta(cycle=cycle, source=source, partial=True))

    def hear(self, text: str) -> None:
        """The next piece of the answer: kept within a second, also when nothing comes after it."""
        self._pieces.append(text)
        if self._timer is None and self._history is not None:
            self._timer = asyncio.get_running_loop().call_later(_EVERY, self._store_soon)

    def _store_soon(self) -> None:
        self._timer = None
        self._storing = background(self._store())

    async def _store(self) -> None:
        answer = self.broken_off()
        if answer is not None and self._history is not None:
            with suppress(HistoryError):  # the answer goes on; what is wrong is said when it is appended
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
        """The answer under way is a message now: nothing of it is kept apart from that."""
        self._answer = None
        self._pieces.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
