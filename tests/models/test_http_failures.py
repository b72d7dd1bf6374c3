"""What goes wrong over real HTTP: the kind, the one line, what came before, and what is tried again."""

from __future__ import annotations

import asyncio
import logging
import socket

import pytest
from models.conftest import on_the_wire

from motet.errors import ModelError, ModelErrorKind
from motet.messages import Message, Role, ToolResult
from motet.models import Completed, ModelRequest, Retrying, TextDelta, ToolCallDelta, Usage
from motet.models.providers.retry import RetryPolicy
from motet.models.scripted import Answer, HttpError, ScriptedRequest, ScriptedServer, Wire, call

WHOLE = [TextDelta("Hello"), Completed("stop", usage=Usage(100, 20))]


async def test_a_server_that_limits_the_rate_is_asked_again_after_the_time_it_names(
    connect, question, dialect
) -> None:
    script = [HttpError(429, "slow down", "rate_limit_error", {"Retry-After": "7"}), Answer("Hello")]
    async with ScriptedServer(script) as server:
        connected = connect(server, dialect)
        events = await connected.ask(question)
    reason = (
        f"acme ({server.url[7:]}): too many requests, wait 7 s (HTTP 429: slow down);"
        " try again later, or choose another model (--model, in a chat /model)"
    )
    assert events == [Retrying(7.0, 1, reason), *WHOLE]
    assert connected.waits == [7.0]
    assert server.requests[0].body == server.requests[1].body


async def test_the_time_to_wait_may_be_a_date(connect, question) -> None:
    date = {"Retry-After": "Thu, 01 Jan 1970 00:16:43 GMT"}
    async with ScriptedServer([HttpError(503, headers=date), Answer("Hello")]) as server:
        connected = connect(server, now=1_000.0)
        assert (await connected.ask(question))[1:] == WHOLE
    assert connected.waits == [3.0]


@pytest.mark.parametrize("value", ["soon", "-5", "nan", "1e9", ""])
async def test_a_time_to_wait_that_makes_no_sense_is_ignored(connect, question, value) -> None:
    async with ScriptedServer([HttpError(503, headers={"Retry-After": value}), Answer("Hello")]) as server:
        connected = connect(server)
        assert (await connected.ask(question))[1:] == WHOLE
    assert connected.waits == [0.5]


async def test_a_time_to_wait_that_is_too_long_is_told_instead_of_waited_for(connect, question) -> None:
    async with ScriptedServer([HttpError(429, "later", headers={"Retry-After": "3600"})]) as server:
        connected = connect(server)
        events, error = await connected.fail(question)
    assert (events, connected.waits) == ([], [])
    assert (error.kind, error.status, error.retry_after) == (ModelErrorKind.OVERLOADED, 429, 3600.0)
    assert "wait 3,600 s" in str(error)


@pytest.mark.parametrize("status", [408, 500, 502, 503, 529])
async def test_a_server_in_trouble_is_asked_five_times_with_growing_delays(connect, question, status) -> None:
    async with ScriptedServer([HttpError(status, "oops")], repeat=True) as server:
        connected = connect(server, "anthropic")
        events, error = await connected.fail(question)
    assert [type(event) for event in events] == [Retrying] * 4
    assert connected.waits == [0.5, 1.0, 2.0, 4.0]
    assert len(server.requests) == 5
    assert (error.kind, error.status) == (ModelErrorKind.OVERLOADED, status)
    assert str(error) == (
        f"acme ({server.url[7:]}): it cannot answer at the moment (HTTP {status}: oops);"
        " try again later, or choose another model (--model, in a chat /model)"
    )


@pytest.mark.parametrize("cut", ["close", "rst", "end"])
async def test_an_answer_that_is_cut_before_its_first_token_is_asked_for_again(
    connect, question, dialect, cut
) -> None:
    script = [Answer("Hello", wire=Wire(cut_after=1, cut=cut)), Answer("Hello")]
    async with ScriptedServer(script) as server:
        connected = connect(server, dialect)
        events = await connected.ask(question)
    assert isinstance(events[0], Retrying)
    assert events[1:] == WHOLE
    assert connected.waits == [0.5]


