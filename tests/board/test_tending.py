"""Agents that die, requests that nobody answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from board.board_kit import Page

from motet.board import AgentState, Boards, DeliveryState, Draft, NoticeKind, PostKind, by_rule, clock, inbox, tending
from motet.board.tending import Tended

Later = Callable[[float], None]
DAY = 86_400.0


def set_clock(monkeypatch: pytest.MonkeyPatch, wrong: Callable[[], float]) -> None:
    """Have the steps of this process find a clock that is so many seconds `wrong`, on either engine."""
    timed = clock.timed

    def beside(work: Callable[..., Any]) -> Callable[[Any], Any]:
        return timed(lambda tx, now: work(tx, now=now + wrong()))

    monkeypatch.setattr(clock, "timed", beside)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Let time pass."""
    passed, monotonic = [0.0], clock.monotonic
    set_clock(monkeypatch, lambda: passed[0])
    monkeypatch.setattr(clock, "monotonic", lambda: monotonic() + passed[0])

    def add(seconds: float) -> None:
        passed[0] += seconds

    return add


async def watched(boards: Boards, later: Later, seconds: float, *alive: str) -> list[Tended]:
    """What one who looks twice a minute does meanwhile; those who are `alive` give signs of life."""
    tended = [await boards.tend()]
    while seconds > 0:
        later(min(30.0, seconds))
        seconds -= 30
        for address in alive:
            await boards.beat(address)
        tended.append(await boards.tend())
    return tended


async def test_what_a_dead_agent_held_waits_again_and_its_role_is_taken_by_another(
    boards: Boards, later: Later
) -> None:
    page = await Page.of(boards, "boss", "ann/reviewer", "ben/reviewer")
    await page.post("boss", "@reviewer please review", kind=PostKind.REQUEST)
    (one,) = await boards.pull(page["ann"])
    await boards.carried(page["ann"], [one.id], "turn")
    (status,) = [one for each in await watched(boards, later, 150, page["ben"], page["boss"]) for one in each.reports]
    assert (status.post.author, status.post.kind, status.post.body, status.post.reply_to) == (
        page["ann"], PostKind.STATUS, "Stopped, without an answer: gave no sign of life.", one.post.id,
    )  # fmt: skip
    assert (await boards.agent(page["ann"])).state is AgentState.GONE
    assert await page.inbox("ben") == ["@reviewer please review"]
    assert await page.inbox("boss") == ["Stopped, without an answer: gave no sign of life."]
    assert (await boards.tend()).reports == ()


async def test_a_request_has_a_deadline(boards: Boards, later: Later) -> None:
    page = await Page.of(boards, "boss", "ann", human="mia")
    await page.post("boss", "@ann@ now, please", kind=PostKind.REQUEST)
    later(3700)
    for name in ("boss", "ann"):
        await boards.beat(page[name])
    assert [one.post.body for one in (await boards.tend()).reports] == [
        "Stopped, without an answer: its time is over."
    ]
    assert [one.state for one in await boards.deliveries(recipient=page["ann"])] == [DeliveryState.EXPIRED]
    assert [(one.kind, one.text) for one in await boards.notices()] == [
        (NoticeKind.STOPPED, f"{page['ann']} did not answer request 1 of {page['boss']} in time")
    ]


async def test_who_asked_a_role_is_told_when_nobody_of_it_took_the_request(boards: Boards, later: Later) -> None:
    page = await Page.of(boards, "boss", "ann/reviewer", "ben/reviewer")
    asked = await page.post("boss", "@role:reviewer please look", kind=PostKind.REQUEST)
    later(3700)
    for name in ("boss", "ann", "ben"):
        await boards.beat(page[name])
    (told,) = (await boards.tend()).reports
    assert (told.post.author, told.post.kind, told.post.reply_to) == (page["ann"], PostKind.STATUS, asked.post.id)
    assert await page.inbox("boss") == ["Stopped, without an answer: nobody of role:reviewer took it in time."]


