"""Chat completions as OpenAI defined them and many servers speak them: request → body, event → events. No I/O.

https://platform.openai.com/docs/api-reference/chat (and `chat-streaming`). Where servers differ, the differences
are fields of `ChatCompletions`: known ones are set in the table of providers, others are learnt from a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from motet.messages import Document, Image, Message, Part, Role, ToolCall
from motet.models.parts import goes_as_itself
from motet.models.protocol import ModelRequest
from motet.models.providers.chat_decoder import ChatDecoder
from motet.models.providers.fields import as_list, as_object, as_text
from motet.models.providers.neutral import arguments_text, own_reasoning, prepared, wire_id, wire_name
from motet.models.providers.pictures import PDF, data_url, document_name, picture_type
from motet.models.providers.pieces import CallCollector, fresh_call_id

_ANY_CALL_ID = re.compile(r"[ -~]{1,40}")
_STRICT_CALL_ID = re.compile(r"[A-Za-z0-9]{9}")

_SHOWN = "What the results show:"

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class ChatCompletions:
    """How one model of one server is spoken to. `extra` are further fields of the body, as the provider documents.

    `usage`: ask for the token counts of a stream. `output_field`: the name of the cap on the answer.
    `strict_history`: ids of calls have nine letters or digits, and no user message follows a tool's result.
    `no_effort`: tools are refused unless reasoning is switched off. `images`, `documents`: whether pictures and PDF
    go as themselves (`docs/guides/images-vision`, `docs/guides/pdf-files`).
    """

    provider: str
    model: str
    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    usage: bool = True
    output_field: str = "max_tokens"
    strict_history: bool = False
    no_effort: bool = False
    images: bool = False
    documents: bool = False
    new_call_id: Callable[[], str] = fresh_call_id

    @property
    def path(self) -> str:
        """See `Dialect`."""
        return "/chat/completions"

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
        body: Json = {"model": self.model, "messages": self._messages(messages)}
        if self.usage:
            body["stream_options"] = {"include_usage": True}
        if request.max_output_tokens:
            body[self.output_field] = request.max_output_tokens
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
                }
                for tool in request.tools
            ]
            if self.no_effort:
                body["reasoning_effort"] = "none"
        return {**body, **self.extra, "stream": True}

    def decoder(self) -> ChatDecoder:
        """See `Dialect`."""
        return ChatDecoder(self.provider, self.model, CallCollector(self.new_call_id))

    def adapt(self, status: int, text: str, request: ModelRequest) -> ChatCompletions | None:
        """Without token counts, with the other name for the cap, or with reasoning off, as the refusal asks."""
        if status not in {400, 404, 422}:
            return None
        if self.usage and re.search(r"stream_options|include_usage", text):
            return replace(self, usage=False)
        if (
            request.tools
            and not self.no_effort
            and all(word in text for word in ("tools", "reasoning_effort", "none"))
        ):
            return replace(self, no_effort=True)
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[self.output_field]
        if request.max_output_tokens and re.search(rf"\b{self.output_field}\b", text) and _names_a_field(text):
            return replace(self, output_field=other)
        return None

    def _messages(self, messages: Sequence[Message]) -> list[Json]:
        wire: list[Json] = []
        shown: list[Json] = []
        for message in messages:
            if message.role is not Role.TOOL:
                self._show(wire, shown)
            self._add(wire, self._message(message))
            if message.role is Role.TOOL:
                shown += [self._part(part) for part in message.parts if self._as_itself(part)]
        self._show(wire, shown)
        return wire

    def _show(self, wire: list[Json], shown: list[Json]) -> None:
        """What tools have shown, said by the user behind all results: a result holds text only."""
        if shown:
            self._add(wire, {"role": "user", "content": [_text_part(_SHOWN), *shown]})
            shown.clear()

    def _add(self, wire: list[Json], mapped: Json) -> None:
        if wire and wire[-1]["role"] == mapped["role"] and mapped["role"] in {"system", "user"}:
            # Templates of many local models insist on roles that alternate.
            wire[-1] = {**mapped, "content": _joined(wire[-1]["content"], mapped["content"])}
            return
        if self.strict_history and wire and wire[-1]["role"] == "tool" and mapped["role"] == "user":
            wire.append({"role": "assistant", "content": "Done."})
        wire.append(mapped)

    def _message(self, message: Message) -> Json:
        match message.role:
            case Role.SYSTEM:
                return {"role": "system", "content": message.text}
            case Role.USER if any(self._as_itself(part) for part in message.parts):
                return {"role": "user", "content": [self._part(part) for part in message.parts if part.text.strip()]}
            case Role.USER:
                return {"role": "user", "content": message.text}
            case Role.ASSISTANT:
                return self._assistant(message)
            case Role.TOOL:
                call_id = message.result.call_id if message.result else ""
                return {"role": "tool", "tool_call_id": self._call_id(call_id), "content": message.text}

    def _part(self, part: Part) -> Json:
        match part:
            case Image() if self._as_itself(part):
                return {"type": "image_url", "image_url": {"url": data_url(picture_type(part.data), part.data)}}
            case Document() if self._as_itself(part):
                return {
                    "type": "file",
                    "file": {"filename": document_name(part.name), "file_data": data_url(PDF, part.data)},
                }
            case _:
                return _text_part(part.text)

    def _as_itself(self, part: Part) -> bool:
        return goes_as_itself(part, images=self.images, documents=self.documents)

    def _assistant(self, message: Message) -> Json:
        wire: Json = {"role": "assistant", "content": message.text if message.text.strip() else None}
        if not message.calls:
            return wire
        signatures: Mapping[str, object] = {}
        # Reasoning belongs to the calls that it led to; without calls servers ignore it or refuse it.
        for part in own_reasoning(message, self.provider, self.model):
            if name := as_text(part.provider_metadata.get("field")):
                wire[name] = part.text
            if details := part.provider_metadata.get("details"):
                wire["reasoning_details"] = details
            signatures = {**signatures, **as_object(part.provider_metadata.get("calls"))}
        wire["tool_calls"] = [self._call(call, signatures.get(call.id)) for call in message.calls]
        return wire

    def _call(self, call: ToolCall, signature: object) -> Json:
        wire: Json = {
            "id": self._call_id(call.id),
            "type": "function",
            "function": {"name": wire_name(call.name), "arguments": arguments_text(call)},
        }
        return {**wire, "extra_content": signature} if signature else wire

    def _call_id(self, call_id: str) -> str:
        return wire_id(call_id, _STRICT_CALL_ID if self.strict_history else _ANY_CALL_ID)


def _text_part(text: str) -> Json:
    return {"type": "text", "text": text}


def _joined(before: object, after: object) -> object:
    """The content of two messages of one role as one: a text when both are, else parts."""
    if isinstance(before, str) and isinstance(after, str):
        return f"{before}\n\n{after}"
    return [*_parts_of(before), *_parts_of(after)]


def _parts_of(content: object) -> list[object]:
    return [_text_part(content)] if isinstance(content, str) else as_list(content)


def _names_a_field(text: str) -> bool:
    return (
        re.search(r"unsupported|not supported|unknown|unrecognized|unexpected|extra|not permitted|use '", text, re.I)
        is not None
    )
