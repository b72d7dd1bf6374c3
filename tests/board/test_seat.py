"""One agent's place: it acts as itself and as nobody else."""

from __future__ import annotations

import asyncio

import pytest
from board.board_kit import PROJECT

from motet.board import AgentKind, BoardRefused, Boards, DeliveryState, NewAgent, Outcome, Seat


async def _two(boards: Boards) -> tuple[Seat, Seat]:
    one = await Seat.take(boards, PROJECT, NewAgent("one", AgentKind.CHAT, "1"))
    return one, await Seat.take(boards, PROJECT, NewAgent("two", AgentKind.CHAT, "2"))


async def test_a_post_wakes_who_waits_and_its_answer_comes_back(boards: Boards) -> None:
    one, two = await _two(boards)
    waits = asyncio.create_task(two.wait(20))
    await asyncio.sleep(0)
    await one.post(f"@{two.address} please review")
    (delivery,) = await waits
    assert await two.carried([delivery], "turn-1") == [delivery.id]
    await two.reply(delivery.post.id, "Looks right to me; one name is misleading.")
    settled = await two.settle(delivery.id, Outcome(DeliveryState.ACKED, tokens=100, cost=0.01))
    assert (settled.state, settled.turn) == (DeliveryState.ANSWERED, "turn-1")
    (answer,) = await one.pull()
    assert (answer.post.body, answer.post.reply_to) == (
        "Looks right to me; one name is misleading.",
        delivery.post.id,
    )
    assert (answer.budget.hops, delivery.budget.hops) == (5, 6)
    await one.leave()
    await two.leave()


async def test_files_that_are_claimed_are_refused_to_others(boards: Boards) -> None:
    one, two = await _two(boards)
    await one.claim(["src/auth/**"], task="login")
    with pytest.raises(BoardRefused, match=rf"^src/auth/login.ts is claimed by {one.address} for “login”"):
        await two.claim(["src/auth/login.ts"])
    with pytest.raises(BoardRefused, match=rf"^src/auth/login.ts is claimed by {one.address}"):
        await two.check_write("src/auth/login.ts")
    await one.check_write("src/auth/login.ts")
    await two.check_write("src/other.ts")
    assert await one.release() == 1
    await two.check_write("src/auth/login.ts")
    await one.leave()
    await two.leave()
