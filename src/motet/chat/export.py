"""A whole chat as one JSON text, hidden messages included, and back; and as Markdown.

    {"format": "motet chat", "version": 1, "title": "…",
     "messages": [{"role": "user", "parts": [{"type": "text", "text": "…"}], "meta": {"id": "01K…", …}, …}, …]}

A message has the fields of `motet.messages.Message`; those with the value that a message has without them are left
out. A part's `type` is `text`, `image` or `document`; its `data` is base64 (RFC 4648, section 4). Fields that are not
known are ignored, so a version grows only when the meaning of a field changes.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import cast

from motet.chat.transcript import render
from motet.errors import InputError
from motet.messages import (
    ContextRef,
    Document,
    Image,
    Message,
    MessageStack,
    Meta,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)

FORMAT = "motet chat"
VERSION = 1
"""Of the JSON form; a greater one is refused, never guessed at."""

_Row = dict[str, object]
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Exported:
    """A chat that was read from JSON. `messages` are a valid stack."""

    messages: tuple[Message, ...]
    title: str = ""


def to_json(messages: Iterable[Message], *, title: str = "") -> str:
    """The whole stack as JSON, one message a line, to be written as UTF-8. Keys of providers are in no message."""
    head = json.dumps({"format": FORMAT, "version": VERSION, "title": title}, ensure_ascii=False)[:-1]
    rows = ",\n".join(json.dumps(_row(message), ensure_ascii=False) for message in messages)
    text = f'{head}, "messages": [\n{rows}\n]}}\n'
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def from_json(text: str | bytes, name: str = "the export") -> Exported:
    """Read what `to_json` wrote; `name` is the file's, for messages.

    Raises `InputError` when it is damaged, of a newer version, or no exported chat at all.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: not an exported chat: it is no JSON ({error})") from error
    if not isinstance(value, dict) or cast("_Row", value).get("format") != FORMAT:
        raise InputError(f'{name}: not an exported chat: it has no "format": "{FORMAT}"')
    row = cast("_Row", value)
    version = row.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InputError(f"{name}: written by a newer motet (version {version}); update motet to read it")
    messages: list[Message] = []
    try:
        for entry in _rows(row, "messages"):
            messages.append(_message(entry))
        title = _text(row, "title")
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise InputError(f"{name}: message {len(messages) + 1} is damaged: {_why(error)}") from error
    try:
        MessageStack(*messages)
    except ValueError as error:
        raise InputError(f"{name}: its messages are no conversation: {error}") from error
    return Exported(tuple(messages), title)


to_markdown = render
"""The transcript: what is visible, with the draft's place at its end."""


def _why(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


def _row(message: Message) -> _Row:
    row: _Row = {"role": message.role.value, "parts": [_part_row(part) for part in message.parts]}
    if message.reasoning:
        row["reasoning"] = [
            {"text": each.text, "metadata": dict(each.provider_metadata)} for each in message.reasoning
        ]
    if message.calls:
        row["calls"] = [_fields(call) for call in message.calls]
    if message.result is not None:
        row["result"] = _fields(message.result)
    if message.typed is not None:
        row["typed"] = message.typed
    if message.context is not None:
        row["context"] = _fields(message.context)
    if not message.visible:
        row["visible"] = False
    row["meta"] = _fields(message.meta)
    return row


def _fields(value: ToolCall | ToolResult | ContextRef | Meta) -> _Row:
    """The fields of a value, without those that are empty."""
    row: _Row = {each.name: getattr(value, each.name) for each in fields(value)}
    return {name: own for name, own in row.items() if own or name in {"id", "name", "arguments", "call_id"}}


def _part_row(part: Part) -> _Row:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(data, mime, name):
            return {"type": "image", "mime": mime, "name": name, "data": _base64(data)}
        case Document(data, mime, name, plain):
            return {"type": "document", "mime": mime, "name": name, "plain": plain, "data": _base64(data)}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _message(row: _Row) -> Message:
    return Message(
        role=Role(_text(row, "role", None)),
        parts=tuple(map(_part, _rows(row, "parts"))),
        reasoning=tuple(
            Reasoning(_text(each, "text"), _object(each, "metadata")) for each in _rows(row, "reasoning")
        ),
        calls=tuple(
            ToolCall(_text(call, "id", None), _text(call, "name", None), _text(call, "arguments", None))
            for call in _rows(row, "calls")
        ),
        result=_result(_object(row, "result")) if row.get("result") is not None else None,
        typed=_text(row, "typed", None) if row.get("typed") is not None else None,
        context=_context(_object(row, "context")) if row.get("context") is not None else None,
        visible=_flag(row, "visible", True),
        meta=_meta(_object(row, "meta")),
    )


def _part(row: _Row) -> Part:
    kind = _text(row, "type", None)
    match kind:
        case "text":
            return Text(_text(row, "text", None))
        case "image":
            return Image(_data(row), _text(row, "mime", None), _text(row, "name"))
        case "document":
            return Document(_data(row), _text(row, "mime", None), _text(row, "name"), _text(row, "plain"))
        case _:
            raise ValueError(f"a part of an unknown type ({kind})")


def _result(row: Mapping[str, object]) -> ToolResult:
    return ToolResult(_text(row, "call_id", None), _text(row, "name", None), _flag(row, "is_error"))


def _context(row: Mapping[str, object]) -> ContextRef:
    return ContextRef(_text(row, "id", None), _text(row, "path"), _text(row, "url"), _text(row, "mime"))


def _meta(row: Mapping[str, object]) -> Meta:
    return Meta(
        id=_text(row, "id", None),
        cycle=_count(row, "cycle"),
        tag=_text(row, "tag"),
        source=_text(row, "source"),
        estimated_tokens=_count(row, "estimated_tokens"),
        reported_tokens=_count(row, "reported_tokens"),
        sent=_flag(row, "sent"),
        partial=_flag(row, "partial"),
        compacted=_flag(row, "compacted"),
    )


def _data(row: _Row) -> bytes:
    return base64.b64decode(_text(row, "data", None), validate=True)


def _text(row: Mapping[str, object], name: str, default: str | None = "") -> str:
    """The text of a field; without a default it must be there."""
    value = row[name] if default is None else row.get(name, default)
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    return value


def _count(row: Mapping[str, object], name: str) -> int:
    value = row.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{name} is no count")
    return value


def _flag(row: Mapping[str, object], name: str, default: bool = False) -> bool:
    value = row.get(name, default)
    if not isinstance(value, bool):
        raise TypeError(f"{name} is neither true nor false")
    return value


def _object(row: Mapping[str, object], name: str) -> _Row:
    value = row.get(name, {})
    if not isinstance(value, dict):
        raise TypeError(f"{name} is no object")
    return cast("_Row", value)


def _rows(row: Mapping[str, object], name: str) -> list[_Row]:
    value = row.get(name, [])
    if not isinstance(value, list):
        raise TypeError(f"{name} is no list")
    rows = cast("list[object]", value)
    if not all(isinstance(each, dict) for each in rows):
        raise TypeError(f"{name} holds something that is no object")
    return cast("list[_Row]", rows)
