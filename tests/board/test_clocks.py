"""Machines that disagree about the time, and clocks that are set: no agent that lives is given up, none that died is kept."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from board.board_kit import Page
from board.places import Place
from board.test_tending import Later, later, watched

from motet.board import AgentState, BoardRefused, Boards, DeliveryState, PostKind, clock
from motet.board.clock import Silence

__all__ = ["later"]
DAY = 86_400.0


@pytest.fixture
def off(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the clock of this process, and of nobody else, to so many seconds beside the right time."""
    at, wrong = clock.at, [0.0]
    monkeypatch.setattr(clock, "at", lambda tx: at(tx) + wrong[0])

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
        assert (await boards.tend(days=500)).reports == ()
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
