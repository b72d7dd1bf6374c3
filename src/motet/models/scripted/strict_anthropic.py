"""The rules of Anthropic's Messages API. Pure.

Pages below https://platform.claude.com/docs/en/ that state them:

- `api/messages`: the fields of a request, of a message, of each block and of a tool; `max_tokens` is required; the
  roles are `user` and `assistant`, the system prompt stands at the top; text is not blank; the first message is the
  user's, messages of one role in a row count as one.
- `api/versioning`: the header `anthropic-version` is required.
- `agents-and-tools/tool-use/implement-tool-use` (older: `handle-tool-calls`): results stand in the user message right
  behind their calls, at the beginning of it, exactly one a call; ids are unique; a request with calls offers tools; a
  tool's schema is that of an object.
- `build-with-claude/extended-thinking`: thinking goes back with its signature, unchanged, at the head of its message,
  and a message does not end with it.
- `build-with-claude/vision`, `build-with-claude/pdf-support`: pictures are PNG, JPEG, GIF or WebP and are what they
  are declared to be, documents are PDF; both are the user's.
- `about-claude/models/migration-guide`: newer models take no beginning of their own answer, so the last message is
  the user's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from motet.models.scripted.strict_values import (
    Json,
    Violation,
    count_at,
    items_at,
    name_at,
    object_at,
    only,
    pdf_at,
    picture_at,
    said_at,
    schema_at,
    text_at,
)

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REQUEST_FIELDS = """
    model messages max_tokens system tools tool_choice stream stop_sequences temperature top_k top_p thinking metadata
    service_tier container context_management mcp_servers output_config output_format cache_control inference_geo speed
"""
_TOOL_FIELDS = """
    name description input_schema type cache_control strict defer_loading input_examples allowed_callers
    eager_input_streaming
