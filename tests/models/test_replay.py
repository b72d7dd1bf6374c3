"""Recording a session and playing it again."""

from __future__ import annotations

import asyncio
import json
import stat
from contextlib import aclosing
from pathlib import Path

import pytest

from motet.errors import ModelError, ModelErrorKind, UsageError
from motet.messages import Message, Role, ToolCall, ToolResult
from motet.models import (
    Completed,
    Limits,
    Model,
    ModelConfig,
    ModelRequest,
    Retrying,
    TextDelta,
    ToolDefinition,
    choose,
)
from motet.models.replay import Recorder, ReplayModel
from motet.models.scripted import Answer, HttpError, ScriptedModel, ScriptedServer, Wire, call

CANARY = "sk-canary-0123456789abcdef"
TOOL = ToolDefinition("one", "Does one.", {"type": "object"})


def asking(*texts: str, tools: tuple[ToolDefinition, ...] = ()) -> ModelRequest:
    return ModelRequest(tuple(Message.user(text) for text in texts), tools)


async def ask(model: Model, request: ModelRequest) -> list[object]:
    return [event async for event in model.stream(request)]


async def test_what_was_recorded_over_http_plays_again_event_by_event(connect, question, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    script = [
        HttpError(503, headers={"Retry-After": "1"}),
        Answer("Hello, 世界\u2028", "Hm", "sig==", (call("one", {"n": 1}),), wire=Wire(text_chars=3)),
        Answer("Bye"),
    ]
    async with ScriptedServer(script) as server:
        recorder = Recorder(connect(server, "anthropic").model, file)
        first, second = await ask(recorder, question), await ask(recorder, asking("more"))
    replay = ReplayModel(file)
    assert isinstance(first[0], Retrying)
    assert [await ask(replay, question), await ask(replay, asking("more"))] == [first, second]
    assert (replay.limits, replay.destination.remote, replay.price) == (Limits(100_000, 4_096), False, None)


async def test_requests_may_come_in_another_order(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    recorder = Recorder(ScriptedModel([Answer("a"), Answer("b"), Answer("c")]), file)
    for text in ("A", "B", "A"):
        await ask(recorder, asking(text))
    replay = ReplayModel(file)
    said = [(await ask(replay, asking(text)))[0] for text in ("B", "A", "A")]
    assert said == [TextDelta("b"), TextDelta("a"), TextDelta("c")]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (asking("Hi", "there"), "this is not the request recorded in line 2: message 2 (user) is another"),
        (asking("Hi"), "this is not the request recorded in line 2: it has 1 messages instead of 2"),
        (asking("Hi", "you", tools=(TOOL,)), "this is not the request recorded in line 2: its tools are others"),
    ],
)
async def test_a_request_that_was_not_recorded_is_an_error_that_says_what_is_different(
    tmp_path: Path, request_: ModelRequest, words: str
) -> None:
    file = tmp_path / "session.jsonl"
    await ask(Recorder(ScriptedModel([Answer("x")], name="acme/m"), file), asking("Hi", "you"))
    with pytest.raises(ModelError) as caught:
        await ask(ReplayModel(file), request_)
    assert caught.value.kind is ModelErrorKind.BAD_RESPONSE
    assert str(caught.value) == f"replay:{file}: {words}; record the session again (it was made with acme/m)"


