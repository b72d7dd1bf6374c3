"""A message as JSON and back, equal in every field. Bytes are base64 text.

The body and what is known about it (`meta`) are apart, because the second changes more often. Fields with their
default value are left out, so that a new field changes nothing in what is stored. What a newer motet added is ignored
when it is read, and `carried` keeps it when it is written again; a kind of part that is not known becomes a text that
names it.

    body      {"v": 1, "role": "user", "parts": ["text", {"type": "image", "mime": …, "data": …, "name": …}],
               "reasoning": [{"text": …, "provider_metadata": {…}}], "calls": [{"id": …, "name": …, "arguments": …}],
               "result": {"call_id": …, "name": …, "is_error": …}, "typed": …, "context": {"id": …, "path": …},
               "visible": false}
    meta      {"id": …, "cycle": 1, "tag": …, …}
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import cast

from motet.messages import (
    ContextRef,
    Document,
    Image,
    Message,
    Meta,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)

VERSION = 1
"""Of the form of a body. Added fields do not change it; a body with a greater one is not guessed at."""

Row = dict[str, object]
_Texts = Mapping[str, str]

_META = {field.name: field.default for field in fields(Meta)}
_BODY = frozenset({"v", "role", "parts", "reasoning", "calls", "result", "typed", "context", "visible"})
_BYTES = "$bytes"
"""The one key of an object that stands for bytes within a provider's data."""


def encode(message: Message) -> tuple[Row, Row]:
    """The body and the meta of `message`, ready for `dumps`."""
    body: Row = {"v": VERSION, "role": message.role.value}
    if message.parts:
        body["parts"] = [part.text if isinstance(part, Text) else _part_row(part) for part in message.parts]
    if message.reasoning:
        body["reasoning"] = [
            {"text": one.text, "provider_metadata": _plain(one.provider_metadata)} for one in message.reasoning
        ]
    if message.calls:
        body["calls"] = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.calls]
    if message.result is not None:
        result = message.result
        body["result"] = {"call_id": result.call_id, "name": result.name, "is_error": result.is_error}
    if message.typed is not None:
        body["typed"] = message.typed
    if message.context is not None:
        one = message.context
        body["context"] = {"id": one.id, "path": one.path, "url": one.url, "mime": one.mime}
    if not message.visible:
        body["visible"] = False
    meta = {name: value for name, default in _META.items() if (value := getattr(message.meta, name)) != default}
    return body, meta


def decode(body: Row, meta: Row) -> Message:
    """The message. Raises `ValueError`, `KeyError`, `TypeError` or `AttributeError` when it cannot be understood."""
    version = body.get("v", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise ValueError(f"a message in the newer form {version}")
    result = body.get("result")
    context = body.get("context")
    return Message(
        Role(body["role"]),
        tuple(
            Text(one) if isinstance(one, str) else _part(one) for one in cast("Sequence[Row]", body.get("parts", ()))
        ),
        tuple(map(_reasoning, cast("Sequence[Row]", body.get("reasoning", ())))),
        tuple(
            ToolCall(one["id"], one["name"], one["arguments"])
            for one in cast("Sequence[_Texts]", body.get("calls", ()))
        ),
        None if result is None else _result(cast("Row", result)),
        cast("str | None", body.get("typed")),
        None if context is None else _context(cast("_Texts", context)),
        bool(body.get("visible", True)),
        _meta(meta),
    )


def dumps(row: Row) -> str:
    """`row` as JSON text that is valid Unicode: lone surrogates are escaped."""
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(row, separators=(",", ":"))
    return text


def carried(new: Row, old: Row) -> Row:
    """`new`, with what a newer motet wrote in `old` and this one does not know."""
    return {name: value for name, value in old.items() if name not in _BODY and name not in _META} | new


def _part_row(part: Image | Document) -> Row:
    row: Row = {"mime": part.mime, "data": b64encode(part.data).decode("ascii"), "name": part.name}
    match part:
        case Image():
            return {"type": "image", **row}
        case Document():
            return {"type": "document", **row, "plain": part.plain}


def _part(row: Row) -> Part:
    match row:
        case {"type": "image", "data": str(data), "mime": str(mime)}:
            return Image(b64decode(data), mime, str(row.get("name", "")))
        case {"type": "document", "data": str(data), "mime": str(mime)}:
            return Document(b64decode(data), mime, str(row.get("name", "")), str(row.get("plain", "")))
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": kind}:
            return Text(f"[{kind}: stored by a newer motet]")
        case _:
            raise ValueError("a part without its type")


def _reasoning(row: Row) -> Reasoning:
    return Reasoning(str(row["text"]), cast("Mapping[str, object]", _original(row["provider_metadata"])))


def _result(row: Row) -> ToolResult:
    return ToolResult(str(row["call_id"]), str(row["name"]), bool(row.get("is_error", False)))


def _context(row: _Texts) -> ContextRef:
    return ContextRef(row["id"], row.get("path", ""), row.get("url", ""), row.get("mime", ""))


def _meta(row: Row) -> Meta:
    known = row if row.keys() <= _META.keys() else {name: row[name] for name in row if name in _META}
    if "id" not in known:
        raise KeyError("id")
    return Meta(**known)  # pyright: ignore[reportArgumentType]


def _plain(value: object) -> object:
    """`value` in what JSON has; raises `TypeError` for what cannot come back equal."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return {_BYTES: b64encode(value).decode("ascii")}
        case Mapping():
            return {_name(name): _plain(one) for name, one in cast("Mapping[object, object]", value).items()}
        case list() | tuple():
            return [_plain(one) for one in cast("Sequence[object]", value)]
        case _:
            raise TypeError(f"a provider's data holds {type(value).__name__}, which cannot be stored")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError("a provider's data has a name that is no text")
    return name


def _original(value: object) -> object:
    match value:
        case dict():
            row = cast("Row", value)
            data = row.get(_BYTES)
            if len(row) == 1 and isinstance(data, str):
                return b64decode(data)
            return {name: _original(one) for name, one in row.items()}
        case list():
            return [_original(one) for one in cast("list[object]", value)]
        case _:
            return value


assert _META["id"] is MISSING  # it has no default, so it is always written
