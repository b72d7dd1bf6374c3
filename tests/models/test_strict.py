"""The scripted server refuses what real providers refuse: each rule by a raw request."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from models.models_kit import PDF_TEXT, PNG_TEXT

from motet.models.scripted import Answer, ScriptedServer

Body = dict[str, Any]
TOOL = {"name": "one", "description": "Does one.", "input_schema": {"type": "object"}}
FUNCTION = {"type": "function", "function": {"name": "one", "parameters": {"type": "object"}}}
USE = {"type": "tool_use", "id": "id_1", "name": "one", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "id_1", "content": "fine"}
THOUGHT = {"type": "thinking", "thinking": "Hm", "signature": "sig"}
CALL = {"id": "id_1", "type": "function", "function": {"name": "one", "arguments": "{}"}}


def text(said: str) -> Body:
    return {"type": "text", "text": said}


def user(*content: Any) -> Body:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> Body:
    return {**user(*content), "role": "assistant"}


def called(*calls: Body, **more: Any) -> Body:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def result(call_id: str = "id_1", content: Any = "fine") -> Body:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def picture(data: str = PNG_TEXT, kind: str = "image/png", **source: Any) -> Body:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data, **source}}


def document(data: str = PDF_TEXT, kind: str = "application/pdf") -> Body:
    return {"type": "document", "source": {"type": "base64", "media_type": kind, "data": data}}


def image_url(url: str) -> Body:
    return {"type": "image_url", "image_url": {"url": url}}


def file(url: str, name: str = "a.pdf") -> Body:
    return {"type": "file", "file": {"filename": name, "file_data": url}}


def change(base: Body, changes: Body) -> Body:
    return {key: value for key, value in {**base, **changes}.items() if value is not ...}


async def post(
    path: str, body: Body | bytes, headers: dict[str, str] | None = None
) -> tuple[int, str, ScriptedServer]:
    async with ScriptedServer([Answer("Hello")]) as server, httpx2.AsyncClient(trust_env=False) as client:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        response = await client.post(f"{server.url}/v1/{path}", content=data, headers=headers or {})
    said = response.json()["error"]["message"] if response.status_code != 200 else ""
    return response.status_code, said, server


async def to_anthropic(changes: Body, **headers: str) -> tuple[int, str, ScriptedServer]:
    base = {"model": "m", "max_tokens": 100, "messages": [user("Hi")], "tools": [TOOL], "stream": True}
    return await post("messages", change(base, changes), {"anthropic-version": "2023-06-01", **headers})


async def to_openai(changes: Body) -> tuple[int, str, ScriptedServer]:
    base = {"model": "m", "messages": [user("Hi")], "tools": [FUNCTION], "stream": True}
    return await post("chat/completions", change(base, changes))


ANTHROPIC_VALID = {
    "a question": {},
    "a system prompt": {"system": "Be brief."},
    "a system prompt in blocks": {"system": [text("Be brief.")]},
    "a call and its result": {"messages": [user("Hi"), assistant(text("Yes"), USE), user(RESULT, text("And?"))]},
    "results in two messages of one role": {
        "messages": [user("Hi"), assistant(USE, {**USE, "id": "id_2"}), user(RESULT), user({**RESULT, "tool_use_id": "id_2"})]
    },
    "thinking given back": {"messages": [user("Hi"), assistant(THOUGHT, USE), user(RESULT)]},
    "hidden thinking given back": {
        "messages": [user("Hi"), assistant({"type": "redacted_thinking", "data": "x"}, USE), user(RESULT)]
    },
    "a picture and a document": {"messages": [user(picture(), document(), text("What is it?"))]},
    "a picture as a result": {
        "messages": [user("Hi"), assistant(USE), user({**RESULT, "content": [text("It:"), picture()]})]
    },
    "a result that says nothing": {
        "messages": [user("Hi"), assistant(USE), user({"type": "tool_result", "tool_use_id": "id_1"})]
    },
}  # fmt: skip

ANTHROPIC_WRONG: dict[str, tuple[Body, str]] = {
    "no messages": ({"messages": []}, "messages: the array is too short"),
    "messages missing": ({"messages": ...}, "messages: expected an array, got null"),
    "no model": ({"model": ...}, "model: expected a string, got null"),
    "no cap on the answer": ({"max_tokens": ...}, "max_tokens: expected a whole number from 1"),
    "a cap of nothing": ({"max_tokens": 0}, "max_tokens: expected a whole number from 1"),
    "a field of the other dialect": (
        {"max_completion_tokens": 9},
        "max_completion_tokens: extra inputs are not permitted",
    ),
    "token counts asked for as in the other dialect": (
        {"stream_options": {}},
        "stream_options: extra inputs are not permitted",
    ),
    "calls as in the other dialect": (
        {"messages": [user("Hi"), {**assistant("x"), "tool_calls": [CALL]}, user("x")]},
        "messages.1.tool_calls: extra inputs are not permitted",
    ),
    "a tool as in the other dialect": ({"tools": [FUNCTION]}, "tools.0.function: extra inputs are not permitted"),
    "a role of the other dialect": ({"messages": [result()]}, "messages.0.tool_call_id: extra inputs"),
    "a tool's role": (
        {"messages": [{"role": "tool", "content": "x"}]},
        "messages.0.role: expected user or assistant",
    ),
    "a system prompt among the messages": (
        {"messages": [{"role": "system", "content": "x"}, user("Hi")]},
        'messages.0: unexpected role "system"',
    ),
    "a blank system prompt": ({"system": " "}, "system: text must be non-empty"),
    "the model first": ({"messages": [assistant("x"), user("Hi")]}, "messages: first message must use the user role"),
    "the model last": ({"messages": [user("Hi"), assistant("x")]}, "messages: the conversation must end with a user"),
    "empty content": ({"messages": [user("")]}, "messages.0.content: text must be non-empty"),
    "blank content": ({"messages": [user(text(" \n"))]}, "messages.0.content.0.text: text must be non-empty"),
    "no content": ({"messages": [{"role": "user", "content": []}]}, "messages.0.content: the array is too short"),
    "null content": ({"messages": [{"role": "user", "content": None}]}, "messages.0.content: expected an array"),
    "a call without a result": (
        {"messages": [user("Hi"), assistant(USE), user("And?")]},
        "messages.2: tool_use ids without tool_result blocks immediately after: id_1",
    ),
    "a call at the end": (
        {"messages": [user("Hi"), assistant(USE)]},
        "messages: the conversation must end with a user message",
    ),
    "a result without a call": (
        {"messages": [user(RESULT)]},
        "messages.0: unexpected tool_use_id in tool_result: id_1",
    ),
    "a result that comes late": (
        {"messages": [user("Hi"), assistant(USE), user("x"), assistant("y"), user(RESULT)]},
        "messages.2: tool_use ids without tool_result blocks immediately after: id_1",
    ),
    "a result behind other text": (
        {"messages": [user("Hi"), assistant(USE), user(text("x"), RESULT)]},
        "messages.2: tool_result blocks must come first",
    ),
    "two results of one call": (
        {"messages": [user("Hi"), assistant(USE), user(RESULT, RESULT)]},
        "messages.2: each tool_use must have a single result: id_1",
    ),
    "an id twice in one message": (
        {"messages": [user("Hi"), assistant(USE, USE), user(RESULT)]},
        "messages.1: tool_use ids must be unique: id_1",
    ),
    "an id twice in the conversation": (
        {"messages": [user("Hi"), assistant(USE), user(RESULT), assistant(USE), user(RESULT)]},
        "messages.3: tool_use ids must be unique: id_1",
    ),
    "an id of the wrong form": (
        {"messages": [user("Hi"), assistant({**USE, "id": "a.b"}), user(RESULT)]},
        "messages.1.content.0.id: must match",
    ),
    "arguments as text": (
        {"messages": [user("Hi"), assistant({**USE, "input": "{}"}), user(RESULT)]},
        "messages.1.content.0.input: expected an object, got str",
    ),
    "a call by the user": ({"messages": [user(USE)]}, "messages.0.content.0.type: tool_use is not allowed here"),
    "a result by the model": (
        {"messages": [user("Hi"), assistant(RESULT), user("x")]},
        "messages.1.content.0.type: tool_result is not allowed here",
    ),
    "calls in a request that offers no tools": (
        {"tools": ..., "messages": [user("Hi"), assistant(USE), user(RESULT)]},
        "tools: requests which include tool_use or tool_result blocks must define tools",
    ),
    "an empty list of tools": ({"tools": []}, "tools: the array is too short"),
    "a tool without a schema": ({"tools": [{"name": "one"}]}, "tools.0.input_schema: expected an object, got null"),
    "a tool whose input is no object": (
        {"tools": [{**TOOL, "input_schema": {"type": "string"}}]},
        "tools.0.input_schema.type: the schema of a tool's input must have the type object",
    ),
    "a tool whose name has a blank": ({"tools": [{**TOOL, "name": "a b"}]}, "tools.0.name: must match"),
    "two tools of one name": ({"tools": [TOOL, TOOL]}, "tools.1.name: tool names must be unique"),
    "thinking without a signature": (
        {"messages": [user("Hi"), assistant({"type": "thinking", "thinking": "Hm"}, USE), user(RESULT)]},
        "messages.1.content.0.signature: expected a string, got null",
    ),
    "thinking with an empty signature": (
        {"messages": [user("Hi"), assistant({**THOUGHT, "signature": ""}, USE), user(RESULT)]},
        "messages.1.content.0.signature: invalid signature",
    ),
    "thinking behind text": (
        {"messages": [user("Hi"), assistant(text("x"), THOUGHT, USE), user(RESULT)]},
        "messages.1.content.0.type: expected thinking or redacted_thinking, but found text",
    ),
    "thinking at the end": (
        {"messages": [user("Hi"), assistant(THOUGHT), user("x")]},
        "messages.1: the final block in an assistant message cannot be thinking",
    ),
    "thinking by the user": (
        {"messages": [user(THOUGHT)]},
        "messages.0.content.0.type: thinking is not allowed here",
    ),
    "a picture in the form of the other dialect": (
        {"messages": [user(image_url(f"data:image/png;base64,{PNG_TEXT}"))]},
        "messages.0.content.0.type: image_url is not allowed here",
    ),
    "a picture by the model": (
        {"messages": [user("Hi"), assistant(picture()), user("x")]},
        "messages.1.content.0.type: image is not allowed here",
    ),
    "a picture of another type than declared": (
        {"messages": [user(picture(kind="image/jpeg"))]},
        "messages.0.content.0.source.data: the image is image/png, not the declared image/jpeg",
    ),
    "a picture that is none": (
        {"messages": [user(picture("aGVsbG8="))]},
        "messages.0.content.0.source.data: could not process the image",
    ),
    "a picture that is no base 64": (
        {"messages": [user(picture("no!"))]},
        "messages.0.content.0.source.data: not valid base64",
    ),
    "a picture without data": (
        {"messages": [user(picture(""))]},
        "messages.0.content.0.source.data: the data is empty",
    ),
    "a picture of an unknown source": (
        {"messages": [user({"type": "image", "source": {"type": "path"}})]},
        "messages.0.content.0.source.type: unexpected source 'path'",
    ),
    "a document that is none": (
        {"messages": [user(document("aGVsbG8="))]},
        "messages.0.content.0.source.data: the PDF is not valid",
    ),
    "a document of another type": (
        {"messages": [user(document(kind="text/html"))]},
        "messages.0.content.0.source.data: a document must have the type application/pdf",
    ),
}

OPENAI_VALID = {
    "a question": {},
    "a system prompt": {"messages": [{"role": "system", "content": "Be brief."}, user("Hi")]},
    "a call and its result": {"messages": [user("Hi"), called(CALL), result(), user("And?")]},
    "two calls, answered in any order": {
        "messages": [user("Hi"), called(CALL, {**CALL, "id": "id_2"}), result("id_2"), result()]
    },
    "a result that says nothing": {"messages": [user("Hi"), called(CALL), result(content="")]},
    "reasoning given back": {"messages": [user("Hi"), called(CALL, reasoning_content="Hm"), result()]},
    "a picture and a document": {
        "messages": [
            user(
                text("?"), image_url(f"data:image/png;base64,{PNG_TEXT}"), file(f"data:application/pdf;base64,{PDF_TEXT}")
            )
        ]
    },
    "the model last": {"messages": [user("Hi"), assistant("x")]},
}  # fmt: skip

OPENAI_WRONG: dict[str, tuple[Body, str]] = {
    "no messages": ({"messages": []}, "messages: the array is too short"),
    "no model": ({"model": ...}, "model: expected a string, got null"),
    "a system prompt as in the other dialect": ({"system": "x"}, "system: extra inputs are not permitted"),
    "a tool as in the other dialect": ({"tools": [TOOL]}, "tools.0.description: extra inputs are not permitted"),
    "a result as in the other dialect": (
        {"messages": [user("Hi"), called(CALL), user(RESULT)]},
        "messages.2.content.0.type: 'tool_result' is not allowed here",
    ),
    "a call as in the other dialect": (
        {"messages": [user("Hi"), assistant(USE)]},
        "messages.1.content.0.type: 'tool_use' is not allowed here",
    ),
    "a picture in the form of the other dialect": (
        {"messages": [user(picture())]},
        "messages.0.content.0.type: 'image' is not allowed here",
    ),
    "an error mark as in the other dialect": (
        {"messages": [user("Hi"), called(CALL), {**result(), "is_error": True}]},
        "messages.2.is_error: extra inputs are not permitted",
    ),
    "two caps": (
        {"max_tokens": 1, "max_completion_tokens": 1},
        "max_tokens: not supported at the same time as max_completion_tokens",
    ),
    "a cap of nothing": ({"max_tokens": 0}, "max_tokens: expected a whole number from 1"),
    "token counts of what is no stream": (
        {"stream": False, "stream_options": {"include_usage": True}},
        "stream_options: only allowed when stream is true",
    ),
    "an unknown role": ({"messages": [{"role": "function", "content": "x"}]}, "messages.0.role: expected one of"),
    "empty content": ({"messages": [user("")]}, "messages.0.content: text must be non-empty"),
    "null content": (
        {"messages": [{"role": "user", "content": None}]},
        "messages.0.content: expected a string, got null",
    ),
    "no parts": ({"messages": [{"role": "user", "content": []}]}, "messages.0.content: the array is too short"),
    "a blank part": ({"messages": [user(text(" "))]}, "messages.0.content.0.text: text must be non-empty"),
    "an answer that says nothing": (
        {"messages": [user("Hi"), {"role": "assistant", "content": None}]},
        "messages.1.content: expected a string, got null",
    ),
    "an empty list of calls": (
        {"messages": [user("Hi"), {**assistant("x"), "tool_calls": []}]},
        "messages.1.tool_calls: the array is too short",
    ),
    "a call without a result": (
        {"messages": [user("Hi"), called(CALL), user("And?")]},
        "messages.2: tool_calls must be followed by tool messages; these ids did not have one: id_1",
    ),
    "a call at the end": (
        {"messages": [user("Hi"), called(CALL)]},
        "messages: tool_calls must be followed by tool messages; these ids did not have one: id_1",
    ),
    "one of two calls without a result": (
        {"messages": [user("Hi"), called(CALL, {**CALL, "id": "id_2"}), result()]},
        "messages: tool_calls must be followed by tool messages; these ids did not have one: id_2",
    ),
    "a result without a call": (
        {"messages": [user("Hi"), result()]},
        "messages.1: a tool message must answer a call of the message before: 'id_1' was not called",
    ),
    "two results of one call": (
        {"messages": [user("Hi"), called(CALL), result(), result()]},
        "messages.3: a tool message must answer a call of the message before: 'id_1' has its result already",
    ),
    "a result behind other text": (
        {"messages": [user("Hi"), called(CALL), user("x"), result()]},
        "messages.2: tool_calls must be followed by tool messages",
    ),
    "an id twice in one message": (
        {"messages": [user("Hi"), called(CALL, CALL), result()]},
        "messages.1: duplicate value for the id of a call: 'id_1'",
    ),
    "an id twice in the conversation": (
        {"messages": [user("Hi"), called(CALL), result(), called(CALL), result()]},
        "messages.3: duplicate value for the id of a call: 'id_1'",
    ),
    "an id that is too long": (
        {"messages": [user("Hi"), called({**CALL, "id": "x" * 41}), result("x" * 41)]},
        "messages.1.tool_calls.0.id: expected a string with maximum length 40",
    ),
    "a call without an id": (
        {"messages": [user("Hi"), called({**CALL, "id": ""}), result("")]},
        "messages.1.tool_calls.0.id: text must be non-empty",
    ),
    "arguments as an object": (
        {"messages": [user("Hi"), called({**CALL, "function": {"name": "one", "arguments": {}}}), result()]},
        "messages.1.tool_calls.0.function.arguments: expected a string, got dict",
    ),
    "arguments that are no JSON": (
        {"messages": [user("Hi"), called({**CALL, "function": {"name": "one", "arguments": "{oops"}}), result()]},
        "messages.1.tool_calls.0.function.arguments: arguments must be JSON",
    ),
    "arguments that are no object": (
        {"messages": [user("Hi"), called({**CALL, "function": {"name": "one", "arguments": "[]"}}), result()]},
        "messages.1.tool_calls.0.function.arguments: arguments must be a JSON object",
    ),
    "a name with a blank": (
        {"messages": [user("Hi"), called({**CALL, "function": {"name": "a b", "arguments": "{}"}}), result()]},
        "messages.1.tool_calls.0.function.name: must match",
    ),
    "a picture by a tool": (
        {"messages": [user("Hi"), called(CALL), result(content=[image_url("https://a.b/c.png")])]},
        "messages.2.content.0.type: 'image_url' is not allowed here",
    ),
    "an empty list of tools": ({"tools": []}, "tools: the array is too short"),
    "a tool whose input is no object": (
        {"tools": [{"type": "function", "function": {"name": "one", "parameters": {"type": "array"}}}]},
        "tools.0.function.parameters.type: the schema of a tool's input must have the type object",
    ),
    "two tools of one name": ({"tools": [FUNCTION, FUNCTION]}, "tools.1.function.name: tool names must be unique"),
    "a picture that is no address": (
        {"messages": [user(image_url("a.png"))]},
        "messages.0.content.0.image_url.url: expected a URL or a data URL",
    ),
    "a picture that is no base 64": (
        {"messages": [user(image_url("data:image/png;base64,!"))]},
        "messages.0.content.0.image_url.url: not valid base64",
    ),
    "a picture of another type than declared": (
        {"messages": [user(image_url(f"data:image/gif;base64,{PNG_TEXT}"))]},
        "messages.0.content.0.image_url.url: the image is image/png, not the declared image/gif",
    ),
    "a document that is no data URL": (
        {"messages": [user(file(PDF_TEXT))]},
        "messages.0.content.0.file.file_data: expected a base64-encoded data URL",
    ),
    "a document without a name": (
        {"messages": [user(file(f"data:application/pdf;base64,{PDF_TEXT}", ""))]},
        "messages.0.content.0.file.filename: text must be non-empty",
    ),
}


@pytest.mark.parametrize("name", ANTHROPIC_VALID)
async def test_anthropic_takes(name: str) -> None:
    assert (await to_anthropic(ANTHROPIC_VALID[name]))[:2] == (200, "")


@pytest.mark.parametrize("name", ANTHROPIC_WRONG)
async def test_anthropic_refuses(name: str) -> None:
    changes, words = ANTHROPIC_WRONG[name]
    status, said, server = await to_anthropic(changes)
    assert (status, said[: len(words)]) == (400, words)
    assert server.refused == [said]


@pytest.mark.parametrize("name", OPENAI_VALID)
async def test_openai_takes(name: str) -> None:
    assert (await to_openai(OPENAI_VALID[name]))[:2] == (200, "")


@pytest.mark.parametrize("name", OPENAI_WRONG)
async def test_openai_refuses(name: str) -> None:
    changes, words = OPENAI_WRONG[name]
    status, said, server = await to_openai(changes)
    assert (status, said[: len(words)]) == (400, words)
    assert server.refused == [said]


async def test_anthropic_wants_its_version_in_a_header() -> None:
    status, said, _ = await to_anthropic({}, **{"anthropic-version": ""})
    assert (status, said) == (400, "anthropic-version: header is required")


@pytest.mark.parametrize("path", ["messages", "chat/completions"])
async def test_a_body_that_is_no_json_is_refused(path: str) -> None:
    assert (await post(path, b"{", {"anthropic-version": "x"}))[0] == 400


async def test_a_refused_request_uses_up_no_answer_and_a_lenient_server_refuses_nothing() -> None:
    wrong = {"model": "m", "stream": True}
    right = {**wrong, "messages": [user("Hi")]}
    async with httpx2.AsyncClient(trust_env=False) as client:
        async with ScriptedServer([Answer("Hello")]) as server:
            address = f"{server.url}/v1/chat/completions"
            assert [(await client.post(address, json=body)).status_code for body in (wrong, right)] == [400, 200]
        async with ScriptedServer([Answer("Hello")], strict=False) as server:
            assert (await client.post(f"{server.url}/v1/chat/completions", json=wrong)).status_code == 200


@pytest.mark.parametrize("header", [{"x-api-key": "right"}, {"authorization": "Bearer right"}])
async def test_a_server_with_keys_lets_in_those_who_have_one(header: dict[str, str]) -> None:
    async with (
        ScriptedServer([Answer("x")], repeat=True, keys=["right"]) as server,
        httpx2.AsyncClient(trust_env=False) as client,
    ):
        listed = [
            await client.get(f"{server.url}/v1/models", headers=headers)
            for headers in (header, {"x-api-key": "no"}, {})
        ]
        assert [response.status_code for response in listed] == [200, 401, 401]