@pytest.mark.parametrize("cut", ["close", "rst", "end"])
async def test_an_answer_that_is_cut_later_keeps_its_text_and_fails(connect, question, dialect, cut) -> None:
    before = {"anthropic": 4, "openai": 3, "openai-responses": 4}[on_the_wire(dialect)]
    async with ScriptedServer([Answer("Hello", wire=Wire(text_chars=3, cut_after=before, cut=cut))]) as server:
        connected = connect(server, dialect)
        events, error = await connected.fail(question)
    assert events == [TextDelta("Hel"), TextDelta("lo")]
    assert connected.waits == []
    assert error.kind is ModelErrorKind.NETWORK
    assert str(error).startswith(f"acme ({server.url[7:]}): the answer was cut before its end")


async def test_a_call_whose_arguments_are_cut_off_never_becomes_a_call(connect, question, dialect) -> None:
    before = {"anthropic": 4, "openai": 4, "openai-responses": 3}[on_the_wire(dialect)]
    wire = Wire(argument_chars=5, cut_after=before)
    async with ScriptedServer([Answer(calls=(call("one", {"path": "a.py"}, "id_1"),), wire=wire)]) as server:
        events, error = await connect(server, dialect).fail(question)
    assert events[:2] == [ToolCallDelta(0, "", "id_1", "one"), ToolCallDelta(0, '{"pat')]
    assert not any(isinstance(event, Completed) for event in events)
    assert error.kind is ModelErrorKind.NETWORK


async def test_json_that_cannot_be_read_is_a_bad_response_after_the_text_so_far(
    connect, question, own_dialect
) -> None:
    before = {"anthropic": 3, "openai": 2, "openai-responses": 3}[own_dialect]
    async with ScriptedServer([Answer("Hello", wire=Wire(malformed_after=before))]) as server:
        connected = connect(server, own_dialect)
        events, error = await connected.fail(question)
    assert events == [TextDelta("Hello")]
    assert connected.waits == []
    assert error.kind is ModelErrorKind.BAD_RESPONSE
    assert str(error) == (
        f"acme ({server.url[7:]}): the answer cannot be understood (the answer holds JSON that cannot be read);"
        " try again; if it stays, check the provider's base_url and dialect"
    )


async def test_silence_before_and_within_an_answer_ends_it(connect, question, dialect) -> None:
    before = {"anthropic": 3, "openai": 2, "openai-responses": 3}[on_the_wire(dialect)]
    script = [Answer("Hello", wire=Wire(first_byte_delay=60)), Answer("Hello", wire=Wire(stall_after=before))]
    async with ScriptedServer(script) as server:
        connected = connect(server, dialect, timeout=1.0)
        first, first_error = await connected.fail(question)
        second, second_error = await connected.fail(question)
    assert (first, connected.waits) == ([], [])
    assert second == [TextDelta("Hello")]
    for error in (first_error, second_error):
        assert error.kind is ModelErrorKind.NETWORK
        assert "silent for 1 s" in str(error)


async def test_a_slow_first_byte_is_waited_for(connect, question, dialect) -> None:
    async with ScriptedServer([Answer("Hello", wire=Wire(first_byte_delay=0.3))]) as server:
        assert await connect(server, dialect).ask(question) == WHOLE


