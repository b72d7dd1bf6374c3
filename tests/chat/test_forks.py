"""A fork begins like its chat, at any turn, and the other one stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from chat.chat_kit import Talk, talking
from chat.test_stack_rules import goes_on, working

from motet.chat import Chat, ChatParts, End, Ended
from motet.history import History
from motet.messages import Message
from motet.models.scripted import Answer


@asynccontextmanager
async def fork_of(talk: Talk, state: Path, messages: Sequence[Message], before: str | None) -> AsyncGenerator[Talk]:
    """The fork as it is stored, gone on with."""
    async with History.open(state) as history:
        info = await history.fork(talk.chat.id, before)
        stored = await history.load(info.id)
        assert stored.messages == tuple(messages)
        parts = ChatParts(talk.chat.parts.gate, history, options=talk.chat.options)
        parts.tools = talk.chat.parts.tools.copy()
        chat = Chat(parts, stored.info, talk.chat.model, stored.messages)
        yield Talk(chat, talk.server, talk.root)
        await chat.close()
        assert (await history.load(info.id)).messages == chat.messages


@pytest.mark.acceptance("T-28")
async def test_a_chat_can_be_forked_at_every_turn(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, working, dialect, tools=["files"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        for number in range(1, 4):
            assert await talk.say(f"question {number}") == Ended(End.DONE)
        whole = talk.chat.messages
        for cycle in range(1, 5):
            before = talk.chat.before_cycle(cycle) if cycle < 4 else None
            messages = talk.chat.branch(before)
            async with fork_of(talk, tmp_path / "state", messages, before) as fork:
                asked = [text for role, text in fork.told if role == "user"]
                assert asked == [f"question {number}" for number in range(1, cycle)]
                await goes_on(fork)
                assert fork.chat.messages[len(messages)].meta.cycle == cycle
        assert talk.chat.messages == whole


@pytest.mark.acceptance("T-28")
async def test_an_earlier_message_is_edited_by_a_fork_that_says_it_anew(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text=f"Answer {n}.") for n in range(4)], dialect) as talk:
        for number in range(1, 4):
            await talk.say(f"question {number}")
        before = talk.chat.before_cycle(2)
        async with fork_of(talk, tmp_path / "state", talk.chat.branch(before), before) as fork:
            await fork.say("question 2, better")
            assert [text for role, text in fork.told if role == "user"] == ["question 1", "question 2, better"]
        assert "question 3" not in talk.server.requests[-1].text


async def test_while_tools_run_the_whole_is_what_came_before_their_answer(tmp_path: Path, dialect: str) -> None:
    from chat.test_stack_rules import Odd

    from motet.models.scripted import call

    tool = Odd("waits")
    script = [Answer(text="I wait.", calls=(call("waits", {}),)), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["waits"], own=[tool]) as talk:
        turn = asyncio.create_task(talk.say("do it"))
        await asyncio.wait_for(tool.runs.wait(), 10)
        before = talk.chat.unfinished
        messages = talk.chat.branch(before)
        assert messages[-1].text == "do it"
        async with fork_of(talk, tmp_path / "state", messages, before) as fork:
            await goes_on(fork)
        talk.chat.stop()
        assert (await turn).reason is End.STOPPED
