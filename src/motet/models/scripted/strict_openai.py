"""The rules of chat completions as OpenAI and the servers that follow it hold them. Pure.

Pages that state them:

- https://platform.openai.com/docs/api-reference/chat/create: the fields of a request, of each kind of message and of
  a tool; the form of names and ids; only one of the two caps; a text, or parts, of which a user message may hold
  pictures (`image_url`) and files; an answer without calls holds text.
- https://platform.openai.com/docs/guides/function-calling: results stand right behind the message with their calls,
  one a call; arguments are JSON text; a tool's schema is that of an object.
- https://platform.openai.com/docs/guides/images-vision and `guides/pdf-files`: pictures are PNG, JPEG, GIF or WebP in
  a data URL, documents are PDF with a name.
- https://api-docs.deepseek.com/guides/thinking_mode, https://openrouter.ai/docs/use-cases/reasoning-tokens,
  https://ai.google.dev/gemini-api/docs/thought-signatures: the further fields in which those servers want their
  reasoning back.
- https://docs.mistral.ai/capabilities/function_calling and https://docs.vllm.ai/en/latest/features/tool_calling.html:
  servers that read the arguments, refuse blank messages and ids that come twice.
"""

from __future__ import annotations

import json

from motet.models.providers.fields import as_list, as_object, as_text
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

_OPENAI = """
    model messages stream stream_options max_tokens max_completion_tokens tools tool_choice parallel_tool_calls
    temperature top_p n stop seed logprobs top_logprobs logit_bias presence_penalty frequency_penalty user
    response_format reasoning_effort verbosity store metadata service_tier prediction modalities audio
    safety_identifier prompt_cache_key prompt_cache_retention web_search_options
"""
_OTHERS = "reasoning provider plugins extra_body chat_template_kwargs"
"""Of OpenRouter, Gemini and vLLM."""
_REQUEST = frozenset(_OPENAI.split()) | frozenset(_OTHERS.split())
_REASONING = frozenset({"reasoning_content", "reasoning", "reasoning_details"})
_FIELDS = {
    "system": frozenset({"role", "content", "name"}),
    "developer": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": frozenset({"role", "content", "name", "refusal", "tool_calls", *_REASONING}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
}
_LONGEST_ID = 40


def check(body: Json) -> None:
    """Raise `Violation` for the first rule that a request breaks."""
    only("", body, _REQUEST)
    text_at("model", body.get("model"))
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body:
            count_at(name, body[name])
    if "max_tokens" in body and "max_completion_tokens" in body:
        raise Violation("max_tokens", "not supported at the same time as max_completion_tokens")
    if "stream_options" in body and not body.get("stream"):
        raise Violation("stream_options", "only allowed when stream is true")
    _check_tools(body)
    open_ids: list[str] = []
    seen: set[str] = set()
    for index, item in enumerate(items_at("messages", body.get("messages"))):
        message = object_at(f"messages.{index}", item)
        place = f"messages.{index}"
        _check_message(place, message)
        open_ids = _check_pairs(place, message, open_ids, seen)
    if open_ids:
        raise Violation("messages", _without_results(open_ids))


def _check_tools(body: Json) -> None:
    if "tools" not in body:
        return
    names: set[str] = set()
    for index, item in enumerate(items_at("tools", body["tools"])):
        place = f"tools.{index}"
        tool = object_at(place, item)
        only(place, tool, {"type", "function"})
        if tool.get("type") != "function":
            raise Violation(f"{place}.type", "expected function")
        function = object_at(f"{place}.function", tool.get("function"))
        only(f"{place}.function", function, {"name", "description", "parameters", "strict"})
        name_at(f"{place}.function.name", function.get("name"), names)
        if "description" in function:
            text_at(f"{place}.function.description", function["description"])
        if "parameters" in function:
            schema_at(f"{place}.function.parameters", function["parameters"])


