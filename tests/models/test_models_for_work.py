"""A model of its own for each kind of work, as `[models]` sets it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec import convert

from motet.engine.models import model_config, model_for
from motet.errors import ModelError, UsageError
from motet.messages import Message
from motet.models import Model, ModelRequest, choose
from motet.models.scripted import Answer, ScriptedServer
from motet.settings import Settings

KINDS = ("chat", "edit", "title", "compact", "reply")


async def ask(model: Model, text: str) -> None:
    assert [event async for event in model.stream(ModelRequest((Message.user(text),)))]


@pytest.mark.acceptance("S0-011")
async def test_each_kind_of_work_is_asked_of_its_own_server_alone(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        servers = {kind: await stack.enter_async_context(ScriptedServer([Answer("x")])) for kind in KINDS}
        settings = convert(
            {
                "models": {kind: f"for-{kind}/m-{kind}" for kind in KINDS},
                "providers": {f"for-{kind}": {"base_url": f"{servers[kind].url}/v1"} for kind in KINDS},
            },
            Settings,
        )
        for kind in KINDS:
            model = await model_for(kind, settings, tmp_path, {})
            assert model is not None
            await ask(model, f"some {kind}")
    seen = {kind: [request.body["messages"] for request in server.requests] for kind, server in servers.items()}
    assert seen == {kind: [[{"role": "user", "content": f"some {kind}"}]] for kind in KINDS}


async def test_what_has_no_model_of_its_own_is_done_by_the_one_for_everything(tmp_path: Path) -> None:
    settings = convert({"model": "offline", "models": {"title": "acme/m"}}, Settings)
    assert await model_for("chat", settings, tmp_path, {}) is None
    assert model_config(settings, tmp_path, "chat").model == "offline"
    assert model_config(settings, tmp_path, "title").model == "acme/m"
    assert (await choose(None, model_config(settings, tmp_path, "chat"), {}))[0].name == "offline"


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("openai", ModelError, "models.title: openai: OPENAI_API_KEY is not set; set it, or providers.openai.key"),
        ("opnai", UsageError, "models.title: model opnai: no such provider; did you mean openai"),
    ],
)
async def test_one_that_cannot_be_used_is_named_with_its_setting(
    tmp_path: Path, name: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        await model_for("title", convert({"models": {"title": name}}, Settings), tmp_path, {})
    assert str(caught.value).startswith(said)
