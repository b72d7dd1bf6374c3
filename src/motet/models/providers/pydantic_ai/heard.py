"""One answer while pydantic-ai streams it: its events into ours. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from motet.errors import ModelErrorKind
from motet.messages import Reasoning
from motet.models.protocol import Completed, ModelEvent, ReasoningDelta, TextDelta, Usage
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.pieces import CallCollector, Characters, PendingCall, Thought

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import StreamedResponse


class Listener:
    """Hears one `stream` of the model `model` of `provider`, as the settings name them."""

    def __init__(self, stream: StreamedResponse, provider: str, model: str, calls: CallCollector) -> None:
        self._stream = stream
        self._provider = provider
        self._model = model
        self._calls = calls
        self._by_index: dict[int, PendingCall] = {}
        self._objects: set[int] = set()
        self._thoughts: dict[int, Thought] = {}
        self._text = Characters()
        self._thought = Characters()
        self._text_size = 0

    def hear(self, event: ModelResponseStreamEvent) -> Iterator[ModelEvent]:
        """The events that one of pydantic-ai's stands for."""
        match event:
            case PartStartEvent(index=index, part=TextPart(content=text)):
                yield from self._say(text)
            case PartStartEvent(index=index, part=ThinkingPart(content=text)):
                yield from self._think(index, text)
            case PartStartEvent(index=index, part=ToolCallPart() as part):
                self._by_index[index] = self._calls.begin(part.tool_call_id, part.tool_name)
                yield from self._argue(index, part.args)
            case PartDeltaEvent(index=index, delta=TextPartDelta(content_delta=text)):
                yield from self._say(text)
            case PartDeltaEvent(index=index, delta=ThinkingPartDelta(content_delta=text)):
                yield from self._think(index, text or "")
            case PartDeltaEvent(index=index, delta=ToolCallPartDelta() as delta):
                yield from self._argue(index, delta.args_delta, delta.tool_name_delta or "")
            case PartEndEvent(index=index, part=ToolCallPart() as part) if index in self._objects:
                yield from self._whole(index, part)
            case _:
                pass

    def complete(self) -> Completed:
        """The last event. Raises `AnswerFault` when the answer is not usable."""
        response = self._stream.get()
        match response.finish_reason:
            case "content_filter":
                raise AnswerFault(ModelErrorKind.REFUSED, "the provider's content filter stopped the answer")
            case "error":
                raise AnswerFault(ModelErrorKind.OVERLOADED, "the provider stopped the answer")
            case _:
                pass
        for index in self._objects:
            part = response.parts[index]
            self._by_index[index].pieces += [_object_of(part)] if isinstance(part, ToolCallPart) else []
        cut = response.finish_reason == "length"
        calls = self._calls.finish(cut=cut)
        reason = "length" if cut else "tool_calls" if calls else "stop"
        return Completed(reason, calls, self._reasoning(response), self._usage(response))

    def _say(self, text: str) -> Iterator[ModelEvent]:
        if whole := self._text.take(text):
            self._text_size += len(whole)
            yield TextDelta(whole)

    def _think(self, index: int, text: str) -> Iterator[ModelEvent]:
        thought = self._thoughts.get(index)
        if thought is None:
            thought = self._thoughts[index] = Thought(self._text_size, len(self._calls.calls))
        if whole := self._thought.take(text):
            thought.pieces.append(whole)
            yield ReasoningDelta(whole)

    def _argue(self, index: int, arguments: object, name: str = "") -> Iterator[ModelEvent]:
        """A piece of arguments; what comes as an object waits until it is whole."""
        call = self._by_index[index]
        call.name += name
        if isinstance(arguments, dict):
            self._objects.add(index)
        elif (event := self._calls.extend(call, arguments if isinstance(arguments, str) else "")) is not None:
            yield event

    def _whole(self, index: int, part: ToolCallPart) -> Iterator[ModelEvent]:
        self._objects.discard(index)
        if (event := self._calls.extend(self._by_index[index], _object_of(part))) is not None:
            yield event

    def _reasoning(self, response: ModelResponse) -> tuple[Reasoning, ...]:
        """What only this provider understands, with where it came from."""
        origin = {
            "provider_name": response.provider_name,
            "provider_url": response.provider_url,
            "canonical_system": response.canonical_system,
        }
        kept: list[Reasoning] = []
        signed: dict[str, object] = {}
        for index, part in enumerate(response.parts):
            match part:
                case ThinkingPart() if index in self._thoughts:
                    own = _own(part, id=part.id, signature=part.signature)
                    kept.append(self._thoughts[index].kept(self._provider, self._model, origin=origin, part=own))
                case ToolCallPart() if index in self._by_index and part.provider_details:
                    signed[self._by_index[index].id] = _own(part)
                case _:
                    pass
        if signed:
            metadata = {"provider": self._provider, "model": self._model, "origin": origin, "calls": signed}
            kept.append(Reasoning("", metadata))
        return tuple(kept)

    def _usage(self, response: ModelResponse) -> Usage:
        used = response.usage
        return Usage(used.input_tokens, used.output_tokens, min(used.cache_read_tokens, used.input_tokens))


def _object_of(part: ToolCallPart) -> str:
    return json.dumps(part.args_as_dict(), ensure_ascii=False)


def _own(part: ThinkingPart | ToolCallPart, **more: object) -> Mapping[str, object]:
    """What of `part` only its provider understands, as it can be kept in JSON; empty when there is nothing."""
    own = {"provider_details": part.provider_details, **more}
    found = {name: value for name, value in own.items() if value}
    return {"provider_name": part.provider_name, **found} if found else {}
