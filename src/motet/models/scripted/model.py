"""A scripted model inside this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from motet.errors import ModelError, ModelErrorKind
from motet.messages import Reasoning
from motet.models.protocol import (
    Completed,
    Destination,
    Limits,
    ModelEvent,
    ModelRequest,
    Price,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from motet.models.scripted.answers import Answer, pieces

Reply = Answer | ModelError


class ScriptedModel:
    """Plays `replies` in order and keeps the `requests`. See `Model`.

    A reply is an `Answer`, a `ModelError` to raise, or a function from the request to one of them; with `repeat`
    the last one answers all further requests. Of an answer's `wire`, the sizes of deltas and stalls count.
    """

    def __init__(
        self,
        replies: Sequence[Reply | Callable[[ModelRequest], Reply]],
        *,
        repeat: bool = False,
        name: str = "scripted",
        limits: Limits = Limits(100_000, 8_000),  # noqa: B008  (an immutable value)
        price: Price | None = None,
        destination: Destination = Destination("scripted", "in this process", remote=False),  # noqa: B008
    ) -> None:
        self.name = name
        self.limits = limits
        self.price = price
        self.destination = destination
        self.requests: list[ModelRequest] = []
        self._replies = list(replies)
        self._repeat = repeat

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `Model`. A request beyond the script is a `ModelError`."""
        self.requests.append(request)
        match self._reply(request):
            case ModelError() as error:
                raise error
            case answer:
                for sent, event in enumerate(_events(answer)):
                    if sent == answer.wire.stall_after:
                        await asyncio.sleep(answer.wire.stall)
                    yield event

    def _reply(self, request: ModelRequest) -> Reply:
        number = len(self.requests)
        if number > len(self._replies) and not (self._repeat and self._replies):
            what = f"{self.name}: the script holds {len(self._replies)} answers, this is request {number}"
            return ModelError(f"{what}; add an answer", ModelErrorKind.BAD_RESPONSE, provider=self.name)
        reply = self._replies[min(number, len(self._replies)) - 1]
        return reply(request) if callable(reply) else reply


def _events(answer: Answer) -> list[ModelEvent]:
    wire = answer.wire
    events: list[ModelEvent] = [ReasoningDelta(piece) for piece in pieces(answer.reasoning, wire.text_chars)]
    events += [TextDelta(piece) for piece in pieces(answer.text, wire.text_chars)]
    for index, call in enumerate(answer.calls):
        first, *rest = pieces(call.arguments, wire.argument_chars) or [""]
        events.append(ToolCallDelta(index, first, call.id, call.name))
        events += [ToolCallDelta(index, piece) for piece in rest]
    metadata = {"provider": "scripted", "signature": answer.signature}
    reasoning = (Reasoning(answer.reasoning, metadata),) if answer.reasoning else ()
    return [*events, Completed(answer.reason, answer.calls, reasoning, answer.usage)]
