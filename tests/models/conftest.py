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
from motet.models.providers.pydantic_ai.model import PydanticModel
from motet.models.providers.pydantic_ai.service import Service
from motet.models.providers.retry import RetryPolicy
from motet.models.scripted import ScriptedServer

CANARY = "sk-canary-0123456789abcdef"
"""The key of every test model; it must not be seen anywhere but in the one header."""


THROUGH = {"anthropic": "anthropic", "openai": "openai-chat", "openai-responses": "openai"}
"""What pydantic-ai calls those that speak a dialect."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "own_dialect" in metafunc.fixturenames:
        metafunc.parametrize("own_dialect", [*THROUGH])
    if "dialect" in metafunc.fixturenames:
        metafunc.parametrize("dialect", [*THROUGH, *(f"pydantic-ai:{dialect}" for dialect in THROUGH)])


@dataclass
class Connected:
    """A model, and what it did besides answering."""

    model: HttpModel | PydanticModel
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


def on_the_wire(dialect: str) -> str:
    """What is spoken on the wire, whoever speaks it."""
    return dialect.removeprefix("pydantic-ai:")


@pytest.fixture
def connect() -> Connect:
    """`connect(server, dialect)`: a model of that server. `how` replaces the mapping (through pydantic-ai: what the model
    can do), `now` the time of day."""

    def build(
        server: ScriptedServer | str,
        dialect: str = "openai",
        *,
        how: Dialect | Limits | None = None,
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

        retry = RetryPolicy(
            retries=retries, longest_delay=longest_delay, sleep=sleep, jitter=lambda: 1.0, now=lambda: now
        )
        secret = key or KeySource("env:ACME_API_KEY", {"ACME_API_KEY": CANARY}, "acme")
        limits = how if isinstance(how, Limits) else Limits(100_000, 4_096)
        through, _, spoken = dialect.rpartition(":")
        address = url if spoken == "anthropic" else f"{url}/v1"
        if through:
            service = Service("acme", THROUGH[spoken], "m-1", address, timeout)
            endpoint = Endpoint.parse("acme", address, timeout)
            return Connected(
                PydanticModel(service, endpoint, limits, price, secret, {}, retry, lambda: "made_up"), waits
            )
        mappings: dict[str, Dialect] = {
            "anthropic": AnthropicMessages("acme", "m-1", 4_096, new_call_id=lambda: "made_up"),
            "openai": ChatCompletions("acme", "m-1", new_call_id=lambda: "made_up"),
            "openai-responses": OpenAIResponses("acme", "m-1", new_call_id=lambda: "made_up"),
        }
        model = HttpModel(
            model="m-1",
            dialect=mappings[dialect] if how is None or isinstance(how, Limits) else how,
            endpoint=Endpoint.parse("acme", address, timeout),
            limits=limits,
            price=price,
            key=secret,
            retry=retry,
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
