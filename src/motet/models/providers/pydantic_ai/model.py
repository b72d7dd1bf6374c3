"""A model behind pydantic-ai. It retries as other providers' models do; pydantic-ai itself never sends twice."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from motet.errors import ModelErrorKind
from motet.models.keys import KeySource, Secret
from motet.models.protocol import Destination, Limits, ModelEvent, ModelRequest, Price
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.pieces import CallCollector, fresh_call_id
from motet.models.providers.pydantic_ai.service import Opened, Service
from motet.models.providers.retry import Failed, RetryPolicy, retried
from motet.models.providers.table import UNKNOWN
from motet.models.providers.transport import LAST_WORDS_SECONDS

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponseStreamEvent
    from pydantic_ai.models import StreamedResponse
    from pydantic_ai.settings import ModelSettings

    from motet.models.providers.failures import Failures

_NO_KEY = "not-looked-up-yet"
_OUTPUT = 16_000
"""Tokens of an answer of a model whose window is known."""
_STALE = re.compile(r"signature|thinking|encrypted.?content|reasoning", re.IGNORECASE)
"""What a refusal of reasoning that was given back says."""


async def opened_model(
    service: Service,
    key: KeySource,
    limits: Callable[[Limits], Limits],
    price: Price | None,
    settings: Mapping[str, object],
) -> PydanticModel:
    """The model of `service`; `limits` says what becomes of those that pydantic-ai knows. Imports it, and asks nobody.

    Raises `SettingsError`, and `ModelError` where it cannot be used now.
    """
    opened = await service.open(_NO_KEY if key.place else None)
    return PydanticModel(service, opened.endpoint, limits(_known(opened)), price, key, settings)


def _known(opened: Opened) -> Limits:
    profile = opened.model.profile
    window = profile.get("context_window") or 0
    usual = Limits(window, _OUTPUT) if window else UNKNOWN
    return replace(
        usual,
        tools=profile.get("supports_tools", True),
        images=profile.get("supports_image_input", False),
        documents=profile.get("supports_document_input", False),
    )


class PydanticModel:
    """See `Model`. `settings` are fields of pydantic-ai's `ModelSettings`, for each request."""

    def __init__(
        self,
        service: Service,
        endpoint: Endpoint,
        limits: Limits,
        price: Price | None,
        key: KeySource,
        settings: Mapping[str, object],
        retry: RetryPolicy | None = None,
        new_call_id: Callable[[], str] = fresh_call_id,
    ) -> None:
        self._service = service
        self._endpoint = endpoint
        self._limits = limits
        self._price = price
        self._key = key
        self._settings = settings
        self._retry = retry or RetryPolicy()
        self._new_call_id = new_call_id
        self._give_back = True
        self._opened: tuple[Secret | None, Opened] | None = None

    @property
    def name(self) -> str:
        """See `Model`."""
        return f"{self._service.provider}/{self._service.model}"

    @property
    def limits(self) -> Limits:
        """See `Model`. `tools` becomes false when the server says that this model cannot call them."""
        return self._limits

    @property
    def price(self) -> Price | None:
        """See `Model`."""
        return self._price

    @property
    def destination(self) -> Destination:
        """See `Model`."""
        return Destination(self._endpoint.provider, self._endpoint.host)

    def __repr__(self) -> str:
        return f"PydanticModel({self.name!r}, {self._endpoint.host!r})"

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `Model`."""
        return retried(lambda: self._adapting(request), self._retry)

    async def _adapting(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """One attempt; at once again, without the reasoning, when the provider does not take that back."""
        for left in (True, False):
            try:
                async with aclosing(self._attempt(request, adapt=left)) as events:
                    async for event in events:
                        yield event
                return
            except _Stale:
                self._give_back = False

    async def _attempt(self, request: ModelRequest, *, adapt: bool) -> AsyncGenerator[ModelEvent]:
        secret, opened = await self._open()
        began = False
        try:
            async with aclosing(self._answer(opened, request)) as events:
                async for event in events:
                    began = True
                    yield event
            return
        except Exception as error:  # noqa: BLE001 (each provider's package has errors of its own)
            problem = self._judged(error, request, secret, began=began, adapt=adapt)
        # Not chained, not even by its place: what the package says may hold the key.
        self._opened = None
        raise problem

    async def _answer(self, opened: Opened, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        from pydantic_ai.direct import model_request_stream

        from motet.models.providers.pydantic_ai.heard import Listener
        from motet.models.providers.pydantic_ai.spoken import Speaker, parameters
        from motet.models.providers.pydantic_ai.watched import closed_at_once

        service, limits = self._service, self._limits
        speaker = Speaker(
            service.provider, service.name, service.model, limits.images, limits.documents, self._give_back
        )
        asked = model_request_stream(
            opened.model,
            speaker.messages(request.messages, with_tools=bool(request.tools)),
            model_settings=self._for_each(opened, request),
            model_request_parameters=parameters(request.tools),
            instrument=False,
        )
        async with closed_at_once(), asked as stream:
            listener = Listener(stream, service.provider, service.model, CallCollector(self._new_call_id))
            async with aclosing(_until_whole(stream)) as heard:
                async for each in heard:
                    for event in listener.hear(each):
                        yield event
            if not _is_whole(stream):
                raise _Cut
            end = listener.complete()
        yield end

    def _for_each(self, opened: Opened, request: ModelRequest) -> ModelSettings:
        own: dict[str, object] = {}
        if request.max_output_tokens:
            own["max_tokens"] = request.max_output_tokens
        if "max_retries" not in opened.model.unsupported_settings:
            # Whatever leaves is written down, so nobody but motet sends it again.
            own["max_retries"] = 0
        if "Responses" in type(opened.model).__name__:
            own["openai_store"] = False
        return cast("ModelSettings", {**own, **self._settings})

    async def _open(self) -> tuple[Secret | None, Opened]:
        secret = await self._key.get()
        if self._opened is None or self._opened[0] is not secret:
            self._opened = (secret, await self._service.open(secret.reveal() if secret else None))
        return self._opened

    def _judged(
        self, error: Exception, request: ModelRequest, secret: Secret | None, *, began: bool, adapt: bool
    ) -> Exception:
        """What `error` leads to: the same request without the reasoning, or a failure."""
        from motet.models.providers.pydantic_ai.failed import failed, refusal_of

        match error:
            case AnswerFault():
                told = self._failures(secret).of_fault(error, None)
                return Failed(told, transient=error.kind is ModelErrorKind.OVERLOADED)
            case _Cut():
                return Failed(self._failures(secret).cut(None), transient=True)
            case _:
                refusal = refusal_of(error)
        if request.tools and refusal is not None and refusal.says_no_tools:
            self._limits = replace(self._limits, tools=False)
            return Failed(self._failures(secret).no_tools(self._service.model), transient=False)
        given = self._give_back and any(message.reasoning for message in request.messages)
        if adapt and given and refusal is not None and refusal.status == 400 and _STALE.search(refusal.text):
            return _Stale()
        why = failed(error, self._endpoint, self._failures(secret), began=began)
        if why.error.kind is ModelErrorKind.AUTH:
            self._key.forget()
        return why

    def _failures(self, secret: Secret | None) -> Failures:
        from motet.models.providers.failures import Failures

        return Failures(
            self._endpoint.provider, self._endpoint.host, self._key.place, secret.redact if secret else str
        )


class _Cut(Exception):
    """The answer ended before its end."""


class _Stale(Exception):
    """The provider does not take back the reasoning that it gave."""


async def _until_whole(stream: StreamedResponse) -> AsyncGenerator[ModelResponseStreamEvent]:
    """The events of `stream`. Once the answer is whole, what happens to the connection is of no interest."""
    events = aiter(stream)
    while True:
        try:
            async with asyncio.timeout(None) as limit:
                patience = _Patience(stream, limit)
                try:
                    event = await anext(events)
                finally:
                    patience.end()
        except StopAsyncIteration:
            return
        except Exception:
            if not _is_whole(stream):
                raise
            return
        yield event


class _Patience:
    """Ends the wait for the next event soon after the answer is whole, which is often said without an event."""

    def __init__(self, stream: StreamedResponse, limit: asyncio.Timeout) -> None:
        self._stream = stream
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._next: asyncio.TimerHandle | None = None
        self._look()

    def _look(self) -> None:
        if _is_whole(self._stream):
            self._next = None
            self._limit.reschedule(self._loop.time() + LAST_WORDS_SECONDS)
        else:
            self._next = self._loop.call_later(LAST_WORDS_SECONDS, self._look)

    def end(self) -> None:
        """The event has come, or never will."""
        if self._next is not None:
            self._next.cancel()


def _is_whole(stream: StreamedResponse) -> bool:
    """Whether the provider itself has said how the answer ends: pydantic-ai fills in a reason where none came."""
    return "finish_reason" in (stream.provider_details or {}) or stream.finish_reason == "content_filter"
