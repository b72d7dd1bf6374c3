"""What a human makes of the next request is what goes out, and what was there before is not lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat.chat_kit import Talk, talking
from chat.test_stack_rules import working

from motet.chat import CannotChange, End, Ended, Notice
from motet.chat.inspecting import Changed
from motet.chat.transcript import render
from motet.history import History
from motet.messages import Role, tags
from motet.models import Limits
from motet.models.scripted import Answer


async def edited(talk: Talk, *changes: tuple[str, str], text: str = "") -> Changed:
    """The next request, with `text`, opened and saved with each old put in the place of the new."""
    inspection = await talk.chat.inspect(text)
    form = inspection.text
    for old, new in changes:
        assert form.count(old) == 1, form
        form = form.replace(old, new)
    return await talk.chat.change(inspection, form)


def block(text: str, first: str, last: str = "") -> str:
    """From the head with `first` in it to before the head with `last` in it, or the next."""
    lines = text.splitlines(keepends=True)
    heads = [at for at, line in enumerate(lines) if line.startswith("── ")]
    begin = next(at for at in heads if first in lines[at])
    end = next(at for at in heads if at > begin and last in lines[at])
    return "".join(lines[begin:end])


@pytest.mark.acceptance("CC-13")
async def test_the_next_request_says_what_was_made_of_it(tmp_path: Path, dialect: str) -> None:
    script = [Answer(text="One is 1."), Answer(text="Yes.")]
    async with talking(tmp_path, script, dialect, shares=True) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await talk.say("what is @/a.py?")
        done = await edited(
            talk, ("   1│ one = 1", "   1│ uno = 1\r\n── 日本語"), ("You are motet.", "You are brief."), ("One is 1.", "Uno!")
        )  # fmt: skip
        assert (done.changed, done.removed) == (3, 0)
        assert not await edited_nothing(talk)
        await talk.say("is it?")
        body = talk.server.requests[1].text
        assert "One is 1." not in body and "one = 1" not in body and "You are motet." not in body
        assert [text for _, text in talk.told] == [
            '<attachment filepath="a.py" lines="1-1">\n   1│ uno = 1\r\n── 日本語\n</attachment>',
            "what is `a.py`?", "Uno!", "is it?", "Yes.",
        ]  # fmt: skip
        assert "\nUno!\n" in render(talk.chat.messages, chat=talk.chat.id, model="acme/m-1")


async def edited_nothing(talk: Talk) -> Changed | None:
    """Open it and save it as it is."""
    before = talk.chat.messages
    done = await edited(talk)
    assert talk.chat.messages == before
    return None if done == Changed() else done


@pytest.mark.acceptance("CC-13")
async def test_the_chat_as_it_was_stays_in_history_and_what_was_changed_is_there_when_it_is_opened_again(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, [Answer(text="One."), Answer(text="Two.")], dialect) as talk:
        await talk.say("first")
        before = talk.chat.messages
        done = await edited(talk, ("\nfirst\n", "\nother\n"))
        assert done.copy is not None
        assert done.copy.parent == talk.chat.id
        async with History.open(tmp_path / "state") as history:
            assert (await history.load(done.copy.id)).messages == before
            kept = (await history.load(talk.chat.id)).messages
        assert kept == talk.chat.messages
        assert [one.text for one in kept if one.role is Role.USER] == ["other"]
        chat_id = talk.chat.id
    async with talking(tmp_path, [Answer(text="Two.")], dialect, stored=chat_id) as talk:
        await talk.say("second")
        assert [text for role, text in talk.told if role == "user"] == ["other", "second"]


async def test_a_call_is_taken_out_with_its_result_and_the_item_with_its_attachment(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, working, dialect, tools=["files"], shares=True) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await talk.say("what is @/a.py?")
        inspection = await talk.chat.inspect()
        results = block(inspection.text, " · tool · ", " · assistant · ")
        with pytest.raises(CannotChange, match=r"a call and its result go together$"):
            await talk.chat.change(inspection, inspection.text.replace(results, ""))
        calls = block(inspection.text, " · assistant · ", " · tool · ")
        done = await edited(talk, (block(inspection.text, "· <file>a.py</file>"), ""), (calls + results, ""))
        assert done.removed == 4
        assert talk.told == [("user", "what is `a.py`?"), ("assistant", "It is done.")]
        assert talk.chat.share.items == ()


async def test_a_message_that_is_not_said_yet_goes_out_as_it_was_changed(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="I see."), Answer(text="So?")], dialect, shares=True) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        done = await edited(talk, ("│ one = 1", "│ two = 2"), ("what is `a.py`?", "What?"), text="what is @/a.py?")
        assert done == Changed(2, 0, None)
        assert len(talk.chat.messages) == 1
        again = (await talk.chat.inspect("what is @/a.py?")).text
        assert "\n   1│ two = 2\n" in again and "\nWhat?\n" in again
        assert await talk.say("what is @/a.py?") == Ended(End.DONE)
        assert talk.told[:2] == [
            ("user", '<attachment filepath="a.py" lines="1-1">\n   1│ two = 2\n</attachment>'), ("user", "What?")
        ]  # fmt: skip
        assert talk.chat.messages[2].shown == "What?"


async def test_another_message_goes_out_as_it_is_and_the_human_hears_that_the_changed_one_is_not_sent(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, [Answer(text="I see.")], dialect, shares=True) as talk:
        await edited(talk, ("\nhow?\n", "\nHow, please?\n"), text="how?")
        await talk.say("why?")
        assert talk.told[0] == ("user", "why?")
        assert [event.text for event in talk.events if isinstance(event, Notice)] == [
            "what you changed in the next request is not in this one: the text, or what it shares, is another one now"
        ]


async def test_an_attachment_that_was_taken_out_before_it_was_sent_is_not_shared_later(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, [Answer(text="I see."), Answer(text="So?")], dialect, shares=True) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await talk.chat.share.run("/file a.py", Limits(100_000, 4_096))
        text = (await talk.chat.inspect("how?")).text
        assert await edited(talk, (block(text, "<file>a.py</file>"), ""), text="how?") == Changed(0, 1, None)
        assert talk.chat.share.lines == []
        await talk.say("how?")
        await talk.say("so?")
        assert [text for role, text in talk.told if role == "user"] == ["how?", "so?"]
        assert talk.chat.share.items == ()


async def test_a_request_of_a_chat_that_has_gone_on_is_not_changed(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One."), Answer(text="Two.")], dialect) as talk:
        await talk.say("first")
        inspection = await talk.chat.inspect()
        await talk.say("second")
        before = talk.chat.messages
        with pytest.raises(CannotChange) as refused:
            await talk.chat.change(inspection, inspection.text.replace("first", "other"))
        assert str(refused.value) == "the chat has gone on since this request was opened; open it again"
        assert talk.chat.messages == before


async def test_tools_and_what_a_summary_stands_for_stay(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, working, dialect, tools=["files"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await talk.say("first")
        held = [one for one in talk.chat.messages if one.tag in (tags.TOOL, tags.TOOL_SYSTEM_PROMPT)]
        inspection = await talk.chat.inspect()
        assert inspection.text.count(" · stays\n") == len(held) > 0
        assert inspection.text.count("tool 1 · read_file · fixed\n") == 1
        for one in held:
            with pytest.raises(CannotChange, match="cannot be taken out"):
                await talk.chat.change(inspection, inspection.text.replace(block(inspection.text, one.id), ""))


async def test_nothing_is_changed_while_a_turn_runs_or_in_a_chat_that_another_holds(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect) as talk:
        await talk.say("first")
        inspection = await talk.chat.inspect()
        talk.chat.is_writable = False
        with pytest.raises(Exception, match=r"^another motet holds this chat"):
            await talk.chat.change(inspection, inspection.text.replace("first", "other"))
        talk.chat.is_writable = True
        assert [text for _, text in talk.told] == ["first", "One."]
