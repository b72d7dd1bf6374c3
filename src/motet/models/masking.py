"""Keys in what a model says, turned into asterisks of the same length, however the deltas cut them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from motet.errors import ModelError
from motet.messages import Reasoning, ToolCall
from motet.models.protocol import Completed, ModelEvent, ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from motet.models.recording import Timed
from motet.permissions.redact import find_secrets


def masked(events: Sequence[Timed], secrets: Iterable[str] = ()) -> list[Timed]:
    """`events` in which keys, also those cut by the end of a delta, are asterisks of the same length."""
    known = tuple(secrets)
    texts = _Channel(known, [timed.event.text for timed in events if isinstance(timed.event, TextDelta)])
    thoughts = _Channel(known, [timed.event.text for timed in events if isinstance(timed.event, ReasoningDelta)])
    calls: dict[int, _Channel] = {}
    for index in {timed.event.index for timed in events if isinstance(timed.event, ToolCallDelta)}:
        own = [
            timed.event.arguments
            for timed in events
            if isinstance(timed.event, ToolCallDelta) and timed.event.index == index
        ]
        calls[index] = _Channel(known, own)
    result: list[Timed] = []
    for timed in events:
        match timed.event:
            case TextDelta():
                event: ModelEvent | ModelError = TextDelta(texts.next())
            case ReasoningDelta():
                event = ReasoningDelta(thoughts.next())
            case ToolCallDelta(index, _, call_id, name):
                event = ToolCallDelta(index, calls[index].next(), call_id, name)
            case Completed(reason, tool_calls, reasoning, usage):
                event = Completed(
                    reason,
                    tuple(ToolCall(each.id, each.name, _mask(known, each.arguments)) for each in tool_calls),
                    tuple(Reasoning(_mask(known, each.text), each.provider_metadata) for each in reasoning),
                    usage,
                )
            case Retrying(delay, attempt, reason):
                event = Retrying(delay, attempt, _mask(known, reason))
            case ModelError() as error:
                event = ModelError(_mask(known, str(error)), error.kind, provider=error.provider, status=error.status)
        result.append(Timed(timed.at, event))
    return result


class _Channel:
    """Deltas of one kind, masked as a whole, handed out again in their old lengths."""

    def __init__(self, known: Sequence[str], pieces: Sequence[str]) -> None:
        whole = _mask(known, "".join(pieces))
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + len(piece))
        self._pieces = iter([whole[start:end] for start, end in pairwise(starts)])

    def next(self) -> str:
        return next(self._pieces)


def _mask(known: Sequence[str], text: str) -> str:
    pieces: list[str] = []
    end = 0
    for found in find_secrets(text, known):
        pieces += [text[end : found.start], "*" * (found.end - found.start)]
        end = found.end
    return "".join([*pieces, text[end:]])
