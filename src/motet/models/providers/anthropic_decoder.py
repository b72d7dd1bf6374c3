"""The stream of the Messages API: server-sent event → events. No I/O.

https://platform.claude.com/docs/en/api/messages-streaming.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from motet.errors import ModelErrorKind
from motet.messages import Reasoning
from motet.models.protocol import Completed, ModelEvent, ReasoningDelta, TextDelta, Usage
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.fields import as_count, as_object, as_text, parse_object
from motet.models.providers.pieces import Alike, CallCollector, Characters, PendingCall, Thought


@dataclass(slots=True)
class _Thinking(Thought):
    """A block of reasoning: readable and signed, or `redacted`."""

    signature: str = ""
    redacted: str = ""

    def reasoning(self, provider: str, model: str) -> Reasoning:
        own = {"redacted": self.redacted} if self.redacted else {"signature": self.signature}
        return self.kept(provider, model, **own)


class AnthropicDecoder:
    """One streamed answer. See `Decoder`."""

    def __init__(self, provider: str, model: str, calls: CallCollector) -> None:
        self.closed = False
        self._provider = provider
        self._model = model
        self._calls = calls
        self._open_calls: dict[int, PendingCall] = {}
        self._whole_inputs: dict[int, str] = {}
        self._thinking: dict[int, _Thinking] = {}
        self._reasoning: list[_Thinking] = []
        self._alike = Alike()
        self._text = Characters()
        self._thought = Characters()
        self._text_length = 0
        self._stop_reason = ""
        self._usage: dict[str, int] = {}

    @property
    def finished(self) -> bool:
        """See `Decoder`."""
        return self.closed or bool(self._stop_reason)

    def feed(self, data: str) -> Iterator[ModelEvent]:
        """See `Decoder`."""
        if (text := self._alike.read(data)) is not None:
            yield from self._say(text)
            return
        event = parse_object(data)
        if event is None:
            raise AnswerFault(ModelErrorKind.BAD_RESPONSE, "the answer holds JSON that cannot be read")
        index = as_count(event.get("index"))
        match event.get("type"):
            case "message_start":
                self._count(as_object(as_object(event.get("message")).get("usage")))
            case "content_block_start":
                yield from self._start(index, as_object(event.get("content_block")))
            case "content_block_delta":
                yield from self._delta(index, as_object(event.get("delta")))
                if set(as_object(event.get("delta"))) == {"type", "text"}:
                    self._alike.learn(data, as_text(as_object(event.get("delta")).get("text")))
            case "content_block_stop":
                yield from self._stop(index)
            case "message_delta":
                self._count(as_object(event.get("usage")))
                self._end(as_object(event.get("delta")))
            case "message_stop":
                self.closed = True
            case "error":
                from motet.models.providers.failures import fault_in_answer

                raise fault_in_answer(event)
            case _:  # `ping`, and what later versions add
                pass

    def complete(self) -> Completed:
        """See `Decoder`."""
        cut = self._stop_reason in {"max_tokens", "model_context_window_exceeded"}
        calls = self._calls.finish(cut=cut)
        reason = "length" if cut else "tool_calls" if calls else "stop"
        reasoning = tuple(block.reasoning(self._provider, self._model) for block in self._reasoning)
        return Completed(reason, calls, reasoning, self._total())

    def _start(self, index: int, block: Mapping[str, object]) -> Iterator[ModelEvent]:
        match block.get("type"):
            case "text":
                yield from self._say(as_text(block.get("text")))
            case "thinking" | "redacted_thinking":
                thinking = _Thinking(self._text_length, len(self._calls.calls))
                thinking.redacted = as_text(block.get("data"))
                thinking.signature = as_text(block.get("signature"))
                self._thinking[index] = thinking
                self._reasoning.append(thinking)
                yield from self._think(thinking, as_text(block.get("thinking")))
            case "tool_use":
                call = self._calls.begin(as_text(block.get("id")), as_text(block.get("name")))
                self._open_calls[index] = call
                if whole := as_object(block.get("input")):
                    self._whole_inputs[index] = json.dumps(whole, ensure_ascii=False)
                if event := self._calls.extend(call, ""):
                    yield event
            case _:
                pass

    def _delta(self, index: int, delta: Mapping[str, object]) -> Iterator[ModelEvent]:
        match delta.get("type"):
            case "text_delta":
                yield from self._say(as_text(delta.get("text")))
            case "thinking_delta" if index in self._thinking:
                yield from self._think(self._thinking[index], as_text(delta.get("thinking")))
            case "signature_delta" if index in self._thinking:
                self._thinking[index].signature += as_text(delta.get("signature"))
            case "input_json_delta" if index in self._open_calls:
                self._whole_inputs.pop(index, None)
                yield from self._extend(index, as_text(delta.get("partial_json")))
            case _:
                pass

    def _stop(self, index: int) -> Iterator[ModelEvent]:
        if whole := self._whole_inputs.pop(index, ""):
            yield from self._extend(index, whole)

    def _extend(self, index: int, arguments: str) -> Iterator[ModelEvent]:
        if arguments and (event := self._calls.extend(self._open_calls[index], arguments)):
            yield event

    def _say(self, text: str) -> Iterator[ModelEvent]:
        if whole := self._text.take(text):
            self._text_length += len(whole)
            yield TextDelta(whole)

    def _think(self, thinking: _Thinking, text: str) -> Iterator[ModelEvent]:
        if whole := self._thought.take(text):
            thinking.pieces.append(whole)
            yield ReasoningDelta(whole)

    def _end(self, delta: Mapping[str, object]) -> None:
        reason = as_text(delta.get("stop_reason"))
        if reason == "refusal":
            explanation = as_text(as_object(delta.get("stop_details")).get("explanation"))
            raise AnswerFault(ModelErrorKind.REFUSED, explanation or "the model refused to answer")
        self._stop_reason = reason or self._stop_reason

    def _count(self, usage: Mapping[str, object]) -> None:
        # Counts of a later event replace those of an earlier one; what an event leaves out, or sends as 0, stays.
        self._usage.update({name: count for name, value in usage.items() if (count := as_count(value))})

    def _total(self) -> Usage:
        cached = self._usage.get("cache_read_input_tokens", 0)
        fresh = self._usage.get("input_tokens", 0) + self._usage.get("cache_creation_input_tokens", 0)
        return Usage(fresh + cached, self._usage.get("output_tokens", 0), cached)
