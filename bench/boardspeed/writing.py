"""How many posts are stored in a second, one process and one board, each told to its sender when it is on the disk."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time

from measure.table import Measured

from boardspeed.places import LIMITS, Store, engine, joined, opened
from motet.board import Draft
from motet.board.database import Tx
from motet.board.members import Members
from motet.board.posting import Posting

WRITERS = 32
_BODY = (
    "@{whom} step {number} is done: 3 of 4 tests pass, src/auth/login.ts is next. ログインの修正を確認してください。"
)
AT_LEAST = {"SQLite": 2_000.0, "PostgreSQL": 1_500.0}
_SLOW_SYNC = 0.3
"""Milliseconds of an fsync from which on storing together has to pay."""


async def rates(store: Store, rounds: int, posts: int) -> list[Measured]:
    """Posts in a second by 32 writers, together and one transaction for each, in turns; processor time of a post."""
    together: list[float] = []
    apart: list[float] = []
    cpu: list[float] = []
    for number in range(rounds + 1):
        one, used = await _together(store.place(), posts)
        other = await _apart(store.place(), posts // 4)
        if number:
            together.append(one)
            cpu.append(used * 1e3)
            apart.append(other)
    sync = fsync_ms()
    # A disk that is as fast as memory has nothing to share.
    pays = 5.0 if sync >= _SLOW_SYNC else None
    name = f"{store.engine}: posts of {WRITERS} writers"
    return [
        Measured(f"{name}, stored together", "posts/s", together, at_least=AT_LEAST[store.engine]),
        Measured(
            f"{name}, above one transaction each (an fsync takes {sync:.2f} ms)",
            *("posts/s", together),
            beside="one transaction each",
            beside_values=apart,
            at_least=pays,
        ),
        Measured(f"{store.engine}: processor time of a post", "ms", cpu),
    ]


async def _together(at: str, posts: int) -> tuple[float, float]:
    """Posts in a second, and seconds of this process's processor time for one."""
    async with opened(at) as boards:
        board, writers = await joined(boards, *(f"w{n}" for n in range(WRITERS)))

        async def write(number: int) -> None:
            for each in range(posts // WRITERS):
                await boards.post(_draft(board, writers, number, each))

        began, used = time.perf_counter(), time.process_time()
        await asyncio.gather(*map(write, range(WRITERS)))
        many = posts // WRITERS * WRITERS
        return many / (time.perf_counter() - began), (time.process_time() - used) / many


async def _apart(at: str, posts: int) -> float:
    """The same posts, a transaction for each: no thread and no loop stand between, which is in its favour."""
    async with opened(at) as boards:
        board, writers = await joined(boards, *(f"w{n}" for n in range(WRITERS)))
    database, members = engine(at), Members()
    drafts = [_draft(board, writers, n % WRITERS, n // WRITERS) for n in range(posts)]
    began = time.perf_counter()
    for draft in drafts:

        def store(tx: Tx, draft: Draft = draft) -> object:
            return Posting(tx, round(time.time(), 3), LIMITS, members).append([draft])

        database.write([store], durable=True)
    rate = posts / (time.perf_counter() - began)
    database.close()
    return rate


def _draft(board: str, writers: list[str], number: int, each: int) -> Draft:
    body = _BODY.format(whom=writers[(number + 1) % WRITERS], number=each)
    return Draft(board, writers[number], body, key=f"{number}-{each}", by_human=True)


def fsync_ms() -> float:
    """What an fsync of a small append takes here, in milliseconds."""
    taken: list[float] = []
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        for _ in range(50):
            file.write(b"x" * 4096)
            began = time.perf_counter()
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - began) * 1e3)
    return statistics.median(taken)
