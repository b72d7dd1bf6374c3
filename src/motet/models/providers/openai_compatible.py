"""Chat completions as OpenAI defined them and many servers speak them: request → body, event → events. No I/O.

https://platform.openai.com/docs/api-reference/chat (and `chat-streaming`). Where servers differ, the differences
are fields of `ChatCompletions`: known ones are set in the table of providers, others are learnt from a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from motet.messages import Message, Role, ToolCall
from motet.models.protocol import ModelRequest
from motet.models.providers.chat_decoder import ChatDecoder
from motet.models.providers.fields import as_object, as_text
from motet.models.providers.neutral import arguments_text, own_reasoning, prepared, wire_id
from motet.models.providers.pieces import CallCollector, fresh_call_id

_ANY_CALL_ID = re.compile(r"[ -~]{1,40}")
_STRICT_CALL_ID = re.compile(r"[A-Za-z0-9]{9}")

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class ChatCompletions:
    """How one model of one server is spoken to. `extra` are further fields of the body, as the provider documents.

    `usage`: ask for the token counts of a stream. `output_field`: the name of the cap on the answer.
    `strict_history`: ids of calls have nine letters or digits, and no user message follows a tool's result.
    `no_effort`: tools are refused unless reasoning is switched off.
    """

    provider: str
    model: str
    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    usage: bool = True
    output_field: str = "max_tokens"
    strict_history: bool = False
    no_effort: bool = False
    new_call_id: Callable[[], str] = fresh_call_id

    @property
    def path(self) -> str:
        """See `Dialect`."""
        return "/chat/completions"

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
        for message in messages:
            mapped = self._message(message)
            if wire and wire[-1]["role"] == mapped["role"] and mapped["role"] in {"system", "user"}:
                # Templates of many local models insist on roles that alternate.
                wire[-1] = {**mapped, "content": f"{wire[-1]['content']}\n\n{mapped['content']}"}
                continue
            if self.strict_history and wire and wire[-1]["role"] == "tool" and mapped["role"] == "user":
                wire.append({"role": "assistant", "content": "Done."})
            wire.append(mapped)
        return wire

    def _message(self, message: Message) -> Json:
        match message.role:
            case Role.SYSTEM | Role.USER:
                return {"role": message.role.value, "content": message.text}
            case Role.ASSISTANT:
                return self._assistant(message)
            case Role.TOOL:
                call_id = message.result.call_id if message.result else ""
                return {"role": "tool", "tool_call_id": self._call_id(call_id), "content": message.text}

    def _assistant(self, message: Message) -> Json:
        wire: Json = {"role": "assistant", "content": message.text or None}
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
            "function": {"name": call.name, "arguments": arguments_text(call)},
        }
        return {**wire, "extra_content": signature} if signature else wire

    def _call_id(self, call_id: str) -> str:
        return wire_id(call_id, _STRICT_CALL_ID if self.strict_history else _ANY_CALL_ID)


def _names_a_field(text: str) -> bool:
    return (
        re.search(r"unsupported|not supported|unknown|unrecognized|unexpected|extra|not permitted|use '", text, re.I)
        is not None
    )
