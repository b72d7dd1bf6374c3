"""Clients that cancel a call after its answer, as some do with each: what they got is not given again."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from mcp_server.mcp_kit import raw

from motet.board import DeliveryState, Seat


async def test_a_late_cancel_delivers_nothing_again(place: Path, human: Seat) -> None:
    async with raw(place) as ann:
        await human.post("@ann one")
        await human.post("@All two")
        seen = Counter[str]()
        for _ in range(4):
            seen.update(re.findall(r"^#\d", await ann.call("wait", seconds=0.1), re.MULTILINE))
            await ann.cancel()
            await ann.call("agents")
            await ann.cancel()
        found = {one.post.seq: one.state for one in await human.boards.deliveries()}
    assert seen == {"#1": 1, "#2": 1}
    assert found == {1: DeliveryState.ACKED, 2: DeliveryState.ACKED}


async def test_the_next_answer_names_what_a_late_cancel_may_have_lost(place: Path, human: Seat) -> None:
    told = (
        "\n(You cancelled a call after it had been answered with {}. If you did not get it: `board_read`.)"
    ).format
    async with raw(place) as ann:
        await human.post("@ann one")
        await human.post("@ann two")
        assert "│ @ann two" in await ann.call("wait", seconds=0.1)
        await ann.cancel()
        assert (await ann.call("agents")).endswith(told("general#1 to general#2"))
        assert "cancelled" not in await ann.call("agents")
        await human.post("@ann three")
        assert "│ @ann three" in await ann.call("read", limit=1)
        await ann.cancel()
        assert (await ann.call("wait", seconds=0.1)).endswith(told("general#3"))
