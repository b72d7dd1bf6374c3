"""Connections: stopping at once, proxies, private authorities, endless and huge answers."""

from __future__ import annotations

import asyncio
import gc
import ssl
import time
from pathlib import Path

import pytest

from motet.errors import ModelErrorKind
from motet.models import Completed, TextDelta, Usage
from motet.models.keys import KeySource
from motet.models.providers import transport
from motet.models.scripted import Answer, HttpError, ScriptedServer, Wire, call

CERTIFICATE = Path(__file__).parent / "localhost.pem"
"""For 127.0.0.1, signed by itself, with its key: trusted by nobody but these tests."""

WHOLE = [TextDelta("Hello"), Completed("stop", usage=Usage(100, 20))]
AT_ONCE = 30.0
"""Seconds, however busy the machine is: what would be waited for lasts 60, or for ever."""

STALLS = {
    "before the first byte": Wire(first_byte_delay=60),
    "before the first token": Wire(stall_after=1),
    "in the middle": Wire(text_chars=1, stall_after=4),
}


@pytest.mark.acceptance("S0-058")
@pytest.mark.parametrize("where", STALLS)
async def test_cancelling_ends_the_request_and_the_server_sees_it(connect, question, dialect, where) -> None:
    async with ScriptedServer([Answer("Hello", wire=STALLS[where])]) as server:
        task = asyncio.create_task(connect(server, dialect).ask(question))
        async with asyncio.timeout(20):
            request = await server.received(1)
            await until_quiet(task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(AT_ONCE):
            await request.left.wait()


async def until_quiet(task: asyncio.Task[object]) -> None:
    """Let everything that can happen without waiting happen."""
    for _ in range(50):
        await asyncio.sleep(0)
    assert not task.done()


async def test_closing_the_iterator_ends_the_request_and_the_server_sees_it(connect, question, dialect) -> None:
    answer = Answer("Hello", wire=Wire(text_chars=1, stall_after=5))
    async with ScriptedServer([answer]) as server:
        stream = connect(server, dialect).model.stream(question)
        assert await anext(stream) == TextDelta("H")
        request = await server.received(1)
        async with asyncio.timeout(AT_ONCE):
            await stream.aclose()
            await request.left.wait()


async def test_an_iterator_that_is_dropped_ends_the_request_too(connect, question) -> None:
    async with ScriptedServer([Answer("Hello", wire=Wire(text_chars=1, stall_after=5))]) as server:
        stream = connect(server).model.stream(question)
        assert await anext(stream) == TextDelta("H")
        request = await server.received(1)
        del stream
        gc.collect()
        async with asyncio.timeout(AT_ONCE):
            await request.left.wait()


async def test_cancelling_while_the_key_command_runs_ends_it(connect, question) -> None:
    asked = asyncio.Event()

    async def slow(argv: list[str]) -> tuple[int, bytes]:
        asked.set()
        await asyncio.sleep(60)
        return 0, b"key"

    key = KeySource("cmd:pass show acme", {}, "acme", slow)
    task = asyncio.create_task(connect("http://127.0.0.1:9", key=key).ask(question))
    await asked.wait()
    task.cancel()
    async with asyncio.timeout(AT_ONCE):
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.acceptance("PY-10")
async def test_a_proxy_of_the_environment_is_used_for_other_hosts(connect, question, monkeypatch) -> None:
    async with ScriptedServer([Answer("Hello")]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert await connect("http://models.example:8000").ask(question) == WHOLE
    assert proxy.requests[0].target == "http://models.example:8000/v1/chat/completions"


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
async def test_no_proxy_stands_between_motet_and_a_server_on_this_machine(
    connect, question, monkeypatch, name
) -> None:
    async with ScriptedServer([Answer("Hello")]) as server:
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        assert await connect(server).ask(question) == WHOLE


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("ALL_PROXY", "carrier-pigeon://x", "Unknown scheme"), ("SSL_CERT_FILE", "/nowhere.pem", "No such file")],
)
async def test_a_wrong_proxy_or_authority_is_named(connect, question, monkeypatch, name, value, words) -> None:
    monkeypatch.setenv(name, value)
    _, error = await connect("https://models.example").fail(question)
    assert error.kind is ModelErrorKind.NETWORK
    assert words in str(error)
    assert str(error).endswith("check SSL_CERT_FILE and HTTPS_PROXY")


