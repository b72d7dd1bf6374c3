"""What is known of each message of a chat: its turn, id, tokens and maker, and whether a model was sent it."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat.chat_kit import Talk, talking

from motet.chat import End, Ended
from motet.messages import estimate_tokens, tags
from motet.models import Limits
from motet.models.scripted import Answer, call

LOOK = Answer(text="I look.", calls=(call("read_file", {"path": "b.py"}),))
SCRIPT = [LOOK, Answer(text="Both are one."), Answer(text="Nothing else.")]


async def two_turns(talk: Talk) -> None:
    """A turn with a file by command, one by mention, and a tool; then a plain one."""
    (talk.root / "a.py").write_text("one = 1\n")
    (talk.root / "b.py").write_text("one = 1\n")
    await talk.chat.share.run("/file a.py", talk.chat.model.limits)
    assert await talk.say("compare it with @/b.py") == Ended(End.DONE)
    assert await talk.say("and else?") == Ended(End.DONE)


@pytest.mark.acceptance("S2-012")
async def test_each_message_knows_its_turn_whoever_made_it(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, SCRIPT, dialect, tools=["read_file"], shares=True) as talk:
        await two_turns(talk)
        assert [(message.role.value, message.meta.cycle) for message in talk.chat.messages] == [
            *[("system", 0)] * 3,  # the prompts, from before the first turn
            *[("user", 1)] * 3,  # two files and the text
            ("assistant", 1), ("tool", 1), ("assistant", 1), ("user", 2), ("assistant", 2),
        ]  # fmt: skip


@pytest.mark.acceptance("S2-013")
async def test_each_message_has_an_id_of_its_own_that_it_keeps(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, SCRIPT, dialect, tools=["read_file"], shares=True) as talk:
        await two_turns(talk)
        ids, chat_id = [message.id for message in talk.chat.messages], talk.chat.id
        assert [len(each) for each in ids] == [26] * 11
        assert ids == sorted(set(ids))  # in the order in which they were made
    async with talking(tmp_path, [], dialect, stored=chat_id) as talk:
        assert [message.id for message in talk.chat.messages] == ids


@pytest.mark.acceptance("S2-014")
async def test_the_tokens_of_each_message_are_estimated(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, SCRIPT, dialect, tools=["read_file"], shares=True) as talk:
        await two_turns(talk)
        for message in talk.chat.messages:
            calls = sum(estimate_tokens(call.name + call.arguments) for call in message.calls)
            assert message.meta.estimated_tokens == estimate_tokens(message.text) + calls > 0
        first, last = talk.chat.messages[0], talk.chat.messages[-2]
        assert (first.text, first.meta.estimated_tokens) == ("You are motet.", 5)
        assert (last.text, last.meta.estimated_tokens) == ("and else?", 3)


@pytest.mark.acceptance("S2-015")
async def test_a_message_is_marked_as_sent_when_it_has_been_in_a_request(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, SCRIPT, dialect, tools=["read_file"], shares=True) as talk:
        assert [message.meta.sent for message in talk.chat.messages] == [False] * 3
        await two_turns(talk)
        assert [message.meta.sent for message in talk.chat.messages] == [True] * 10 + [False]
        assert "Both are one." in talk.server.requests[-1].text
        assert not any("Nothing else." in request.text for request in talk.server.requests)


@pytest.mark.acceptance("S2-016")
async def test_the_position_of_each_message_is_the_one_in_which_it_is_sent_and_kept(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, SCRIPT, dialect, tools=["read_file"], shares=True) as talk:
        await two_turns(talk)
        *texts, answer = [message.text for message in talk.chat.messages]
        assert [message.text for message in (await talk.chat.preview()).messages] == [*texts, answer]
        sent = str(talk.server.requests[-1].body)
        said = ["compare it with `b.py`", "I look.", "b.py: 1 line", "Both are one.", "and else?"]
        assert sorted(sent.index(text) for text in said) == [sent.index(text) for text in said]
        chat_id = talk.chat.id
    async with talking(tmp_path, [], dialect, stored=chat_id) as talk:
        assert [message.text for message in talk.chat.messages] == [*texts, answer]


@pytest.mark.acceptance("S2-017", "S2-029")
async def test_a_message_names_who_made_it_where_its_tag_does_not_tell(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, SCRIPT, dialect, tools=["read_file"], shares=True) as talk:
        await two_turns(talk)
        assert [(message.tag, message.meta.source) for message in talk.chat.messages[3:]] == [
            (tags.FILE, "/file"), (tags.FILE, "@b.py"), ("", ""), ("", "acme/m-1"), (tags.TOOL_OUTPUT, ""),
            ("", "acme/m-1"), ("", ""), ("", "acme/m-1"),
        ]  # fmt: skip


@pytest.mark.acceptance("S2-039")
@pytest.mark.parametrize("calls", [True, False], ids=["calls", "text"])
async def test_what_a_tool_gives_back_has_its_tag_however_it_was_called(
    tmp_path: Path, dialect: str, calls: bool
) -> None:
    written = Answer(text='I look.\n<tool_call name="read_file">\n{"path": "b.py"}\n</tool_call>\n')
    limits = Limits(100_000, 4_096, tools=calls)
    script = [LOOK if calls else written, Answer(text="It is one.")]
    async with talking(tmp_path, script, dialect, tools=["read_file"], limits=limits) as talk:
        (talk.root / "b.py").write_text("one = 1\n")
        assert await talk.say("look at b.py") == Ended(End.DONE)
        (output,) = [message for message in talk.chat.messages if message.tag == tags.TOOL_OUTPUT]
        assert "   1│ one = 1" in output.text
        assert output.role.value == ("tool" if calls else "user")
