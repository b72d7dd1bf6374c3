"""The thread that uses the file."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from history.history_kit import CHAT, asked

from motet.history import ChatInfo, History, HistoryError
from motet.history.worker import worker as new_worker
from motet.storage.worker import MOST_WAITING, Kind


async def test_steps_are_done_in_the_order_in_which_they_were_asked_for(state: Path) -> None:
    worker = new_worker(state, print)
    done: list[int] = []
    kinds = [Kind.READ, Kind.WRITE, Kind.DURABLE, Kind.ALONE]
    await asyncio.gather(*(worker.do(kinds[n % 4], lambda _, n=n: done.append(n)) for n in range(40)))
    assert done == list(range(40))
    await worker.close()


async def test_writes_that_wait_together_share_a_commit_and_each_gets_its_answer(state: Path) -> None:
    worker = new_worker(state, print)
    go = threading.Event()
    commits: list[str] = []
    await worker.do(Kind.ALONE, lambda connection: connection.set_trace_callback(commits.append))
    held = asyncio.create_task(worker.do(Kind.READ, lambda _: go.wait(30)))
    writes = [asyncio.create_task(worker.do(Kind.DURABLE, lambda _, n=n: n)) for n in range(20)]
    await asyncio.sleep(0)
    go.set()
    assert await held
    assert await asyncio.gather(*writes) == list(range(20))
    assert commits.count("COMMIT") == 1
    await worker.close()


async def test_no_more_than_a_bounded_number_of_steps_wait(state: Path) -> None:
    worker = new_worker(state, print)
    go = threading.Event()
    steps = [asyncio.create_task(worker.do(Kind.ALONE, lambda _: go.wait(30))) for _ in range(MOST_WAITING + 50)]
    await asyncio.sleep(0)
    assert len(worker._waiting) <= MOST_WAITING
    go.set()
    assert all(await asyncio.gather(*steps))
    await worker.close()


async def test_what_a_step_raises_reaches_who_asked_for_it_and_nobody_else(state: Path) -> None:
    worker = new_worker(state, print)

    def fails(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (a)")
        raise ValueError("no")

    outcomes = await asyncio.gather(
        worker.do(Kind.DURABLE, lambda _: 1), worker.do(Kind.DURABLE, fails), worker.do(Kind.DURABLE, lambda _: 2),
        return_exceptions=True,
    )  # fmt: skip
    assert [str(outcome) for outcome in outcomes] == ["1", "no", "2"]
    tables = await worker.do(
        Kind.READ, lambda c: c.execute("SELECT * FROM sqlite_schema WHERE name = 'half'").fetchall()
    )
    assert tables == []
    await worker.close()


async def test_what_waits_when_it_is_closed_is_done(state: Path) -> None:
    history = History.open(state)
    await history.create(ChatInfo(id=CHAT))
    waiting = [asyncio.create_task(history.append(CHAT, [asked(str(n))])) for n in range(20)]
    await asyncio.sleep(0)
    await history.close()
    await asyncio.gather(*waiting)
    async with History.open(state) as again:
        assert len((await again.load(CHAT)).messages) == 20


def test_nothing_of_sqlite_is_imported_before_it_is_used() -> None:
    code = "import sys, motet.history; print('sqlite3' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False\n"


async def test_without_sqlite_each_step_says_so(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "motet.history.store", raising=False)
    monkeypatch.setitem(sys.modules, "motet.history.store", None)  # as when it cannot be imported
    async with History.open(state) as history:
        with pytest.raises(HistoryError, match=r"this Python cannot store chats .*; use one that comes with SQLite"):
            await history.list()