@pytest.mark.acceptance("PY-10")
async def test_a_certificate_is_trusted_when_ssl_cert_file_says_so(connect, question, dialect, monkeypatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    async with ScriptedServer([Answer("Hello")], tls=context) as server:
        connected = connect(server, dialect)
        events, error = await connected.fail(question)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        assert await connected.ask(question) == WHOLE
    assert (events, connected.waits) == ([], [])
    assert error.kind is ModelErrorKind.NETWORK
    assert "the certificate is not trusted" in str(error)
    assert str(error).endswith("set SSL_CERT_FILE to the authority that signed it")


async def test_cancelling_over_tls_ends_the_request_too(connect, question, monkeypatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    async with ScriptedServer([Answer("Hello", wire=Wire(text_chars=1, stall_after=5))], tls=context) as server:
        stream = connect(server).model.stream(question)
        assert await anext(stream) == TextDelta("H")
        request = await server.received(1)
        async with asyncio.timeout(AT_ONCE):
            await stream.aclose()
            await request.left.wait()


async def test_an_answer_that_comes_fast_is_read_in_ticks_after_its_first_tokens(
    connect, question, own_dialect
) -> None:
    text, turns = "word" * 100, 0
    seen: list[tuple[int, float]] = []

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with ScriptedServer([Answer(text, wire=Wire(text_chars=1))]) as server:
        counting = asyncio.create_task(count())
        events: list[object] = []
        async for event in connect(server, own_dialect).model.stream(question):
            events.append(event)
            seen.append((turns, time.monotonic()))
        counting.cancel()
    assert [event.text for event in events if isinstance(event, TextDelta)] == [*text]
    ticks = (seen[-1][1] - seen[0][1]) / transport.TICK
    assert ticks >= 1
    assert (
        len({turn for turn, _ in seen}) <= 2 * transport.FIRST_READS + ticks
    )  # some are large, and have another behind


async def test_one_event_may_be_many_megabytes(connect, question, dialect) -> None:
    calls = (call("write", {"text": "日" * 1_500_000}, "id_1"),)
    async with ScriptedServer([Answer(calls=calls)]) as server:
        events = await connect(server, dialect).ask(question)
    assert events[-1] == Completed("tool_calls", calls, usage=Usage(100, 20))


async def test_an_answer_without_end_is_ended(connect, question, monkeypatch) -> None:
    monkeypatch.setattr(transport, "MAX_ANSWER_CHARS", 2**20)
    async with ScriptedServer([Answer("ha" * 2**20, wire=Wire(text_chars=2**16))]) as server:
        _, error = await connect(server).fail(question)
    assert error.kind is ModelErrorKind.BAD_RESPONSE
    assert "more than 1 MiB" in str(error)


async def test_an_event_without_end_is_a_bad_response(connect, question, monkeypatch) -> None:
    monkeypatch.setattr(transport, "MAX_EVENT_CHARS", 2**16)
    async with ScriptedServer([Answer("ha" * 2**16)]) as server:
        _, error = await connect(server).fail(question)
    assert error.kind is ModelErrorKind.BAD_RESPONSE


async def test_a_huge_error_page_is_not_read_to_its_end(connect, question) -> None:
    async with ScriptedServer([HttpError(400, body="x" * 5_000_000)]) as server:
        _, error = await connect(server).fail(question)
    assert len(str(error)) < 500


async def test_half_characters_in_a_request_do_not_stop_it(connect, dialect) -> None:
    from motet.messages import Message
    from motet.models import ModelRequest

    async with ScriptedServer([Answer("Hello")]) as server:
        assert await connect(server, dialect).ask(ModelRequest((Message.user("file \udcff name"),))) == WHOLE
    half = "\ufffd" if dialect.startswith("pydantic-ai") else "?"
    assert f"file {half} name" in server.requests[0].text
