"""Providers that pydantic-ai speaks to: Bedrock and Gemini over real HTTP, and the one road there."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from models.models_kit import PNG, PNG_TEXT
from models.pydantic_kit import Said, Vendor, bedrock, bedrock_error, gemini, gemini_error, gemini_says

from motet.errors import ModelError, ModelErrorKind, SettingsError
from motet.messages import Image, Message, Reasoning, Role, Text, ToolCall, ToolResult
from motet.models import (
    Completed,
    Limits,
    Model,
    ModelConfig,
    ModelRequest,
    ProviderConfig,
    ReasoningDelta,
    Retrying,
    TextDelta,
    ToolCallDelta,
    ToolDefinition,
    Usage,
    check_key,
    choose,
    list_models,
)
from motet.models.keys import KeySource
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.pydantic_ai import service as services
from motet.models.providers.pydantic_ai.model import PydanticModel
from motet.models.providers.pydantic_ai.service import Service
from motet.models.providers.pydantic_ai.watched import watched_client
from motet.models.providers.retry import RetryPolicy
from motet.models.scripted import Answer, HttpError, ScriptedServer, Wire

CANARY = "sk-canary-0123456789abcdef"
ENVIRON = {"ACME_API_KEY": CANARY, "OLLAMA_HOST": "127.0.0.1:9"}
NOVA = "amazon.nova-pro-v1:0"
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
GEMINI = "gemini-3.8-flash"
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOL = ToolDefinition("one", "Does one.", SCHEMA)
QUESTION = ModelRequest((Message.system("Be brief.", "rules"), Message.user("Hi")), (TOOL,), 1_000)
AT_ONCE = 30.0


@pytest.fixture(autouse=True)
def _signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign-in at AWS as its own tools keep it: a key of Bedrock's goes over TLS only."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", CANARY)


def through(vendor: Vendor | str, name: str, model: str, *, timeout: float = 60.0, **options: str) -> PydanticModel:
    """A model of `vendor` that is tried twice more, without waiting."""

    async def sleep(_: float) -> None:
        return

    url = vendor if isinstance(vendor, str) else vendor.url
    more = {"region_name": "eu-central-1", **options} if name == "bedrock" else options
    service = Service("acme", name, model, url, timeout, more)
    key = KeySource(None if name == "bedrock" else "env:ACME_API_KEY", ENVIRON, "acme")
    limits = Limits(100_000, 4_096, images=True, documents=True)
    return PydanticModel(
        service, Endpoint.parse("acme", url, timeout), limits, None, key, {}, RetryPolicy(2, sleep=sleep)
    )


async def ask(model: Model, request: ModelRequest = QUESTION) -> list[object]:
    return [event async for event in model.stream(request)]


async def fail(model: Model, request: ModelRequest = QUESTION) -> tuple[list[object], ModelError]:
    events: list[object] = []
    with pytest.raises(ModelError) as caught:
        async with aclosing(model.stream(request)) as answer:
            async for event in answer:
                events.append(event)
    return events, caught.value


def after(end: object, text: str, *results: Message) -> ModelRequest:
    """The question, what the model said, and what its calls came to."""
    assert isinstance(end, Completed)
    said = Message(Role.ASSISTANT, (Text(text),) if text else (), end.reasoning, end.calls)
    return ModelRequest((*QUESTION.messages, said, *results), (TOOL,), 1_000)


# --- Bedrock ---------------------------------------------------------------------------------------------------

BEGIN = ("messageStart", {"role": "assistant"})
STOPPED = ("contentBlockStop", {"contentBlockIndex": 0})
USED = ("metadata", {"usage": {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}, "metrics": {}})


def delta(index: int, **what: object) -> tuple[str, dict[str, object]]:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": what}


def end(reason: str) -> tuple[str, dict[str, object]]:
    return "messageStop", {"stopReason": reason}


def hello() -> Said:
    return bedrock(BEGIN, delta(0, text="Hel"), delta(0, text="lo"), STOPPED, end("end_turn"), USED)


async def test_bedrock_answers_with_reasoning_text_and_a_call_and_gets_all_of_it_back() -> None:
    call = {"toolUseId": "tooluse_1", "name": "one"}
    first = bedrock(
        BEGIN,
        delta(0, reasoningContent={"text": "Let me"}),
        delta(0, reasoningContent={"signature": "sig=="}),
        STOPPED,
        delta(1, text="Sure. 🎉"),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        ("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": call}}),
        delta(2, toolUse={"input": '{"pa'}),
        delta(2, toolUse={"input": 'th": "日"}'}),
        ("contentBlockStop", {"contentBlockIndex": 2}),
        end("tool_use"),
        USED,
    )
    async with Vendor([first, hello()]) as vendor:
        model = through(vendor, "bedrock", CLAUDE)
        events = await ask(model)
        await ask(model, after(events[-1], "Sure. 🎉", Message.tool(ToolResult("tooluse_1", "one"), "ok", "tool")))
    place = {"provider": "acme", "model": CLAUDE, "text_before": 0, "calls_before": 0}
    origin = {"provider_name": "bedrock", "provider_url": vendor.url, "canonical_system": "anthropic"}
    own = {"provider_name": "bedrock", "signature": "sig=="}
    assert events == [
        ReasoningDelta("Let me"),
        TextDelta("Sure. 🎉"),
        ToolCallDelta(0, "", "tooluse_1", "one"),
        ToolCallDelta(0, '{"pa'),
        ToolCallDelta(0, 'th": "日"}'),
        Completed(
            "tool_calls",
            (ToolCall("tooluse_1", "one", '{"path": "日"}'),),
            (Reasoning("Let me", {**place, "origin": origin, "part": own}),),
            Usage(100, 20),
        ),
    ]
    asked, again = vendor.came
    assert asked.target == f"/model/{CLAUDE.replace(':', '%3A')}/converse-stream"
    assert asked.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert asked.body["system"] == [{"text": "Be brief."}]
    assert asked.body["inferenceConfig"] == {"maxTokens": 1_000}
    spec = {"name": "one", "description": "Does one.", "inputSchema": {"json": SCHEMA}}
    assert asked.body["toolConfig"]["tools"] == [{"toolSpec": spec}]
    assert again.body["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Let me", "signature": "sig=="}}},
                {"text": "Sure. 🎉"},
                {"toolUse": {"toolUseId": "tooluse_1", "name": "one", "input": {"path": "日"}}},
            ],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "ok"}], "status": "success"}}],
        },
    ]


async def test_a_picture_goes_to_bedrock_as_itself() -> None:
    shown = Message.attachment(Image(PNG, "image/bmp", "a.png"), tag="image")
    async with Vendor([hello()]) as vendor:
        await ask(through(vendor, "bedrock", NOVA), ModelRequest((shown, Message.user("What is it?"))))
    picture = {"image": {"format": "png", "source": {"bytes": PNG_TEXT}}}
    assert vendor.came[0].body["messages"] == [{"role": "user", "content": [picture, {"text": "What is it?"}]}]


async def test_what_bedrock_cannot_answer_now_leaves_once_for_each_attempt_that_is_told() -> None:
    busy = [bedrock_error(503, "ServiceUnavailableException", "oops")] * 3
    async with Vendor(busy) as vendor:
        events, error = await fail(through(vendor, "bedrock", NOVA))
    assert [type(event) for event in events] == [Retrying, Retrying]
    assert len(vendor.came) == 3
    assert (error.kind, error.status) == (ModelErrorKind.OVERLOADED, 503)
    assert str(error) == (
        f"acme ({vendor.url[7:]}): it cannot answer at the moment (HTTP 503: oops);"
        " try again later, or choose another model (--model, in a chat /model)"
    )


@pytest.mark.parametrize(
    ("status", "code", "message", "kind"),
    [
        (429, "ThrottlingException", "Too many tokens", ModelErrorKind.OVERLOADED),
        (400, "ServiceQuotaExceededException", "used up", ModelErrorKind.QUOTA),
        (400, "ValidationException", "Input is too long for requested model.", ModelErrorKind.CONTEXT_TOO_LONG),
        (403, "AccessDeniedException", "no access to this model", ModelErrorKind.AUTH),
        (400, "ValidationException", "The provided model identifier is invalid.", ModelErrorKind.REFUSED),
    ],
)
async def test_what_bedrock_refuses_is_told_by_its_kind(status: int, code: str, message: str, kind: str) -> None:
    async with Vendor([bedrock_error(status, code, message)] * 3) as vendor:
        _, error = await fail(through(vendor, "bedrock", NOVA))
    assert (error.kind, error.status) == (kind, status)
    assert message in str(error)


async def test_what_breaks_off_inside_an_answer_of_bedrock_keeps_its_text() -> None:
    async with Vendor([bedrock(BEGIN, delta(0, text="Hel"))]) as vendor:
        events, error = await fail(through(vendor, "bedrock", NOVA))
    assert events == [TextDelta("Hel")]
    assert error.kind is ModelErrorKind.NETWORK
    assert str(error).startswith(f"acme ({vendor.url[7:]}): the answer was cut before its end")


async def test_silence_of_bedrock_ends_the_answer() -> None:
    async with Vendor([bedrock(BEGIN, delta(0, text="Hel"), held=True)]) as vendor:
        events, error = await fail(through(vendor, "bedrock", NOVA, timeout=1.0))
    assert events == [TextDelta("Hel")]
    assert error.kind is ModelErrorKind.NETWORK
    assert "silent for 1 s" in str(error)


async def test_cancelling_ends_a_request_to_bedrock_and_the_server_sees_it() -> None:
    begun = asyncio.Event()

    async def read(model: Model) -> None:
        async for _ in model.stream(QUESTION):
            begun.set()

    async with Vendor([bedrock(BEGIN, delta(0, text="Hel"), held=True)]) as vendor:
        task = asyncio.create_task(read(through(vendor, "bedrock", NOVA)))
        await begun.wait()
        async with asyncio.timeout(AT_ONCE):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await vendor.came[0].left.wait()


# --- Gemini ----------------------------------------------------------------------------------------------------


async def test_gemini_answers_with_thoughts_and_a_signed_call_and_gets_both_back() -> None:
    counts = {"promptTokenCount": 100, "candidatesTokenCount": 15, "thoughtsTokenCount": 5, "totalTokenCount": 120}
    called = {"functionCall": {"name": "one", "args": {"path": "日"}, "id": "c1"}, "thoughtSignature": "c2ln"}
    first = gemini(
        gemini_says({"text": "Let me", "thought": True}),
        gemini_says({"text": "Su"}),
        gemini_says({"text": "re."}),
        {**gemini_says(called, finishReason="STOP"), "usageMetadata": counts},
    )
    async with Vendor([first, gemini(gemini_says({"text": "Done"}, finishReason="STOP"))]) as vendor:
        model = through(vendor, "google", GEMINI)
        events = await ask(model)
        last = events[-1]
        result = Message.tool(ToolResult("c1", "one", is_error=True), "not found", "tool")
        await ask(model, after(last, "Sure.", result))
    assert isinstance(last, Completed)
    assert events[:-1] == [
        ReasoningDelta("Let me"),
        TextDelta("Su"),
        TextDelta("re."),
        ToolCallDelta(0, '{"path": "日"}', "c1", "one"),
    ]
    assert (last.reason, last.calls) == ("tool_calls", (ToolCall("c1", "one", '{"path": "日"}'),))
    assert last.usage == Usage(100, 20)
    assert [(each.text, sorted(each.provider_metadata)) for each in last.reasoning] == [
        ("Let me", ["calls_before", "model", "origin", "part", "provider", "text_before"]),
        ("", ["calls", "model", "origin", "provider"]),
    ]
    asked, again = vendor.came
    assert asked.target == f"/v1beta/models/{GEMINI}:streamGenerateContent?alt=sse"
    assert asked.headers["x-goog-api-key"] == CANARY
    assert asked.body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert asked.body["generationConfig"]["maxOutputTokens"] == 1_000
    (declared,) = asked.body["tools"][0]["functionDeclarations"]
    assert (declared["name"], declared["parameters_json_schema"]) == ("one", SCHEMA)
    said = again.body["contents"][1]["parts"]
    assert said[-1] == {
        "functionCall": {"id": "c1", "name": "one", "args": {"path": "日"}},
        "thoughtSignature": "c2ln",
    }
    assert {"text": "Sure."} in said
    (answered,) = again.body["contents"][2]["parts"]
    assert answered["functionResponse"]["id"] == "c1"
    assert "not found" in str(answered["functionResponse"]["response"])


async def test_gemini_is_asked_again_after_the_time_that_it_names() -> None:
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}
    busy = gemini_error(429, "slow down", "RESOURCE_EXHAUSTED", wait)
    whole = gemini(gemini_says({"text": "Hello"}, finishReason="STOP"))
    async with Vendor([busy, whole]) as vendor:
        events = await ask(through(vendor, "google", GEMINI))
    assert isinstance(events[0], Retrying)
    assert events[0].delay == 7.0
    assert events[1] == TextDelta("Hello")
    assert len(vendor.came) == 2


@pytest.mark.parametrize(
    ("status", "message", "reason", "kind"),
    [
        (400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", ModelErrorKind.AUTH),
        (403, "permission denied", "PERMISSION_DENIED", ModelErrorKind.AUTH),
        (
            400,
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            "INVALID_ARGUMENT",
            ModelErrorKind.CONTEXT_TOO_LONG,
        ),
        (404, "models/x is not found", "NOT_FOUND", ModelErrorKind.REFUSED),
    ],
)
async def test_what_gemini_refuses_is_told_by_its_kind(status: int, message: str, reason: str, kind: str) -> None:
    async with Vendor([gemini_error(status, message, reason)]) as vendor:
        _, error = await fail(through(vendor, "google", GEMINI))
    assert (error.kind, error.status) == (kind, status)
    assert message in str(error)


async def test_an_answer_that_gemini_holds_back_is_refused() -> None:
    async with Vendor([gemini(gemini_says({"text": "Well"}, finishReason="SAFETY"))]) as vendor:
        events, error = await fail(through(vendor, "google", GEMINI))
    assert events == [TextDelta("Well")]
    assert error.kind is ModelErrorKind.REFUSED
    assert "the provider's content filter stopped the answer" in str(error)


async def test_cancelling_ends_a_request_to_gemini_and_the_server_sees_it() -> None:
    async with Vendor([gemini(gemini_says({"text": "Hel"}), held=True)]) as vendor:
        stream = through(vendor, "google", GEMINI).stream(QUESTION)
        assert await anext(stream) == TextDelta("Hel")
        async with asyncio.timeout(AT_ONCE):
            await stream.aclose()
            await vendor.came[0].left.wait()


# --- the road --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("service", ["anthropic", "openai-chat", "openai", "groq"])
async def test_nothing_follows_a_redirect_to_another_host(service: str) -> None:
    async with ScriptedServer([Answer("stolen")]) as thief:
        elsewhere = HttpError(307, headers={"Location": f"{thief.url}/v1/messages"})
        async with ScriptedServer([elsewhere] * 3) as server:
            _, error = await fail(through(server.url, service, "m-1"))
    assert thief.requests == []
    assert len(server.requests) == 1
    assert error.kind in {ModelErrorKind.NETWORK, ModelErrorKind.REFUSED, ModelErrorKind.BAD_RESPONSE}


async def test_a_provider_of_the_older_http_library_is_spoken_to_on_the_same_road() -> None:
    async with ScriptedServer([HttpError(503, "oops"), Answer("Hello", wire=Wire(text_chars=3))]) as server:
        events = await ask(through(server.url, "groq", "m-1"))
    assert isinstance(events[0], Retrying)
    assert events[1:3] == [TextDelta("Hel"), TextDelta("lo")]
    assert len(server.requests) == 2


async def test_a_key_of_the_environment_does_not_go_to_an_address_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    async with ScriptedServer([Answer("Hello")]) as server:
        own = ProviderConfig(f"{server.url}/v1", "pydantic-ai", service="openai-chat")
        model, _ = await choose("acme/m-1", ModelConfig("", {"acme": own}), {})
        await ask(model)
    assert CANARY not in str(server.requests[0].headers)


def test_a_provider_with_a_road_of_its_own_gets_none() -> None:
    assert watched_client("AsyncClient | None", "acme", 60.0) is None
    assert watched_client("httpx2.AsyncClient | None", "acme", 60.0) is not None


# --- what can be used ------------------------------------------------------------------------------------------


def configured(**providers: ProviderConfig) -> ModelConfig:
    nobody = ProviderConfig(base_url="http://127.0.0.1:9/v1")
    return ModelConfig("", {"lmstudio": nobody, **providers})


async def row(config: ModelConfig, name: str, environ: dict[str, str] | None = None) -> tuple[bool, str, str]:
    found = await list_models(config, environ or ENVIRON)
    (candidate,) = [each for each in found if each.name.partition("/")[0] == name]
    return candidate.usable, candidate.reason, candidate.destination.host if candidate.destination else ""


async def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "find_spec", lambda _: None)
    config = configured(bedrock=ProviderConfig(dialect="pydantic-ai", model=NOVA))
    why = "pydantic-ai is not installed; pip install 'motet[pydantic-ai]'"
    assert await row(config, "bedrock") == (False, why, "")
    with pytest.raises(ModelError) as caught:
        await choose("bedrock", config, ENVIRON)
    assert str(caught.value) == f"bedrock: {why}"


async def test_a_package_that_the_extra_does_not_bring_is_named() -> None:
    config = configured(mistral=ProviderConfig(dialect="pydantic-ai", model="m", key="env:ACME_API_KEY"))
    why = "a package of this provider is not installed; pip install 'pydantic-ai-slim[mistral]'"
    assert await row(config, "mistral") == (False, why, "")


async def test_a_key_that_is_nowhere_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    config = configured(google=ProviderConfig(dialect="pydantic-ai", model=GEMINI))
    assert await row(config, "google") == (
        False,
        "GOOGLE_API_KEY is not set; set it, or providers.google.key",
        "",
    )


async def test_a_model_is_listed_with_the_host_and_the_limits_that_pydantic_ai_knows() -> None:
    own = ProviderConfig(
        dialect="pydantic-ai", model=CLAUDE, key="env:ACME_API_KEY", options={"region_name": "eu-central-1"}
    )
    config = configured(bedrock=own)
    host = "bedrock-runtime.eu-central-1.amazonaws.com"
    assert await row(config, "bedrock") == (True, "ACME_API_KEY is set", host)
    model, why = await choose("bedrock", config, ENVIRON)
    assert (model.name, model.destination.host, why) == (f"bedrock/{CLAUDE}", host, "chosen by name")
    assert model.limits == Limits(200_000, 16_000, images=True, documents=True)
    assert (await choose(None, config, ENVIRON))[0].name == model.name


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (
            ProviderConfig(options={"aws_secret_access_key": CANARY}),
            "providers.bedrock.options.aws_secret_access_key: there is no such option; BedrockProvider takes"
            " aws_connect_timeout, aws_read_timeout, profile_name, region_name",
        ),
        (
            ProviderConfig(service="nobody"),
            "bedrock: pydantic-ai knows no provider 'nobody'; name one of its own in 'service'",
        ),
    ],
)
async def test_settings_that_pydantic_ai_cannot_use_are_named(own: ProviderConfig, said: str) -> None:
    config = configured(bedrock=ProviderConfig(dialect="pydantic-ai", service=own.service, options=own.options))
    with pytest.raises((SettingsError, ModelError)) as caught:
        await choose("bedrock/m", config, ENVIRON)
    assert str(caught.value) == said


async def test_a_key_is_not_checked_where_that_would_cost_something() -> None:
    config = configured(bedrock=ProviderConfig(dialect="pydantic-ai", model=NOVA, key="env:ACME_API_KEY"))
    check = await check_key("bedrock", config, ENVIRON)
    assert (check.works, check.text) == (
        None,
        "not checked: pydantic-ai has no request for it that costs nothing",
    )