REFUSALS = [
    (401, "invalid x-api-key", "authentication_error", ModelErrorKind.AUTH, "check ACME_API_KEY"),
    (403, "no access to this model", "permission_error", ModelErrorKind.AUTH, "check ACME_API_KEY"),
    (400, "API key not valid. Please pass a valid API key.", "INVALID", ModelErrorKind.AUTH, "check ACME_API_KEY"),
    (402, "Insufficient Balance", "unknown", ModelErrorKind.QUOTA, "add credit"),
    (400, "Your credit balance is too low", "invalid_request_error", ModelErrorKind.QUOTA, "add credit"),
    (429, "You exceeded your current quota", "insufficient_quota", ModelErrorKind.QUOTA, "add credit"),
    (400, "prompt is too long: 9 tokens > 8", "invalid_request_error", ModelErrorKind.CONTEXT_TOO_LONG, "send less"),
    (400, "This is above the limit", "context_length_exceeded", ModelErrorKind.CONTEXT_TOO_LONG, "send less"),
    (413, "too big", "request_too_large", ModelErrorKind.CONTEXT_TOO_LONG, "send less"),
    (404, "model: m-1 does not exist", "not_found_error", ModelErrorKind.REFUSED, "check the model's name"),
    (400, "flagged by our moderation", "policy", ModelErrorKind.REFUSED, "change the request"),
    (422, "no such field", "x", ModelErrorKind.REFUSED, "change the request"),
]


@pytest.mark.parametrize(("status", "message", "code", "kind", "advice"), REFUSALS)
async def test_a_refusal_is_told_in_one_line_and_not_repeated(
    connect, question, dialect, status, message, code, kind, advice
) -> None:
    headers = {"request-id": "req_42"}
    async with ScriptedServer([HttpError(status, message, code, headers)]) as server:
        connected = connect(server, dialect)
        events, error = await connected.fail(question)
    assert (events, connected.waits, len(server.requests)) == ([], [], 1)
    assert (error.kind, error.status, error.request_id, error.provider) == (kind, status, "req_42", "acme")
    assert message in str(error) and advice in str(error) and str(error).endswith("[request req_42]")
    assert "\n" not in str(error)


