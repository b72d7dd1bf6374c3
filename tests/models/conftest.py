"""Models connected to scripted servers over real HTTP, without waiting for retries."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from motet.errors import ModelError
from motet.messages import Message
from motet.models import Limits, ModelEvent, ModelRequest, Price, ToolDefinition
from motet.models.keys import KeySource
from motet.models.providers.anthropic import AnthropicMessages
from motet.models.providers.dialect import Dialect
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.http_model import HttpModel
from motet.models.providers.openai_compatible import ChatCompletions
from motet.models.providers.openai_responses import OpenAIResponses
from motet.models.providers.retry import RetryPolicy
from motet.models.scripted import ScriptedServer

CANARY = "sk-canary-0123456789abcdef"
"""The key of every test model; it must not be seen anywhere but in the one header."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "dialect" in metafunc.fixturenames:
        metafunc.parametrize("dialect", ["anthropic", "openai", "openai-responses"])


@dataclass
class Connected:
    """A model, and what it did besides answering."""

    model: HttpModel
    waits: list[float] = field(default_factory=list)

    async def ask(self, request: ModelRequest) -> list[ModelEvent]:
        """All events of an answer."""
        return [event async for event in self.model.stream(request)]

    async def fail(self, request: ModelRequest) -> tuple[list[ModelEvent], ModelError]:
        """The events before the error, and the error."""
        events: list[ModelEvent] = []
        try:
            async with aclosing(self.model.stream(request)) as answer:
                async for event in answer:
                    events.append(event)
        except ModelError as error:
            return events, error
        raise AssertionError(f"no error; got {events}")


Connect = Callable[..., Connected]


@pytest.fixture
def connect() -> Connect:
    """`connect(server, dialect)`: a model of that server. `how` replaces the mapping, `now` the time of day."""

    def build(
        server: ScriptedServer | str,
        dialect: str = "openai",
        *,
        how: Dialect | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        longest_delay: float = 60.0,
        now: float = 0.0,
        key: KeySource | None = None,
        price: Price | None = None,
    ) -> Connected:
        url = server if isinstance(server, str) else server.url
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        mappings: dict[str, Dialect] = {
            "anthropic": AnthropicMessages("acme", "m-1", 4_096, new_call_id=lambda: "made_up"),
            "openai": ChatCompletions("acme", "m-1", new_call_id=lambda: "made_up"),
            "openai-responses": OpenAIResponses("acme", "m-1", new_call_id=lambda: "made_up"),
        }
        model = HttpModel(
            model="m-1",
            dialect=how or mappings[dialect],
            endpoint=Endpoint.parse("acme", url if dialect == "anthropic" else f"{url}/v1", timeout),
            limits=Limits(100_000, 4_096),
            price=price,
            key=key or KeySource("env:ACME_API_KEY", {"ACME_API_KEY": CANARY}, "acme"),
            retry=RetryPolicy(
                retries=retries, longest_delay=longest_delay, sleep=sleep, jitter=lambda: 1.0, now=lambda: now
            ),
        )
        return Connected(model, waits)

    return build


EDIT_TOOL = ToolDefinition(
    "replace_in_file",
    "Replace text in a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


@pytest.fixture
def question() -> ModelRequest:
    """A short request with one tool."""
    return ModelRequest((Message.system("Be brief.", "rules"), Message.user("Hi")), (EDIT_TOOL,), 1_000)
