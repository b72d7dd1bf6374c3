"""The stack is valid for all dialects, and nothing is lost, whatever happens to a turn at whatever moment.

`talking` checks at its end that the stack is valid, that the stored messages are those in memory, and that the
provider, which is as strict as real ones, refused nothing.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import pytest
from chat.chat_kit import Talk, scripted_model, spoken, talking
from pydantic import BaseModel

from motet.chat import ChatOptions, End, Ended, Notice, Said
from motet.errors import MotetError
from motet.messages import Role, ToolCall
from motet.models.protocol import Price, TextDelta, Usage
from motet.models.scripted import Answer, HttpError, ScriptedRequest, Step, Wire, call
from motet.permissions import Action, Effect
from motet.permissions import Answer as Yes
from motet.tools import ToolInput, ToolOutput, ToolSpec
from motet.turn import ToolFinished, ToolsCalled

EVERY = os.environ.get("MOTET_KILL_ALL") == "1"
SEED = int(os.environ.get("MOTET_KILL_SEED", "4"))


def working(request: ScriptedRequest) -> Step:
    """Thinks, says something and makes two calls; is done when their results are there."""
    if request.results:
        return Answer(text="It is done.", wire=Wire(text_chars=4))
    calls = (call("read_file", {"path": "a.py"}, "c1"), call("create_file", {"path": "b.py", "text": "x\n"}, "c2"))
    return Answer("I look first.", "Let me think.", "c2ln", calls, wire=Wire(text_chars=5, argument_chars=6))


async def goes_on(talk: Talk) -> None:
    """The chat can be gone on with: every call has a result, the provider accepts what it is sent."""
    assert await talk.say("go on") == Ended(End.DONE)


@pytest.mark.acceptance("T-28")
async def test_a_turn_can_be_stopped_at_every_event(tmp_path: Path, dialect: str) -> None:
    at, events = 0, 1
    while at < events:
        root = tmp_path / str(at)
        root.mkdir()
        async with talking(root, working, dialect, tools=["files"]) as talk:
            (talk.root / "a.py").write_text("one = 1\n")
            seen = 0

            def stop(_: object) -> None:
                nonlocal seen
                if seen == at:  # noqa: B023
                    talk.chat.stop()
                seen += 1

            ended = await talk.hear(talk.chat.send("do it"), stop)
            assert sum(isinstance(event, Ended) for event in talk.events) == 1
            assert ended.reason is End.STOPPED or at >= seen - 3, (at, ended)
            await goes_on(talk)
            assert [text for role, text in talk.told if role == "user"] == ["do it", "go on"]
        at, events = at + 1, max(events, seen)
    assert events > 15


async def test_the_reader_of_a_turn_may_go_at_every_event(tmp_path: Path, dialect: str) -> None:
    for at in range(0, 24, 1 if EVERY else 3):
        root = tmp_path / str(at)
        root.mkdir()
        async with talking(root, working, dialect, tools=["files"]) as talk:
            (talk.root / "a.py").write_text("one = 1\n")
            async with aclosing(talk.chat.send("do it")) as events:
                number = 0
                async for _ in events:
                    if number == at:
                        break
                    number += 1
            async with asyncio.timeout(10):
                await talk.chat.parts.before_asking()  # whoever asks something now does not wait for the reader
                await goes_on(talk)


async def _ticks(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


@pytest.mark.acceptance("T-28")
async def test_a_turn_can_be_stopped_between_any_two_steps_of_the_loop(tmp_path: Path, dialect: str) -> None:
    moments = range(400) if EVERY else sorted(random.Random(SEED).sample(range(400), 16))
    for moment in moments:
        root = tmp_path / str(moment)
        root.mkdir()
        async with talking(root, working, dialect, tools=["files"]) as talk:
            (talk.root / "a.py").write_text("one = 1\n")
            turn = asyncio.create_task(talk.say("do it"))
            await _ticks(moment)
            talk.chat.stop()
            talk.chat.stop()
            async with asyncio.timeout(10):
                await turn
                await goes_on(talk)
            assert [text for role, text in talk.told if role == "user"][-1] == "go on"
            assert [text for role, text in talk.told if role == "user"].count("do it") <= 1


BAD_CALLS = {
    "bad JSON": (call("read_file", '{"path": '),),
    "no object": (call("read_file", '["a.py"]'),),
    "not a number": (call("read_file", '{"path": NaN}'),),
    "unknown tool": (call("no_such_tool", {"path": "a.py"}),),
    "a name that is none": (call("read file\n☃ ../..", {"path": "a.py"}),),
    "the same id twice": (call("read_file", {"path": "a.py"}, "same"), call("read_file", {"path": "b"}, "same")),
    "odd ids": (call("read_file", {"path": "a.py"}, "☃ 1"), call("read_file", {"path": "b"}, "☃ 2")),
    "a long id": (call("read_file", {"path": "a.py"}, "x" * 300),),
    "no arguments": (call("read_file", ""),),
    "deep": (call("read_file", "[" * 5_000),),
    "a hundred": tuple(call("read_file", {"path": f"{n}.py"}, f"c{n}") for n in range(100)),
}


@pytest.mark.parametrize("name", BAD_CALLS)
async def test_calls_that_cannot_be_run_each_have_one_result(tmp_path: Path, dialect: str, name: str) -> None:
    calls = BAD_CALLS[name]
    script = [Answer(text="I look.", calls=calls), Answer(text="Well."), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:
        assert await talk.say("look") == Ended(End.DONE)
        results = [message for message in talk.chat.messages if message.role is Role.TOOL]
        assert len(results) == len(calls)
        await goes_on(talk)


async def test_a_call_without_a_name_ends_the_turn_and_the_text_stays(tmp_path: Path, dialect: str) -> None:
    script = [Answer(text="I look.", calls=(ToolCall("c1", "", "{}"),)), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:
        ended = await talk.say("look")
        assert (ended.reason, ended.is_partial) == (End.FAILED, True)
        await goes_on(talk)


async def test_ids_that_come_again_in_a_later_answer_are_told_apart(tmp_path: Path, dialect: str) -> None:
    look = [Answer(calls=(call("read_file", {"path": f"{n}.py"}, "call_0"),)) for n in range(3)]
    async with talking(
        tmp_path, [*look, Answer(text="No."), Answer(text="Done.")], dialect, tools=["readonly"]
    ) as talk:
        assert await talk.say("look") == Ended(End.DONE)
        await goes_on(talk)


class Odd:
    """A tool that does what a tool should not; `runs` is set when it runs."""

    class Input(BaseModel):
        pass

    def __init__(self, name: str, effects: frozenset[Effect] = frozenset({Effect.RUN})) -> None:
        self.spec = ToolSpec(name, "Odd.", self.Input, effects)
        self.runs = asyncio.Event()
        self.may_end = asyncio.Event()
        self.chat: Talk | None = None
        self.heard: list[str] = []

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        self.runs.set()
        match self.spec.name:
            case "raises":
                raise ZeroDivisionError("no")
            case "refuses":
                raise MotetError("not today")
            case "big":
                return [ToolOutput("x" * 5_000_000)] * len(calls)
            case "empty":
                return [ToolOutput("")] * len(calls)
            case "stubborn":
                while not self.may_end.is_set():
                    try:
                        await self.may_end.wait()
                    except asyncio.CancelledError:
                        continue
            case "calls_back":
                assert self.chat is not None
                chat = self.chat.chat
                for wish in (
                    self.chat.say("again"),
                    chat.compact(),
                    chat.hand_over("cmd"),
                    chat.take_away("calls_back"),
                ):
                    try:
                        await wish
                    except MotetError as error:
                        self.heard.append(str(error))
                chat.say("from within")
            case _:
                await asyncio.Event().wait()
        return [ToolOutput("done")] * len(calls)


def odd_calls(name: str) -> tuple[ToolCall, ...]:
    return (call(name, {}, "c1"), call("read_file", {"path": "a.py"}, "c2"), call(name, {}, "c3"))


async def test_a_tool_that_raises_what_it_should_not_leaves_a_valid_chat(tmp_path: Path, dialect: str) -> None:
    tool = Odd("raises")
    script = [Answer(calls=odd_calls("raises")), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly", "raises"], own=[tool]) as talk:
        with pytest.raises(ZeroDivisionError):
            await talk.say("do it")
        ended = talk.events[-1]
        assert isinstance(ended, Ended)
        assert (ended.reason, ended.can_go_on) == (End.FAILED, True)
        assert next(text for role, text in talk.told if role == "tool") == "raises: no result, it failed: no"
        assert talk.chat.info.tokens > 0
        await goes_on(talk)


@pytest.mark.parametrize("name", ["refuses", "big", "empty"])
async def test_whatever_a_tool_gives_every_call_has_a_result(tmp_path: Path, dialect: str, name: str) -> None:
    tool = Odd(name)
    script = [Answer(calls=odd_calls(name)), Answer(text="Well."), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly", name], own=[tool]) as talk:
        assert await talk.say("do it") == Ended(End.DONE)
        assert max(len(text) for _, text in talk.told) < 21_000
        await goes_on(talk)


async def test_a_tool_that_does_not_end_is_stopped_and_the_human_has_control_at_once(
    tmp_path: Path, dialect: str
) -> None:
    tool = Odd("stubborn")
    script = [Answer(calls=odd_calls("stubborn")), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly", "stubborn"], own=[tool]) as talk:
        turn = asyncio.create_task(talk.say("do it"))
        await asyncio.wait_for(tool.runs.wait(), 10)
        before = asyncio.get_running_loop().time()
        talk.chat.stop()
        assert (await turn).reason is End.STOPPED
        assert asyncio.get_running_loop().time() - before < 1.0
        tool.may_end.set()
        await goes_on(talk)


@pytest.mark.acceptance("S0-113")
async def test_a_tool_may_not_change_the_chat_that_it_runs_in(tmp_path: Path, dialect: str) -> None:
    tool = Odd("calls_back")
    script = [Answer(calls=odd_calls("calls_back")), Answer(text="Well."), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly", "calls_back"], own=[tool]) as talk:
        tool.chat = Talk(talk.chat, talk.server, talk.root)
        assert await talk.say("do it") == Ended(End.DONE)
        assert len(tool.heard) == 8
        assert all(line.startswith("a turn is running") for line in tool.heard)
        assert [text for role, text in talk.told if role == "user"] == ["do it", "from within", "from within"]
        await goes_on(talk)


async def test_send_while_a_turn_runs_is_refused_and_changes_nothing(tmp_path: Path, dialect: str) -> None:
    tool = Odd("waits")
    script = [Answer(calls=(call("waits", {}),)), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["waits"], own=[tool]) as talk:
        turn = asyncio.create_task(talk.say("do it"))
        await asyncio.wait_for(tool.runs.wait(), 10)
        with pytest.raises(MotetError, match="a turn is running"):
            await Talk(talk.chat, talk.server, talk.root).say("and this")
        talk.chat.stop()
        await turn
        await goes_on(talk)
        assert [text for role, text in talk.told if role == "user"] == ["do it", "go on"]


async def test_closing_while_a_turn_runs_ends_it(tmp_path: Path, dialect: str) -> None:
    tool = Odd("waits")
    async with talking(tmp_path, [Answer(calls=(call("waits", {}),))], dialect, tools=["waits"], own=[tool]) as talk:
        turn = asyncio.create_task(talk.say("do it"))
        await asyncio.wait_for(tool.runs.wait(), 10)
        await talk.chat.close()
        assert (await turn).reason is End.STOPPED
        assert talk.told[-1] == ("tool", "waits: no result, it was stopped")


# --- what is said meanwhile ------------------------------------------------------------------------------------


def on(kind: type, act: object) -> object:
    def heard(event: object) -> None:
        if isinstance(event, kind):
            act()

    return heard


@pytest.mark.parametrize("how", ["stops", "fails", "limit"])
async def test_what_was_said_is_kept_when_the_turn_ends_before_it_could_join(
    tmp_path: Path, dialect: str, how: str
) -> None:
    look = Answer(text="I look.", calls=(call("read_file", {"path": "a.py"}),))
    script = [look, *([] if how == "limit" else [HttpError(401)]), Answer(text="Done."), Answer(text="Good.")]
    options = ChatOptions(rounds=1 if how == "limit" else 9, titles=False)
    async with talking(tmp_path, script, dialect, tools=["readonly"], options=options) as talk:

        def act() -> None:
            talk.chat.say("hurry")
            if how == "stops":
                talk.chat.stop()

        ended = await talk.hear(talk.chat.send("look"), on(ToolFinished, act))  # type: ignore[arg-type]
        assert ended.reason is {"stops": End.STOPPED, "fails": End.FAILED, "limit": End.LIMIT}[how]
        assert talk.told[-1] == ("user", "hurry")
        assert [event.text for event in talk.events if isinstance(event, Said)] == ["hurry"]
        if how == "stops":
            script.pop(1)
        elif how == "limit":
            assert await talk.hear(talk.chat.go_on()) == Ended(End.DONE)
            assert "hurry" in talk.server.requests[-1].text


async def test_what_is_said_at_the_very_end_is_answered_or_at_least_kept(tmp_path: Path, dialect: str) -> None:
    script = [Answer(text="One."), Answer(text="Two.")]
    async with talking(tmp_path, script, dialect) as talk:

        def act() -> None:
            if not said:
                said.append(1)
                talk.chat.say("and this?")

        said: list[int] = []
        assert await talk.hear(talk.chat.send("first"), on(TextDelta, act)) == Ended(End.DONE)  # type: ignore[arg-type]
        assert talk.told == [("user", "first"), ("assistant", "One."), ("user", "and this?"), ("assistant", "Two.")]


async def test_what_is_said_between_turns_comes_before_the_next_message(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One."), Answer(text="Two.")], dialect) as talk:
        await talk.say("first")
        talk.chat.say("  ")
        talk.chat.say("late")
        await talk.say("second")
        assert talk.told[2:] == [("user", "late"), ("user", "second"), ("assistant", "Two.")]


# --- limits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["rounds", "repeats", "max_tokens", "max_cost"])
async def test_each_limit_ends_the_turn_with_a_line_and_the_model_can_go_on(
    tmp_path: Path, dialect: str, limit: str
) -> None:
    look = Answer(calls=(call("read_file", {"path": "a.py"}),), usage=Usage(10_000, 1_000))
    options = {
        "rounds": ChatOptions(rounds=2, titles=False),
        "repeats": ChatOptions(repeats=2, titles=False),
        "max_tokens": ChatOptions(max_tokens=20_000, titles=False),
        "max_cost": ChatOptions(max_cost=0.02, titles=False),
    }[limit]
    script = [look, look, Answer(text="Done.", usage=Usage(100, 10)), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"], options=options, price=Price(1.0, 1.0)) as talk:
        ended = await talk.say("look")
        assert (ended.reason, ended.can_go_on, bool(ended.detail)) == (End.LIMIT, True, True)
        assert len(talk.server.requests) == 2
        assert await talk.hear(talk.chat.go_on()) == Ended(End.DONE)
        assert talk.chat.info.tokens == 22_000 + 110
        await goes_on(talk)


# --- another model ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["anthropic", "openai", "openai-responses", "pydantic-ai"])
async def test_the_provider_may_change_after_tools_and_reasoning_and_back(
    tmp_path: Path, dialect: str, other: str
) -> None:
    async with talking(tmp_path, working, dialect, tools=["files"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        assert await talk.say("do it") == Ended(End.DONE)
        for now in (other, dialect):
            talk.chat.use(scripted_model(talk.server, now))
            assert await talk.say("again") == Ended(End.DONE)
        heard = [spoken(each) for each in (dialect, other, dialect) for _ in range(2)]
        assert [request.dialect for request in talk.server.requests] == heard


@pytest.mark.parametrize("status", [400, 500])
async def test_an_error_between_two_rounds_leaves_the_results_where_they_are(
    tmp_path: Path, dialect: str, status: int
) -> None:
    look = Answer(text="I look.", calls=(call("read_file", {"path": "a.py"}),))
    script = [
        look,
        *[HttpError(status)] * (3 if status == 500 else 1),
        Answer(text="It is one."),
        Answer(text="Yes."),
    ]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        assert (await talk.say("look")).reason is End.FAILED
        assert await talk.hear(talk.chat.go_on()) == Ended(End.DONE)
        assert [role for role, _ in talk.told] == ["user", "assistant", "tool", "assistant"]
        await goes_on(talk)


@pytest.mark.parametrize("after", [0, 2, 6, 9])
async def test_an_answer_that_is_cut_among_its_calls_runs_none_of_them(
    tmp_path: Path, dialect: str, after: int
) -> None:
    create = call("create_file", {"path": "b.py", "text": "x\n"})
    wire = Wire(text_chars=3, argument_chars=4, cut_after=after, cut="rst")

    def answering(request: ScriptedRequest) -> Step:
        return Answer(text="Done.") if "go on" in request.text else Answer("I make it", calls=(create,), wire=wire)

    async with talking(tmp_path, answering, dialect, tools=["files"]) as talk:
        assert (await talk.say("do it")).reason is End.FAILED
        await goes_on(talk)
        assert not any(isinstance(event, ToolsCalled) for event in talk.events)
        assert not (talk.root / "b.py").exists()


async def test_notices_are_no_messages(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect) as talk:
        talk.chat.parts.tell(Notice("before"))
        await talk.hear(talk.chat.send("hi"), lambda _: None)
        assert talk.told == [("user", "hi"), ("assistant", "One.")]


@pytest.mark.parametrize("moment", ["asked", "half"])
async def test_a_turn_that_is_stopped_while_its_title_is_asked_for_is_done(
    tmp_path: Path, dialect: str, moment: str
) -> None:
    wire = Wire(text_chars=2, first_byte_delay=60.0) if moment == "asked" else Wire(text_chars=2, stall_after=4)
    title = Answer(text="A fine title", wire=wire, when="The title:")
    script = [title, Answer(text="Hello."), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, options=ChatOptions()) as talk:
        turn = asyncio.create_task(talk.say("hi there"))
        await asyncio.wait_for(talk.server.received(2), 10)
        talk.chat.stop()
        assert (await turn).reason in (End.DONE, End.STOPPED)
        await talk.chat.close()
        assert talk.chat.info.title == "hi there"
        assert talk.told == [("user", "hi there"), ("assistant", "Hello.")]
        await goes_on(talk)


async def test_a_question_between_turns_does_not_wait_for_a_reader_that_has_gone(
    tmp_path: Path, dialect: str
) -> None:
    asked: list[Action] = []

    async def ask(action: Action) -> Yes:
        await talk.chat.parts.before_asking()
        asked.append(action)
        return Yes.CHAT

    script = [Answer(text=f"Answer {n}.") for n in range(6)]
    options = ChatOptions(titles=False, keep_cycles=1)
    async with talking(tmp_path, script, dialect, rules=(), ask=ask, options=options) as talk:
        for text in ("one", "two", "three"):
            async with aclosing(talk.chat.send(text)) as events:
                async for event in events:
                    if isinstance(event, Ended):
                        break
        async with asyncio.timeout(10):
            await talk.chat.parts.before_asking()
            assert await talk.chat.compact()
        assert len(asked) == 1


async def test_what_broke_off_is_counted_by_estimate(tmp_path: Path, dialect: str) -> None:
    cut = Answer(text="abcdefghijklmnopqrst", wire=Wire(text_chars=3, cut_after=6, cut="rst"))
    async with talking(tmp_path, [cut, Answer(text="Done.")], dialect, price=Price(1.0, 1.0)) as talk:
        assert (await talk.say("hi")).is_partial
        assert talk.chat.info.tokens > 0
        assert talk.chat.info.cost > 0


async def test_what_is_said_after_the_last_turn_is_kept_when_the_chat_is_closed(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect) as talk:
        await talk.say("first")
        talk.chat.say("too late")
        await talk.chat.close()
        assert talk.told[-1] == ("user", "too late")


async def test_a_look_at_the_next_request_changes_nothing(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One."), Answer(text="Two.")], dialect, tools=["readonly"]) as talk:
        await talk.say("first")
        before = talk.chat.messages
        request = await talk.chat.preview("second")
        assert request.messages[-1].text == "second"
        assert (talk.chat.messages, len(talk.server.requests)) == (before, 1)
        await talk.say("second")
        sent = talk.server.requests[1].messages
        assert str(sent[-1]["content"]).count("second") == 1
