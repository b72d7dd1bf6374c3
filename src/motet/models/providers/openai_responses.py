"""The Responses API as OpenAI defined it and other servers speak it: request → body. No I/O.

https://platform.openai.com/docs/api-reference/responses/create. `responses_decoder` reads the answers. Nothing is
kept at the provider: each request holds the whole conversation, and reasoning comes and goes encrypted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from motet.messages import Document, Image, Message, Part, Reasoning, Role, ToolCall
from motet.models.parts import goes_as_itself
from motet.models.protocol import ModelRequest
from motet.models.providers.fields import as_count, as_list, as_object, as_text
from motet.models.providers.neutral import arguments_text, own_reasoning, prepared, wire_id, wire_name
from motet.models.providers.pictures import PDF, data_url, document_name, picture_type
from motet.models.providers.pieces import CallCollector, fresh_call_id
from motet.models.providers.responses_decoder import ResponsesDecoder

LEAST_OUTPUT = 16
"""The smallest cap on an answer that the API takes."""

_CALL_ID = re.compile(r"[ -~]{1,64}")
_ENCRYPTED = "reasoning.encrypted_content"

Item = dict[str, object]


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """How one model of one server is spoken to. `extra` are further fields of the body, as the provider documents.

    `summary`, `encrypted`: ask for a summary of the reasoning, and for the reasoning itself, encrypted; models that
    do not reason refuse both. `images`, `documents`: whether pictures and PDF go as themselves.
    """

    provider: str
    model: str
    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    images: bool = False
    documents: bool = False
    summary: bool = True
    encrypted: bool = True
    give_back_reasoning: bool = True
    new_call_id: Callable[[], str] = fresh_call_id

    @property
    def path(self) -> str:
        """See `Dialect`."""
        return "/responses"

    @property
    def models_path(self) -> str:
        """See `Dialect`."""
        return "/models"

    def headers(self, key: str) -> dict[str, str]:
        """See `Dialect`."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: ModelRequest) -> Mapping[str, object]:
        """See `Dialect`."""
        messages = prepared(request.messages, with_tools=bool(request.tools))
        rules = 0
        while rules < len(messages) - 1 and messages[rules].role is Role.SYSTEM:
            rules += 1
        body: Item = {"model": self.model, "input": self._items(messages[rules:]), "store": False}
        if rules:
            body["instructions"] = "\n\n".join(message.text for message in messages[:rules])
        if self.encrypted:
            body["include"] = [_ENCRYPTED]
        if self.summary:
            body["reasoning"] = {"summary": "auto"}
        if request.max_output_tokens:
            body["max_output_tokens"] = max(request.max_output_tokens, LEAST_OUTPUT)
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.schema),
                    # What is not said counts as true, and then only a part of JSON schema is allowed.
                    "strict": False,
                }
                for tool in request.tools
            ]
        return {**body, **self._extra(body), "stream": True}

    def decoder(self) -> ResponsesDecoder:
        """See `Dialect`."""
        return ResponsesDecoder(self.provider, self.model, CallCollector(self.new_call_id))

    def adapt(self, status: int, text: str, request: ModelRequest) -> OpenAIResponses | None:
        """Without the reasoning given back, asked for, or summed up, as the refusal asks."""
        if status not in {400, 404, 422}:
            return None
        stale = re.search(
            r"encrypted.?content.{0,400}(?:verified|decrypted|not issued)|invalid_encrypted_content", text
        )
        if (stale or "required following item" in text) and self.give_back_reasoning:
            given = any(self._goes_back(part) for message in request.messages for part in message.reasoning)
            return replace(self, give_back_reasoning=False) if given else None
        if self.encrypted and re.search(r"encrypted.?content|\binclude\b", text, re.IGNORECASE):
            return replace(self, encrypted=False)
        if self.summary and re.search(r"\breasoning\b|\bsummar(?:y|ies)\b", text):
            return replace(self, summary=False)
        return None

    def _extra(self, body: Mapping[str, object]) -> Mapping[str, object]:
        """`extra`, where an effort does not take the place of what is asked for beside it."""
        reasoning = as_object(self.extra.get("reasoning"))
        return (
            {**self.extra, "reasoning": {**as_object(body.get("reasoning")), **reasoning}}
            if reasoning
            else self.extra
        )

    def _items(self, messages: Sequence[Message]) -> list[Item]:
        items: list[Item] = []
        for message in messages:
            match message.role:
                case Role.SYSTEM:
                    _say(items, "system", [_text_part(message.text)])
                case Role.USER:
                    _say(items, "user", self._parts(message.parts))
                case Role.ASSISTANT:
                    items += self._assistant(message)
                case Role.TOOL:
                    items.append(self._result(message))
        return items

    def _assistant(self, message: Message) -> list[Item]:
        """What the model said, in the order in which it said it."""
        text, calls = message.text, [_call(call) for call in message.calls]
        items: list[Item] = []
        phase = ""
        text_done = calls_done = 0
        for part in own_reasoning(message, self.provider, self.model):
            text_before = max(text_done, as_count(part.provider_metadata.get("text_before")))
            calls_before = max(calls_done, as_count(part.provider_metadata.get("calls_before")))
            items += [*_said(text[text_done:text_before], phase), *calls[calls_done:calls_before]]
            text_done, calls_done = text_before, calls_before
            if self._goes_back(part):
                items.append({"type": "reasoning", **as_object(part.provider_metadata.get("item"))})
            phase = as_text(part.provider_metadata.get("phase")) or phase
        items += [*_said(text[text_done:], phase), *calls[calls_done:]]
        # Reasoning is refused without the item that it led to; an answer that was cut ends with it.
        while items and items[-1]["type"] == "reasoning":
            items.pop()
        return items

    def _result(self, message: Message) -> Item:
        shown = any(self._as_itself(part) for part in message.parts)
        return {
            "type": "function_call_output",
            "call_id": wire_id(message.result.call_id if message.result else "", _CALL_ID),
            "output": self._parts(message.parts) if shown else message.text,
        }

    def _parts(self, parts: Sequence[Part]) -> list[Item]:
        return [self._part(part) for part in parts if part.text.strip()]

    def _part(self, part: Part) -> Item:
        match part:
            case Image() if self._as_itself(part):
                return {
                    "type": "input_image",
                    "image_url": data_url(picture_type(part.data), part.data),
                    "detail": "auto",
                }
            case Document() if self._as_itself(part):
                return {
                    "type": "input_file",
                    "filename": document_name(part.name),
                    "file_data": data_url(PDF, part.data),
                }
            case _:
                return _text_part(part.text)

    def _as_itself(self, part: Part) -> bool:
        return goes_as_itself(part, images=self.images, documents=self.documents)

    def _goes_back(self, part: Reasoning) -> bool:
        # Without its content it could only be looked up at the provider, which keeps nothing.
        item = as_object(part.provider_metadata.get("item"))
        return self.give_back_reasoning and bool(item.get("encrypted_content") or item.get("content"))


def _say(items: list[Item], role: str, content: list[Item]) -> None:
    """Add a message; two of one role are one, because templates of many local models insist on roles that alternate."""
    if items and items[-1].get("role") == role:
        items[-1] = {**items[-1], "content": [*as_list(items[-1]["content"]), *content]}
    else:
        items.append({"type": "message", "role": role, "content": content})


def _said(text: str, phase: str) -> list[Item]:
    if not text.strip():
        return []
    content: list[Item] = [{"type": "output_text", "text": text, "annotations": []}]
    item: Item = {"type": "message", "role": "assistant", "content": content}
    return [{**item, "phase": phase} if phase else item]


def _call(call: ToolCall) -> Item:
    return {
        "type": "function_call",
        "call_id": wire_id(call.id, _CALL_ID),
        "name": wire_name(call.name),
        "arguments": arguments_text(call),
    }


def _text_part(text: str) -> Item:
    return {"type": "input_text", "text": text}
