"""A conversation in pydantic-ai's messages. No I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition as KnownTool

from motet.messages import Document, Image, Message, Part, Reasoning, Role, ToolCall
from motet.models.parts import goes_as_itself
from motet.models.protocol import ToolDefinition
from motet.models.providers.fields import as_count, as_object, as_text
from motet.models.providers.neutral import arguments_text, own_reasoning, prepared, wire_id, wire_name
from motet.models.providers.pictures import PDF, picture_type
from motet.models.providers.pieces import whole_characters

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_STRICT_CALL_ID = re.compile(r"[A-Za-z0-9]{9}")
_BEFORE = "(The beginning of the conversation is left out.)"
_AFTER = "Go on."
_NOTHING = "(nothing)"


@dataclass(frozen=True, slots=True)
class Speaker:
    """How one model is spoken to. `provider`: the name in the settings; `service`: that in pydantic-ai."""

    provider: str
    service: str
    model: str
    images: bool = False
    documents: bool = False
    give_back_reasoning: bool = True

    def messages(self, conversation: Sequence[Message], *, with_tools: bool) -> list[ModelMessage]:
        """All of `conversation`, in turns; the first and the last are the human's."""
        told = prepared(conversation, with_tools=with_tools)
        rules = [_system(message) for message in told if message.role is Role.SYSTEM]
        turns: list[ModelMessage] = []
        asked: list[ModelRequestPart] = [*rules]
        answered: list[Message] = []
        for message in (message for message in told if message.role is not Role.SYSTEM):
            if message.role is Role.ASSISTANT:
                if not answered and len(asked) == (0 if turns else len(rules)):
                    asked.append(UserPromptPart(_BEFORE))
                if asked:
                    turns.append(ModelRequest(asked))
                    asked = []
                answered.append(message)
            else:
                turns += self._answer(answered)
                answered = []
                asked.append(self._asked(message))
        turns += self._answer(answered)
        if answered:
            asked.append(UserPromptPart(_AFTER))
        return [*turns, ModelRequest(asked)]

    def _asked(self, message: Message) -> ModelRequestPart:
        content = [self._part(part) for part in message.parts if part.text.strip()]
        if message.result is None:
            return UserPromptPart(content)
        shown = any(isinstance(each, BinaryContent) for each in content)
        return ToolReturnPart(
            tool_name=wire_name(message.result.name),
            content=content if shown else whole_characters(message.text) or _NOTHING,
            tool_call_id=self._call_id(message.result.call_id),
            outcome="failed" if message.result.is_error else "success",
        )

    def _part(self, part: Part) -> UserContent:
        match part:
            case Image() if self._as_itself(part):
                return BinaryContent(part.data, media_type=picture_type(part.data))
            case Document() if self._as_itself(part):
                return BinaryContent(part.data, media_type=PDF)
            case _:
                return whole_characters(part.text)

    def _as_itself(self, part: Part) -> bool:
        return goes_as_itself(part, images=self.images, documents=self.documents)

    def _answer(self, messages: Sequence[Message]) -> list[ModelMessage]:
        """What the model said, as one turn; with the thinking that its provider wants back."""
        parts: list[ModelResponsePart] = []
        origin: Mapping[str, object] = {}
        for message in messages:
            own = own_reasoning(message, self.provider, self.model) if self.give_back_reasoning else []
            parts += self._said(message, own)
            for part in own:
                origin = as_object(part.provider_metadata.get("origin")) or origin
        # Thinking stands at the head of a turn or nowhere, and never at its end, where an answer was cut.
        while parts and isinstance(parts[-1], ThinkingPart):
            parts.pop()
        if parts and not isinstance(parts[0], ThinkingPart):
            parts = [part for part in parts if not isinstance(part, ThinkingPart)]
        if not parts:
            return []
        response = ModelResponse(
            parts,
            model_name=self.model,
            provider_name=as_text(origin.get("provider_name")) or None,
            provider_url=as_text(origin.get("provider_url")) or None,
            canonical_system=as_text(origin.get("canonical_system")) or None,
        )
        return [response]

    def _said(self, message: Message, own: Sequence[Reasoning]) -> list[ModelResponsePart]:
        signed: dict[str, object] = {}
        for part in own:
            signed |= as_object(part.provider_metadata.get("calls"))
        text = message.text
        calls = [self._call(call, as_object(signed.get(call.id))) for call in message.calls]
        parts: list[ModelResponsePart] = []
        text_done = calls_done = 0
        for part in own:
            if not part.provider_metadata.get("part"):
                continue  # it was cut, or says nothing to its provider
            text_before = max(text_done, as_count(part.provider_metadata.get("text_before")))
            calls_before = max(calls_done, as_count(part.provider_metadata.get("calls_before")))
            parts += [*_texts(text[text_done:text_before]), *calls[calls_done:calls_before], _thought(part)]
            text_done, calls_done = text_before, calls_before
        return [*parts, *_texts(text[text_done:]), *calls[calls_done:]]

    def _call(self, call: ToolCall, signed: Mapping[str, object]) -> ToolCallPart:
        return ToolCallPart(
            tool_name=wire_name(call.name),
            args=whole_characters(arguments_text(call)),
            tool_call_id=self._call_id(call.id),
            provider_name=as_text(signed.get("provider_name")) or None,
            provider_details=_details(signed),
        )

    def _call_id(self, call_id: str) -> str:
        return wire_id(call_id, _STRICT_CALL_ID if self.service == "mistral" else _CALL_ID)


def parameters(tools: Sequence[ToolDefinition]) -> ModelRequestParameters:
    """What the model may call. Schemas go as they are: the strict form of some providers allows only a part of JSON schema."""
    return ModelRequestParameters(
        function_tools=[
            KnownTool(
                name=tool.name,
                parameters_json_schema=dict(tool.schema),
                description=whole_characters(tool.description),
                strict=False,
            )
            for tool in tools
        ]
    )


def _system(message: Message) -> SystemPromptPart:
    return SystemPromptPart(whole_characters(message.text))


def _texts(text: str) -> list[ModelResponsePart]:
    return [TextPart(whole_characters(text))] if text.strip() else []


def _thought(part: Reasoning) -> ThinkingPart:
    own = as_object(part.provider_metadata.get("part"))
    return ThinkingPart(
        part.text,
        id=as_text(own.get("id")) or None,
        signature=as_text(own.get("signature")) or None,
        provider_name=as_text(own.get("provider_name")) or None,
        provider_details=_details(own),
    )


def _details(own: Mapping[str, object]) -> dict[str, object] | None:
    return cast("dict[str, object] | None", own.get("provider_details") or None)
