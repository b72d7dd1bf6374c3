"""Servers that know only a part of the Responses API: what they refuse is left out, and stays out."""

from __future__ import annotations

import pytest

from motet.errors import ModelErrorKind
from motet.messages import Message, Reasoning, Role, ToolCall, ToolResult
from motet.models import Completed, ModelConfig, ModelRequest, ProviderConfig, TextDelta, Usage, choose
from motet.models.scripted import Answer, HttpError, ScriptedRequest, ScriptedServer

WHOLE = [TextDelta("Hello"), Completed("stop", usage=Usage(100, 20))]
SEALED = {"id": "rs_1", "summary": [], "encrypted_content": "gAAA"}


async def test_a_model_that_does_not_reason_is_asked_for_no_reasoning(connect, question) -> None:
    def strict(request: ScriptedRequest) -> Answer | HttpError:
        if "include" in request.body:
            return HttpError(400, "Encrypted content is not supported with this model.", "invalid_request_error")
        if "reasoning" in request.body:
            return HttpError(400, "Unsupported parameter: 'reasoning.summary' is not supported with this model.")
        return Answer("Hello")

    async with ScriptedServer(strict) as server:
        connected = connect(server, "openai-responses")
        assert await connected.ask(question) == WHOLE
        assert await connected.ask(question) == WHOLE
    assert len(server.requests) == 4


async def test_who_may_not_see_summaries_reasons_without_them(connect, question) -> None:
    def strict(request: ScriptedRequest) -> Answer | HttpError:
        if "reasoning" in request.body:
            return HttpError(400, "Your organization must be verified to generate reasoning summaries.")
        return Answer("Hello")

    async with ScriptedServer(strict) as server:
        assert await connect(server, "openai-responses").ask(question) == WHOLE
    assert server.requests[1].body["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    "words",
    [
        "The encrypted content gAAA...Qw== could not be verified. Reason: could not be decrypted or parsed.",
        "reasoning `encrypted_content` was not issued to this caller",
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
)
async def test_reasoning_that_is_no_longer_accepted_is_kept_back(connect, question, words: str) -> None:
    def strict(request: ScriptedRequest) -> Answer | HttpError:
        return HttpError(400, words, "invalid_request_error") if "gAAA" in request.text else Answer("Hello")

    own = Reasoning("", {"provider": "acme", "model": "m-1", "item": SEALED})
    called = Message(Role.ASSISTANT, reasoning=(own,), calls=(ToolCall("id_1", "one", "{}"),))
    result = Message.tool(ToolResult("id_1", "one"), "ok", "tool_output")
    async with ScriptedServer(strict) as server:
        connected = connect(server, "openai-responses")
        assert await connected.ask(ModelRequest((*question.messages, called, result), question.tools)) == WHOLE
    assert [item["type"] for item in server.requests[0].messages[1:]] == [
        "reasoning", "function_call", "function_call_output",
    ]  # fmt: skip
    assert server.requests[1].body["include"] == ["reasoning.encrypted_content"]


async def test_a_server_that_refuses_everything_is_not_asked_for_ever(connect, question) -> None:
    async with ScriptedServer([HttpError(400, "include, reasoning: no")], repeat=True) as server:
        _, error = await connect(server, "openai-responses").fail(question)
    assert error.kind is ModelErrorKind.REFUSED
    assert len(server.requests) == 3


async def test_a_known_provider_speaks_it_when_the_settings_say_so() -> None:
    async with ScriptedServer([Answer("Hello")]) as server:
        own = ProviderConfig(base_url=f"{server.url}/v1", dialect="openai-responses")
        model, _ = await choose(
            "openai", ModelConfig(providers={"openai": own}), {"OPENAI_API_KEY": "sk-" + "k" * 20}
        )
        assert [event async for event in model.stream(ModelRequest((Message.user("Hi"),)))] == WHOLE
    (request,) = server.requests
    assert (request.target, request.headers["authorization"]) == ("/v1/responses", "Bearer sk-" + "k" * 20)
    assert model.name.startswith("openai/gpt-")
