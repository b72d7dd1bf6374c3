"""What a chat knows of itself, in which order a turn happens, and what a model is sent of tools and files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from chat.chat_kit import spoken, talking
from pydantic import BaseModel

from motet.chat import ChatOptions, End, Ended, Sent
from motet.chat.transcript import render
from motet.context import State
from motet.history import History
from motet.messages import Message, ToolCall
from motet.models import Limits
from motet.models.protocol import TextDelta
from motet.models.scripted import Answer, ScriptedRequest, call
from motet.permissions import Effect
from motet.tools import ToolInput, ToolOutput, ToolSpec


class Looking:
    """A tool that does `look` while it runs."""

    class Input(BaseModel):
        where: str = ""

    spec = ToolSpec("looking", "Look around.", Input, frozenset({Effect.RUN}))
    look: Callable[[], Awaitable[None]]

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        await self.look()
        return [ToolOutput("seen")] * len(calls)


LOOK = Answer(text="I look.", calls=(call("looking", {"where": "here"}, "c1"),))


@pytest.mark.acceptance("S0-041")
async def test_turns_are_counted_from_one(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text=f"Answer {n}.") for n in (1, 2, 3)], dialect) as talk:
        opened: list[int] = []
        for text in ("one", "two", "three"):
            await talk.say(text)
            opened += [event.cycle for event in talk.events if isinstance(event, Sent)]
        assert opened == [1, 2, 3]
        assert [message.meta.cycle for message in talk.chat.messages] == [0, 1, 1, 2, 2, 3, 3]
        assert talk.chat.info.cycles == 3


@pytest.mark.acceptance("S0-046")
async def test_a_chat_knows_who_spoke_last_whether_it_runs_what_is_shared_and_its_options(
    tmp_path: Path, dialect: str
) -> None:
    options = ChatOptions(rounds=7, titles=False)
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True, options=options) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        seen: list[tuple[str, bool]] = []

        def note(event: object) -> None:
            if isinstance(event, Sent | TextDelta | Ended):
                seen.append((talk.chat.messages[-1].role.value, talk.chat.is_running))

        assert (talk.chat.messages[-1].role.value, talk.chat.is_running) == ("system", False)
        await talk.hear(talk.chat.send("what is @/a.py?"), note)
        assert seen[:2] == [("user", True)] * 2
        assert (talk.chat.messages[-1].role.value, talk.chat.is_running) == ("assistant", False)
        assert await talk.chat.mark("<file>a.py</file>", State.PINNED)
        assert [(item.path, item.state) for item in talk.chat.share.items] == [("a.py", State.PINNED)]
        assert talk.chat.options is options
        chat_id = talk.chat.id
    async with talking(tmp_path, [], dialect, shares=True, stored=chat_id) as talk:
        assert talk.chat.messages[-1].role.value == "assistant"
        assert [(item.path, item.state) for item in talk.chat.share.items] == [("a.py", State.PINNED)]


async def test_calls_are_on_the_disk_in_one_form_before_the_first_of_them_runs(tmp_path: Path, dialect: str) -> None:
    tool, stored = Looking(), list[Message]()
    async with talking(tmp_path, [LOOK, Answer(text="Done.")], dialect, tools=["looking"], own=[tool]) as talk:

        async def look() -> None:
            async with History.open(tmp_path / "state") as history:
                stored.extend((await history.load(talk.chat.id)).messages)

        tool.look = look
        assert await talk.say("look") == Ended(End.DONE)
    assert [message.calls for message in stored if message.calls] == [
        (ToolCall("c1", "looking", '{"where": "here"}'),)
    ]


@pytest.mark.acceptance("S0-074")
async def test_an_answer_is_written_into_the_chat_before_its_tools_run(tmp_path: Path, dialect: str) -> None:
    tool, written = Looking(), list[str]()
    async with talking(tmp_path, [LOOK, Answer(text="Done.")], dialect, tools=["looking"], own=[tool]) as talk:

        async def look() -> None:
            written.append(render(talk.chat.messages, chat=talk.chat.id, model="acme/m-1"))

        tool.look = look
        assert await talk.say("look") == Ended(End.DONE)
        names = [type(event).__name__ for event in talk.events]
    (text,) = written
    assert "\nI look.\n" in text
    assert "seen" not in text
    order = ["TextDelta", "Completed", "ToolsCalled", "ToolFinished"]
    assert [name for name in names if name in order][:4] == order


@pytest.mark.acceptance("S0-115", "S0-100", "S0-121")
async def test_a_model_that_calls_functions_gets_their_schemas_and_edits_by_a_call(
    tmp_path: Path, dialect: str
) -> None:
    diff = "<<<<<<< SEARCH\none = 1\n=======\none = 2 < 3 & 4\n>>>>>>> REPLACE\n"
    script = [Answer(calls=(call("replace_in_file", {"path": "a.py", "diff": diff}),)), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["editor"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        assert await talk.say("make it two") == Ended(End.DONE)
        assert (talk.root / "a.py").read_text() == "one = 2 < 3 & 4\n"
        request = talk.server.requests[0]
    assert function_schemas(request, spoken(dialect)) == {
        "read_file": ("object", ["path"]),
        "replace_in_file": ("object", ["path", "diff"]),
    }
    assert "<tool_call" not in request.text


def function_schemas(request: ScriptedRequest, dialect: str) -> dict[str, tuple[str, list[str]]]:
    """By the name of each function that the request declares: the type of its arguments, and those it must have."""
    functions = [tool["function"] if dialect == "openai" else tool for tool in request.body["tools"]]
    key = "input_schema" if dialect == "anthropic" else "parameters"
    return {each["name"]: (each[key]["type"], each[key]["required"]) for each in functions}


@pytest.mark.acceptance("S0-111")
@pytest.mark.parametrize(
    ("written", "why"),
    [
        (
            '<tool_call name=create_file>\n{"path": "b.py"}\n</tool_call>\n',
            "line 1: this opens no call; write <tool_call",
        ),
        (
            'Now:\n<tool_call name="x>\n{"path": "b.py"}\n</tool_call>\n',
            "line 2: this opens no call; write <tool_call",
        ),
        ('<tool_call>\n{"path": "b.py"}\n</tool_call>\n', "line 1: this opens no call; write <tool_call"),
        ('<tool_call {"path": "b.py"}\n</tool_call>\n', "line 1: this opens no call; write <tool_call"),
        (
            '<tool_call name="create_file">\n{"path": "b.py",\n<tool_call name="read_file">\n{}\n</tool_call>\n',
            "line 1: the call of create_file has no </tool_call>",
        ),
        (
            '<tool_call name="create_file">\n{"path": "b.py", "content": "x"}\n',
            "line 1: the call of create_file has no </tool_call>",
        ),
        (
            '<tool_call name="create_file">\n{"path": "b.py", "content": "x"}\n</toolcall>\n',
            "line 1: the call of create_file has no </tool_call>",
        ),
        (
            '<tool_call name="create_file">\n{"path": "b.py", "content": </tool_call>\n',
            "create_file: the arguments do not fit: Invalid JSON",
        ),
    ],
)
async def test_a_call_in_text_that_is_not_well_formed_does_nothing_and_its_model_is_told(
    tmp_path: Path, dialect: str, written: str, why: str
) -> None:
    script = [Answer(text=written), Answer(text="I see.")]
    limits = Limits(100_000, 4_096, tools=False)
    async with talking(tmp_path, script, dialect, tools=["files"], limits=limits) as talk:
        assert await talk.say("make it") == Ended(End.DONE)
        assert list(talk.root.iterdir()) == []
        assert why in talk.told[2][1]
        assert why in talk.server.requests[1].text


async def test_prose_about_the_element_is_prose(tmp_path: Path, dialect: str) -> None:
    script = [Answer(text="<tool_call> elements are for calls.\n\n```xml\n<other>\n```\n")]
    limits = Limits(100_000, 4_096, tools=False)
    async with talking(tmp_path, script, dialect, tools=["files"], limits=limits) as talk:
        assert await talk.say("what is it?") == Ended(End.DONE)
        assert len(talk.server.requests) == 1


@pytest.mark.acceptance("S0-122")
async def test_what_has_not_changed_is_sent_once_and_of_a_watched_file_only_what_has(
    tmp_path: Path, dialect: str
) -> None:
    script = [Answer(text=f"Answer {n}.") for n in (1, 2, 3)]
    lines = [f"line_{number} = {number}" for number in range(100, 400)]
    async with talking(tmp_path, script, dialect, shares=True) as talk:
        (talk.root / "a.py").write_text("\n".join(lines))
        await talk.say("what is @/a.py?")
        await talk.say("and what does @/a.py lack?")
        await talk.chat.mark("<file>a.py</file>", State.WATCHED)
        (talk.root / "a.py").write_text("\n".join(lines).replace("line_200 = 200", "line_200 = 0"))
        await talk.say("and now?")
        first, second, third = (request.text for request in talk.server.requests)
        assert [first.count(line) for line in lines] == [1] * 300
        assert [second.count(line) for line in lines] == [1] * 300
        assert [third.count(line) for line in lines if line != "line_200 = 200"] == [
            2 if 197 <= number <= 203 else 1 for number in range(100, 400) if number != 200
        ]
        assert third.count("+line_200 = 0") == 1
        said = ["what is `a.py`?", "Answer 1.", "and what does `a.py` lack?", "Answer 2.", "and now?"]
        assert [third.count(text) for text in said] == [1] * 5  # of what was said nothing is left out
