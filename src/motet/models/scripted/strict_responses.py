"""The rules of OpenAI's Responses API. Pure.

Pages that state them:

- https://platform.openai.com/docs/api-reference/responses/create: the fields of a request, of each kind of item and
  of a tool, which is flat; `max_output_tokens` from 16; what a user says is `input_text`, `input_image` and
  `input_file`, what the model said is `output_text` and `refusal`; `call_id` has at most 64 characters.
- https://platform.openai.com/docs/guides/function-calling: each call has one output behind it, each output its call;
  arguments are JSON text; a tool is strict unless it says that it is not, and a strict schema names all its fields.
- https://platform.openai.com/docs/guides/reasoning: reasoning goes back with what it led to right behind it; with
  `store: false` it goes back with its content, because nothing can be looked up.
- https://platform.openai.com/docs/guides/images-vision and `guides/pdf-files`: pictures are PNG, JPEG, GIF or WebP in
  a data URL, documents are PDF with a name.
"""

from __future__ import annotations

import json

from motet.models.scripted.strict_values import (
    Json,
    Violation,
    count_at,
    data_url_at,
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

_FIELDS = """
    model input instructions stream stream_options store include reasoning max_output_tokens max_tool_calls tools
    tool_choice parallel_tool_calls temperature top_p top_logprobs text truncation metadata service_tier background
    previous_response_id conversation prompt prompt_cache_key prompt_cache_retention safety_identifier user
"""
_REQUEST = frozenset(_FIELDS.split())
_ITEMS = {
    "message": frozenset({"type", "role", "content", "id", "status", "phase"}),
    "function_call": frozenset({"type", "call_id", "name", "arguments", "id", "status"}),
    "function_call_output": frozenset({"type", "call_id", "output", "id", "status"}),
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content"}),
}
_INPUT = ("input_text", "input_image", "input_file")
_OUTPUT = ("output_text", "refusal")
_LEAST_OUTPUT = 16
_LONGEST_ID = 64


def check(body: Json) -> None:
    """Raise `Violation` for the first rule that a request breaks."""
    only("", body, _REQUEST)
    text_at("model", body.get("model"))
    if "instructions" in body:
        said_at("instructions", body["instructions"])
    if "max_output_tokens" in body and count_at("max_output_tokens", body["max_output_tokens"]) < _LEAST_OUTPUT:
        raise Violation("max_output_tokens", f"expected a value >= {_LEAST_OUTPUT}")
    _check_tools(body)
    if isinstance(body.get("input"), str):
        said_at("input", body["input"])
        return
    items = [object_at(f"input.{index}", item) for index, item in enumerate(items_at("input", body.get("input")))]
    for index, item in enumerate(items):
        _check_item(f"input.{index}", item, stored=body.get("store") is not False)
    _check_order(items)


def _check_tools(body: Json) -> None:
    if "tools" not in body:
        return
    names: set[str] = set()
    for index, item in enumerate(items_at("tools", body["tools"])):
        place = f"tools.{index}"
        tool = object_at(place, item)
        if tool.get("type") != "function":
            raise Violation(f"{place}.type", "expected function")
        only(place, tool, {"type", "name", "description", "parameters", "strict"})
        name_at(f"{place}.name", tool.get("name"), names)
        if "description" in tool:
            text_at(f"{place}.description", tool["description"])
        schema_at(f"{place}.parameters", tool.get("parameters"))
        schema = object_at(f"{place}.parameters", tool.get("parameters"))
        if tool.get("strict") is not False and schema.get("additionalProperties") is not False:
            raise Violation(f"{place}.parameters", "a strict schema must have additionalProperties: false")


def _check_item(place: str, item: Json, *, stored: bool) -> None:
    kind = text_at(f"{place}.type", item.get("type", "message"))
    if kind not in _ITEMS:
        raise Violation(f"{place}.type", f"expected one of {', '.join(_ITEMS)}")
    only(place, item, _ITEMS[kind])
    match kind:
        case "message":
            _check_message(place, item)
        case "function_call":
            _check_id(f"{place}.call_id", item.get("call_id"))
            name_at(f"{place}.name", item.get("name"), set())
            _check_arguments(f"{place}.arguments", item.get("arguments"))
        case "function_call_output":
            _check_id(f"{place}.call_id", item.get("call_id"))
            if not isinstance(item.get("output"), str):  # nothing is an answer of a tool, too
                _check_content(f"{place}.output", item.get("output"), _INPUT)
        case _:
            said_at(f"{place}.id", item.get("id"))
            if not isinstance(item.get("summary"), list):
                raise Violation(f"{place}.summary", "missing required parameter")
            if not stored and not (item.get("encrypted_content") or item.get("content")):
                raise Violation(place, f"{item['id']} not found: items are not persisted when store is false")


def _check_message(place: str, item: Json) -> None:
    role = item.get("role")
    if role not in {"user", "system", "developer", "assistant"}:
        raise Violation(f"{place}.role", "expected one of user, system, developer, assistant")
    if "phase" in item and (role != "assistant" or item["phase"] not in {"commentary", "final_answer"}):
        raise Violation(f"{place}.phase", "expected commentary or final_answer, of the assistant")
    if isinstance(item.get("content"), str):
        said_at(f"{place}.content", item["content"])
    else:
        _check_content(f"{place}.content", item.get("content"), _OUTPUT if role == "assistant" else _INPUT)


def _check_content(place: str, content: object, kinds: tuple[str, ...]) -> None:
    for index, item in enumerate(items_at(place, content)):
        at = f"{place}.{index}"
        part = object_at(at, item)
        if part.get("type") not in kinds:
            raise Violation(f"{at}.type", f"expected one of {', '.join(kinds)}")
        match part["type"]:
            case "input_text":
                only(at, part, {"type", "text"})
                said_at(f"{at}.text", part.get("text"))
            case "output_text":
                only(at, part, {"type", "text", "annotations", "logprobs"})
                said_at(f"{at}.text", part.get("text"))
            case "refusal":
                only(at, part, {"type", "refusal"})
                said_at(f"{at}.refusal", part.get("refusal"))
            case "input_image":
                only(at, part, {"type", "image_url", "file_id", "detail"})
                picture_at(f"{at}.image_url", *data_url_at(f"{at}.image_url", part.get("image_url")))
            case _:
                only(at, part, {"type", "filename", "file_data", "file_id", "file_url"})
                said_at(f"{at}.filename", part.get("filename"))
                pdf_at(f"{at}.file_data", *data_url_at(f"{at}.file_data", part.get("file_data")))


def _check_arguments(place: str, value: object) -> None:
    try:
        arguments: object = json.loads(text_at(place, value))
    except (ValueError, RecursionError) as error:
        raise Violation(place, "arguments must be JSON") from error
    if not isinstance(arguments, dict):
        raise Violation(place, "arguments must be a JSON object")


def _check_id(place: str, value: object) -> None:
    if len(said_at(place, value)) > _LONGEST_ID:
        raise Violation(place, f"string too long: expected a string with maximum length {_LONGEST_ID}")


def _check_order(items: list[Json]) -> None:
    open_ids: list[str] = []
    seen: set[str] = set()
    for index, item in enumerate(items):
        place = f"input.{index}"
        match item.get("type", "message"):
            case "function_call":
                call_id = str(item["call_id"])
                if call_id in seen:
                    raise Violation(place, f"duplicate call_id: {call_id}")
                seen.add(call_id)
                open_ids.append(call_id)
            case "function_call_output":
                call_id = str(item["call_id"])
                if call_id not in open_ids:
                    raise Violation(place, f"no tool call found for function call output with call_id {call_id}")
                open_ids.remove(call_id)
            case "reasoning":
                _check_followed(place, items[index + 1 : index + 2])
            case _:
                if open_ids and item.get("role") != "assistant":
                    raise Violation(place, f"no tool output found for function call {open_ids[0]}")
    if open_ids:
        raise Violation("input", f"no tool output found for function call {open_ids[0]}")


def _check_followed(place: str, after: list[Json]) -> None:
    kinds = [item.get("role") or item.get("type") for item in after]
    if not kinds or kinds[0] not in {"assistant", "function_call", "reasoning"}:
        raise Violation(place, "item of type reasoning was provided without its required following item")
