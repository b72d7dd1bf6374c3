"""The scripted server refuses what the Responses API refuses: each rule by a raw request."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from models.models_kit import PDF_TEXT, PNG_TEXT

from motet.models.scripted import Answer, ScriptedServer

Body = dict[str, Any]
TOOL = {"type": "function", "name": "one", "parameters": {"type": "object"}, "strict": False}
CALL = {"type": "function_call", "call_id": "id_1", "name": "one", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "id_1", "output": "fine"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
PICTURE = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG_TEXT}", "detail": "auto"}
FILE = {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF_TEXT}"}


def user(*content: Any) -> Body:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def said(text: str = "Yes", **more: Any) -> Body:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "content": content, **more}


async def post(changes: Body) -> tuple[int, str, ScriptedServer]:
    body = {"model": "m", "input": [user("Hi")], "tools": [TOOL], "store": False, "stream": True, **changes}
    body = {key: value for key, value in body.items() if value is not ...}
    async with ScriptedServer([Answer("Hello")]) as server, httpx2.AsyncClient(trust_env=False) as client:
        response = await client.post(f"{server.url}/v1/responses", json=body)
    return response.status_code, "" if response.status_code == 200 else response.json()["error"]["message"], server


VALID = {
    "a question": {},
    "a text": {"input": "Hi"},
    "instructions": {"instructions": "Be brief.", "max_output_tokens": 16},
    "a call and its output": {"input": [user("Hi"), said(), CALL, OUTPUT, user("And?")]},
    "two calls, answered in any order": {
        "input": [CALL, {**CALL, "call_id": "id_2"}, {**OUTPUT, "call_id": "id_2"}, OUTPUT]
    },
    "an output that says nothing": {"input": [CALL, {**OUTPUT, "output": ""}]},
    "reasoning given back": {
        "input": [user("Hi"), THOUGHT, THOUGHT, CALL, OUTPUT, THOUGHT, said(phase="commentary")]
    },
    "a picture and a document": {"input": [user({"type": "input_text", "text": "?"}, PICTURE, FILE)]},
    "a picture as an output": {"input": [CALL, {**OUTPUT, "output": [PICTURE]}]},
    "a refusal": {"input": [{"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}]},
    "a strict tool": {
        "tools": [{**TOOL, "parameters": {"type": "object", "additionalProperties": False}, "strict": True}]
    },
    "reasoning that is stored there": {
        "store": True,
        "input": [{"type": "reasoning", "id": "rs_1", "summary": []}, said()],
    },
}

FLAT = {"type": "function", "function": {"name": "one", "parameters": {"type": "object"}}}
WRONG: dict[str, tuple[Body, str]] = {
    "no input": ({"input": []}, "input: the array is too short"),
    "a blank input": ({"input": " "}, "input: text must be non-empty"),
    "no model": ({"model": ...}, "model: expected a string, got null"),
    "messages as in chat completions": ({"messages": []}, "messages: extra inputs are not permitted"),
    "a system prompt as at Anthropic": ({"system": "x"}, "system: extra inputs are not permitted"),
    "a cap as in chat completions": ({"max_tokens": 9}, "max_tokens: extra inputs are not permitted"),
    "a small cap": ({"max_output_tokens": 15}, "max_output_tokens: expected a value >= 16"),
    "blank instructions": ({"instructions": ""}, "instructions: text must be non-empty"),
    "a tool as in chat completions": ({"tools": [FLAT]}, "tools.0.function: extra inputs are not permitted"),
    "a tool as at Anthropic": ({"tools": [{"name": "one", "input_schema": {}}]}, "tools.0.type: expected function"),
    "a tool that is strict unawares": (
        {"tools": [{**TOOL, "strict": None}]},
        "tools.0.parameters: a strict schema must have additionalProperties: false",
    ),
    "two tools of one name": ({"tools": [TOOL, TOOL]}, "tools.1.name: tool names must be unique"),
    "a role of chat completions": ({"input": [{"role": "tool", "content": "x"}]}, "input.0.role: expected one of"),
    "calls as in chat completions": (
        {"input": [{"role": "assistant", "content": "x", "tool_calls": []}]},
        "input.0.tool_calls: extra inputs are not permitted",
    ),
    "an item of Anthropic": ({"input": [{"type": "tool_use"}]}, "input.0.type: expected one of"),
    "text as in the other dialects": (
        {"input": [user({"type": "text", "text": "Hi"})]},
        "input.0.content.0.type: expected one of input_text, input_image, input_file",
    ),
    "what the model said as what the user says": (
        {"input": [{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}]},
        "input.0.content.0.type: expected one of output_text, refusal",
    ),
    "empty content": ({"input": [user("")]}, "input.0.content: text must be non-empty"),
    "no parts": ({"input": [{"role": "user", "content": []}]}, "input.0.content: the array is too short"),
    "a blank part": ({"input": [said(" ")]}, "input.0.content.0.text: text must be non-empty"),
    "a phase of the user": ({"input": [{**user("Hi"), "phase": "commentary"}]}, "input.0.phase: expected commentary"),
    "a call without an output": (
        {"input": [CALL, user("And?")]},
        "input.1: no tool output found for function call id_1",
    ),
    "a call at the end": ({"input": [CALL]}, "input: no tool output found for function call id_1"),
    "an output without a call": (
        {"input": [OUTPUT]},
        "input.0: no tool call found for function call output with call_id id_1",
    ),
    "two outputs of one call": ({"input": [CALL, OUTPUT, OUTPUT]}, "input.2: no tool call found"),
    "an id twice": ({"input": [CALL, OUTPUT, CALL, OUTPUT]}, "input.2: duplicate call_id: id_1"),
    "an id that is too long": (
        {"input": [{**CALL, "call_id": "x" * 65}]},
        "input.0.call_id: string too long: expected a string with maximum length 64",
    ),
    "a name that is none": ({"input": [{**CALL, "name": "a b"}]}, "input.0.name: must match"),
    "arguments that are no JSON": ({"input": [{**CALL, "arguments": "{"}]}, "input.0.arguments: arguments must be"),
    "arguments as an object": ({"input": [{**CALL, "arguments": {}}]}, "input.0.arguments: expected a string"),
    "an error mark as at Anthropic": (
        {"input": [CALL, {**OUTPUT, "is_error": True}]},
        "input.1.is_error: extra inputs are not permitted",
    ),
    "reasoning at the end": (
        {"input": [user("Hi"), THOUGHT]},
        "input.1: item of type reasoning was provided without its required following item",
    ),
    "reasoning before the user": ({"input": [THOUGHT, user("Hi")]}, "input.0: item of type reasoning was provided"),
    "reasoning that nobody has": (
        {"input": [{"type": "reasoning", "id": "rs_1", "summary": []}, said()]},
        "input.0: rs_1 not found: items are not persisted when store is false",
    ),
    "reasoning with its status": (
        {"input": [{**THOUGHT, "status": "completed"}, said()]},
        "input.0.status: extra inputs are not permitted",
    ),
    "reasoning without a summary": (
        {"input": [{**THOUGHT, "summary": None}, said()]},
        "input.0.summary: missing required parameter",
    ),
    "a picture of another type than declared": (
        {"input": [user({**PICTURE, "image_url": f"data:image/jpeg;base64,{PNG_TEXT}"})]},
        "input.0.content.0.image_url: the image is image/png, not the declared image/jpeg",
    ),
    "a document without a name": (
        {"input": [user({**FILE, "filename": ""})]},
        "input.0.content.0.filename: text must be non-empty",
    ),
}


@pytest.mark.parametrize("name", VALID)
async def test_a_valid_request_is_answered(name: str) -> None:
    status, words, server = await post(VALID[name])
    assert (status, words, server.refused) == (200, "", [])


@pytest.mark.acceptance("S0-032")
@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_request_is_refused_and_uses_up_no_answer(name: str) -> None:
    changes, why = WRONG[name]
    status, words, server = await post(changes)
    assert status == 400
    assert words.startswith(why)
    assert server.refused == [words]