"""
_REQUEST = frozenset(_REQUEST_FIELDS.split())
_TOOL = frozenset(_TOOL_FIELDS.split())
_USER_BLOCKS = frozenset({"text", "image", "document", "tool_result"})
_ASSISTANT_BLOCKS = frozenset({"text", "thinking", "redacted_thinking", "tool_use"})
_RESULT_BLOCKS = frozenset({"text", "image", "document"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})

_Turn = tuple[str, str, list[Json]]
"""Role, place in the request and blocks of all messages in a row with that role."""


def check(body: Json, headers: Mapping[str, str]) -> None:
    """Raise `Violation` for the first rule that a request breaks. Names of `headers` are in lower case."""
    if not headers.get("anthropic-version"):
        raise Violation("anthropic-version", "header is required")
    only("", body, _REQUEST)
    text_at("model", body.get("model"))
    count_at("max_tokens", body.get("max_tokens"))
    _check_system(body)
    names = _check_tools(body)
    turns = _turns(items_at("messages", body.get("messages")))
    if turns[0][0] != "user":
        raise Violation("messages", "first message must use the user role")
    if turns[-1][0] != "user":
        raise Violation("messages", "the conversation must end with a user message: this model takes no prefill")
    for role, place, blocks in turns:
        _check_order(role, place, blocks)
    _check_pairs(turns, offered=bool(names))


def _check_system(body: Json) -> None:
    system = body.get("system")
    if isinstance(system, str):
        said_at("system", system)
    elif system is not None:
        for index, item in enumerate(items_at("system", system)):
            block = object_at(f"system.{index}", item)
            if block.get("type") != "text":
                raise Violation(f"system.{index}.type", "only text is allowed here")
            _check_text(f"system.{index}", block)


def _check_tools(body: Json) -> set[str]:
    names: set[str] = set()
    if "tools" not in body:
        return names
    for index, item in enumerate(items_at("tools", body["tools"])):
        place = f"tools.{index}"
        tool = object_at(place, item)
        only(place, tool, _TOOL)
        name_at(f"{place}.name", tool.get("name"), names)
        schema_at(f"{place}.input_schema", tool.get("input_schema"))
        if "description" in tool:
            text_at(f"{place}.description", tool["description"])
    return names


def _turns(messages: list[object]) -> list[_Turn]:
    turns: list[_Turn] = []
    for index, item in enumerate(messages):
        place = f"messages.{index}"
        message = object_at(place, item)
        only(place, message, {"role", "content"})
        role = message.get("role")
        if role == "system":
            raise Violation(place, 'unexpected role "system": the system prompt is the top-level `system` parameter')
        if role not in {"user", "assistant"}:
            raise Violation(f"{place}.role", "expected user or assistant")
        blocks = _blocks(f"{place}.content", message.get("content"), role == "user")
        if turns and turns[-1][0] == role:
            turns[-1][2].extend(blocks)
        else:
            turns.append((str(role), place, blocks))
    return turns


def _blocks(place: str, content: object, users: bool) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": said_at(place, content)}]
    blocks = [object_at(f"{place}.{index}", block) for index, block in enumerate(items_at(place, content))]
    for index, block in enumerate(blocks):
        _check_block(f"{place}.{index}", block, _USER_BLOCKS if users else _ASSISTANT_BLOCKS)
    return blocks


def _check_block(place: str, block: Json, allowed: frozenset[str]) -> None:
    kind = text_at(f"{place}.type", block.get("type"))
    if kind not in allowed:
        raise Violation(f"{place}.type", f"{kind} is not allowed here, but {', '.join(sorted(allowed))}")
    match kind:
        case "text":
            _check_text(place, block)
        case "image":
            only(place, block, {"type", "source", "cache_control"})
            _check_source(f"{place}.source", block.get("source"), picture=True)
        case "document":
            only(place, block, {"type", "source", "title", "context", "citations", "cache_control"})
            _check_source(f"{place}.source", block.get("source"), picture=False)
            if "title" in block:
                said_at(f"{place}.title", block["title"])
        case "thinking":
            only(place, block, {"type", "thinking", "signature"})
            text_at(f"{place}.thinking", block.get("thinking"))
            if not text_at(f"{place}.signature", block.get("signature")):
                raise Violation(f"{place}.signature", "invalid signature in thinking block")
        case "redacted_thinking":
            only(place, block, {"type", "data"})
            said_at(f"{place}.data", block.get("data"))
        case "tool_use":
            only(place, block, {"type", "id", "name", "input", "cache_control", "caller"})
            _check_id(f"{place}.id", block.get("id"))
            name_at(f"{place}.name", block.get("name"), set())
            object_at(f"{place}.input", block.get("input"))
        case _:
            _check_result(place, block)


def _check_text(place: str, block: Json) -> None:
    only(place, block, {"type", "text", "cache_control", "citations"})
    said_at(f"{place}.text", block.get("text"))


def _check_source(place: str, value: object, *, picture: bool) -> None:
    source = object_at(place, value)
    match source.get("type"):
        case "base64":
            only(place, source, {"type", "media_type", "data"})
            (picture_at if picture else pdf_at)(f"{place}.data", source.get("media_type"), source.get("data"))
        case "url":
            only(place, source, {"type", "url"})
            said_at(f"{place}.url", source.get("url"))
        case "file":
            only(place, source, {"type", "file_id"})
            said_at(f"{place}.file_id", source.get("file_id"))
        case "text" if not picture:
            only(place, source, {"type", "media_type", "data"})
            said_at(f"{place}.data", source.get("data"))
        case other:
            raise Violation(f"{place}.type", f"unexpected source {other!r}")


def _check_result(place: str, block: Json) -> None:
    only(place, block, {"type", "tool_use_id", "content", "is_error", "cache_control"})
    _check_id(f"{place}.tool_use_id", block.get("tool_use_id"))
    if not isinstance(block.get("is_error", False), bool):
        raise Violation(f"{place}.is_error", "expected a boolean")
    content = block.get("content", "")
    if not isinstance(content, str):
        for index, item in enumerate(items_at(f"{place}.content", content)):
            at = f"{place}.content.{index}"
            _check_block(at, object_at(at, item), _RESULT_BLOCKS)


def _check_id(place: str, value: object) -> None:
    if not _CALL_ID.fullmatch(text_at(place, value)):
        raise Violation(place, f"must match {_CALL_ID.pattern}")


def _check_order(role: str, place: str, blocks: list[Json]) -> None:
    kinds = [str(block["type"]) for block in blocks]
    if role == "user":
        first_other = next((index for index, kind in enumerate(kinds) if kind != "tool_result"), len(kinds))
        if "tool_result" in kinds[first_other:]:
            raise Violation(place, "tool_result blocks must come first in the content")
        return
    if _THOUGHTS & set(kinds) and kinds[0] not in _THOUGHTS:
        raise Violation(f"{place}.content.0.type", f"expected thinking or redacted_thinking, but found {kinds[0]}")
    if kinds[-1] in _THOUGHTS:
        raise Violation(place, "the final block in an assistant message cannot be thinking")


def _check_pairs(turns: list[_Turn], *, offered: bool) -> None:
    seen: set[str] = set()
    open_ids: list[str] = []
    for _, place, blocks in turns:
        answered = [str(block["tool_use_id"]) for block in blocks if block["type"] == "tool_result"]
        for call_id in answered:
            if call_id not in open_ids:
                raise Violation(
                    place, f"unexpected tool_use_id in tool_result: {call_id} has no call right before it"
                )
            if answered.count(call_id) > 1:
                raise Violation(place, f"each tool_use must have a single result: {call_id} has several")
        if missing := [call_id for call_id in open_ids if call_id not in answered]:
            raise Violation(place, f"tool_use ids without tool_result blocks immediately after: {', '.join(missing)}")
        open_ids = [str(block["id"]) for block in blocks if block["type"] == "tool_use"]
        for call_id in open_ids:
            if call_id in seen:
                raise Violation(place, f"tool_use ids must be unique: {call_id}")
            seen.add(call_id)
    if seen and not offered:
        raise Violation("tools", "requests which include tool_use or tool_result blocks must define tools")
