"""The scripted model and server that ship with motet."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from motet.errors import ModelError, ModelErrorKind, UsageError
from motet.messages import Message, Reasoning
from motet.models import Completed, Model, ModelRequest, ReasoningDelta, TextDelta, ToolCallDelta, Usage
from motet.models.scripted import (
    Answer,
    HttpError,
    Script,
    ScriptedModel,
    ScriptedRequest,
    ScriptedServer,
    Wire,
    call,
)
from motet.models.scripted.script_file import script_from_json

REQUEST = ModelRequest((Message.user("Hi"),))


async def ask(model: Model, request: ModelRequest = REQUEST) -> list[object]:
    return [event async for event in model.stream(request)]


async def test_a_scripted_model_plays_its_answers_in_order_and_keeps_the_requests() -> None:
    calls = (call("one", {"n": 1}),)
    model = ScriptedModel([Answer("Hello", "Hm", "sig", calls, Usage(1, 2)), Answer("Bye")])
    assert await ask(model) == [
        ReasoningDelta("Hm"),
        TextDelta("Hello"),
        ToolCallDelta(0, '{"n": 1}', "call_one", "one"),
        Completed("tool_calls", calls, (Reasoning("Hm", {"provider": "scripted", "signature": "sig"}),), Usage(1, 2)),
    ]
    assert await ask(model) == [TextDelta("Bye"), Completed("stop", usage=Usage(100, 20))]
    assert model.requests == [REQUEST, REQUEST]


async def test_a_scripted_model_raises_errors_and_answers_by_the_request() -> None:
    refusal = ModelError("no", ModelErrorKind.REFUSED)
    model = ScriptedModel([refusal, lambda request: Answer(request.messages[0].text.upper())])
    with pytest.raises(ModelError) as caught:
        await ask(model)
    assert caught.value is refusal
    assert (await ask(model))[0] == TextDelta("HI")


async def test_a_scripted_model_says_when_its_script_is_over_unless_it_repeats() -> None:
    model = ScriptedModel([Answer("x")], name="fake")
    await ask(model)
    with pytest.raises(ModelError, match="fake: the script holds 1 answers, this is request 2; add an answer"):
        await ask(model)
    repeating = ScriptedModel([Answer("x")], repeat=True)
    assert [(await ask(repeating))[0] for _ in range(3)] == [TextDelta("x")] * 3


async def test_a_scripted_model_stalls_until_it_is_cancelled() -> None:
    model = ScriptedModel([Answer("Hello", wire=Wire(text_chars=1, stall_after=2))])
    stream = model.stream(REQUEST)
    assert [await anext(stream), await anext(stream)] == [TextDelta("H"), TextDelta("e")]
    task = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_step_with_when_waits_for_the_request_that_holds_it(connect, question) -> None:
    script = [Answer("about B", when='say "B"'), Answer("about A", when="A.py"), HttpError(400, "else")]
    async with ScriptedServer(script) as server:
        connected = connect(server)
        said = [(await connected.ask(ModelRequest((Message.user(text),))))[0] for text in ("see A.py", 'say "B"')]
        await connected.fail(question)
    assert said == [TextDelta("about A"), TextDelta("about B")]


async def test_the_same_answer_can_come_for_ever(connect, question, dialect) -> None:
    async with ScriptedServer([Answer("first"), Answer("again")], repeat=True) as server:
        connected = connect(server, dialect)
        said = [(await connected.ask(question))[0] for _ in range(4)]
    assert said == [TextDelta("first"), *[TextDelta("again")] * 3]


async def test_a_request_beyond_the_script_is_an_error_that_says_so(connect, question, dialect) -> None:
    async with ScriptedServer([]) as server:
        _, error = await connect(server, dialect).fail(question)
    assert "the script of 0 has no answer for request 1" in str(error)


async def test_answers_may_depend_on_the_request(connect, own_dialect) -> None:
    def count(request: ScriptedRequest) -> Answer:
        return Answer(f"{len(request.messages)} messages to {request.dialect}")

    async with ScriptedServer(count) as server:
        assert (await connect(server, own_dialect).ask(REQUEST))[0] == TextDelta(f"1 messages to {own_dialect}")


async def test_other_places_and_nonsense_are_refused_and_the_server_lives_on(connect) -> None:
    async with ScriptedServer([Answer("x")]) as server:
        for data in (b"GET /nothing HTTP/1.1\r\n\r\n", b"\xff\xff\r\n\r\n", b"POST"):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
            writer.write(data)
            writer.write_eof()
            answer = await reader.read()
            writer.close()
            assert answer == b"" or b"404" in answer.splitlines()[0]
        assert (await connect(server).ask(REQUEST))[0] == TextDelta("x")


SCRIPT = {
    "answers": [
        {"status": 429, "message": "slow", "headers": {"Retry-After": "0"}},
        {
            "text": "Fixed.",
            "calls": [
                {"name": "replace_in_file", "arguments": {"path": "a.py"}},
                {"id": "x", "name": "y", "arguments": "{"},
            ],
            "usage": {"input": 7, "output": 3},
            "wire": {"piece_bytes": 5, "crlf": True},
        },
    ],
    "repeat": True,
}


def test_a_script_file_holds_the_same_steps() -> None:
    script = script_from_json(json.dumps(SCRIPT))
    assert isinstance(script, Script)
    assert [script.next(""), script.next(""), script.next("")] == [
        HttpError(429, "slow", headers={"Retry-After": "0"}),
        *[
            Answer(
                "Fixed.",
                calls=(call("replace_in_file", {"path": "a.py"}), call("y", "{", "x")),
                usage=Usage(7, 3),
                wire=Wire(piece_bytes=5, crlf=True),
            )
        ]
        * 2,
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a script is JSON such as"),
        ("[]", "a script is JSON such as"),
        ('{"answers": []}', "a script is JSON such as"),
        ('{"answers": [{"text": "x"}, {"txt": "y"}]}', "answer 2 of the script: txt: Unexpected keyword argument"),
        ('{"answers": [{"wire": {"cut": "hair"}}]}', "answer 1 of the script: wire.cut: "),
        ('{"answers": [{"calls": [{"arguments": {}}]}]}', "answer 1 of the script: calls.0.name: "),
    ],
)
def test_a_wrong_script_file_is_refused_with_the_place(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=r"^[^\n]*$") as caught:
        script_from_json(text)
    assert words in str(caught.value)


async def test_from_the_shell_it_prints_its_address_serves_logs_and_ends_when_told(
    connect, question, tmp_path: Path
) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(json.dumps(SCRIPT))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "motet.models.scripted", "--port", "0", "--script", script, "--log", log,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            url = (await process.stdout.readline()).decode().strip()
        events = await connect(url).ask(question)
    finally:
        process.send_signal(signal.SIGTERM)
        code = await process.wait()
    assert isinstance(events[-1], Completed) and events[-1].usage == Usage(7, 3)
    assert code == 0
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["target"] for entry in entries] == ["/v1/chat/completions"] * 2
    assert entries[0]["headers"]["authorization"] == "***"
    assert entries[0]["body"]["model"] == "m-1"


@pytest.mark.parametrize("content", [None, "{", b"\xff"])
async def test_from_the_shell_a_script_that_cannot_be_read_is_one_line(tmp_path: Path, content) -> None:
    script = tmp_path / "script.json"
    if content is not None:
        script.write_bytes(content if isinstance(content, bytes) else content.encode())
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "motet.models.scripted", "--script", script, stderr=asyncio.subprocess.PIPE
    )
    _, stderr = await process.communicate()
    assert process.returncode == 2
    assert str(script) in stderr.decode() and stderr.count(b"\n") == 1
