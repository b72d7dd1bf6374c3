"""Boards as the human uses them: drafts that are kept, calls that are told once, what waits for a word."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from motet.board import (
    AgentKind,
    AgentState,
    BoardRefused,
    Boards,
    DeliveryState,
    Draft,
    Limits,
    NewAgent,
    NoticeKind,
    Outcome,
    Policy,
    clock,
)
from motet.engine.board_drafts import BoardDraft, Kept, Typed
from motet.engine.boards import open_boards
from motet.engine.human_boards import Alert, HumanBoard, HumanBoards
from motet.errors import UsageError
from motet.settings import BoardSettings

ME = NewAgent("me", AgentKind.HUMAN, "me@here", policy=Policy.NEVER)


@pytest.fixture
async def boards(tmp_path: Path) -> AsyncIterator[Boards]:
    async with Boards.in_directory(tmp_path, Limits(tokens=100, pair_posts=None)) as boards:
        yield boards


@pytest.fixture
def mine(boards: Boards, tmp_path: Path) -> HumanBoards:
    return HumanBoards(boards, "/project", ME, tmp_path)


async def writer(boards: Boards, name: str = "backend", board: str = "general") -> str:
    agent = await boards.register(NewAgent(name, AgentKind.CHAT, name))
    await boards.join((await boards.open("/project", board)).id, agent.address)
    return agent.address


async def say(boards: Boards, board: HumanBoard, author: str, body: str) -> None:
    await boards.post(Draft(board.board.id, author, body))


# --- drafts ----------------------------------------------------------------------------------------------------------


async def test_a_draft_is_there_again_in_the_next_process_and_only_there(tmp_path: Path) -> None:
    first, second, third = (BoardDraft(tmp_path / "drafts", "board") for _ in range(3))
    first.type(Typed("half a sentence", "key"))
    assert second.adopt() == Kept()
    first.close()
    assert second.adopt() == Kept(Typed("half a sentence", "key"))
    assert third.adopt() == Kept()
    second.type(Typed())
    second.close()
    assert list((tmp_path / "drafts").iterdir()) == []


async def test_a_draft_of_another_board_is_none_of_this(tmp_path: Path) -> None:
    first = BoardDraft(tmp_path, "one")
    first.type(Typed("text", "key"))
    first.close()
    assert BoardDraft(tmp_path, "two").adopt() == Kept()


async def test_what_was_sent_is_kept_until_it_is_stored_or_typed_again(tmp_path: Path) -> None:
    draft = BoardDraft(tmp_path, "board")
    one, other = Typed("one", "1"), Typed("other", "2")
    draft.type(one)
    draft.send(one)
    assert draft.kept == Kept(Typed(), (one,))
    draft.type(other)
    draft.returned(one)
    assert draft.kept == Kept(Typed("one\n\nother", "2"))
    draft.send(Typed("one\n\nother", "2"))
    draft.posted("2")
    assert draft.kept == Kept()


async def test_drafts_are_private(tmp_path: Path) -> None:
    draft = BoardDraft(tmp_path / "drafts", "board")
    draft.type(Typed("secret", "key"))
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "drafts").iterdir()}
    assert modes == {0o600}


# --- writing ---------------------------------------------------------------------------------------------------------


async def test_the_same_text_under_the_same_key_is_one_post_and_another_text_another(mine: HumanBoards) -> None:
    board = await mine.open("general")
    await board.post(Typed("text", "key"))
    assert not (await board.post(Typed("text", "key"))).was_new
    await board.post(Typed("text, changed", "key"))
    posts = await mine.boards.posts(board.board.id)
    assert [post.body for post in posts] == ["text", "text, changed"]


async def test_a_post_that_is_refused_is_typed_again(mine: HumanBoards) -> None:
    board = await mine.open("general")
    with pytest.raises(UsageError):
        await board.post(Typed("\0", "key"))
    assert board.draft.kept == Kept(Typed("\0", "key"))


async def test_the_last_own_post_is_the_one_that_is_changed(mine: HumanBoards) -> None:
    board, other = await mine.open("general"), await writer(mine.boards)
    with pytest.raises(BoardRefused):
        await board.last_own()
    await board.post(Typed("first", "1"))
    await board.post(Typed("second", "2"))
    await say(mine.boards, board, other, "another's")
    await board.retract()
    post = await board.last_own()
    await board.post(Typed("first, better", "3", edits=post.id))
    found = await mine.boards.posts(board.board.id)
    assert [(one.body, one.retracted) for one in found] == [
        ("first, better", False),
        ("second", True),
        ("another's", False),
    ]


# --- what the human is told ------------------------------------------------------------------------------------------


def line(alert: Alert) -> tuple[str, str, int]:
    return alert.author, alert.text, alert.more


async def test_each_call_is_told_once_also_when_it_was_seen_at_once(mine: HumanBoards) -> None:
    board, other = await mine.open("general"), await writer(mine.boards)
    await say(mine.boards, board, other, "@me before")
    async with aclosing(mine.alerts()) as alerts, asyncio.timeout(30):
        assert line(await anext(alerts)) == (other, "@me before", 0)
        await say(mine.boards, board, other, "@me first line\nsecond line")
        await board.seen(2)
        assert line(await anext(alerts)) == (other, "@me first line", 0)
        await say(mine.boards, board, other, "nobody's")
        await say(mine.boards, board, other, "@All look")
        assert line(await anext(alerts)) == (other, "@All look", 0)
    async with aclosing(mine.alerts()) as alerts:
        await say(mine.boards, board, other, "@human again")
        assert line(await anext(alerts)) == (other, "@human again", 0)


async def test_many_calls_at_once_are_one_notice(mine: HumanBoards) -> None:
    board, other = await mine.open("general"), await writer(mine.boards)
    for number in range(20):
        await say(mine.boards, board, other, f"@me {number}")
    async with aclosing(mine.alerts()) as alerts, asyncio.timeout(30):
        assert line(await anext(alerts)) == (other, "@me 19", 19)


async def test_what_was_shown_waits_no_more(mine: HumanBoards) -> None:
    board, other = await mine.open("general"), await writer(mine.boards)
    await say(mine.boards, board, other, "@me one")
    await say(mine.boards, board, other, "two")
    board = await mine.open("general")
    assert board.unread == 2
    await board.seen(2)
    assert board.unread == 0
    assert await mine.boards.waiting(board.me.address) == 0
    assert [(one.text, one.waits) for one in await mine.told()] == [("@me one", False)]


async def test_a_spent_budget_waits_for_a_word_and_goes_on_with_it(mine: HumanBoards) -> None:
    board, other = await mine.open("general"), await writer(mine.boards)
    await board.post(Typed(f"@{other} work", "key"))
    (call,) = await mine.boards.pull(other)
    await mine.boards.settle(other, call.id, Outcome(DeliveryState.ACKED, tokens=1000))
    async with aclosing(mine.alerts()) as alerts, asyncio.timeout(30):
        alert = await anext(alerts)
    assert (alert.kind, alert.board, alert.about) == (NoticeKind.BUDGET, "general", call.post.chain)
    assert [one.about for one in await mine.undecided()] == [call.post.chain]
    await mine.decide(call.post.chain, go_on=True)
    assert await mine.undecided() == []


async def test_notices_are_found_by_their_words(mine: HumanBoards) -> None:
    board, other = await mine.open("general"), await writer(mine.boards)
    await say(mine.boards, board, other, "@me 設計を確認して")
    await say(mine.boards, board, other, "@me Look at the Design")
    assert [one.text for one in await mine.told("design look")] == ["@me Look at the Design"]
    assert [one.text for one in await mine.told("設計")] == ["@me 設計を確認して"]
    assert [one.text for one in await mine.told()] == ["@me Look at the Design", "@me 設計を確認して"]
    assert await mine.told("nothing") == []


async def test_agents_of_the_project_are_listed_humans_last(mine: HumanBoards) -> None:
    await mine.open("general")
    one, other = await writer(mine.boards), await writer(mine.boards, "reviewer", "second")
    elsewhere = await mine.boards.register(NewAgent("reviewer", AgentKind.CHAT, "elsewhere"))
    await mine.boards.join((await mine.boards.open("/another", "general")).id, elsewhere.address)
    assert [agent.address for agent in await mine.agents("review")] == [other]
    assert [agent.address for agent in await mine.agents()] == [one, other, (await mine.me()).address]


@pytest.mark.acceptance("VB-09")
async def test_who_has_been_gone_for_the_set_time_is_cleaned_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count(step=45)
    monkeypatch.setattr(clock, "monotonic", lambda: float(next(seconds)))
    async with open_boards(BoardSettings(forget_days=1), tmp_path) as boards:
        mine = HumanBoards(boards, "/project", ME, tmp_path)
        board = await mine.open("general")
        for name, days in (("one", 0.9), ("other", 1.1)):
            address = await writer(boards, name)
            await boards.set_state(address, AgentState.GONE, "went home")
            seen = time.time() - days * 86_400
            await boards._write(
                lambda tx, seen=seen, address=address: tx.run(
                    "UPDATE agents SET seen = ? WHERE address = ?", seen, address
                )
            )
        async with aclosing(mine.alerts()) as alerts, asyncio.timeout(30):
            first = asyncio.ensure_future(anext(alerts))
            author = await writer(boards, "another")
            await say(boards, board, author, "@me hello")
            await first
            assert [agent.name for agent in await mine.agents()] == ["another", "one", "other", "me"]
            for _ in range(3):  # what is done while somebody waits
                await boards.tend()
        assert [agent.name for agent in await mine.agents()] == ["another", "one", "me"]
