"""Which model a name stands for, which is used without a name, and why others cannot be."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from motet.errors import ModelError, ModelErrorKind, SettingsError, UsageError
from motet.messages import Message
from motet.models import Candidate, Limits, ModelConfig, ModelRequest, Price, ProviderConfig, choose, list_models
from motet.models.local import installed_models, ollama_url
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.table import PROVIDERS
from motet.models.scripted import Answer, ScriptedServer, Wire

NOBODY = "http://127.0.0.1:9/v1"
NO_SERVER = {"OLLAMA_HOST": "127.0.0.1:9"}
CANARY = "sk-canary-0123456789abcdef"


def config(model: str = "", **providers: ProviderConfig) -> ModelConfig:
    """Settings of a machine on which no model server runs."""
    return ModelConfig(model, {"lmstudio": ProviderConfig(base_url=NOBODY), **providers})


async def test_without_anything_the_offline_model_is_used_and_the_reason_said() -> None:
    model, why = await choose(None, config(), NO_SERVER)
    assert (model.name, why) == ("offline", "no key in the environment and no local server")
    assert not model.destination.remote


@pytest.mark.acceptance("S3-040", "PY-09")
@pytest.mark.parametrize(
    ("variable", "name", "host"),
    [
        ("ANTHROPIC_API_KEY", "anthropic/claude-sonnet-5-5", "api.anthropic.com"),
        ("OPENAI_API_KEY", "openai/gpt-6.1-terra", "api.openai.com"),
        ("GEMINI_API_KEY", "gemini/gemini-3.8-flash", "generativelanguage.googleapis.com"),
        ("OPENROUTER_API_KEY", "openrouter/anthropic/claude-sonnet-5.5", "openrouter.ai"),
        ("MISTRAL_API_KEY", "mistral/mistral-medium-latest", "api.mistral.ai"),
        ("DEEPSEEK_API_KEY", "deepseek/deepseek-flash", "api.deepseek.com"),
        ("GROQ_API_KEY", "groq/openai/gpt-oss-120b", "api.groq.com"),
        ("XAI_API_KEY", "xai/grok-4.5", "api.x.ai"),
    ],
)
async def test_a_key_in_the_environment_makes_its_provider_the_default(variable, name, host) -> None:
    model, why = await choose(None, config(), {**NO_SERVER, variable: CANARY})
    assert (model.name, model.destination.host, why) == (name, host, f"{variable} is set")
    assert model.destination.remote
    assert model.price is not None and model.limits.tools


async def test_of_several_keys_the_first_of_the_table_wins() -> None:
    environ = {**NO_SERVER, "XAI_API_KEY": CANARY, "OPENAI_API_KEY": CANARY}
    assert (await choose(None, config(), environ))[0].name.startswith("openai/")


async def test_the_configured_model_comes_before_every_key() -> None:
    environ = {**NO_SERVER, "ANTHROPIC_API_KEY": CANARY, "XAI_API_KEY": CANARY}
    model, why = await choose(None, config("xai/grok-4.5"), environ)
    assert (model.name, why) == ("xai/grok-4.5", "set in the settings")


async def test_a_configured_model_that_cannot_be_used_is_passed_over_aloud() -> None:
    model, why = await choose(None, config("openai"), {**NO_SERVER, "XAI_API_KEY": CANARY})
    assert model.name == "xai/grok-4.5"
    assert why == (
        "openai, which the settings name, cannot be used (openai: OPENAI_API_KEY is not set; set it,"
        " or providers.openai.key); XAI_API_KEY is set"
    )


@pytest.mark.acceptance("PY-09")
async def test_a_local_server_is_used_when_there_is_no_key() -> None:
    async with ScriptedServer([], models=["nomic-embed-text", "qwen3-coder"]) as server:
        model, why = await choose(None, config(), {"OLLAMA_HOST": server.url})
    assert model.name == "ollama/qwen3-coder"
    assert why == f"the server at {server.url[7:]} has it"
    assert (model.limits, model.price) == (Limits(15_000, 4_096), None)
    assert model.destination.remote


async def test_a_key_is_preferred_to_a_local_server_and_then_nobody_is_asked() -> None:
    async with ScriptedServer([], models=["x"]) as server:
        environ = {"OLLAMA_HOST": server.url, "XAI_API_KEY": CANARY}
        assert (await choose(None, config(), environ))[0].name == "xai/grok-4.5"


async def test_a_chosen_model_answers_through_the_address_and_with_the_key_of_the_settings() -> None:
    async with ScriptedServer([Answer("Hello"), Answer("Hello")]) as server:
        own = config(
            acme=ProviderConfig(
                base_url=f"{server.url}/v1",
                key=f"cmd:echo {CANARY}",
                model="large",
                context_tokens=9_000,
                output_tokens=500,
                tools=False,
                price=Price(1, 2),
                body={"temperature": 0},
            ),
            claude=ProviderConfig(base_url=server.url, dialect="anthropic", key="env:CLAUDE_KEY"),
        )
        model, why = await choose("acme", own, {})
        assert (model.name, why) == ("acme/large", "chosen by name")
        assert (model.limits, model.price) == (Limits(9_000, 500, tools=False), Price(1, 2))
        request = ModelRequest((Message.user("Hi"),))
        assert [event async for event in model.stream(request)]
        other, _ = await choose("claude/m", own, {"CLAUDE_KEY": "k2-k2-k2-k2"})
        assert [event async for event in other.stream(request)]
    first, second = server.requests
    assert first.headers["authorization"] == f"Bearer {CANARY}"
    assert (first.body["model"], first.body["temperature"]) == ("large", 0)
    assert (second.dialect, second.headers["x-api-key"]) == ("anthropic", "k2-k2-k2-k2")


async def test_a_model_may_have_slashes_in_its_name() -> None:
    model, _ = await choose("openrouter/meta/llama:free", config(), {"OPENROUTER_API_KEY": CANARY})
    assert model.name == "openrouter/meta/llama:free"


async def test_a_dated_snapshot_has_the_limits_of_its_model_and_a_variant_has_not() -> None:
    environ = {"OPENAI_API_KEY": CANARY}
    dated, _ = await choose("openai/gpt-5-mini-2025-08-07", config(), environ)
    variant, _ = await choose("openai/gpt-5-mini-turbo", config(), environ)
    assert (dated.limits.context_tokens, variant.limits.context_tokens) == (272_000, 15_000)
    assert (dated.price, variant.price) == (Price(0.25, 2.0, 0.025), None)


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("antropic", "did you mean anthropic"),
        ("claude-sonnet-5-5", "did you mean anthropic/claude-sonnet-5-5"),
        ("antropic/claude-sonnet-5-5", "did you mean anthropic/claude-sonnet-5-5"),
        ("ofline", "did you mean offline?"),
        ("xxxxxxxx", "known are anthropic, openai, gemini"),
        ("acne", "did you mean acme"),
        ("/", "known are"),
    ],
)
async def test_an_unknown_name_is_refused_with_the_closest(name: str, close: str) -> None:
    with pytest.raises(UsageError) as caught:
        await choose(name, config(acme=ProviderConfig(base_url=NOBODY)), {})
    assert str(caught.value).startswith(f"model {name}: no such provider; ")
    assert close in str(caught.value)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("openai", ModelErrorKind.AUTH, "openai: OPENAI_API_KEY is not set; set it, or providers.openai.key"),
        ("openai/gpt-4.1", ModelErrorKind.AUTH, "openai: OPENAI_API_KEY is not set; set it, or providers.openai.key"),
        ("ollama", ModelErrorKind.NETWORK, "ollama: nothing answers at 127.0.0.1:9; start the server"),
    ],
)
async def test_a_model_that_is_named_and_cannot_be_used_says_why(name: str, kind: ModelErrorKind, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        await choose(name, config(), NO_SERVER)
    assert (caught.value.kind, str(caught.value)) == (kind, words)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (ProviderConfig(base_url="acme.example"), "providers.acme.base_url: an address"),
        (ProviderConfig(base_url=NOBODY, key=CANARY), "providers.acme.key: write env:NAME, cmd:COMMAND"),
        (
            ProviderConfig(base_url=NOBODY, key="env:K", dialect="grpc"),
            "providers.acme.dialect: grpc is none of openai, openai-responses, anthropic and pydantic-ai",
        ),
        (ProviderConfig(), "providers.acme.base_url: an address"),
    ],
)
async def test_wrong_settings_are_told_when_named_and_listed_when_not(wrong: ProviderConfig, words: str) -> None:
    environ = {**NO_SERVER, "K": CANARY}
    with pytest.raises(SettingsError) as caught:
        await choose("acme/m", config(acme=wrong), environ)
    assert words in str(caught.value) and CANARY not in str(caught.value)
    listed = {candidate.name: candidate for candidate in await list_models(config(acme=wrong), environ)}
    assert not listed["acme"].usable and words in listed["acme"].reason
    assert (await choose(None, config(acme=wrong), environ))[0].name == "offline"


async def test_the_list_says_of_each_model_whether_and_why() -> None:
    async with ScriptedServer([], models=["qwen3", "llama4"]) as server:
        environ = {"OLLAMA_HOST": server.url, "ANTHROPIC_API_KEY": CANARY, "OPENAI_API_KEY": " "}
        own = {"acme": ProviderConfig(base_url="https://acme.example/v1", key="cmd:pass acme", model="m")}
        candidates = await list_models(config(**own), environ)
    by_name = {candidate.name: candidate for candidate in candidates}
    assert [candidate.name for candidate in candidates][-4:] == [
        "ollama/qwen3",
        "ollama/llama4",
        "lmstudio",
        "offline",
    ]
    assert {name: candidate.reason for name, candidate in by_name.items() if candidate.usable} == {
        "anthropic/claude-sonnet-5-5": "ANTHROPIC_API_KEY is set",
        "acme/m": "its key comes from a command",
        "ollama/qwen3": f"the server at {server.url[7:]} has it",
        "ollama/llama4": f"the server at {server.url[7:]} has it",
        "offline": "built in: applies suggested fixes, needs no key",
    }
    assert by_name["openai/gpt-6.1-terra"].reason == "OPENAI_API_KEY is not set; set it, or providers.openai.key"
    assert by_name["lmstudio"] == Candidate(
        "lmstudio", False, "nothing answers at 127.0.0.1:9; start the server", by_name["lmstudio"].destination
    )
    assert CANARY not in repr(candidates)


async def test_local_servers_that_hang_are_left_all_together() -> None:
    waiting: list[int] = [0]

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting.append(waiting[-1] + 1)
        await reader.read()
        waiting.append(waiting[-1] - 1)
        writer.close()

    import httpx2  # noqa: F401  (its import is not what is measured)

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    slow = {name: ProviderConfig(base_url=f"http://{address}/v1") for name in ("lmstudio", "one", "two", "three")}
    model, _ = await choose(None, ModelConfig(providers=slow), {"OLLAMA_HOST": address})
    server.close()
    assert model.name == "offline"
    assert max(waiting) > 1  # one after the other there would be one


async def test_a_server_that_talks_nonsense_has_no_models() -> None:
    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()

    server = await asyncio.start_server(nonsense, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    assert await installed_models(Endpoint.parse("x", address)) == []
    server.close()
    assert await installed_models(Endpoint.parse("x", NOBODY)) is None


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("", ""),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        (":1234", "http://127.0.0.1:1234/v1"),
        ("gpu.example", "http://gpu.example:11434/v1"),
        ("http://gpu.example", "http://gpu.example:80/v1"),
        ("https://gpu.example/ollama/", "https://gpu.example:443/ollama/v1"),
        ("[::]:5", "http://[::1]:5/v1"),
        ('"127.0.0.1:99999"', "http://127.0.0.1:11434/v1"),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(value: str, url: str) -> None:
    assert ollama_url({"OLLAMA_HOST": value}) == url


async def test_the_window_of_ollama_is_the_one_it_was_started_with() -> None:
    model, _ = await choose("ollama/qwen3", config(), {"OLLAMA_CONTEXT_LENGTH": "4096"})
    assert model.limits == Limits(4_096, 1_365)


async def test_a_recording_is_a_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        await choose(f"replay:{tmp_path / 'none'}", config(), {})


def test_the_table_is_complete() -> None:
    for provider in PROVIDERS.values():
        Endpoint.parse(provider.name, provider.base_url)
        assert provider.local or (provider.key_env and provider.known(provider.default_model).price)
        for known in provider.models.values():
            assert known.limits.output_tokens * 2 <= known.limits.context_tokens
            assert known.price and known.price.cached_input <= known.price.input <= known.price.output


@pytest.mark.parametrize("module", ["motet.models", "motet.models.catalog", "motet.models.scripted"])
def test_importing_models_brings_no_http_client_and_no_provider(module: str) -> None:
    script = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    heavy = {
        "httpx2",
        "httpcore2",
        "anyio",
        "pydantic",
        "rich",
        "motet.models.providers.http_model",
        "motet.models.offline",
    }
    assert loaded & heavy == set()


async def test_choosing_by_key_brings_no_http_client() -> None:
    script = (
        "import asyncio, sys; from motet.models import *; "
        "asyncio.run(choose(None, ModelConfig(), {'OPENAI_API_KEY': 'k'})); print(*sys.modules)"
    )
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "httpx2" not in done.stdout.split()


async def test_a_local_server_with_a_default_of_the_users_own_need_not_list_it() -> None:
    async with ScriptedServer([Answer("x", wire=Wire())], models=["other"]) as server:
        own = config(ollama=ProviderConfig(base_url=f"{server.url}/v1", model="mine"))
        candidates = [
            candidate.name for candidate in await list_models(own, {}) if candidate.name.startswith("ollama")
        ]
        assert candidates == ["ollama/mine", "ollama/other"]
        assert (await choose("ollama", own, {}))[0].name == "ollama/mine"