async def test_an_error_inside_the_stream_before_the_first_token_is_tried_again(connect, question) -> None:
    broken = HttpError(
        200,
        headers={"Content-Type": "text/event-stream"},
        body='event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    )
    async with ScriptedServer([broken, Answer("Hello")]) as server:
        connected = connect(server, "anthropic")
        events = await connected.ask(question)
    assert isinstance(events[0], Retrying)
    assert events[1:] == WHOLE


async def test_a_refusing_model_is_an_error_with_its_own_words(connect, question) -> None:
    body = (
        'data: {"choices":[{"delta":{"refusal":"I cannot help with that."}}]}\n\n'
        'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )
    stream = {"Content-Type": "text/event-stream"}
    async with ScriptedServer([HttpError(200, headers=stream, body=body)]) as server:
        _, error = await connect(server).fail(question)
    assert error.kind is ModelErrorKind.REFUSED
    assert "the answer was refused (I cannot help with that.)" in str(error)


@pytest.mark.parametrize(
    ("headers", "body", "words"),
    [
        ({"Content-Type": "text/html"}, "<html>Welcome</html>", "answered with text/html instead of a stream"),
        ({"Content-Type": "application/json"}, '{"id": 1}', "answered with application/json instead of a stream"),
    ],
)
async def test_something_that_is_no_stream_is_a_bad_response(connect, question, headers, body, words) -> None:
    async with ScriptedServer([HttpError(200, headers=headers, body=body)]) as server:
        _, error = await connect(server).fail(question)
    assert error.kind is ModelErrorKind.BAD_RESPONSE
    assert words in str(error)


async def test_a_redirect_is_not_followed_with_the_key(connect, question) -> None:
    async with ScriptedServer([Answer("stolen")]) as thief:
        redirect = HttpError(307, headers={"Location": f"{thief.url}/v1/chat/completions"}, body="")
        async with ScriptedServer([redirect]) as server:
            _, error = await connect(server).fail(question)
    assert thief.requests == []
    assert error.kind is ModelErrorKind.BAD_RESPONSE
    assert "set the provider's base_url to the new address" in str(error)


async def test_an_error_page_of_a_gateway_is_one_printable_line(connect, question) -> None:
    page = "<html><style>p{}</style><h1>Bad\r\n Gateway</h1>\x1b]0;title\x07" + "x" * 500
    headers = {"Content-Type": "text/html"}
    async with ScriptedServer([HttpError(400, headers=headers, body=page)]) as server:
        _, error = await connect(server).fail(question)
    assert "HTTP 400: Bad Gateway ]0;title xxx" in str(error)
    assert str(error).isprintable()
    assert len(str(error)) < 500


async def test_nobody_listening_is_said_at_once(connect, question) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        connected = connect(f"http://127.0.0.1:{port}")
        events, error = await connected.fail(question)
    assert (events, connected.waits) == ([], [])
    assert error.kind is ModelErrorKind.NETWORK
    assert f"acme (127.0.0.1:{port}): nothing listens at 127.0.0.1:{port}" in str(error)
    assert str(error).endswith("start the server")


async def test_a_host_that_does_not_exist_is_tried_again_and_then_told(connect, question, monkeypatch) -> None:
    def unknown(*_: object, **__: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    connected = connect("http://nowhere.invalid", retries=2)
    events, error = await connected.fail(question)
    assert [type(event) for event in events] == [Retrying, Retrying]
    assert error.kind is ModelErrorKind.NETWORK
    assert "acme (nowhere.invalid): no connection" in str(error)
    assert str(error).endswith("check the connection, HTTPS_PROXY and the provider's base_url")


async def test_a_server_that_refuses_to_count_tokens_is_asked_without(connect, question) -> None:
    def strict(request: ScriptedRequest) -> Answer | HttpError:
        if "stream_options" in request.body:
            return HttpError(400, "Unknown field: stream_options")
        return Answer("Hello")

    async with ScriptedServer(strict) as server:
        connected = connect(server)
        first = await connected.ask(question)
        await connected.ask(question)
    assert first == [TextDelta("Hello"), Completed("stop")]
    assert ["stream_options" in request.body for request in server.requests] == [True, False, False]


async def test_the_cap_goes_by_the_name_that_the_server_wants(connect, question) -> None:
    def strict(request: ScriptedRequest) -> Answer | HttpError:
        if "max_tokens" in request.body:
            words = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'"
            )
            return HttpError(400, words)
        return Answer("Hello")

    async with ScriptedServer(strict) as server:
        assert await connect(server).ask(question) == WHOLE
    assert server.requests[1].body["max_completion_tokens"] == 1000


async def test_reasoning_is_switched_off_where_tools_exclude_it(connect, question) -> None:
    def strict(request: ScriptedRequest) -> Answer | HttpError:
        if request.body.get("reasoning_effort") == "none":
            return Answer("Hello")
        words = "Function tools with reasoning_effort are not supported for m-1. To use function tools, use"
        return HttpError(400, f"{words} /v1/responses or set reasoning_effort to 'none'.")

    async with ScriptedServer(strict) as server:
        connected = connect(server)
        assert await connected.ask(question) == WHOLE
        assert await connected.ask(question) == WHOLE
    assert len(server.requests) == 3


async def test_a_server_that_refuses_everything_is_not_asked_for_ever(connect, question) -> None:
    def contrary(request: ScriptedRequest) -> HttpError:
        field = "max_tokens" if "max_tokens" in request.body else "max_completion_tokens"
        return HttpError(400, f"unsupported: {field}, stream_options")

    async with ScriptedServer(contrary) as server:
        _, error = await connect(server).fail(question)
    assert error.kind is ModelErrorKind.REFUSED
    assert len(server.requests) == 5


@pytest.mark.acceptance("S1-017")
@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        (404, "No endpoints found that support tool use. Try disabling it."),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (500, "tools param requires --jinja flag"),
    ],
)
async def test_a_model_that_cannot_call_tools_says_so_in_its_limits_from_then_on(
    connect, question, status, words
) -> None:
    def without_tools(request: ScriptedRequest) -> Answer | HttpError:
        return HttpError(status, words) if "tools" in request.body else Answer("Hello")

    async with ScriptedServer(without_tools) as server:
        connected = connect(server)
        assert connected.model.limits.tools
        events, error = await connected.fail(question)
        assert not connected.model.limits.tools
        assert await connected.ask(ModelRequest(question.messages)) == WHOLE
    assert events == []
    assert "m-1 cannot call tools; set tools = false" in str(error)


