"""`motet.open`: chats in a few lines, as `motet.engine.api` documents."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from engine.engine_kit import house

import motet
from motet.chat import End, Ended
from motet.errors import ModelError, MotetError, UsageError
from motet.messages import MessageStack, Role, tags
from motet.models.protocol import TextDelta
from motet.models.scripted import Answer, HttpError, call


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_SECRET", "")


async def test_the_example_of_the_module_works_without_a_key(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("def greet():\n    return 'hello'\n")
    async with motet.open(tmp_path) as m:
        chat = m.chat(model="offline")
        texts: list[str] = []
        last: object = None
        async for event in chat.send("What does @src/app.py do?"):
            last = event
            if isinstance(event, TextDelta):
                texts.append(event.text)
        assert last == Ended(End.DONE)
        assert texts
        assert any("greet" in message.text for message in chat.messages if message.tag == tags.FILE)


async def test_ask_gives_the_whole_answer_and_the_chat_remembers(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="One."), Answer(text="Two.")]) as place:
        chat = place.m.chat()
        assert await chat.ask("first") == "One."
        assert await chat.ask("second") == "Two."
        assert [message.text for message in chat.messages if message.visible] == ["first", "One.", "second", "Two."]


async def test_what_fails_is_raised(tmp_path: Path) -> None:
    async with house(tmp_path, [HttpError(401)]) as place:
        with pytest.raises(ModelError):
            await place.m.chat().ask("hi")
        with pytest.raises(UsageError):
            await place.m.chat(tools=["no_such"]).ask("hi")
    with pytest.raises(MotetError, match="not open"):
        await place.m.chat().ask("hi")


async def test_two_questions_at_once_to_a_new_chat_are_one_chat(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="One."), Answer(text="Two.")]) as place:
        chat = place.m.chat()
        both = await asyncio.gather(chat.ask("first"), chat.ask("second"), return_exceptions=True)
        assert sorted(map(str, both))[0] == "One."
        assert [one for one in both if isinstance(one, MotetError)]
        assert len({message.id for message in chat.messages}) == len(chat.messages) == 3


async def test_functions_become_tools_variables_and_commands(tmp_path: Path) -> None:
    script = [Answer(calls=(call("ticket", {"number": 7}),)), Answer(text="Done.")]
    async with house(tmp_path, script, allow=["send", "run", "net", "write", "read"]) as place:
        m = place.m

        @m.tool
        def ticket(number: int) -> str:
            """Read a ticket."""
            return f"ticket {number} is open"

        @m.variable
        def weather() -> str:
            return "it rains"

        chat = m.chat(tools=["ticket"])
        assert await chat.ask("what about #weather ?") == "Done."
        assert "it rains" in place.server.requests[0].text
        assert [message.text for message in chat.messages if message.role is Role.TOOL] == ["ticket 7 is open"]


async def test_a_fork_goes_its_own_way(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text=f"Answer {n}.") for n in range(1, 6)]) as place:
        chat = place.m.chat()
        await chat.ask("question 1")
        await chat.ask("question 2")
        fork = chat.fork(at=2)
        assert await fork.ask("question 2, better") == "Answer 3."
        again = fork.fork()
        assert await again.ask("and more") == "Answer 4."
        said = [message.text for message in again.messages if message.visible and message.role is Role.USER]
        assert said == ["question 1", "question 2, better", "and more"]
        assert len(place.log) == 4  # one line for each request, however often a chat was forked
        assert [line.chat for line in place.log[2:]] == [(await fork.ready()).id, (await again.ready()).id]


async def test_a_chat_in_which_nothing_was_said_can_be_forked(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="One."), Answer(text="Two.")]) as place:
        chat = place.m.chat(tools=["readonly"])
        fork = chat.fork()
        assert await fork.ask("hi") == "One."
        assert await chat.ask("hi") == "Two."
        first, second = await chat.ready(), await fork.ready()
        assert first.id != second.id
        assert [one.spec.name for one in first.share.tools()] == [one.spec.name for one in second.share.tools()]


async def test_a_fork_while_tools_run_is_valid(tmp_path: Path) -> None:
    def answering(request: object) -> Answer:
        return Answer(text="Done.") if "zebra" in request.text else Answer("I wait.", calls=(call("waits", {}),))  # type: ignore[attr-defined]

    async with house(tmp_path, answering, allow=["send", "run", "net", "write", "read"]) as place:
        runs = asyncio.Event()

        @place.m.tool
        async def waits() -> str:
            """Wait."""
            runs.set()
            await asyncio.Event().wait()
            return ""

        chat = place.m.chat(tools=["waits"])
        turn = asyncio.create_task(chat.ask("do it"))
        await asyncio.wait_for(runs.wait(), 20)
        fork = chat.fork()
        assert await fork.ask("zebra") == "Done."
        MessageStack(*fork.messages)
        assert [message.text for message in fork.messages if message.visible] == ["do it", "zebra", "Done."]
        chat.stop()
        await turn


async def test_a_stored_chat_is_resumed_and_held_by_one_only(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="One."), Answer(text="Two."), Answer(text="Three.")]) as place:
        chat = place.m.chat(tools=["readonly"])
        await chat.ask("first")
        chat_id = (await chat.ready()).id
        async with motet.open(place.root, allow=["send"]) as other:
            second = other.chat(resume=chat_id)
            with pytest.raises(MotetError, match="another motet holds this chat"):
                await second.ask("me too")
            assert await second.fork().ask("then a copy") == "Two."
        with pytest.raises(MotetError):
            await place.m.chat(resume="01J00000000000000000000000").ask("hi")
    async with house(tmp_path, [Answer(text="Three.")]) as place:
        again = place.m.chat(resume=chat_id)
        assert await again.ask("third") == "Three."
        assert [message.text for message in again.messages if message.visible] == ["first", "One.", "third", "Three."]
        assert [one.spec.name for one in (await again.ready()).share.tools()]


async def test_tools_may_be_taken_away_and_the_chat_named_before_anything_is_said(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="One.")]) as place:
        chat = await place.m.chat(tools=["readonly"]).ready()
        assert await chat.hand_over("cmd")
        assert await chat.take_away("readonly")
        await chat.rename("A name")
        conversation = place.m.chat(resume=chat.id)
        async for _ in chat.send("hi"):
            pass
        chat_id = chat.id
    async with house(tmp_path, []) as place:
        conversation = place.m.chat(resume=chat_id)
        again = await conversation.ready()
        assert (again.info.title, [one.spec.name for one in again.share.tools()]) == ("A name", ["run_command"])
        assert again.messages == chat.messages


async def test_edits_are_taken_only_with_yes(tmp_path: Path) -> None:
    diff = "<<<<<<< SEARCH\none = 1\n=======\none = 2\n>>>>>>> REPLACE\n"
    script = [Answer(calls=(call("replace_in_file", {"path": "a.py", "diff": diff}),)), Answer(text="Done.")]
    for yes, text in ((False, "one = 1\n"), (True, "one = 2\n")):
        place_of = tmp_path / str(yes)
        place_of.mkdir()
        async with house(
            place_of,
            script,
            yes=yes,
            more="[chat]\ntitles = false\n[servers.basedpyright]\ndisabled = true\n[servers.ty]\ndisabled = true\n[servers.ruff]\ndisabled = true",
        ) as place:
            (place.root / "a.py").write_text("one = 1\n")
            await place.m.chat(tools=["editor"]).ask("change it")
            assert (place.root / "a.py").read_text() == text
