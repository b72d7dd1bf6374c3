"""A turn of a chat: what is sent, what is kept, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from chat.chat_kit import talking

from motet.chat import ChatOptions, End, Ended, NothingToSend, Sent, TooLong
from motet.history import History, HistoryError
from motet.messages import Message
from motet.models import Limits
from motet.models.protocol import TextDelta
from motet.models.scripted import Answer, HttpError, Wire, call
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled

PROMPT = (
    "# heading\n\n## Me\n\n> Context:\n> - <file>x</file>\n\n```\n@agent `@files`\n```\n<attachment>no</attachment>"
)


@pytest.mark.acceptance("S0-061", "S0-071", "S2-007")
async def test_the_whole_conversation_is_sent_each_time(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One."), Answer(text="Two.")], dialect) as talk:
        assert await talk.say("first") == Ended(End.DONE)
        assert await talk.say("second") == Ended(End.DONE)
        assert talk.told == [("user", "first"), ("assistant", "One."), ("user", "second"), ("assistant", "Two.")]
        assert [message["role"] for message in talk.server.requests[1].messages][-3:] == [
            "user", "assistant", "user",
        ]  # fmt: skip


async def test_the_answer_streams_and_the_cycle_counts_from_one(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="Hello there.", wire=Wire(text_chars=5))], dialect) as talk:
        await talk.say("hi")
        assert [event.text for event in talk.events if isinstance(event, TextDelta)] == ["Hello", " ther", "e."]
        assert [event.cycle for event in talk.events if isinstance(event, Sent)] == [1]
        assert [message.meta.cycle for message in talk.chat.messages] == [0, 1, 1]


async def test_what_was_typed_arrives_byte_for_byte(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="Yes.")], dialect) as talk:
        await talk.say(PROMPT)
        assert talk.told[0] == ("user", PROMPT)
        content = talk.server.requests[0].messages[-1]["content"]
        assert (content if isinstance(content, str) else content[0]["text"]) == PROMPT


async def test_an_empty_message_is_not_sent(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [], dialect) as talk:
        with pytest.raises(NothingToSend):
            await talk.say("  \n")
        assert (talk.told, talk.server.requests) == ([], [])


@pytest.mark.acceptance("CC-06", "S0-072")
async def test_too_many_tokens_are_refused_with_numbers_before_anything_is_sent(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [], dialect, limits=Limits(15_000, 4_096)) as talk:
        with pytest.raises(TooLong) as refused:
            await talk.say("word " * 20_000)
        assert str(refused.value).startswith("the request has about 31,"), str(refused.value)
        assert "12,000 fit; the biggest: your message 1 31," in str(refused.value)
        assert (talk.told, talk.server.requests) == ([], [])


@pytest.mark.acceptance("CC-09", "S0-104", "S0-106", "S1-021", "S0-101")
async def test_results_of_one_round_are_in_the_next_request(tmp_path: Path, dialect: str) -> None:
    script = [
        Answer(text="I look.", calls=(call("read_file", {"path": "a.py"}),)),
        Answer(text="It holds one."),
    ]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        assert await talk.say("what is in a.py?") == Ended(End.DONE)
        assert [event.output.is_error for event in talk.events if isinstance(event, ToolFinished)] == [False]
        assert "one = 1" in talk.server.requests[1].text


@pytest.mark.acceptance("CC-08", "S0-108")
async def test_a_tool_that_was_not_handed_over_is_not_run(tmp_path: Path, dialect: str) -> None:
    script = [Answer(calls=(call("create_file", {"path": "a.py", "text": "x"}),)), Answer(text="I cannot.")]
    async with talking(tmp_path, script, dialect) as talk:
        assert await talk.say("hi") == Ended(End.DONE)
        assert list(talk.root.iterdir()) == []
        assert talk.told[2] == ("tool", "there is no tool 'create_file' here; the tools are: none")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
async def test_an_http_error_ends_the_turn_with_a_line_and_can_be_tried_again(
    tmp_path: Path, dialect: str, status: int
) -> None:
    script = [*[HttpError(status)] * (1 if status < 429 else 3), Answer(text="Now.")]
    async with talking(tmp_path, script, dialect) as talk:
        ended = await talk.say("hi")
        assert (ended.reason, ended.can_go_on, ended.is_partial) == (End.FAILED, True, False)
        assert ended.detail
        assert await talk.hear(talk.chat.go_on()) == Ended(End.DONE)
        assert talk.told == [("user", "hi"), ("assistant", "Now.")]


@pytest.mark.parametrize("cut", ["rst", "close", "end"])
async def test_a_cut_answer_is_kept_and_marked_and_the_chat_goes_on(tmp_path: Path, dialect: str, cut: str) -> None:
    wire = Wire(text_chars=3, cut_after=4, cut=cut)
    async with talking(
        tmp_path, [Answer(text="abcdefghijklmnopqrst", wire=wire), Answer(text="Good.")], dialect
    ) as talk:
        ended = await talk.say("hi")
        assert (ended.reason, ended.is_partial) == (End.FAILED, True)
        partial = talk.chat.messages[-1]
        assert partial.meta.partial
        assert "abcdefghijklmnopqrst".startswith(partial.text)
        assert await talk.say("go on") == Ended(End.DONE)
        assert talk.told[1][1] == partial.text


@pytest.mark.acceptance("S0-058")
async def test_a_stopped_turn_keeps_what_has_arrived_and_leaves_a_valid_stack(tmp_path: Path, dialect: str) -> None:
    wire = Wire(text_chars=3, stall_after=6)
    async with talking(
        tmp_path, [Answer(text="abcdefghijklmnopqrst", wire=wire), Answer(text="Good.")], dialect
    ) as talk:
        heard: list[str] = []

        def stop(event: object) -> None:
            if isinstance(event, TextDelta):
                heard.append(event.text)
                if "".join(heard).startswith("abc"):
                    talk.chat.stop()

        ended = await talk.hear(talk.chat.send("hi"), stop)
        assert (ended.reason, ended.is_partial) == (End.STOPPED, True)
        assert await talk.say("go on") == Ended(End.DONE)


async def test_what_is_said_while_tools_run_joins_before_the_next_round(tmp_path: Path, dialect: str) -> None:
    script = [Answer(calls=(call("read_file", {"path": "a.py"}),)), Answer(text="Fine.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        said = False

        def speak(event: object) -> None:
            nonlocal said
            if isinstance(event, ToolFinished) and not said:
                said = True
                talk.chat.say("hurry")

        assert await talk.hear(talk.chat.send("look"), speak) == Ended(End.DONE)
        assert [role for role, _ in talk.told] == ["user", "assistant", "tool", "user", "assistant"]
        assert talk.told[3] == ("user", "hurry")


@pytest.mark.parametrize("how", ["stops", "fails"])
async def test_what_returns_can_be_taken_back_however_it_ends(tmp_path: Path, dialect: str, how: str) -> None:
    look = Answer(calls=(call("read_file", {"path": "a.py"}),))
    script = [look, *([HttpError(401)] if how == "fails" else []), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:

        def act(event: object) -> None:
            if isinstance(event, AnswerStarted) and event.number == 2:
                talk.chat.say("hurry", returns=True)
                if how == "stops":
                    talk.chat.stop()

        ended = await talk.hear(talk.chat.send("look"), act)
        assert ended.reason is {"stops": End.STOPPED, "fails": End.FAILED}[how]
        assert (talk.chat.waiting, talk.chat.take_back(), talk.chat.waiting) == (("hurry",), ["hurry"], ())
        assert "hurry" not in [text for _, text in talk.told]


async def test_what_is_taken_back_while_the_turn_runs_never_joins(tmp_path: Path, dialect: str) -> None:
    script = [Answer(calls=(call("read_file", {"path": "a.py"}),)), Answer(text="Fine.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:

        def act(event: object) -> None:
            if isinstance(event, ToolsCalled):
                talk.chat.say("hurry", returns=True)
                talk.chat.say("slowly")
            elif isinstance(event, ToolFinished):
                assert talk.chat.take_back() == ["hurry"]

        assert await talk.hear(talk.chat.send("look"), act) == Ended(End.DONE)
        assert [role for role, _ in talk.told] == ["user", "assistant", "tool", "user", "assistant"]
        assert talk.told[3] == ("user", "slowly")


@pytest.mark.parametrize("returns", [True, False])
async def test_what_cannot_be_kept_as_it_joins_still_waits(
    tmp_path: Path, dialect: str, monkeypatch: pytest.MonkeyPatch, returns: bool
) -> None:
    keep = History.append

    async def full(self: History, chat_id: str, messages: Sequence[Message]) -> None:
        if any(message.text == "hurry" for message in messages):
            raise HistoryError("the disk is full")
        await keep(self, chat_id, messages)

    monkeypatch.setattr(History, "append", full)
    script = [Answer(calls=(call("read_file", {"path": "a.py"}),)), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:

        def act(event: object) -> None:
            if isinstance(event, ToolsCalled):
                talk.chat.say("hurry", returns=returns)

        assert (await talk.hear(talk.chat.send("look"), act)).reason is End.FAILED
        assert (talk.chat.waiting, talk.chat.take_back()) == (("hurry",), ["hurry"])


async def test_a_limit_of_rounds_ends_in_a_question_not_in_silence(tmp_path: Path, dialect: str) -> None:
    look = Answer(calls=(call("read_file", {"path": "a.py"}),))
    script = [look, look, Answer(text="Done.")]
    options = ChatOptions(rounds=2, titles=False)
    async with talking(tmp_path, script, dialect, tools=["readonly"], options=options) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        assert await talk.say("look") == Ended(End.LIMIT, "2 answers in one turn", can_go_on=True)
        assert await talk.hear(talk.chat.go_on()) == Ended(End.DONE)


@pytest.mark.acceptance("CC-14", "S2-053", "S1-001")
async def test_a_chat_that_is_opened_again_has_the_same_messages_and_tools(tmp_path: Path, dialect: str) -> None:
    script = [Answer(text="I look.", calls=(call("read_file", {"path": "a.py"}),)), Answer(text="One.")]
    async with talking(tmp_path, script, dialect, tools=["readonly"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await talk.say("look")
        chat_id, before = talk.chat.id, talk.chat.messages
    async with talking(tmp_path, [Answer(text="Again.")], dialect, stored=chat_id) as talk:
        assert talk.chat.messages == before
        assert await talk.say("and now?") == Ended(End.DONE)
        assert [message.meta.cycle for message in talk.chat.messages][-2:] == [2, 2]
        assert "read_file" in talk.server.requests[0].text


@pytest.mark.acceptance("SP-05", "S0-110", "S0-114")
async def test_a_model_that_cannot_call_tools_calls_them_by_writing(tmp_path: Path, dialect: str) -> None:
    script = [
        Answer(text='I look.\n<tool_call name="read_file">\n{"path": "a.py"}\n</tool_call>\n'),
        Answer(text="a.py\n<<<<<<< SEARCH\none = 1\n=======\none = 2\n>>>>>>> REPLACE\n"),
        Answer(text="Done."),
    ]
    limits = Limits(100_000, 4_096, tools=False)
    async with talking(tmp_path, script, dialect, tools=["files"], limits=limits) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        assert await talk.say("make it two") == Ended(End.DONE)
        assert (talk.root / "a.py").read_text() == "one = 2\n"
        assert "tools" not in talk.server.requests[0].body
        assert "## read_file" in talk.server.requests[0].text
        assert "one = 1" in talk.server.requests[1].text
        assert [role for role, _ in talk.told] == ["user", "assistant", "user", "assistant", "user", "assistant"]
