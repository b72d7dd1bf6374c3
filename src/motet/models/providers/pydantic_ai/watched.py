"""The one road to a provider of pydantic-ai's: requests reach the host that the human was told, and no other.

What is sent there is written down before (`motet.engine.outgoing`); nobody but motet sends a request again. What a
system's own sign-in asks for (AWS, Google Cloud) goes its own way and holds nothing of the project.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Protocol, cast
from urllib.parse import urlsplit

from motet.models.providers.endpoint import Endpoint
from motet.models.providers.transport import Broken, new_client

_TALKATIVE = (
    "botocore",
    "boto3",
    "urllib3",
    "openai",
    "anthropic",
    "groq",
    "google_genai",
    "google.auth",
    "httpcore",
)
"""Loggers that write headers, with the key in them, when everything is logged."""
_LEGACY = "httpx.AsyncClient"
_BOTH = frozenset({"AsyncHTTPClient", "_OpenAIHTTPClient", "httpx2.AsyncClient"})


class _Sent(Protocol):
    """A request of httpx2, of httpx, or of botocore."""

    url: object


class _Response(Protocol):
    async def aclose(self) -> None: ...


class _Hooked(Protocol):
    event_hooks: dict[str, list[object]]


class _AwsEvents(Protocol):
    def register_first(self, event_name: str, handler: object) -> None: ...
    def unregister(self, event_name: str, *, unique_id: str) -> None: ...


class _AwsConfig(Protocol):
    signature_version: str


class _AwsMeta(Protocol):
    events: _AwsEvents
    config: _AwsConfig


class _AwsClient(Protocol):
    meta: _AwsMeta


_heard: ContextVar[list[_Response] | None] = ContextVar("_heard", default=None)


@asynccontextmanager
async def closed_at_once() -> AsyncGenerator[None]:
    """Responses that come within, in this task, are closed at its end: a package that reads them through several
    generators leaves that to the garbage collector."""
    responses: list[_Response] = []
    token = _heard.set(responses)
    try:
        yield
    finally:
        with suppress(ValueError):  # closed in another context
            _heard.reset(token)
        for response in responses:
            await response.aclose()


async def _keep(response: _Response) -> None:
    if (responses := _heard.get()) is not None:
        responses.append(response)


class _Guard:
    """Lets requests to one host pass; to none before it is known."""

    def __init__(self) -> None:
        self.host = ""

    def check(self, request: _Sent) -> None:
        host = urlsplit(str(request.url)).netloc.rpartition("@")[2]
        if not self.host or _with_port(host) != _with_port(self.host):
            raise Broken(f"it wanted to send to {host}, which is not the provider", "set the provider's base_url")

    async def hear(self, request: _Sent) -> None:
        """As a hook of an HTTP client, which also hears of each redirect."""
        self.check(request)


class Client:
    """An HTTP client for a provider, before its address is known."""

    def __init__(self, client: object, guard: _Guard) -> None:
        self.client = client
        self._guard = guard

    def allow(self, endpoint: Endpoint) -> None:
        """Let it reach `endpoint`."""
        self._guard.host = endpoint.host


def watched_client(kind: str, provider: str, timeout: float) -> Client | None:
    """A client of the `kind` that the annotation of a parameter names; None when it names none."""
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.INFO)
    kinds = {word.strip() for word in kind.split("|")}
    guard = _Guard()
    if kinds & _BOTH:
        client = new_client(timeout)
    elif _LEGACY in kinds:
        client = new_client(timeout, legacy=True)
    else:
        return None
    cast("_Hooked", client).event_hooks = {"request": [guard.hear], "response": [_keep]}
    return Client(client, guard)


def is_signed_in(client: object) -> bool:
    """Whether a client of botocore's, which has looked for them when it was made, has found credentials to sign with;
    also true where it does not say."""
    if cast("_AwsClient", client).meta.config.signature_version == "bearer":
        return True
    signer: object = getattr(client, "_request_signer", None)
    return getattr(signer, "_credentials", True) is not None


def watch_aws(client: object, endpoint: Endpoint) -> None:
    """Watch a client of botocore's, which then sends each request once."""
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.INFO)
    guard = _Guard()
    guard.host = endpoint.host
    events = cast("_AwsClient", client).meta.events

    def before(request: _Sent, **_: object) -> None:
        guard.check(request)

    events.register_first("before-send.bedrock-runtime", before)
    events.unregister("needs-retry.bedrock-runtime", unique_id="retry-config-bedrock-runtime")


def _with_port(host: str) -> str:
    return host.lower().removesuffix(":443")
