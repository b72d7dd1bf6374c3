"""A process is killed in the middle of a turn, or its disk is full: what it acknowledged is there, and the chat goes on.

A few moments in each run; all with `MOTET_KILL_ALL=1`.
"""

from __future__ import annotations

import asyncio
import os
import random
from contextlib import nullcontext
from pathlib import Path

import pytest
from chat import kill_kit
from chat.chat_kit import talking
from chat.test_stack_rules import goes_on, working

from motet.chat import End, Ended, Level, Notice
from motet.errors import MotetError
from motet.history import History
from motet.models.scripted import Answer, Wire

EVERY = os.environ.get("MOTET_KILL_ALL") == "1"
SEED = int(os.environ.get("MOTET_KILL_SEED", "4"))
STATEMENTS = list(range(1, 290)) if EVERY else sorted(random.Random(SEED).sample(range(40, 280), 6))
ROOMS = [0, 1_000, 4_000, 9_000, 17_000, 33_000, 50_000] if EVERY else [0, 9_000]


@pytest.mark.acceptance("T-28")
@pytest.mark.parametrize("number", STATEMENTS)
async def test_after_a_kill_the_chat_holds_what_was_acknowledged_and_goes_on(
    tmp_path: Path, dialect: str, number: int
) -> None:
    lines, _ = kill_kit.run(tmp_path, dialect, "statement", number)
    async with History.open(tmp_path / "state") as history:
        found = await history.list()
    if not found or not found[0].messages:  # an empty chat begins like a new one
        assert lines == []
        return
    async with talking(tmp_path, working, dialect, stored=found[0].id, tools=["files"]) as talk:
        told = talk.told
        for line in lines:
            how, _, text = line.partition(" ")
            assert ("user", text) in told
            if how == "done":
                answers = told[told.index(("user", text)) + 1 :]
                assert [role for role, _ in answers[:4]] == ["assistant", "tool", "tool", "assistant"]
                assert answers[3][1] == "It is done."
        await goes_on(talk)


@pytest.mark.parametrize("room", ROOMS)
def test_on_a_full_disk_nothing_is_sent_twice_or_lost_and_later_all_is_kept(
    tmp_path: Path, dialect: str, room: int
) -> None:
    lines, killed = kill_kit.run(tmp_path, dialect, "full", room)
    assert not killed  # and what was stored in the end was what the chat says
    assert lines[:2] == ["sent question 1", "done question 1"]
    assert lines[-2:] == ["sent question 4", "done question 4"]
    assert any(line.startswith(("refused", "failed")) for line in lines)


async def test_where_the_file_of_chats_is_gone_the_whole_chat_is_kept_anew(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, working, dialect, tools=["files"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await talk.say("question 1")
        for path in (tmp_path / "state").glob("history.db*"):
            path.unlink()
        assert await talk.say("question 2") == Ended(End.DONE)
        assert Notice("the stored chat was gone; all of it is kept anew", Level.WARNING) in talk.events


async def test_an_answer_that_stalls_is_kept_within_a_second_or_so(tmp_path: Path, dialect: str) -> None:
    stalls = Answer(text="abcdefghijklmnopqrst", wire=Wire(text_chars=4, stall_after=5))
    async with talking(tmp_path, [stalls, Answer(text="Done.")], dialect) as talk:
        turn = asyncio.create_task(talk.say("hi"))
        await asyncio.wait_for(talk.server.received(1), 60)
        stored = ""
        async with asyncio.timeout(60), History.open(tmp_path / "state") as other:  # as another process would see it
            while not stored:
                await asyncio.sleep(0.05)
                found = await other.list()
                messages = (await other.load(found[0].id)).messages if found else ()
                stored = messages[-1].text if messages and messages[-1].meta.partial else ""
        assert "abcdefghijklmnopqrst".startswith(stored)
        talk.chat.stop()
        assert (await turn).is_partial
        assert len([message for message in talk.chat.messages if message.meta.partial]) == 1
        await goes_on(talk)


async def test_a_draft_is_kept_and_names_no_messages(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, tools=["readonly"]) as talk:
        await asyncio.gather(talk.chat.keep_draft("half a"), talk.chat.keep_draft("half a sentence"))
        async with History.open(tmp_path / "state") as other:
            stored = await other.load(talk.chat.id)
            assert (stored.info.draft, stored.messages) == ("half a sentence", ())
        assert await talk.say("a whole sentence") == Ended(End.DONE)


@pytest.mark.acceptance("T-28")
@pytest.mark.parametrize("moment", range(0, 24, 1 if EVERY else 4))
async def test_a_store_that_fails_in_a_turn_loses_nothing_once_it_works_again(
    tmp_path: Path, dialect: str, moment: int
) -> None:
    place = tmp_path / "state" / "history.db"

    def breaks() -> None:
        for path in place.parent.glob("history.db*"):
            path.unlink()
        place.mkdir()

    async with talking(tmp_path, working, dialect, tools=["files"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        assert await talk.say("question 1") == Ended(End.DONE)
        seen = 0

        def heard(_: object) -> None:
            nonlocal seen
            if seen == moment:
                breaks()
            seen += 1

        ended = await talk.hear(talk.chat.send("question 2"), heard)
        before = talk.told
        assert not place.is_dir() or ended.reason is End.FAILED or moment >= seen - 3
        with pytest.raises(MotetError) if place.is_dir() else nullcontext():
            await talk.say("question 3")
        assert talk.told == before or not place.is_dir()
        if place.is_dir():
            place.rmdir()
        assert await talk.hear(talk.chat.go_on()) == Ended(End.DONE)
        await goes_on(talk)
        said = [text for role, text in talk.told if role == "user"]
        assert said in (["question 1", "question 2", "go on"], ["question 1", "question 2", "question 3", "go on"])