def _check_message(place: str, message: Json) -> None:
    role = message.get("role")
    if not isinstance(role, str) or role not in _FIELDS:
        raise Violation(f"{place}.role", f"expected one of {', '.join(_FIELDS)}")
    only(place, message, _FIELDS[role])
    at, content = f"{place}.content", message.get("content")
    match role:
        case "assistant":
            calls = message.get("tool_calls")
            if "tool_calls" in message:
                for index, item in enumerate(items_at(f"{place}.tool_calls", calls)):
                    _check_call(f"{place}.tool_calls.{index}", object_at(f"{place}.tool_calls.{index}", item))
            if content is not None or not calls:
                _check_content(at, content, "text", "refusal")
            for name in ("reasoning_content", "reasoning"):
                if name in message:
                    text_at(f"{place}.{name}", message[name])
        case "tool":
            text_at(f"{place}.tool_call_id", message.get("tool_call_id"))
            if not isinstance(content, str):  # nothing is an answer of a tool, too
                _check_content(at, content, "text")
        case "user":
            _check_content(at, content, "text", "image_url", "file", "input_audio")
        case _:
            _check_content(at, content, "text")


def _check_content(place: str, content: object, *kinds: str) -> None:
    if isinstance(content, str) or content is None:
        said_at(place, content)
        return
    for index, item in enumerate(items_at(place, content)):
        at = f"{place}.{index}"
        part = object_at(at, item)
        kind = part.get("type")
        if kind not in kinds:
            raise Violation(f"{at}.type", f"{kind!r} is not allowed here, but {', '.join(kinds)}")
        only(at, part, {"type", str(kind)})
        match kind:
            case "image_url":
                _check_picture(f"{at}.image_url", object_at(f"{at}.image_url", part.get("image_url")))
            case "file":
                _check_file(f"{at}.file", object_at(f"{at}.file", part.get("file")))
            case _ if kind != "input_audio":
                said_at(f"{at}.{kind}", part.get(str(kind)))
            case _:
                object_at(f"{at}.input_audio", part.get("input_audio"))


def _check_picture(place: str, picture: Json) -> None:
    only(place, picture, {"url", "detail"})
    url = said_at(f"{place}.url", picture.get("url"))
    if url.startswith("data:"):
        kind, data = data_url_at(f"{place}.url", url)
        picture_at(f"{place}.url", kind, data)
    elif not url.startswith(("https://", "http://")):
        raise Violation(f"{place}.url", "expected a URL or a data URL")


def _check_file(place: str, file: Json) -> None:
    only(place, file, {"file_data", "file_id", "filename"})
    if "file_id" in file:
        said_at(f"{place}.file_id", file["file_id"])
        return
    said_at(f"{place}.filename", file.get("filename"))
    kind, data = data_url_at(f"{place}.file_data", file.get("file_data"))
    pdf_at(f"{place}.file_data", kind, data)


def _check_call(place: str, call: Json) -> None:
    only(place, call, {"id", "type", "function", "extra_content"})
    call_id = said_at(f"{place}.id", call.get("id"))
    if len(call_id) > _LONGEST_ID or not call_id.isprintable():
        raise Violation(f"{place}.id", f"expected a string with maximum length {_LONGEST_ID}")
    if call.get("type") != "function":
        raise Violation(f"{place}.type", "expected function")
    function = object_at(f"{place}.function", call.get("function"))
    only(f"{place}.function", function, {"name", "arguments"})
    name_at(f"{place}.function.name", function.get("name"), set())
    at = f"{place}.function.arguments"
    try:
        arguments: object = json.loads(text_at(at, function.get("arguments")))
    except (ValueError, RecursionError) as error:
        raise Violation(at, "arguments must be JSON") from error
    if not isinstance(arguments, dict):
        raise Violation(at, "arguments must be a JSON object")


def _check_pairs(place: str, message: Json, open_ids: list[str], seen: set[str]) -> list[str]:
    """The ids that still want a result after `message`."""
    if message["role"] == "tool":
        call_id = str(message["tool_call_id"])
        if call_id not in open_ids:
            what = f"{call_id!r} has its result already" if call_id in seen else f"{call_id!r} was not called"
            raise Violation(place, f"a tool message must answer a call of the message before: {what}")
        return [other for other in open_ids if other != call_id]
    if open_ids:
        raise Violation(place, _without_results(open_ids))
    ids = [as_text(as_object(call).get("id")) for call in as_list(message.get("tool_calls"))]
    for call_id in ids:
        if call_id in seen:
            raise Violation(place, f"duplicate value for the id of a call: {call_id!r}")
        seen.add(call_id)
    return ids


def _without_results(ids: list[str]) -> str:
    return f"tool_calls must be followed by tool messages; these ids did not have one: {', '.join(ids)}"