async def test_each_recorded_answer_is_played_once(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    await ask(Recorder(ScriptedModel([Answer("x")]), file), asking("Hi"))
    replay = ReplayModel(file)
    await ask(replay, asking("Hi"))
    with pytest.raises(ModelError, match="all 1 recorded answers are used up"):
        await ask(replay, asking("Hi"))


async def test_a_project_that_moved_still_fits_its_recording(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"

    def about(root: str) -> ModelRequest:
        return asking(f"File: {root}/src/日本.py\nContent:")

    await ask(Recorder(ScriptedModel([Answer("x")]), file, workspace=Path("/old place")), about("/old place"))
    model, _ = await choose(f"replay:{file}", ModelConfig(workspace=Path("/new")), {})
    assert (await ask(model, about("/new")))[0] == TextDelta("x")


async def test_ids_of_calls_do_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"

    def after(call_id: str) -> ModelRequest:
        said = Message(Role.ASSISTANT, calls=(ToolCall(call_id, "one", "{}"),))
        return ModelRequest((said, Message.tool(ToolResult(call_id, "one"), "ok", "tool_output")))

    await ask(Recorder(ScriptedModel([Answer("x")]), file), after("id_1"))
    assert (await ask(ReplayModel(file), after("id_2")))[0] == TextDelta("x")


async def test_errors_and_stops_are_recorded_too(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    error = ModelError("acme: overloaded", ModelErrorKind.OVERLOADED, status=529)
    stalling = Answer("Hello", wire=Wire(text_chars=1, stall_after=3))
    recorder = Recorder(ScriptedModel([error, stalling]), file)
    with pytest.raises(ModelError):
        await ask(recorder, asking("A"))
    async with aclosing(recorder.stream(asking("B"))) as stream:
        assert await anext(stream) == TextDelta("H")
    replay = ReplayModel(file)
    with pytest.raises(ModelError) as caught:
        await ask(replay, asking("A"))
    assert (str(caught.value), caught.value.kind, caught.value.status) == (
        "acme: overloaded", ModelErrorKind.OVERLOADED, 529,
    )  # fmt: skip
    stream = replay.stream(asking("B"))
    assert await anext(stream) == TextDelta("H")
    with pytest.raises(ModelError, match="the recorded answer of line 4 was stopped before its end"):
        await anext(stream)


async def test_an_answer_can_take_the_time_it_took(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    ticks = iter([10.0, 10.5, 12.0])
    recorder = Recorder(ScriptedModel([Answer("x")]), file, clock=lambda: next(ticks))
    await ask(recorder, asking("Hi"))
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    await ask(ReplayModel(file, pace=2.0, sleep=sleep), asking("Hi"))
    assert waits == [1.0, 3.0]


@pytest.mark.parametrize("chars", [0, 1, 7])
async def test_no_secret_is_written_however_the_deltas_cut_it(tmp_path: Path, chars: int) -> None:
    file = tmp_path / "session.jsonl"
    own = "hunter2-hunter2"
    secrets = [CANARY, "ghp_0123456789abcdefABCDEF0123456789abcd", "AKIAIOSFODNN7EXAMPLE", own]
    text = "keys: " + ", ".join(secrets) + "."
    answer = Answer(
        text, text, calls=(call("one", {"key": text}),), wire=Wire(text_chars=chars, argument_chars=chars)
    )
    error = ModelError(f"refused {CANARY}", ModelErrorKind.AUTH)
    recorder = Recorder(ScriptedModel([answer, error]), file, secrets=[own])
    live = await ask(recorder, asking(text))
    with pytest.raises(ModelError):
        await ask(recorder, asking("Hi"))
    written = file.read_text()
    assert [secret for secret in secrets if secret in written] == []
    replayed = await ask(ReplayModel(file), asking(text))
    said = "".join(event.text for event in replayed if isinstance(event, TextDelta))
    assert said == "keys: " + ", ".join("*" * len(secret) for secret in secrets) + "."
    assert [secret for secret in secrets if secret in repr(replayed)] == []
    assert len(replayed) == len(live)
    completed = replayed[-1]
    assert isinstance(completed, Completed)
    assert json.loads(completed.calls[0].arguments) == {"key": said}


async def test_code_that_only_resembles_a_key_is_recorded_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    text = "skeleton_of_a_long_name npm_config_cache_directory sk-learn-like-names hf_transformers_model_name"
    await ask(Recorder(ScriptedModel([Answer(text)]), file), asking("Hi"))
    assert (await ask(ReplayModel(file), asking("Hi")))[0] == TextDelta(text)


async def test_a_recording_is_only_for_its_owner_and_does_not_hold_the_question(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    await ask(Recorder(ScriptedModel([Answer("x")]), file), asking("a private question"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "private" not in file.read_text()


async def test_two_recorders_on_one_file_keep_their_answers_whole(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    recorders = [Recorder(ScriptedModel([Answer(f"{n} " * 500, wire=Wire(text_chars=9))]), file) for n in range(8)]
    await asyncio.gather(*(ask(recorder, asking(f"q{n}")) for n, recorder in enumerate(recorders)))
    replay = ReplayModel(file)
    for n in range(8):
        events = await ask(replay, asking(f"q{n}"))
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == f"{n} " * 500


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "the recording cannot be read (No such file or directory)"),
        ("", "not a recording of motet"),
        ("hello\n", "not a recording of motet"),
        ('{"a": 1}\n', "not a recording of motet"),
        ('{"schema": 2}\n', "a recording of schema 2, this motet reads 1"),
        ('{"schema": 1}\n{"request": {}}\n{"event": "dance"}\n', "line 3: unknown event 'dance'"),
        ('{"schema": 1}\n{"request": {}}\n{"event": "text", "te', "line 3: not JSON"),
        (b"\xff\xfe", "the recording cannot be read (it is not UTF-8 text)"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_in_one_line(tmp_path: Path, content, words: str) -> None:
    file = tmp_path / "session.jsonl"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UsageError) as caught:
        ReplayModel(file)
    assert str(file) in str(caught.value) and words in str(caught.value) and "\n" not in str(caught.value)


def test_a_recorder_does_not_write_into_another_file_of_yours(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("my notes\n")
    with pytest.raises(UsageError):
        Recorder(ScriptedModel([]), file)
    assert file.read_text() == "my notes\n"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the recording cannot be written"):
        Recorder(ScriptedModel([]), tmp_path / "missing" / "session.jsonl")