async def test_reasoning_that_is_no_longer_accepted_is_left_out(connect, question) -> None:
    def bound(request: ScriptedRequest) -> Answer | HttpError:
        if "sig==" in request.text:
            return HttpError(400, "messages.1.content.0: Invalid `signature` in `thinking` block")
        return Answer("Sure", "Hm", "sig==", (call("one", {}, "id_1"),))

    async with ScriptedServer(bound) as server:
        connected = connect(server, "anthropic")
        completed = (await connected.ask(question))[-1]
        assistant = Message(Role.ASSISTANT, reasoning=completed.reasoning, calls=completed.calls)
        result = Message.tool(ToolResult("id_1", "one"), "ok", "tool_output")
        events = await connected.ask(ModelRequest((*question.messages, assistant, result), question.tools))
    assert isinstance(events[-1], Completed)
    assert len(server.requests) == 3


async def test_the_key_is_seen_nowhere_but_in_its_header(connect, question, dialect, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    key = "sk-canary-0123456789abcdef"

    def echo(request: ScriptedRequest) -> HttpError:
        said = request.headers.get("x-api-key") or request.headers["authorization"]
        return HttpError(401, f"wrong key: {said}", headers={"request-id": f"req_{said.split()[-1]}"})

    async with ScriptedServer(echo) as server:
        connected = connect(server, dialect)
        _, error = await connected.fail(question)
    assert "***" in str(error)
    seen = [str(error), repr(error), repr(vars(error)), repr(connected.model), repr(connected.model.destination)]
    seen += [record.getMessage() + repr(record.args) for record in caplog.records]
    cause: BaseException | None = error
    while cause is not None:
        seen += [str(cause), repr(cause)]
        cause = cause.__cause__ or cause.__context__
    assert any(record.name == "httpx2" for record in caplog.records)
    assert [text for text in seen if key in text] == []


async def test_a_server_that_echoes_the_key_in_a_stream_does_not_get_it_into_the_message(connect, question) -> None:
    body = 'data: {"error":{"message":"bad key sk-canary-0123456789abcdef"}}\n\n'
    stream = {"Content-Type": "text/event-stream", "x-request-id": "r"}
    async with ScriptedServer([HttpError(200, headers=stream, body=body)], repeat=True) as server:
        _, error = await connect(server, retries=0).fail(question)
    assert "bad key ***" in str(error)


async def test_the_delays_are_spread(connect) -> None:
    error = ModelError("x", ModelErrorKind.OVERLOADED)
    slow, fast = RetryPolicy(jitter=lambda: 1.0), RetryPolicy(jitter=lambda: 0.0)
    assert [slow.delay(attempt, error) for attempt in range(1, 6)] == [0.5, 1.0, 2.0, 4.0, None]
    assert [fast.delay(attempt, error) for attempt in range(1, 6)] == [0.25, 0.5, 1.0, 2.0, None]


async def test_waiting_for_a_retry_can_be_cancelled(connect, question) -> None:
    async with ScriptedServer([HttpError(503, headers={"Retry-After": "30"})], repeat=True) as server:
        connected = connect(server)
        connected.model._retry = RetryPolicy()
        waiting = asyncio.Event()

        async def ask() -> None:
            async for event in connected.model.stream(question):
                if isinstance(event, Retrying):
                    waiting.set()

        task = asyncio.create_task(ask())
        await waiting.wait()
        task.cancel()
        async with asyncio.timeout(1):
            with pytest.raises(asyncio.CancelledError):
                await task
