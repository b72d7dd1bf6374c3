"""One client, call by call, where a moment matters that no process can be stopped at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from mcp.client.client import Client

from motet.board import Boards, Delivery, DeliveryState, Seat
from motet.errors import MotetError
from motet.mcp import Asked, server
from motet.mcp.caller import Caller, Place
from motet.mcp.identity import take_identity
from motet.paths import state_dir


@pytest.fixture
async def caller(place: Path, boards: Boards) -> AsyncIterator[Caller]:
    found = Caller(Place(boards, str(place), place, str(place), state_dir(), Asked(patience=30)), "s")
    yield found
    await found.close("over")


async def test_a_wait_that_is_given_up_just_as_something_was_leased_gives_it_back(
    caller: Caller, boards: Boards, human: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    leased = asyncio.Event()
    pull = boards.pull

    async def stuck(address: str, limit: int = 20) -> list[Delivery]:
        found = await pull(address, limit)
        if found:
            leased.set()
            await asyncio.Event().wait()
        return found

    address = (await caller.sit("ann")).seat.address
    monkeypatch.setattr(boards, "pull", stuck)
    waiting = asyncio.create_task(caller.call("ann", "board_wait", {"seconds": 30}, "0"))
    await human.post(f"@{address} now")
    await leased.wait()
    monkeypatch.setattr(boards, "pull", pull)
    waiting.cancel()
    await asyncio.wait([waiting])
    output = await caller.call("ann", "board_wait", {"seconds": 30}, "1")
    assert output.text.endswith(f"\n│ @{address} now")


async def test_a_call_proves_what_was_answered_before_and_nothing_that_is_still_on_its_way(
    caller: Caller, boards: Boards, human: Seat
) -> None:
    address = (await caller.sit("ann")).seat.address

    async def states() -> Sequence[tuple[DeliveryState, str]]:
        return [(one.state, one.turn) for one in await boards.deliveries(recipient=address)]

    waiting = asyncio.create_task(caller.call("ann", "board_wait", {"seconds": 30}, "0"))
    await caller.came("1")
    await human.post(f"@{address} now")
    await waiting
    assert await states() == [(DeliveryState.LEASED, "")]
    await caller.came("2")
    assert await states() == [(DeliveryState.IN_CONTEXT, "mcp:s:2")]
    await caller.came("3")
    assert await states() == [(DeliveryState.IN_CONTEXT, "mcp:s:2")]


async def test_an_answer_that_crosses_the_giving_up_of_its_call_was_not_received(
    caller: Caller, boards: Boards, human: Seat
) -> None:
    address = (await caller.sit("ann")).seat.address
    await human.post(f"@{address} now")
    await caller.call("ann", "board_wait", {"seconds": 30}, "0")
    caller.gave_up("0")
    await caller.came("1")
    assert (await caller.call("ann", "board_wait", {"seconds": 30}, "1")).text.endswith(f"\n│ @{address} now")
    shown = await caller.call("ann", "board_read", {}, "2")
    assert shown.text.endswith(f"\n│ @{address} now")
    for request in ("1", "2", "none"):
        caller.gave_up(request)
    await caller.came("3")
    assert [one.turn for one in await boards.deliveries(recipient=address)] == [""]


async def test_a_call_that_was_given_up_in_its_last_moment_gives_nothing_away(
    caller: Caller, boards: Boards, human: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = (await caller.sit("ann")).seat.address
    await human.post(f"@{address} now")
    pull = boards.pull

    async def late(address: str, limit: int = 20) -> list[Delivery]:
        caller.gave_up("0")
        return await pull(address, limit)

    monkeypatch.setattr(boards, "pull", late)
    await caller.call("ann", "board_wait", {"seconds": 30}, "0")
    monkeypatch.setattr(boards, "pull", pull)
    await caller.came("1")
    assert (await caller.call("ann", "board_wait", {"seconds": 30}, "1")).text.endswith(f"\n│ @{address} now")


async def test_two_waits_of_one_client_share_nothing(caller: Caller, human: Seat) -> None:
    address = (await caller.sit("ann")).seat.address
    waits = [asyncio.create_task(caller.call("ann", "board_wait", {"seconds": 5}, str(one))) for one in range(2)]
    await human.post(f"@{address} once")
    texts = sorted(output.text.splitlines()[-1] for output in await asyncio.gather(*waits))
    assert texts == [
        "Nothing came within 5 s. Go on with something else; what comes is kept for you: call `board_wait` again when you "
        "have time.",
        f"│ @{address} once",
    ]


async def test_a_client_that_asked_for_progress_hears_that_a_wait_goes_on(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PULSE", 0.05)
    heard: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async with Client(server.serving(caller)) as client:
        await client.call_tool("board_wait", {"seconds": 1}, progress_callback=progress)
    assert len(heard) >= 3
    assert set(heard) == {"waiting for posts"}


def test_identities_are_held_one_by_one_and_given_again(tmp_path: Path) -> None:
    one, two = (take_identity(tmp_path, "claude code", "", "/here") for _ in range(2))
    other = take_identity(tmp_path, "claude code", "", "/there")
    assert ([one.name, two.name], len({one.id, two.id, other.id})) == (["claude-code", "claude-code"], 3)
    one.lease.close()
    assert take_identity(tmp_path, "claude code", "", "/here").id == one.id
    assert take_identity(tmp_path, "@@ 🙂", "", "/here").name == "mcp"
    assert take_identity(tmp_path, "All", "", "/here").name == "mcp"
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(MotetError, match=r"cannot be written: Not a directory; make the directory writable$"):
        take_identity(blocked, "ann", "", "/here")
