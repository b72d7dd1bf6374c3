"""The Messages API of Anthropic: request → body. No I/O.

https://platform.claude.com/docs/en/api/messages, version header 2023-06-01. `anthropic_decoder` reads the answers.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from motet.messages import Document, Image, Message, Part, Reasoning, Role
from motet.models.parts import goes_as_itself
from motet.models.protocol import ModelRequest
from motet.models.providers.anthropic_decoder import AnthropicDecoder
from motet.models.providers.fields import as_count, as_text
from motet.models.providers.neutral import arguments_object, own_reasoning, prepared, wire_id, wire_name
from motet.models.providers.pictures import PDF, picture_type
from motet.models.providers.pieces import CallCollector, fresh_call_id

API_VERSION = "2023-06-01"
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
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
        return [
            {"role": role, "content": _with_thoughts_first(content) if role == "assistant" else content}
            for role, content in turns
        ]

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


def _with_thoughts_first(content: list[Block]) -> list[Block]:
    """`content` of a turn as the API takes it: thinking at its head or nowhere, and never at its end.

    It stands elsewhere where two answers became one turn, or the answer was cut.
    """
    while content and content[-1]["type"] in _THOUGHTS:
        content = content[:-1]
    if content and content[0]["type"] in _THOUGHTS:
        return content
    return [block for block in content if block["type"] not in _THOUGHTS]


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
        "name": wire_name(call.name),
        "input": arguments_object(call),
    }


def _reasoning_block(part: Reasoning) -> Block:
    if data := as_text(part.provider_metadata.get("redacted")):
        return {"type": "redacted_thinking", "data": data}
    signature = as_text(part.provider_metadata.get("signature"))
    return {"type": "thinking", "thinking": part.text, "signature": signature}
