"""The Messages API of Anthropic: request → body, server-sent event → events. No I/O.

https://platform.claude.com/docs/en/api/messages (and `messages-streaming`), version header 2023-06-01.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from motet.errors import ModelErrorKind
from motet.messages import Document, Image, Message, Part, Reasoning, Role
from motet.models.parts import goes_as_itself
from motet.models.protocol import Completed, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, Usage
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.failures import fault_in_answer
from motet.models.providers.fields import as_count, as_object, as_text, parse_object
from motet.models.providers.neutral import arguments_object, own_reasoning, prepared, wire_id
from motet.models.providers.pictures import PDF, picture_type
from motet.models.providers.pieces import CallCollector, Characters, PendingCall, fresh_call_id

API_VERSION = "2023-06-01"
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

_BEFORE = "(The beginning of the conversation is left out.)"
_AFTER = "Go on."

Block = dict[str, object]


@dataclass(frozen=True, slots=True)
class AnthropicMessages:
    """How one model of one server is spoken to. `extra` are further fields of the body, as the provider documents.

    `images`, `documents`: whether pictures and PDF go as themselves (`build-with-claude/vision`, `pdf-support`).
    """

    provider: str
    model: str
    output_tokens: int
    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    images: bool = False
    documents: bool = False
    give_back_reasoning: bool = True
    new_call_id: Callable[[], str] = fresh_call_id

    @property
    def path(self) -> str:
        """See `Dialect`."""
        return "/v1/messages"

    @property
    def models_path(self) -> str:
        """See `Dialect`."""
        return "/v1/models"

    def headers(self, key: str) -> dict[str, str]:
        """See `Dialect`."""
        version = {"anthropic-version": API_VERSION}
        return {**version, "x-api-key": key} if key else version

    def body(self, request: ModelRequest) -> Mapping[str, object]:
        """See `Dialect`."""
        messages = prepared(request.messages, with_tools=bool(request.tools))
        system = [_text_block(message.text) for message in messages if message.role is Role.SYSTEM]
        body: Block = {
            "model": self.model,
            "max_tokens": request.max_output_tokens or self.output_tokens,
            "messages": self._messages([message for message in messages if message.role is not Role.SYSTEM]),
        }
        if system:
            body["system"] = system
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
                for tool in request.tools
            ]
        return {**body, **self.extra, "stream": True}

    def decoder(self) -> AnthropicDecoder:
        """See `Dialect`."""
        return AnthropicDecoder(self.provider, self.model, CallCollector(self.new_call_id))

    def adapt(self, status: int, text: str, request: ModelRequest) -> AnthropicMessages | None:
        """Without the reasoning given back, when the server no longer accepts its signatures."""
        refused = status == 400 and "thinking" in text and re.search(r"signature|bound|cannot be modified", text)
        if refused and self.give_back_reasoning and any(message.reasoning for message in request.messages):
            return replace(self, give_back_reasoning=False)
        return None

    def _messages(self, messages: Sequence[Message]) -> list[Block]:
        """Messages in turns: all that is not the model's, tool results included, is one user turn.

        The first and the last turn must be the user's: what was cut off there is said in a word.
        """
        turns: list[tuple[str, list[Block]]] = []
        for message in messages:
            role = "assistant" if message.role is Role.ASSISTANT else "user"
            content = self._assistant(message) if role == "assistant" else self._user(message)
            if turns and turns[-1][0] == role:
                turns[-1][1].extend(content)
            else:
                turns.append((role, content))
        if turns and turns[0][0] == "assistant":
            turns.insert(0, ("user", [_text_block(_BEFORE)]))
        if turns and turns[-1][0] == "assistant":
            turns.append(("user", [_text_block(_AFTER)]))
        return [{"role": role, "content": content} for role, content in turns]

    def _assistant(self, message: Message) -> list[Block]:
        reasoning = [part for part in own_reasoning(message, self.provider, self.model) if self._goes_back(part)]
        text, calls = message.text, [_call_block(message, index) for index in range(len(message.calls))]
        content: list[Block] = []
        text_done = calls_done = 0
        for part in reasoning:
            text_before = as_count(part.provider_metadata.get("text_before"))
            calls_before = as_count(part.provider_metadata.get("calls_before"))
            content += _text_blocks(text[text_done:text_before])
            content += calls[calls_done:calls_before]
            content.append(_reasoning_block(part))
            text_done, calls_done = max(text_done, text_before), max(calls_done, calls_before)
        return [*content, *_text_blocks(text[text_done:]), *calls[calls_done:]]

    def _user(self, message: Message) -> list[Block]:
        if message.result is None:
            return self._blocks(message.parts)
        block: Block = {"type": "tool_result", "tool_use_id": wire_id(message.result.call_id, _CALL_ID)}
        if any(self._as_itself(part) for part in message.parts):
            block["content"] = self._blocks(message.parts)
        elif message.text.strip():
            block["content"] = message.text
        if message.result.is_error:
            block["is_error"] = True
        return [block]

    def _blocks(self, parts: Sequence[Part]) -> list[Block]:
        return [self._block(part) for part in parts if part.text.strip()]

    def _block(self, part: Part) -> Block:
        match part:
            case Image() if self._as_itself(part):
                return {"type": "image", "source": _source(picture_type(part.data), part.data)}
            case Document() if self._as_itself(part):
                block: Block = {"type": "document", "source": _source(PDF, part.data)}
                return {**block, "title": part.name} if part.name.strip() else block
            case _:
                return _text_block(part.text)

    def _as_itself(self, part: Part) -> bool:
        return goes_as_itself(part, images=self.images, documents=self.documents)

    def _goes_back(self, part: Reasoning) -> bool:
        # Without a signature it came through another dialect, or was cut.
        return self.give_back_reasoning and bool(
            part.provider_metadata.get("signature") or part.provider_metadata.get("redacted")
        )


def _text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def _text_blocks(text: str) -> list[Block]:
    return [_text_block(text)] if text.strip() else []


def _source(kind: str, data: bytes) -> Block:
    return {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}


def _call_block(message: Message, index: int) -> Block:
    call = message.calls[index]
    return {
        "type": "tool_use",
        "id": wire_id(call.id, _CALL_ID),
        "name": call.name,
        "input": arguments_object(call),
    }


def _reasoning_block(part: Reasoning) -> Block:
    if data := as_text(part.provider_metadata.get("redacted")):
        return {"type": "redacted_thinking", "data": data}
    signature = as_text(part.provider_metadata.get("signature"))
    return {"type": "thinking", "thinking": part.text, "signature": signature}


@dataclass(slots=True)
class _Thinking:
    """A block of reasoning and its place among what else the answer holds."""

    text_before: int
    calls_before: int
    pieces: list[str] = field(default_factory=list[str])
    signature: str = ""
    redacted: str = ""

    def reasoning(self, provider: str, model: str) -> Reasoning:
        metadata: dict[str, object] = {
            "provider": provider,
            "model": model,
            "text_before": self.text_before,
            "calls_before": self.calls_before,
        }
        if self.redacted:
            return Reasoning("", {**metadata, "redacted": self.redacted})
        return Reasoning("".join(self.pieces), {**metadata, "signature": self.signature})


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
            case "content_block_stop":
                yield from self._stop(index)
            case "message_delta":
                self._count(as_object(event.get("usage")))
                self._end(as_object(event.get("delta")))
            case "message_stop":
                self.closed = True
            case "error":
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
