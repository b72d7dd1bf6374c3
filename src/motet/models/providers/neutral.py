"""The neutral conversation, prepared for a provider's rules. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from motet.messages import Message, Reasoning, Text, ToolCall


def without_tools(messages: Sequence[Message]) -> list[Message]:
    """`messages` with calls and results told as text, for a request that offers no tools.

    A conversation may go on with a model that cannot call tools; providers refuse calls then.
    """
    return [_as_text(message) for message in messages]


def _as_text(message: Message) -> Message:
    if message.result is not None:
        word = "error" if message.result.is_error else "result"
        return Message.user(f"{word.capitalize()} of {message.result.name}:\n{message.text}", tag=message.tag)
    if message.calls:
        calls = tuple(Text(f"(called {call.name} with {call.arguments})") for call in message.calls)
        return replace(message, parts=message.parts + calls, calls=(), reasoning=())
    return message


def prepared(messages: Sequence[Message], *, with_tools: bool) -> list[Message]:
    """`messages` without those that say nothing, and without calls when no tools are offered."""
    told = list(messages) if with_tools else without_tools(messages)
    return [message for message in told if message.calls or message.result or message.text.strip()]


def arguments_object(call: ToolCall) -> Mapping[str, object]:
    """The arguments as an object, which providers insist on; bad JSON is wrapped, so that the model sees it."""
    try:
        value: object = json.loads(call.arguments or "{}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return cast("Mapping[str, object]", value)
    return {"invalid_json": call.arguments}


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def arguments_text(call: ToolCall) -> str:
    """The arguments as the text of an object, exactly as written when they are one."""
    wrapped = arguments_object(call)
    return json.dumps(wrapped, ensure_ascii=False) if "invalid_json" in wrapped else call.arguments or "{}"


def wire_id(call_id: str, allowed: re.Pattern[str]) -> str:
    """`call_id` when `allowed` matches all of it, else 9 letters and digits that always stand for it.

    Ids from one provider break the rules of another when a conversation changes its model.
    """
    if allowed.fullmatch(call_id):
        return call_id
    return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:9]


def own_reasoning(message: Message, provider: str, model: str) -> list[Reasoning]:
    """The reasoning that came from this very model: signatures mean nothing to another."""
    return [
        part
        for part in message.reasoning
        if part.provider_metadata.get("provider") == provider and part.provider_metadata.get("model") == model
    ]
