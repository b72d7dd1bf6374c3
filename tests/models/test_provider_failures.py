"""Kinds and words of failures, in the shapes in which real servers report them."""

from __future__ import annotations

import json

import pytest

from motet.errors import ModelErrorKind, SettingsError
from motet.models.keys import Secret
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.failures import Failures, HttpFailure, kind_of, one_line

FAILURES = Failures("acme", "acme.example", "ACME_API_KEY", str)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "no such field"}}, "no such field"),
        ({"error": "model 'x' not found"}, "model 'x' not found"),
        ([{"error": {"code": 400, "message": "bad argument", "status": "INVALID_ARGUMENT"}}], "bad argument"),
        ({"object": "error", "message": "bad", "type": "BadRequestError"}, "bad"),
        ({"detail": "Not Found"}, "Not Found"),
        ({"detail": [{"loc": ["body", "messages", 0], "msg": "Field required"}]}, "body.messages.0: Field required"),
        (
            {"error": {"message": "Provider returned error", "metadata": {"raw": "upstream says no"}}},
            "Provider returned error: upstream says no",
        ),
        ({}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_the_sentence_is_found_in_every_shape(body: object, words: str) -> None:
    failure = HttpFailure(400, {}, b"" if body is None else json.dumps(body).encode())
    message = str(FAILURES.of_response(failure, 0))
    shown = f"(HTTP 400: {words})" if words else "(HTTP 400"
    assert message.startswith(f"acme (acme.example): the request was refused {shown}")


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens", ModelErrorKind.CONTEXT_TOO_LONG),
        (
            400,
            "The input token count (99) exceeds the maximum number of tokens allowed",
            ModelErrorKind.CONTEXT_TOO_LONG,
        ),
        (400, "the request exceeds the available context size", ModelErrorKind.CONTEXT_TOO_LONG),
        (400, "Prompt contains 9 tokens, too large for model with 8", ModelErrorKind.CONTEXT_TOO_LONG),
        (413, "Request too large for model on tokens per minute (TPM)", ModelErrorKind.CONTEXT_TOO_LONG),
        (422, "Please reduce the length of the messages", ModelErrorKind.CONTEXT_TOO_LONG),
        (500, "context length exceeded", ModelErrorKind.CONTEXT_TOO_LONG),
        (403, "Your input was flagged", ModelErrorKind.REFUSED),
        (403, "no permission", ModelErrorKind.AUTH),
        (400, "Incorrect API key provided: abc", ModelErrorKind.AUTH),
        (401, "", ModelErrorKind.AUTH),
        (407, "", ModelErrorKind.NETWORK),
        (418, "", ModelErrorKind.REFUSED),
        (429, "rate limit", ModelErrorKind.OVERLOADED),
        (429, "insufficient_quota", ModelErrorKind.QUOTA),
        (529, "", ModelErrorKind.OVERLOADED),
        (204, "", ModelErrorKind.BAD_RESPONSE),
        (302, "", ModelErrorKind.BAD_RESPONSE),
    ],
)
def test_status_and_words_make_the_kind(status: int, text: str, kind: ModelErrorKind) -> None:
    assert kind_of(status, text) is kind


def test_what_a_server_repeats_of_the_request_does_not_count() -> None:
    body = {"error": {"message": "no such field"}, "request": "our billing and moderation, prompt is too long"}
    error = FAILURES.of_response(HttpFailure(400, {}, json.dumps(body).encode()), 0)
    assert error.kind is ModelErrorKind.REFUSED


def test_a_quota_that_fills_again_is_waited_for_and_one_that_does_not_is_not() -> None:
    spent = "You exceeded your current quota, please check your plan and billing details."
    refills = {"error": {"message": spent, "details": [{"retryDelay": "32.5s"}]}}
    error = FAILURES.of_response(HttpFailure(429, {}, json.dumps(refills).encode()), 0)
    assert (error.kind, error.retry_after) == (ModelErrorKind.OVERLOADED, 32.5)
    gone = {"error": {"message": spent, "code": "insufficient_quota"}}
    error = FAILURES.of_response(HttpFailure(429, {"retry-after": "5"}, json.dumps(gone).encode()), 0)
    assert error.kind is ModelErrorKind.QUOTA


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:05 GMT"}, 0.0),
        ({"retry-after": "Thu, 99 Jan 1970 00:00:05 GMT"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_from_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert HttpFailure(503, headers, b"").retry_after(10.0) == seconds


def test_a_server_that_wants_a_key_where_none_is_set_says_where_to_set_it() -> None:
    keyless = Failures("acme", "acme.example", "", str)
    message = str(keyless.of_response(HttpFailure(401, {}, b""), 0))
    assert message == "acme (acme.example): it wants a key (HTTP 401); set `key` for the provider"


@pytest.mark.parametrize("before", range(250, 310, 7))
def test_a_key_at_the_place_where_words_are_cut_does_not_stay_in_part(before: int) -> None:
    key = Secret("sk-canary-0123456789abcdef")
    failures = Failures("acme", "acme.example", "ACME_API_KEY", key.redact)
    for body in (f'{{"error": "{"x" * before}{key.reveal()}"}}', "x" * before + key.reveal()):
        assert "canary" not in str(failures.of_response(HttpFailure(400, {}, body.encode()), 0))


def test_words_of_others_are_cut_and_made_printable() -> None:
    assert one_line("a\x1b[31m\n\u202eb\u200b " + "c" * 400) == "a [31m b " + "c" * 290 + "…"


@pytest.mark.parametrize(
    "body", [b"<style>" * 9_000, b"<" * 60_000, b"[" * 60_000, b"tools " * 10_000, b"\xff" * 60_000]
)
@pytest.mark.timeout(10)
def test_a_hostile_error_page_is_told_quickly(body: bytes) -> None:
    failure = HttpFailure(400, {}, body)
    assert failure.says_no_tools is False
    assert len(str(FAILURES.of_response(failure, 0))) < 500


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://api.anthropic.com", "/v1/messages", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "/v1/messages", "https://api.anthropic.com/v1/messages"),
        ("https://gate.example/anthropic", "/v1/messages", "https://gate.example/anthropic/v1/messages"),
        ("https://api.openai.com/v1", "/chat/completions", "https://api.openai.com/v1/chat/completions"),
        ("https://acme.example/v1/chat/completions", "/chat/completions", "https://acme.example/v1/chat/completions"),
        ("https://acme.example/chat", "/chat/completions", "https://acme.example/chat/chat/completions"),
        ("https://acme.example/v1/messages", "/v1/messages", "https://acme.example/v1/messages"),
        ("http://[::1]:8080/v1/", "/chat/completions", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_the_address_and_the_path_make_the_url(base: str, path: str, url: str) -> None:
    assert Endpoint.parse("acme", base).url(path) == url


@pytest.mark.parametrize(
    "address",
    ["", "api.acme.example", "ftp://acme.example", "http://", "http://acme.example:99999", "http://acme.example:0",
     "https://user:pass@acme.example", "https://acme.example?key=secret", "https://acme.example#x", "http://[::1"],
)  # fmt: skip
def test_an_address_that_cannot_be_one_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(SettingsError, match=r"^providers\.acme\.base_url: ") as caught:
        Endpoint.parse("acme", address)
    assert "secret" not in str(caught.value) and "pass@" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("http://192.168.1.1", False),
        ("https://localhost.example", False),
    ],
)
def test_it_is_known_whether_an_address_is_this_machine(address: str, here: bool) -> None:
    assert Endpoint.parse("acme", address).is_here is here
