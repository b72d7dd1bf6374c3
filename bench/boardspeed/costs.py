"""What single steps of boards take, measured one after the other on a store of its own: what `board_sim.py` reckons with."""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from boardspeed.places import Store, engine, joined, opened
from motet.board import DeliveryState, Draft, Outcome

FILE = Path(__file__).with_suffix(".json")
_AT_ONCE = 64


@dataclass(frozen=True)
class Costs:
    """Milliseconds of one step by one client with nobody else there, the way to the store and back included. `write`: a
    transaction; `post`: each post in it; `look`: whether anything waits, for one agent; `looker`: for each further one of
    the same process; `pull`, `carried`, `settle`: what a delivery takes until it is done. Bytes: of a post with its
    place in the index, of a delivery."""

    write: float
    post: float
    look: float
    looker: float
    pull: float
    carried: float
    settle: float
    post_bytes: int
    delivery_bytes: int

    @property
    def delivery(self) -> float:
        """Milliseconds of the writers' turn that a delivery takes until it is done."""
        return self.pull + self.carried + self.settle


async def measured(store: Store, rounds: int) -> Costs:
    """The medians of `rounds`, on a board with some posts."""
    at = store.place()
    async with opened(at) as boards:
        board, (writer, *others) = await joined(boards, "writer", *(f"a{n}" for n in range(100)))

        async def post(many: int, whom: str = "") -> None:
            bodies = [_body(whom, random.randrange(1 << 30)) for _ in range(many)]
            await asyncio.gather(*(boards.post(Draft(board, writer, body, by_human=True)) for body in bodies))

        for _ in range(20):
            await post(_AT_ONCE)
        single = await _median(rounds, lambda: post(1))
        together = await _median(rounds, lambda: post(_AT_ONCE))
        each = max((together - single) / (_AT_ONCE - 1), 0.0)
        look = await _median(rounds, lambda: boards.pull(others[0]))
        everyone = await _median(rounds, lambda: asyncio.gather(*map(boards.pull, others)))
        taken: dict[str, list[float]] = {"pull": [], "carried": [], "settle": []}
        for _ in range(rounds):
            await post(1, others[1])
            began = time.perf_counter()
            (one,) = await boards.pull(others[1])
            pulled = time.perf_counter()
            await boards.carried(others[1], [one.id], "turn")
            carried = time.perf_counter()
            await boards.settle(others[1], one.id, Outcome(DeliveryState.ACKED, tokens=100, cost=0.01))
            taken["pull"].append((pulled - began) * 1e3)
            taken["carried"].append((carried - pulled) * 1e3)
            taken["settle"].append((time.perf_counter() - carried) * 1e3)
        before = _size(at)
        for _ in range(40):
            await post(_AT_ONCE)
        between = _size(at)
        for _ in range(40):
            await post(_AT_ONCE, others[2])
        after = _size(at)
    many = 40 * _AT_ONCE
    bytes_of_post = (between - before) // many
    return Costs(
        *(round(single - each, 3), round(each, 3), round(look, 3), round(max(everyone - look, 0.0) / 99, 4)),
        *(round(statistics.median(taken[name]), 3) for name in ("pull", "carried", "settle")),
        *(bytes_of_post, max((after - between) // many - bytes_of_post, 0)),
    )


def write(found: dict[str, Costs]) -> None:
    """Keep them for `read`."""
    FILE.write_text(json.dumps({name: asdict(costs) for name, costs in found.items()}, indent=2) + "\n")


def read() -> dict[str, Costs]:
    """By engine."""
    return {name: Costs(**costs) for name, costs in json.loads(FILE.read_text()).items()}


def _body(whom: str, number: int) -> str:
    call = f"@{whom} " if whom else ""
    return (
        f"{call}step {number} is done: 3 of 4 tests pass, src/part_{number % 40}/file_{number % 977}.py is next. 修正を確認。"
        * 2
    )


async def _median(rounds: int, work: Callable[[], Awaitable[object]]) -> float:
    taken: list[float] = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - began) * 1e3)
    return statistics.median(taken[1:])


def _size(at: str) -> int:
    """Bytes of the store."""
    database = engine(at)
    if at.startswith("postgresql:"):
        asked = (
            "SELECT CAST(sum(pg_total_relation_size(c.oid)) AS BIGINT) FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'"
        )
    else:
        asked = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    row = database.read(lambda tx: tx.one(asked))
    database.close()
    assert row is not None
    return int(row[0])
