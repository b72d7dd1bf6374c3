"""The one door through which requests leave: secrets stay here, and every request is written down."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

from motet.engine.spending import Ledger
from motet.errors import MotetError
from motet.messages import Image, Message, Text
from motet.messages.message import Document, Part
from motet.models.protocol import Destination, Model, ModelEvent, ModelRequest, Retrying
from motet.models.wrapped import Wrapped
from motet.permissions.egress import EgressLog
from motet.permissions.redact import redact
from motet.turn import AnswerUnderWay, estimate_request

Record = Callable[[ModelRequest, Destination], None]
"""Writes down that a request leaves."""


def recorder(log: EgressLog, root: Path, chat_id: str) -> Record:
    """Writes into the log of what leaves."""

    def record(request: ModelRequest, where: Destination) -> None:
        contexts = (message.context for message in request.messages)
        paths = (context.path for context in contexts if context is not None and context.path)
        files = tuple(path.removeprefix(f"{root}/") for path in paths)
        size = sum(map(_size, request.messages))
        log.add(where.provider, where.host, size, files, chat=chat_id, project=str(root))

    return record


def _size(message: Message) -> int:
    """Bytes of what a message says, pictures and documents included."""
    texts = (message.text, *(call.arguments for call in message.calls))
    data = (len(part.data) for part in message.parts if isinstance(part, Image | Document))
    return sum(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")) for text in texts) + sum(
        data
    )


class Outgoing(Wrapped):
    """A model whose requests leave without anything that looks like a key. See `Model`.

    `notify` hears, once for each message, what was taken out of it; `record` of every request. What each costs is
    counted in `spends`; see there what may be raised before anything leaves.
    """

    def __init__(
        self,
        model: Model,
        notify: Callable[[str], None],
        record: Record,
        spends: Ledger | None = None,
        chat: str = "",
    ) -> None:
        super().__init__(model)
        self._notify = notify
        self._record = record
        self._spends = spends
        self._chat = chat
        self._known: dict[str, tuple[Message, Message]] = {}
        self._told: set[tuple[str, str]] = set()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `Model`."""
        request = self.safe(request)
        if not self.destination.remote or self._spends is None:
            async with aclosing(self._sent(request)) as events:
                async for event in events:
                    yield event
            return
        tokens = estimate_request(request)
        entry = await self._spends.begin(self._model, tokens, self._chat)
        answer = AnswerUnderWay()
        try:
            async with aclosing(self._sent(request)) as events:
                async for event in events:
                    answer.add(event)
                    yield event
        except BaseException:
            with suppress(MotetError):  # what it needs at least is written down already
                self._spends.end(entry, answer.usage(tokens))
            raise
        self._spends.end(entry, answer.usage(tokens))

    async def _sent(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        if self.destination.remote:
            self._record(request, self.destination)
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                if isinstance(event, Retrying) and self.destination.remote:
                    self._record(request, self.destination)  # it leaves once more
                yield event

    def safe(self, request: ModelRequest) -> ModelRequest:
        """`request` as it leaves: without secrets, unless the model is on this machine."""
        if not self.destination.remote:
            return request
        return replace(request, messages=tuple(map(self._safe, request.messages)))

    def _safe(self, message: Message) -> Message:
        """`message` without secrets; the same one is looked at once."""
        seen = self._known.get(message.id)
        if seen is not None and seen[0] is message:
            return seen[1]
        if seen is not None and seen[0].parts is message.parts and seen[0].calls is message.calls:
            safe = replace(message, parts=seen[1].parts, calls=seen[1].calls)
            self._known[message.id] = (message, safe)
            return safe
        notes: list[str] = []
        parts = tuple(_safe_part(part, notes) for part in message.parts)
        calls = tuple(replace(call, arguments=_safe_text(call.arguments, notes)) for call in message.calls)
        safe = replace(message, parts=parts, calls=calls) if notes else message
        if notes:
            where = message.context.id if message.context else f"a message of the {message.role.value}"
            line = f"not sent from {where}: {', '.join(dict.fromkeys(notes))}"
            if (message.id, line) not in self._told:
                self._told.add((message.id, line))
                self._notify(line)
        self._known[message.id] = (message, safe)
        return safe


def _safe_part(part: Part, notes: list[str]) -> Part:
    match part:
        case Text(text):
            safe = _safe_text(text, notes)
            return part if safe is text else Text(safe)
        case Document():
            safe = _safe_text(part.plain, notes)
            return part if safe is part.plain else replace(part, plain=safe)
        case Image():
            return part


def _safe_text(text: str, notes: list[str]) -> str:
    found = redact(text)
    notes += map(str, found.notes)
    return found.text if found.notes else text
