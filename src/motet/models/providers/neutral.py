"""The neutral conversation, prepared for a provider's rules. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from motet.messages import Message, Reasoning, Role, Text, ToolCall
from motet.models.providers.fields import as_object

_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


def without_tools(messages: Sequence[Message]) -> list[Message]:
    """`messages` with calls and results told as text, for a request that offers no tools.

    A conversation may go on with a model that cannot call tools; providers refuse calls then.
    """
    return [_as_text(message) for message in messages]


def _as_text(message: Message) -> Message:
    if message.result is not None:
        word = "error" if message.result.is_error else "result"
        said = Text(f"{word.capitalize()} of {message.result.name}:\n{message.text}")
        shown = tuple(part for part in message.parts if not isinstance(part, Text))
        return replace(message, role=Role.USER, parts=(said, *shown), result=None)
    if message.calls:
        calls = tuple(Text(f"(called {call.name} with {call.arguments})") for call in message.calls)
        return replace(message, parts=message.parts + calls, calls=(), reasoning=())
    return message


def prepared(messages: Sequence[Message], *, with_tools: bool) -> list[Message]:
    """`messages` without those that say nothing, and without calls when no tools are offered; no id comes twice."""
    told = _distinct(messages) if with_tools else without_tools(messages)
    return [message for message in told if message.calls or message.result or message.text.strip()]


def _distinct(messages: Sequence[Message]) -> list[Message]:
    """`messages` in which a call whose id an earlier one has gets another, and its result with it.

    Several servers count their calls anew in each answer; others refuse an id that comes twice.
    """
    seen: set[str] = set()
    renamed: dict[str, str] = {}
    result: list[Message] = []
    for message in messages:
        if message.calls:
            renamed = {call.id: _fresh(call.id, seen) for call in message.calls}
            if any(old != new for old, new in renamed.items()):
                message = _renamed(message, renamed)
        elif message.result is not None and (new := renamed.get(message.result.call_id)):
            message = replace(message, result=replace(message.result, call_id=new))
        result.append(message)
    return result


def _renamed(message: Message, names: Mapping[str, str]) -> Message:
    """`message` with other ids of its calls; what a provider wants back with a call follows its id."""
    calls = tuple(replace(call, id=names[call.id]) for call in message.calls)
    reasoning = tuple(
        Reasoning(part.text, {**part.provider_metadata, "calls": {names.get(old, old): data for old, data in own}})
        if (own := as_object(part.provider_metadata.get("calls")).items())
        else part
        for part in message.reasoning
    )
    return replace(message, calls=calls, reasoning=reasoning)


def _fresh(call_id: str, seen: set[str]) -> str:
    """`call_id`, or the next like it that nobody has `seen`; it has been seen then."""
    number, fresh = 1, call_id
    while fresh in seen:
        number += 1
        fresh = f"{call_id}_{number}"
    seen.add(fresh)
    return fresh


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


def wire_name(name: str) -> str:
    """The name of a tool as all providers take it: a model may have called something that is no name."""
    return _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "unknown"


def own_reasoning(message: Message, provider: str, model: str) -> list[Reasoning]:
    """The reasoning that came from this very model: signatures mean nothing to another."""
    return [
        part
        for part in message.reasoning
        if part.provider_metadata.get("provider") == provider and part.provider_metadata.get("model") == model
    ]
