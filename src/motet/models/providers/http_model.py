"""A model behind HTTP: sends requests, streams answers, retries before the first token, tells failures apart."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from motet import __version__
from motet.errors import ModelErrorKind
from motet.models.keys import KeySource, Secret
from motet.models.protocol import Destination, Limits, ModelEvent, ModelRequest, Price
from motet.models.providers.dialect import AnswerFault, Decoder, Dialect
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.pieces import joined
from motet.models.providers.retry import Failed, RetryPolicy, retried
from motet.models.providers.transport import Broken, Reply, post

if TYPE_CHECKING:
    from motet.models.providers.failures import Failures, HttpFailure

MAX_ADAPTATIONS = 4
"""How many parts of a request are left out, one after the other, because a server does not know them."""


class HttpModel:
    """See `Model`. One value serves any number of requests, also at the same time."""

    def __init__(
        self,
        *,
        model: str,
        dialect: Dialect,
        endpoint: Endpoint,
        limits: Limits,
        price: Price | None,
        key: KeySource,
        retry: RetryPolicy | None = None,
    ) -> None:
        self._model = model
        self._dialect = dialect
        self._endpoint = endpoint
        self._limits = limits
        self._price = price
        self._key = key
        self._retry = retry or RetryPolicy()

    @property
    def name(self) -> str:
        """See `Model`."""
        return f"{self._endpoint.provider}/{self._model}"

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

    def body(self, request: ModelRequest) -> Mapping[str, object]:
        """The JSON body that `request` would be sent as."""
        return self._dialect.body(request)

    def __repr__(self) -> str:
        return f"HttpModel({self.name!r}, {self._endpoint.host!r})"

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `Model`."""
        return retried(lambda: self._adapting(request), self._retry)

    async def _adapting(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """One attempt; at once again, and changed, when the server refuses a part that can be left out."""
        for left in reversed(range(MAX_ADAPTATIONS + 1)):
            try:
                async with aclosing(self._attempt(self._dialect, request, adapt=left > 0)) as events:
                    async for event in events:
                        yield event
                return
            except _Adapted as adapted:
                self._dialect = adapted.dialect

    async def _attempt(self, dialect: Dialect, request: ModelRequest, *, adapt: bool) -> AsyncGenerator[ModelEvent]:
        key = await self._key.get()
        redact = key.redact if key else str

        def failures() -> Failures:
            from motet.models.providers.failures import Failures  # most requests do without

            return Failures(self._endpoint.provider, self._endpoint.host, self._key.place, redact)

        decoder = dialect.decoder()
        request_id = None
        try:
            async with post(self._endpoint, dialect.path, _encode(dialect, request), _headers(dialect, key)) as reply:
                request_id = reply.request_id
                await self._require_stream(reply, failures)
                async with aclosing(reply.data(decoder)) as pieces:
                    async for together in pieces:
                        for event in joined(decoder, together):
                            yield event
        except _Refused as refused:
            raise self._judge(refused.failure, failures(), dialect if adapt else None, request) from None
        except (AnswerFault, Broken) as error:
            # Once the answer is whole, what happens to the connection is of no interest.
            if not decoder.finished:
                raise _failed(error, failures(), request_id) from None
        yield _completed(decoder, failures, request_id)

    async def _require_stream(self, reply: Reply, failures: Callable[[], Failures]) -> None:
        if reply.status != 200:
            from motet.models.providers.failures import HttpFailure

            raise _Refused(HttpFailure(reply.status, reply.headers, await reply.head()))
        if reply.content_type != "text/event-stream":
            raise Failed(failures().not_a_stream(reply.content_type, await reply.head()), transient=False)

    def _judge(
        self, failure: HttpFailure, failures: Failures, dialect: Dialect | None, request: ModelRequest
    ) -> Exception:
        """What a refusal leads to: the same request without a part that is not known here, or an error."""
        if request.tools and failure.says_no_tools:
            self._limits = replace(self._limits, tools=False)
            return Failed(failures.no_tools(self._model), transient=False)
        if dialect and (adapted := dialect.adapt(failure.status, failure.text, request)):
            return _Adapted(adapted)
        error = failures.of_response(failure, self._retry.now())
        if error.kind is ModelErrorKind.AUTH:
            self._key.forget()
        return Failed(error, transient=error.kind is ModelErrorKind.OVERLOADED)


class _Refused(Exception):
    """The response is no answer."""

    def __init__(self, failure: HttpFailure) -> None:
        super().__init__()
        self.failure = failure


class _Adapted(Exception):
    """The server refused a part of the request; `dialect` leaves it out."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__()
        self.dialect = dialect


def _failed(error: AnswerFault | Broken, failures: Failures, request_id: str | None) -> Failed:
    match error:
        case AnswerFault():
            return Failed(failures.of_fault(error, request_id), transient=error.kind is ModelErrorKind.OVERLOADED)
        case Broken(cut=True):
            return Failed(failures.cut(request_id, error.what), transient=True)
        case Broken():
            return Failed(failures.network(error.what, error.advice), transient=error.transient)


def _completed(decoder: Decoder, failures: Callable[[], Failures], request_id: str | None) -> ModelEvent:
    if not decoder.finished:
        raise Failed(failures().cut(request_id), transient=True)
    try:
        return decoder.complete()
    except AnswerFault as fault:
        raise Failed(failures().of_fault(fault, request_id), transient=False) from None


def _encode(dialect: Dialect, request: ModelRequest) -> bytes:
    # Text may hold halves of characters, from a broken file name for example; no server takes those. A date can only
    # come from `body` in the settings: JSON has none.
    return json.dumps(dialect.body(request), ensure_ascii=False, default=str).encode("utf-8", "replace")


def _headers(dialect: Dialect, key: Secret | None) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": f"motet/{__version__}",
        # A compressed stream arrives in lumps.
        "Accept-Encoding": "identity",
        **dialect.headers(key.reveal() if key else ""),
    }
