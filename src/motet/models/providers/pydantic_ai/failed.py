"""pydantic-ai's errors as ours: the same kinds, told in the same words as those of other providers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UserError,
)

from motet.errors import ModelError, ModelErrorKind
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.failures import Failures, HttpFailure, kind_of
from motet.models.providers.fields import as_object, as_text
from motet.models.providers.retry import Failed
from motet.models.providers.transport import Broken, broken
from motet.permissions.redact import redact

_KINDS: tuple[tuple[type[Exception], ModelErrorKind], ...] = (
    (ModelContextWindowExceededError, ModelErrorKind.CONTEXT_TOO_LONG),
    (ModelQuotaExceededError, ModelErrorKind.QUOTA),
    (ModelAuthenticationError, ModelErrorKind.AUTH),
    (ModelRateLimitError, ModelErrorKind.OVERLOADED),
    (ModelUnavailableError, ModelErrorKind.OVERLOADED),
    (ModelServerError, ModelErrorKind.OVERLOADED),
    (ContentFilterError, ModelErrorKind.REFUSED),
)


def refusal_of(error: Exception) -> HttpFailure | None:
    """The response that `error` tells of; None when it tells of something else. It may hold the key."""
    if isinstance(error, ModelHTTPError) and not error.in_stream:
        return HttpFailure(error.status_code, error.headers or {}, _body_of(error))
    status = getattr(error.__cause__, "status_code", None)
    if isinstance(error, ModelAPIError) and isinstance(status, int) and 300 <= status < 400:
        headers: object = getattr(getattr(error.__cause__, "response", None), "headers", None)
        return HttpFailure(status, cast("Mapping[str, str]", headers or {}), b"")
    return None


def failed(error: Exception, endpoint: Endpoint, failures: Failures, *, began: bool) -> Failed:
    """What `error` means; `began`: the answer had begun."""
    if (refusal := refusal_of(error)) is not None:
        body = _safe(failures.redact(refusal.body.decode()))
        return _failed(failures.of_response(replace(refusal, body=body.encode()), time.time(), _kind(error)))
    if (lost := _lost(error, endpoint)) is not None:
        if lost.cut or (began and "silent" not in lost.what):
            return Failed(failures.cut(None, lost.what), transient=True)
        return Failed(failures.network(lost.what, lost.advice), transient=lost.transient)
    if isinstance(error, UserError):
        return _failed(
            failures.of_fault(AnswerFault(ModelErrorKind.REFUSED, _safe(failures.redact(str(error)))), None)
        )
    kind = _kind(error) or _kind_of_words(error)
    return _failed(failures.of_fault(AnswerFault(kind, _safe(failures.redact(_words(error)))), None))


def _failed(error: ModelError) -> Failed:
    return Failed(error, transient=error.kind is ModelErrorKind.OVERLOADED)


def _kind(error: Exception) -> ModelErrorKind | None:
    return next((kind for known, kind in _KINDS if isinstance(error, known)), None)


def _kind_of_words(error: Exception) -> ModelErrorKind:
    """By what the provider said inside its answer; an error without such words is one of reading the answer."""
    if isinstance(error, ModelAPIError) and (error.in_stream or error.provider_error_type):
        return kind_of(0, f"{error.provider_error_type} {error.provider_error_code} {error.message}")
    if "NoCredentials" in type(error).__name__ or "Credential" in type(error).__name__:
        return ModelErrorKind.AUTH
    return ModelErrorKind.BAD_RESPONSE


def _words(error: Exception) -> str:
    body = as_object(error.body if isinstance(error, ModelAPIError) else None)
    said = as_text((as_object(body.get("error")) or as_object(body.get("Error")) or body).get("message"))
    if "JSON" in str(error):
        return "the answer holds JSON that cannot be read"
    return said or str(error) or type(error).__name__


def _safe(text: str) -> str:
    # A key that pydantic-ai found by itself is not known here.
    return redact(text).text


def _body_of(error: ModelHTTPError) -> bytes:
    """The body as a provider would have written it; AWS calls its parts by other names."""
    body: object = error.body
    said = as_object(as_object(body).get("Error"))
    if said:
        body = {"error": {"message": said.get("Message"), "code": said.get("Code")}}
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    return text.encode("utf-8", "replace")


def _lost(error: Exception, endpoint: Endpoint) -> Broken | None:
    """The connection that did not come about or broke, wherever in the chain of causes it stands."""
    import httpx2

    for each in _chain(error):
        if isinstance(each, Broken):
            return each
        # The two libraries call their errors by the same names.
        known = getattr(httpx2, type(each).__name__, None) if "httpx" in type(each).__module__ else None
        if isinstance(known, type) and issubclass(known, httpx2.TransportError):
            return broken(known(str(each)), endpoint)
    if not isinstance(error, ModelConnectionError):
        return None
    if isinstance(error, ModelTimeoutError):
        return broken(httpx2.ConnectTimeout("") if error.phase == "connect" else httpx2.ReadTimeout(""), endpoint)
    if error.phase == "connect" or "EndpointConnectionError" in type(error.__cause__).__name__:
        return broken(httpx2.ConnectError(_safe(error.message)), endpoint)
    return Broken(_safe(error.message), transient=True, cut=True)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