async def test_what_was_taken_too_often_and_never_read_is_dead(boards: Boards, later: Later) -> None:
    page = await Page.of(boards, "boss", "ann")
    await page.post("boss", "@ann@ hello")
    for _ in range(inbox.MOST_ATTEMPTS):
        assert len(await boards.pull(page["ann"])) == 1
        await watched(boards, later, 180, page["boss"])
    assert await boards.pull(page["ann"]) == []
    assert [one.state for one in await boards.deliveries()] == [DeliveryState.DEAD]
    assert [one.kind for one in await boards.notices()] == [NoticeKind.DEAD]


async def test_an_agent_that_stops_says_why_to_who_waits_for_it(boards: Boards) -> None:
    page = await Page.of(boards, "boss", "ann")
    await page.post("boss", "@ann@ now, please", kind=PostKind.REQUEST)
    (one,) = await boards.pull(page["ann"])
    await boards.carried(page["ann"], [one.id], "turn")
    assert [post.post.body for post in await boards.stopped(page["ann"], "round limit")] == [
        "Stopped, without an answer: round limit."
    ]
    assert await boards.stopped(page["ann"], "round limit") != []
    assert [post.body for post in await boards.posts(page.board)][1:] == ["Stopped, without an answer: round limit."]


async def test_an_agent_whose_request_a_human_stops_is_told(boards: Boards) -> None:
    page = await Page.of(boards, "boss", "ann", human="mia")
    begun = await page.post("mia", "@boss@ have it done", kind=PostKind.REQUEST)
    (one,) = await boards.pull(page["boss"])
    await boards.carried(page["boss"], [one.id], "turn")
    await page.post("boss", "@ann@ do it, please", kind=PostKind.REQUEST)
    assert await boards.stop(begun.post.chain) == 1
    (told,) = await boards.pull(page["boss"])
    assert told.post.body == "Stopped, without an answer: a human stopped it."
    ruled = by_rule(await boards.facts(told.id))
    assert ruled is not None
    assert (ruled.rule, ruled.waits) == ("kind", False)  # it is read
    assert await page.inbox("mia") == await page.inbox("ann") == []
    assert await boards.stop(begun.post.chain) == 0


async def test_who_has_been_gone_for_long_is_closed_and_keeps_its_address(boards: Boards, later: Later) -> None:
    page = await Page.of(boards, "one", "two", human="mia")
    await boards.set_state(page["one"], AgentState.GONE, "went home")
    later(15 * DAY)
    closed = [one for each in await watched(boards, later, 120, page["two"]) for one in each.closed]
    assert closed == [page["one"]]
    assert [one.address for one in await boards.agents(page.board)] == sorted([page["two"], page["mia"]])
    old = page["one"]
    assert await page.add("one") == old
    assert (await boards.agent(old)).state is AgentState.IDLE


async def test_who_wrote_to_one_that_is_closed_for_good_is_told_once_what_it_has_not_read(
    boards: Boards, later: Later
) -> None:
    page = await Page.of(boards, "one", "two", human="mia")
    await page.post("two", "@one@ first")
    await page.post("two", "@one@ second")
    await boards.set_state(page["one"], AgentState.GONE, "went home")
    later(15 * DAY)
    await watched(boards, later, 120, page["two"])
    why = f"Stopped, without an answer: {page['one']} is closed for good and has not read #1, #2."
    assert await page.inbox("two") == [why]
    found = await boards.deliveries(recipient=page["one"])
    assert [(one.state, one.reason) for one in found] == [(DeliveryState.DEAD, f"{page['one']} is closed")] * 2


async def test_a_time_that_is_over_for_a_post_that_is_no_request_is_nothing_to_do(
    boards: Boards, later: Later
) -> None:
    page = await Page.of(boards, "one", "two")
    await boards.post(Draft(page.board, page["one"], f"@{page['two']} when you like", deadline=0.0))
    seen = await boards._read(clock.timed(partial(tending.look, own=frozenset(), days=14.0)))
    assert (seen.is_overdue, seen.agents, seen.leased, seen.gone) == (False, [], [], [])
