"""One that writes and was stopped is named to who waits for it."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from motet.board import BoardError, Boards
from motet.board.sqlite import SqliteDatabase
from motet.storage import turns

STOPS = """
import os, signal, sys
from pathlib import Path
from motet.board.sqlite import SqliteDatabase

def work(tx):
    tx.run("UPDATE counters SET value = value + 1 WHERE name = 'leases'")
    os.kill(os.getpid(), signal.SIGSTOP)

SqliteDatabase(Path(sys.argv[1])).write([work], durable=True)
"""


def _stopped_writer(state: Path) -> subprocess.Popen[bytes]:
    writer = subprocess.Popen([sys.executable, "-c", STOPS, str(state)])
    os.waitid(os.P_PID, writer.pid, os.WSTOPPED | os.WNOWAIT)
    return writer


async def test_a_writer_that_was_stopped_is_named_and_nothing_is_stuck_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "LOOK", 0.2)
    async with Boards.in_directory(tmp_path) as boards:
        await boards.open("/p", "one")
        writer = _stopped_writer(tmp_path)
        try:
            for _ in range(2):
                with pytest.raises(BoardError) as refused:
                    await boards.open("/p", "two")
                assert str(refused.value) == (
                    f"{tmp_path}/boards.db: process {writer.pid} was stopped (Ctrl-Z) while it wrote; let it go on with "
                    f"`fg` or `kill -CONT {writer.pid}`; nothing was stored"
                )
            assert [board.name for board in await boards.boards()] == ["one"]  # who reads waits for nobody
        finally:
            writer.send_signal(signal.SIGCONT)
        assert writer.wait(60) == 0
        for name in ("two", "three"):
            await boards.open("/p", name)
    found = SqliteDatabase(tmp_path).read(lambda tx: tx.one("SELECT value FROM counters WHERE name = 'leases'"))
    assert found == (1,)


@pytest.mark.acceptance("S4-060")
async def test_who_writes_for_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LOOK", 0.1)
    monkeypatch.setattr(turns, "MOST", 0.3)
    async with Boards.in_directory(tmp_path) as boards:
        await boards.open("/p", "one")
        with (tmp_path / "boards.lock").open("r+") as lock, turns.turn(lock.fileno(), Path(lock.name)):
            with pytest.raises(BoardError) as refused:
                await boards.open("/p", "two")
            assert str(refused.value) == (
                f"{tmp_path}/boards.db: process {os.getpid()} has been writing for too long; try again when it is done; "
                "nothing was stored"
            )
        assert (await boards.open("/p", "two")).name == "two"


def _waiting() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "motet-turn"]


def test_who_asks_again_and_again_waits_in_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LOOK", 0.02)
    monkeypatch.setattr(turns, "MOST", 0.04)
    path = tmp_path / "lock"
    with path.open("w") as held, path.open("r+") as wanted:
        with turns.turn(held.fileno(), path):
            descriptors = len([*Path("/proc/self/fd").iterdir()])
            for _ in range(5):
                with pytest.raises(turns.TurnOver), turns.turn(wanted.fileno(), path):
                    raise AssertionError
            [waiting] = _waiting()
            assert len([*Path("/proc/self/fd").iterdir()]) == descriptors + 1
        waiting.join(10)
        assert len([*Path("/proc/self/fd").iterdir()]) == descriptors
        with turns.turn(wanted.fileno(), path), pytest.raises(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_who_takes_the_place_of_one_that_gave_up_has_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "LOOK", 0.02)
    monkeypatch.setattr(turns, "MOST", 0.04)
    path = tmp_path / "lock"
    with path.open("w") as held, path.open("r+") as wanted:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(turns.TurnOver), turns.turn(wanted.fileno(), path):
            raise AssertionError
        monkeypatch.setattr(turns, "MOST", 60.0)
        threading.Timer(0.1, lambda: fcntl.flock(held, fcntl.LOCK_UN)).start()
        with turns.turn(wanted.fileno(), path), pytest.raises(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
