"""Machines that disagree about the time, and clocks that are set: no agent that lives is given up, none that died is kept,
and what was given a time has it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from board.board_kit import Page
from board.places import Place
from board.test_tending import DAY, Later, later, set_clock, watched

from motet.board import AgentState, BoardRefused, Boards, DeliveryState, Draft, Outcome, PostKind, by_rule
from motet.board.clock import Silence

__all__ = ["later"]


@pytest.fixture
def off(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the clock of this process, and of nobody else, to so many seconds beside the right time."""
    wrong = [0.0]
    set_clock(monkeypatch, lambda: wrong[0])

    def set_it(seconds: float) -> None:
        wrong[0] = seconds

    return set_it


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the clock of this machine to so many seconds beside the right time: a server has another one."""
    real, wrong = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + wrong[0])

    def set_it(seconds: float) -> None:
        wrong[0] = seconds

    return set_it


@pytest.mark.parametrize("seconds", [180.0, DAY, 400 * DAY, -DAY])
async def test_no_timestamp_alone_ends_what_others_hold(
    boards: Boards, later: Later, off: Callable[[float], None], seconds: float
) -> None:
    page = await Page.of(boards, "boss", "ann", "ben")
    await page.post("boss", "@ann@ please")
    await boards.pull(page["ann"])
    await boards.claim("p", page["ann"], ["src/**"], 3600)
    for _ in range(10):
        off(seconds)
        assert (await boards.tend()).reports == ()
        with pytest.raises(BoardRefused, match="is claimed by ann-"):
            await boards.claim("p", page["ben"], ["src/a.py"])
        assert await boards.pull(page["ben"]) == []
        off(0)
        later(20)
        for name in ("boss", "ann", "ben"):
            await boards.beat(page[name])
    assert {(await boards.agent(page[name])).state for name in ("boss", "ann", "ben")} == {AgentState.IDLE}
    (held,) = await boards.deliveries(recipient=page["ann"])
    assert (held.state, held.attempts) == (DeliveryState.LEASED, 0)


@pytest.mark.parametrize("seconds", [0.0, 180.0, DAY, -DAY])
async def test_one_that_died_is_noticed_by_a_clock_that_is_wrong(
    boards: Boards, later: Later, off: Callable[[float], None], seconds: float
) -> None:
    page = await Page.of(boards, "boss", "ann", "ben")
    await boards.claim("p", page["ann"], ["src/**"], 4 * 3600)
    off(seconds)
    alive = (page["boss"], page["ben"])
    await watched(boards, later, 60, *alive)
    assert (await boards.agent(page["ann"])).state is AgentState.IDLE
    await watched(boards, later, 120, *alive)
    assert (await boards.agent(page["ann"])).why == "gave no sign of life"
    assert await boards.claim("p", page["ben"], ["src/a.py"])


async def test_a_clock_that_jumps_ends_nobody(boards: Boards, later: Later, off: Callable[[float], None]) -> None:
    page = await Page.of(boards, "boss", "ann")
    for seconds in (0.0, DAY, 0.0, -DAY, 0.0):
        off(seconds)
        await watched(boards, later, 60, page["ann"])
    assert (await boards.agent(page["ann"])).state is AgentState.IDLE
    assert (await boards.agent(page["boss"])).why == "gave no sign of life"


async def test_who_was_stopped_itself_gives_nobody_up(boards: Boards, later: Later) -> None:
    page = await Page.of(boards, "boss", "ann")
    await watched(boards, later, 60, page["boss"])
    later(3600)  # nobody ran
    await boards.tend()
    assert (await boards.agent(page["ann"])).state is AgentState.IDLE


async def test_one_that_was_given_up_and_lives_is_back(boards: Boards, later: Later) -> None:
    page = await Page.of(boards, "boss", "ann")
    await watched(boards, later, 180, page["boss"])
    assert (await boards.agent(page["ann"])).state is AgentState.GONE
    await boards.beat(page["ann"])
    found = await boards.agent(page["ann"])
    assert (found.state, found.why) == (AgentState.IDLE, "")


@pytest.mark.parametrize(("theirs", "ours"), [(0.0, 180.0), (0.0, DAY), (0.0, -DAY), (DAY, 0.0), (-DAY, 0.0)])
async def test_a_request_of_others_has_its_time_whatever_clock_it_was_written_and_is_looked_at_by(
    place: Place, later: Later, wall: Callable[[float], None], theirs: float, ours: float
) -> None:
    async with place.boards() as author, place.boards() as boards:
        wall(theirs)
        page = await Page.of(author, "boss", "ann")
        await page.post("boss", "@ann@ now, please", kind=PostKind.REQUEST)
        wall(ours)
        alive = (page["boss"], page["ann"])
        assert [one.reports for one in await watched(boards, later, 3300, *alive) if one.reports] == []
        ((told,),) = [one.reports for one in await watched(boards, later, 600, *alive) if one.reports]
        assert told.post.body == "Stopped, without an answer: its time is over."
        (expired,) = await boards.deliveries(recipient=page["ann"])
        assert expired.state is DeliveryState.EXPIRED


async def test_who_is_back_is_told_at_once_which_of_its_own_requests_are_over(place: Place, later: Later) -> None:
    async with place.boards() as boards:
        page = await Page.of(boards, "boss", "ann")
        await page.post("boss", "@ann@ now, please", kind=PostKind.REQUEST)
    later(3700)
    async with place.boards() as boards:
        await Page.of(boards, "boss")
        assert len((await boards.tend()).reports) == 1


@pytest.mark.parametrize(("theirs", "ours"), [(0.0, 180.0), (0.0, DAY), (0.0, -DAY), (DAY, 0.0), (-DAY, 0.0)])
async def test_a_budget_has_its_time_whatever_clock_gave_it(
    place: Place, later: Later, wall: Callable[[float], None], theirs: float, ours: float
) -> None:
    async with place.boards() as author, place.boards() as boards:
        wall(theirs)
        page = await Page.of(author, "ann", "ben", human="mia")
        begun = await page.post("mia", "@ann@ begin")
        wall(ours)
        (one,) = await boards.pull(page["ann"])
        assert by_rule(await boards.facts(one.id)) is None
        later(3500)
        assert by_rule(await boards.facts(one.id)) is None
        later(200)
        ruled = by_rule(await boards.facts(one.id))
        assert ruled is not None
        assert (ruled.rule, ruled.spent) == ("budget", "time")
        await boards.carried(page["ann"], [one.id], "turn")
        await boards.post(Draft(page.board, page["ann"], f"@{page['ben']} go on", answers=one.id))
        (notice,) = await boards.notices()
        assert notice.text.startswith("agents have used up the time of what began with post")
        (two,) = await boards.pull(page["ben"])
        await boards.settle(page["ben"], two.id, Outcome(DeliveryState.DECLINED, "budget", "time"))
        wall(theirs)
        assert await author.go_on(begun.post.chain) == 1
        wall(ours)
        assert [each.id for each in await boards.pull(page["ben"])] == [two.id]
        assert by_rule(await boards.facts(two.id)) is None
        later(3700)
        ruled = by_rule(await boards.facts(two.id))
        assert ruled is not None
        assert ruled.spent == "time"


@pytest.mark.parametrize("seconds", [400 * DAY, -400 * DAY])
async def test_nobody_is_closed_by_a_clock_that_those_who_live_do_not_have(
    place: Place, later: Later, wall: Callable[[float], None], seconds: float
) -> None:
    async with place.boards() as others, place.boards() as boards:
        page = await Page.of(others, "gone", "ann")
        await others.set_state(page["gone"], AgentState.GONE, "went home")
        await boards.agents()
        for _ in range(10):
            wall(seconds)
            assert (await boards.tend()).closed == ()
            wall(0)
            later(30)
            await others.beat(page["ann"])
        assert (await boards.agent(page["gone"])).state is AgentState.GONE


async def test_who_has_been_gone_for_long_is_closed_once_that_was_seen_for_a_while(
    place: Place, later: Later
) -> None:
    async with place.boards() as others, place.boards() as boards:
        page = await Page.of(others, "gone", "ann")
        await others.set_state(page["gone"], AgentState.GONE, "went home")
        later(15 * DAY)
        assert [one.closed for one in await watched(boards, later, 60, page["ann"])] == [()] * 3
        assert [one.closed for one in await watched(boards, later, 30, page["ann"])][-1] == (page["gone"],)


async def test_a_human_has_them_closed_at_once(place: Place, later: Later) -> None:
    async with place.boards() as boards:
        page = await Page.of(boards, "gone", "here")
        await boards.set_state(page["gone"], AgentState.GONE, "went home")
        assert (await boards.clean(1)).closed == ()
        later(2 * DAY)
        assert (await boards.clean()).closed == ()
        assert (await boards.clean(1)).closed == (page["gone"],)


def test_only_what_stands_still_counts() -> None:
    silence = Silence()
    assert silence.look([("a", 1.0), ("b", 1.0)], 0.0) == {"a": (1.0, 0.0), "b": (1.0, 0.0)}
    assert silence.look([("a", 1.0), ("b", 2.0)], 30.0) == {"a": (1.0, 30.0), "b": (2.0, 0.0)}
    assert silence.look([("b", 2.0)], 1000.0) == {"b": (2.0, 45.0)}
    assert silence.look([("a", 1.0), ("b", 2.0)], 1001.0) == {"a": (1.0, 0.0), "b": (2.0, 46.0)}


async def test_on_a_server_its_clock_counts(there: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time
    async with there.boards() as boards:
        page = await Page.of(boards, "boss", "ann")
        before = await boards._read(lambda tx: tx.now)
        monkeypatch.setattr(time, "time", lambda: real() + DAY)
        posted = (await page.post("boss", "@ann@ please", kind=PostKind.REQUEST)).post
        (lease,) = await boards.claim("p", page["ann"], ["a.py"], 60)
        after = await boards._read(lambda tx: tx.now)
        assert before <= posted.at <= after < before + 3600
        assert posted.deadline == round(posted.at + boards.limits.request_seconds, 3)
        assert before + 60 <= lease.until <= after + 60
        assert (await boards.facts((await boards.deliveries())[0].id)).now < before + 3600
