"""What went wrong, told in one line: what happened, at which provider and host, what to do. No I/O."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from motet.errors import ModelError, ModelErrorKind
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.fields import as_list, as_object, as_text, parse_object

LONGEST_DETAIL = 300
"""Characters of a provider's own words in a message."""

_WORTH_LOOKING_AT = 8_000

_TOO_LONG = re.compile(
    r"context.?length|context.?window|context size|maximum context|prompt is too long|input is too long"
    r"|input token count|too many (?:input )?tokens|exceeds? (?:the )?(?:context|maximum number of tokens|max(?:imum)? prompt)"
    r"|maximum prompt length|too large for model|reduce the length|tokens to keep from the initial prompt"
    r"|request too large|exceed_context|request_too_large",
    re.IGNORECASE,
)
_USED_UP = re.compile(
    r"insufficient.?(?:quota|balance|credit|funds)|credit balance|billing|exceeded your current quota|payment required"
    r"|out of credits|spend(?:ing)? limit",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"(?:invalid|incorrect|missing|no|expired|revoked)\b.{0,20}\bapi.?key|api.?key\b.{0,20}\b(?:not valid|invalid|expired)"
    r"|authentication_error|unauthori[sz]ed|invalid_api_key",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?filter|content.?policy|moderation|flagged|safety", re.IGNORECASE)
_NO_TOOLS = re.compile(
    r"(?:does not|doesn't|not) support (?:tools|tool use|tool calling|function calling)|support tool use"
    r"|(?:tools?|tool use|function calling) (?:is|are) not (?:supported|enabled)|enable-auto-tool-choice"
    r"|tools param requires",
    re.IGNORECASE,
)
_RETRY_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')

_ADVICE = {
    ModelErrorKind.QUOTA: "add credit there, or choose another model (--model, in a chat /model)",
    ModelErrorKind.OVERLOADED: "try again later, or choose another model (--model, in a chat /model)",
    ModelErrorKind.CONTEXT_TOO_LONG: "send less, or choose a model with a larger window",
    ModelErrorKind.NETWORK: "check the connection, HTTPS_PROXY and the provider's base_url",
    ModelErrorKind.REFUSED: "change the request, or choose another model (--model, in a chat /model)",
    ModelErrorKind.BAD_RESPONSE: "try again; if it stays, check the provider's base_url and dialect",
}


def fault_in_answer(event: Mapping[str, object]) -> AnswerFault:
    """What an event stands for that holds an error (an object, or a text), or is one itself."""
    code = (as_object(event.get("error")) or event).get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 0
    return AnswerFault(kind_of(status, _said_in(event)), _message_in(event) or "an error without a message")


def kind_of(status: int, text: str, *, may_pass: bool = False) -> ModelErrorKind:
    """The kind of failure that HTTP `status` (0: none, inside a stream) and the provider's words stand for.

    `may_pass`: the provider named a time to wait, so that a used-up quota is one that fills again.
    """
    if status in {0, 400, 413, 422, 500} and _TOO_LONG.search(text):
        return ModelErrorKind.CONTEXT_TOO_LONG
    if status == 402 or (status in {0, 400, 403, 429} and _USED_UP.search(text) and not may_pass):
        return ModelErrorKind.QUOTA
    if status in {0, 400, 403} and _FILTERED.search(text):
        return ModelErrorKind.REFUSED
    if status in {401, 403} or (status in {0, 400} and _BAD_KEY.search(text)):
        return ModelErrorKind.AUTH
    match status:
        case 0:
            return ModelErrorKind.REFUSED if "invalid_request" in text else ModelErrorKind.OVERLOADED
        case 407:
            return ModelErrorKind.NETWORK
        case 408 | 425 | 429:
            return ModelErrorKind.OVERLOADED
        case 413:
            return ModelErrorKind.CONTEXT_TOO_LONG
        case _ if status >= 500:
            return ModelErrorKind.OVERLOADED
        case _:
            return ModelErrorKind.REFUSED if status >= 400 else ModelErrorKind.BAD_RESPONSE


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """A response that is no answer: its status, headers (names in lower case) and the head of its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text, as much of it as is worth looking at."""
        return self.body.decode("utf-8", "replace")[:_WORTH_LOOKING_AT]

    @property
    def says_no_tools(self) -> bool:
        """Whether it is refused because the model cannot call tools."""
        return self.status >= 400 and _NO_TOOLS.search(self.text) is not None

    def retry_after(self, now: float) -> float | None:
        """Seconds that the server asks to wait; `now` is seconds since the epoch, for servers that send a date."""
        if (milliseconds := _seconds(self.headers.get("retry-after-ms", ""))) is not None:
            return milliseconds / 1000
        header = self.headers.get("retry-after", "").strip()
        if (seconds := _seconds(header)) is not None:
            return seconds
        try:
            return max(0.0, parsedate_to_datetime(header).timestamp() - now)
        except (ValueError, OverflowError):
            found = _RETRY_DELAY.search(self.text)
            return float(found[1]) if found else None


def _seconds(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text.strip()) else None


@dataclass(frozen=True, slots=True)
class Failures:
    """Errors of one provider. `key` says where its key comes from; `redact` removes the key from a text."""

    provider: str
    host: str
    key: str
    redact: Callable[[str], str]

    def of_response(self, failure: HttpFailure, now: float, kind: ModelErrorKind | None = None) -> ModelError:
        """The error that a response stands for, of that `kind` where neither status nor words say more."""
        wait = failure.retry_after(now)
        parsed = parse_object(failure.body) or as_object(next(iter(_list_in(failure.body)), None))
        # The key goes before the text is cut: half of it would stay otherwise.
        detail = self.redact(_message_in(parsed)) if parsed else _words_of(self.redact(failure.text))
        # Of a body that can be read only the report counts: the rest may repeat the request, whatever that says.
        said = _said_in(parsed) if parsed and detail else failure.text
        may_pass = wait is not None and "insufficient_quota" not in said
        found = kind_of(failure.status, said, may_pass=may_pass)
        kind = kind if kind and found in {ModelErrorKind.OVERLOADED, ModelErrorKind.REFUSED} else found
        what = self._what(kind, failure.status)
        advice = (
            "check the model's name and the provider's base_url"
            if failure.status == 404 and kind is ModelErrorKind.REFUSED
            else ""
        )
        if 300 <= failure.status < 400:
            where = self.redact(failure.headers.get("location", "elsewhere"))
            detail, advice = f"it redirects to {where}", "set the provider's base_url to the new address"
        if kind is ModelErrorKind.OVERLOADED and wait:
            what += f", wait {wait:,.0f} s"
        status = f"HTTP {failure.status}" + (f": {one_line(detail)}" if detail else "")
        request_id = failure.headers.get("request-id") or failure.headers.get("x-request-id")
        return self._error(
            kind, f"{what} ({status})", advice, status=failure.status, request_id=request_id, retry_after=wait
        )

    def of_fault(self, fault: AnswerFault, request_id: str | None) -> ModelError:
        """The error that a report inside an answer stands for."""
        what = f"{self._what(fault.kind, 0)} ({one_line(self.redact(fault.detail))})"
        return self._error(fault.kind, what, request_id=request_id)

    def cut(self, request_id: str | None, detail: str = "") -> ModelError:
        """The answer ended before it was whole."""
        what = "the answer was cut before its end" + (f" ({one_line(self.redact(detail))})" if detail else "")
        return self._error(ModelErrorKind.NETWORK, what, request_id=request_id)

    def network(self, what: str, advice: str = "") -> ModelError:
        """No connection, or one that broke; `what` says which."""
        return self._error(ModelErrorKind.NETWORK, one_line(self.redact(what)), advice)

    def not_a_stream(self, content_type: str, body: bytes) -> ModelError:
        """Success was reported, but what came is no stream of events."""
        parsed = parse_object(body) or {}
        if parsed.get("error"):
            return self.of_fault(fault_in_answer(parsed), None)
        what = f"answered with {one_line(self.redact(content_type)) or 'no content type'} instead of a stream"
        return self._error(ModelErrorKind.BAD_RESPONSE, what)

    def no_tools(self, model: str) -> ModelError:
        """The model cannot call tools."""
        what = f"{model} cannot call tools"
        return self._error(
            ModelErrorKind.REFUSED, what, "set tools = false for this provider: edits then come as text"
        )

    def _what(self, kind: ModelErrorKind, status: int) -> str:
        match kind:
            case ModelErrorKind.AUTH:
                return "the key was not accepted" if self.key else "it wants a key"
            case ModelErrorKind.QUOTA:
                return "the quota is used up"
            case ModelErrorKind.OVERLOADED:
                return "too many requests" if status == 429 else "it cannot answer at the moment"
            case ModelErrorKind.CONTEXT_TOO_LONG:
                return "the request is too long for the model"
            case ModelErrorKind.NETWORK:
                return "the connection failed"
            case ModelErrorKind.REFUSED:
                return "the request was refused" if status else "the answer was refused"
            case ModelErrorKind.BAD_RESPONSE:
                return "the answer cannot be understood"

    def _error(
        self,
        kind: ModelErrorKind,
        what: str,
        advice: str = "",
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> ModelError:
        if kind is ModelErrorKind.AUTH:
            advice = f"check {self.key}" if self.key else "set `key` for the provider"
        request_id = one_line(self.redact(request_id), 100) if request_id else None
        tail = f" [request {request_id}]" if request_id else ""
        message = f"{self.provider} ({self.host}): {what}; {advice or _ADVICE[kind]}{tail}"
        return ModelError(
            self.redact(message),
            kind,
            provider=self.provider,
            status=status,
            request_id=request_id,
            retry_after=retry_after,
        )


def one_line(text: str, longest: int = LONGEST_DETAIL) -> str:
    """`text` on one line, printable, at most `longest` characters."""
    words = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def _list_in(body: bytes) -> list[object]:
    wrapped = parse_object(b'{"list": %b}' % body)
    return as_list(wrapped.get("list")) if wrapped else []


def _message_in(body: Mapping[str, object]) -> str:
    """The sentence in the many shapes in which servers report an error."""
    error = as_object(body.get("error"))
    upstream = as_text(as_object(error.get("metadata")).get("raw"))
    for value in (error.get("message"), body.get("error"), body.get("message"), body.get("detail")):
        if text := as_text(value):
            return f"{text}: {upstream}" if upstream else text
    for item in map(as_object, as_list(body.get("detail"))):
        place = ".".join(str(part) for part in as_list(item.get("loc")))
        return f"{place}: {as_text(item.get('msg'))}"
    return ""


def _said_in(body: Mapping[str, object]) -> str:
    """The report of an error: its sentence and the names of its kind."""
    error = as_object(body.get("error")) or body
    return f"{_message_in(body)} {error.get('type', '')} {error.get('code', '')} {error.get('status', '')}"


def _words_of(text: str) -> str:
    """A body that is no JSON, a gateway's page for example, without its markup."""
    return re.sub(r"<(?:style|script)\b.*?</(?:style|script)>|<[^>]{0,2000}>", " ", text, flags=re.DOTALL | re.I)
