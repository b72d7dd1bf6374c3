"""Recordings of a session with a model: JSON lines, one schema, no secrets.

    {"schema": 1, "model": …, "context_tokens": …, "output_tokens": …, "tools": …, …}         first line
    {"request": {"messages": [["user", "SHA-256"], …], "tools": ["SHA-256", …]}}              then per request:
    {"at": SECONDS, "event": "text" | "reasoning" | "call" | "completed" | "failed", …}       its events, in time

What was asked is not written, only its hash. Keys travel in headers, which no recording sees; what looks like a
key in an answer is masked (see `masking`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.errors import ModelError, ModelErrorKind
from motet.messages import Message, Reasoning, Text, ToolCall
from motet.models.protocol import (
    Completed,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    Retrying,
    TextDelta,
    ToolCallDelta,
    Usage,
)
from motet.models.providers.fields import as_count, as_list, as_object, as_text

SCHEMA = 1
Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a request was, without saying it: role and hash of each message, hash of each tool."""

    messages: tuple[tuple[str, str], ...]
    tools: tuple[str, ...]

    @classmethod
    def of(cls, request: ModelRequest, workspace: Path | None) -> Fingerprint:
        """The fingerprint of `request`; places inside `workspace` count by their path in it."""
        root = str(workspace) if workspace else ""
        messages = tuple((message.role.value, _hash(_said(message), root)) for message in request.messages)
        tools = tuple(_hash([tool.name, tool.description, dict(tool.schema)], root) for tool in request.tools)
        return cls(messages, tools)

    @classmethod
    def read(cls, data: Json) -> Fingerprint:
        """From the file."""
        pairs = (as_list(pair) for pair in as_list(data.get("messages")))
        messages = tuple((as_text(pair[0]), as_text(pair[1])) for pair in pairs if len(pair) == 2)
        return cls(messages, tuple(as_text(tool) for tool in as_list(data.get("tools"))))

    def written(self) -> Json:
        """For the file."""
        return {"messages": [list(pair) for pair in self.messages], "tools": list(self.tools)}

    def difference(self, other: Fingerprint) -> str:
        """The first way in which `other` is another request, in words."""
        for number, (mine, theirs) in enumerate(zip(self.messages, other.messages, strict=False), 1):
            if mine != theirs:
                return f"message {number} ({theirs[0]}) is another"
        if len(self.messages) != len(other.messages):
            return f"it has {len(other.messages)} messages instead of {len(self.messages)}"
        return "its tools are others"


def _said(message: Message) -> list[object]:
    # Ids of calls are left out: providers make them up anew each time.
    calls = [[call.name, call.arguments] for call in message.calls]
    result = message.result and [message.result.name, message.result.is_error]
    said: list[object] = [message.text, calls, result]
    # Of pictures and documents the bytes count; recordings without any stay what they are.
    data = [hashlib.sha256(part.data).hexdigest() for part in message.parts if not isinstance(part, Text)]
    return [*said, data] if data else said


def _hash(value: Sequence[object], root: str) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if root:
        text = text.replace(json.dumps(root, ensure_ascii=False)[1:-1], "<workspace>")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Timed:
    """An event and how many seconds after the request it came. A failure is an event, too."""

    at: float
    event: ModelEvent | ModelError


def written(timed: Timed) -> Json:
    """An event for the file."""
    at = round(timed.at, 3)
    match timed.event:
        case TextDelta(text):
            return {"at": at, "event": "text", "text": text}
        case ReasoningDelta(text):
            return {"at": at, "event": "reasoning", "text": text}
        case ToolCallDelta(index, arguments, call_id, name):
            return {"at": at, "event": "call", "index": index, "id": call_id, "name": name, "arguments": arguments}
        case Retrying(delay, attempt, reason):
            return {"at": at, "event": "retrying", "delay": delay, "attempt": attempt, "reason": reason}
        case Completed(reason, calls, reasoning, usage):
            return {
                "at": at,
                "event": "completed",
                "reason": reason,
                "calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls],
                "reasoning": [{"text": part.text, "metadata": dict(part.provider_metadata)} for part in reasoning],
                "usage": {"input": usage.input, "output": usage.output, "cached_input": usage.cached_input},
            }
        case ModelError() as error:
            status = {"status": error.status} if error.status else {}
            return {"at": at, "event": "failed", "kind": error.kind.value, "message": str(error), **status}


def read_event(data: Json) -> Timed:
    """An event from the file. Raises `ValueError` when it is none."""
    raw = data.get("at")
    at = float(raw) if isinstance(raw, (int, float)) else 0.0
    match data.get("event"):
        case "text":
            return Timed(at, TextDelta(as_text(data.get("text"))))
        case "reasoning":
            return Timed(at, ReasoningDelta(as_text(data.get("text"))))
        case "call":
            call = _read_call(data)
            return Timed(at, ToolCallDelta(as_count(data.get("index")), call.arguments, call.id, call.name))
        case "retrying":
            delay = data.get("delay")
            seconds = float(delay) if isinstance(delay, (int, float)) else 0.0
            return Timed(at, Retrying(seconds, as_count(data.get("attempt")), as_text(data.get("reason"))))
        case "completed":
            usage = as_object(data.get("usage"))
            counts = [as_count(usage.get(name)) for name in ("input", "output", "cached_input")]
            calls = tuple(_read_call(as_object(call)) for call in as_list(data.get("calls")))
            parts = map(as_object, as_list(data.get("reasoning")))
            reasoning = tuple(Reasoning(as_text(part.get("text")), as_object(part.get("metadata"))) for part in parts)
            return Timed(at, Completed(as_text(data.get("reason")), calls, reasoning, Usage(*counts)))
        case "failed":
            status = as_count(data.get("status")) or None
            kind = ModelErrorKind(as_text(data.get("kind")))
            return Timed(at, ModelError(as_text(data.get("message")), kind, provider="replay", status=status))
        case other:
            raise ValueError(f"unknown event {other!r}")


def _read_call(data: Json) -> ToolCall:
    return ToolCall(as_text(data.get("id")), as_text(data.get("name")), as_text(data.get("arguments")))
