"""A summary takes the place of what was said long ago, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat.chat_kit import talking

from motet.chat import ChatOptions, Compacted, End, Ended, Notice
from motet.chat.view import view
from motet.errors import ModelError
from motet.messages import ContextRef, Message, Text, tags
from motet.models import Limits
from motet.models.scripted import Answer, HttpError, ScriptedRequest, Step, call


def answering(request: ScriptedRequest) -> Step:
    """Sums up when that is asked, else answers the newest question."""
    if "<human>" in request.text or "<previous_summary>" in request.text:
        return Answer(text=f"SUMMARY {request.text.count('question')}")
    return Answer(text="Yes.")


def shared(path: str, text: str, tag: str = tags.FILE) -> Message:
    return Message.attachment(Text(text), context=ContextRef(f"<file>{path}</file>"), tag=tag)


@pytest.mark.acceptance("CC-15", "S2-025", "S2-045", "T-30")
async def test_summing_up_twice_leaves_one_summary_and_the_last_three_turns_verbatim(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, answering, dialect) as talk:
        for number in range(1, 7):
            await talk.say(f"question {number}")
        assert await talk.chat.compact()
        assert not await talk.chat.compact()  # nothing new
        asked = len(talk.server.requests)
        assert asked == 7
        for number in range(7, 10):
            await talk.say(f"question {number}")
        assert await talk.chat.compact()
        request = talk.server.requests[-1].text
        assert request.count("SUMMARY") == 1  # the one before, once
        assert [f"question {number}" in request for number in range(1, 8)] == [False] * 3 + [True] * 3 + [False]
        told = (await talk.chat.preview()).messages
        assert [message.tag for message in told].count(tags.COMPACT_SUMMARY) == 1
        questions = [message.text for message in told if message.text.startswith("question")]
        assert questions == ["question 7", "question 8", "question 9"]
        assert len([message for message in talk.chat.messages if message.text.startswith("question")]) == 9
        before = [message.id for message in told]
        chat_id = talk.chat.id
    async with talking(tmp_path, answering, dialect, stored=chat_id) as talk:
        assert [message.id for message in (await talk.chat.preview()).messages] == before


@pytest.mark.acceptance("S2-034", "T-30", "S2-029")
async def test_pins_rules_and_prompts_are_never_summed_up(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, answering, dialect, tools=["readonly"]) as talk:
        share = talk.chat.share
        share.attach(shared("pinned.py", "PINNED TEXT"), shared("free.py", "FREE TEXT"))
        share.attach(shared("AGENTS.md", "RULE TEXT", tags.RULES))
        await talk.say("question 1")
        from motet.context import ContextItem, State

        share.items = (ContextItem("<file>pinned.py</file>", tags.FILE, "pinned.py", State.PINNED),)
        for number in range(2, 6):
            await talk.say(f"question {number}")
        before = [message for message in talk.chat.messages if message.tag in (tags.TOOL, tags.SYSTEM_PROMPT)]
        assert await talk.chat.compact()
        told = (await talk.chat.preview()).messages
        texts = "\n".join(message.text for message in told)
        assert ("PINNED TEXT" in texts, "RULE TEXT" in texts, "FREE TEXT" in texts) == (True, True, False)
        assert "not part of this any more: <file>free.py</file>" in texts
        assert [message for message in told if message.tag in (tags.TOOL, tags.SYSTEM_PROMPT)] == before
        assert await talk.say("question 6") == Ended(End.DONE)


@pytest.mark.parametrize("failure", [HttpError(401), Answer(text="  ")])
async def test_a_summary_that_fails_changes_nothing(tmp_path: Path, dialect: str, failure: Step) -> None:
    def failing(request: ScriptedRequest) -> Step:
        return failure if "<human>" in request.text else Answer(text="Yes.")

    async with talking(tmp_path, failing, dialect) as talk:
        for number in range(1, 6):
            await talk.say(f"question {number}")
        before = talk.chat.messages
        if isinstance(failure, HttpError):
            with pytest.raises(ModelError):
                await talk.chat.compact()
        else:
            assert not await talk.chat.compact()
        assert talk.chat.messages == before
        assert await talk.say("question 6") == Ended(End.DONE)


async def test_a_chat_that_outgrows_the_window_is_summed_up_by_itself(tmp_path: Path, dialect: str) -> None:
    limits = Limits(12_000, 2_000)
    async with talking(tmp_path, answering, dialect, limits=limits, options=ChatOptions(titles=False)) as talk:
        compacted = 0
        for number in range(1, 12):
            assert await talk.say(f"question {number} " + "word " * 1_200) == Ended(End.DONE)
            compacted += sum(isinstance(event, Compacted) for event in talk.events)
        assert compacted >= 1
        summaries = [message for message in talk.chat.messages if message.tag == tags.COMPACT_SUMMARY]
        assert len(summaries) == compacted
        assert [summary.meta.compacted for summary in summaries] == [True] * (compacted - 1) + [False]


async def test_a_failing_summary_is_tried_once_for_one_request(tmp_path: Path, dialect: str) -> None:
    def failing(request: ScriptedRequest) -> Step:
        return HttpError(401) if "<human>" in request.text else Answer(text="Yes.")

    async with talking(tmp_path, failing, dialect, limits=Limits(9_000, 2_000)) as talk:
        from motet.chat import TooLong

        asked = 0
        for number in range(1, 8):
            try:
                await talk.say(f"question {number} " + "word " * 900)
            except TooLong:
                asked = number
                break
        assert asked
        tries = sum("<human>" in request.text for request in talk.server.requests)
        assert tries == 1
        assert any(isinstance(event, Notice) for event in talk.events) or talk.events == []


async def test_a_fork_that_begins_before_a_summary_says_what_it_stood_for(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, answering, dialect) as talk:
        for number in range(1, 7):
            await talk.say(f"question {number}")
        await talk.chat.compact()
        branch = talk.chat.branch(talk.chat.before_cycle(3))
        assert [message.text for message in view(branch) if "question" in message.text] == [
            "question 1",
            "question 2",
        ]


@pytest.mark.acceptance("S0-122")
async def test_old_outputs_are_cut_and_stay_with_their_calls(tmp_path: Path, dialect: str) -> None:
    def reading(request: ScriptedRequest) -> Step:
        if request.results:
            return Answer(text="Read.")
        return Answer(calls=(call("read_file", {"path": "a.py"}, f"c{len(request.messages)}"),))

    options = ChatOptions(titles=False, keep_cycles=2)
    async with talking(
        tmp_path, reading, dialect, tools=["readonly"], limits=Limits(16_000, 2_000), options=options
    ) as talk:
        (talk.root / "a.py").write_text("one = 1\n" * 900)
        for number in range(4):
            assert await talk.say(f"question {number}") == Ended(End.DONE)
        assert "lines left out, they began" in talk.server.requests[-1].text
        assert not any("lines left out, they began" in message.text for message in talk.chat.messages)
