"""A damaged file is set aside, said to be, and what can be read of it is kept."""

from __future__ import annotations

import fcntl
import os
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from history.history_kit import CHAT, OTHER, answered, asked, said

from motet.history import ChatInfo, History, HistoryError
from motet.messages import Message
from motet.storage.places import make_private

PAGE = 4096
EVERY = os.environ.get("MOTET_KILL_ALL") == "1"
"""All steps, for the soak run."""
MESSAGES = [asked(f"q{n} {'text ' * 100}", n // 2 + 1) for n in range(400)]


async def make(state: Path) -> bytes:
    """A file with two chats, all of it in `history.db`; its bytes."""
    async with History.open(state) as history:
        await history.create(ChatInfo(id=CHAT, title="first", workspace="/w", draft="half"))
        await history.append(CHAT, MESSAGES)
        await history.create(ChatInfo(id=OTHER, title="second", workspace="/w"))
        await history.append(OTHER, [asked("other")])
        await history.partial(OTHER, answered("begun"))
    return (state / "history.db").read_bytes()


def root_page(state: Path, table: str) -> int:
    """The first page of a table, from 1."""
    connection = sqlite3.connect(state / "history.db")
    try:
        return connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
    finally:
        connection.close()


def page_with(data: bytes, word: bytes) -> int:
    """The last page, from 1, that holds `word`."""
    return data.rindex(word) // PAGE + 1


def without(data: bytes, page: int) -> bytes:
    """`data` with zeros instead of that page."""
    return data[: (page - 1) * PAGE] + bytes(PAGE) + data[page * PAGE :]


def aside(state: Path) -> list[Path]:
    """Files that were set aside."""
    return sorted(state.glob("history.db.damaged-*"))


NOTICE = r"{}: the file of chats was damaged; it is kept as {}; saved from it: {} chats, {} messages"


def assert_noticed(history: History, state: Path, chats: str, messages: str) -> None:
    """One notice, with these counts."""
    (file,) = [path for path in aside(state) if not path.name.endswith(("-wal", "-shm"))]
    (notice,) = history.notices
    pattern = NOTICE.format(re.escape(str(state / "history.db")), re.escape(file.name), chats, messages)
    assert re.fullmatch(pattern, notice)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: random.Random(1).randbytes(len(data)),
        lambda _: b"not a database at all",
        lambda data: data[:100],
    ],
    ids=["random bytes", "another file", "only a header"],
)
async def test_a_file_that_is_none_is_set_aside_byte_for_byte(state: Path, damage: Callable[[bytes], bytes]) -> None:
    damaged = damage(await make(state))
    (state / "history.db").write_bytes(damaged)
    async with History.open(state) as history:
        assert await history.list() == []
        assert_noticed(history, state, "0", "0")
        await history.create(ChatInfo(id=CHAT))
        await history.append(CHAT, [asked("new")])
    assert [path.read_bytes() for path in aside(state)] == [damaged]
    async with History.open(state) as history:
        assert said(await history.load(CHAT)) == ["question new"]
        assert history.notices == []


async def test_of_a_file_without_its_first_page_what_is_on_the_others_is_saved(state: Path) -> None:
    whole = await make(state)
    (state / "history.db").write_bytes(bytes(PAGE) + whole[PAGE:])
    async with History.open(state) as history:
        assert (await history.load(CHAT)).messages == tuple(MESSAGES)
        assert_noticed(history, state, "2", "401")
        assert len(await history.search("q200", limit=10)) == 1


async def test_what_was_purged_stays_so_when_pages_are_searched_for_rows(state: Path) -> None:
    await make(state)
    async with History.open(state) as history:
        await history.purge(CHAT)
    whole = (state / "history.db").read_bytes()
    (state / "history.db").write_bytes(bytes(PAGE) + whole[PAGE:])
    async with History.open(state) as history:
        assert [info.id for info in await history.list()] == [OTHER]
        assert_noticed(history, state, "1", "1")


async def test_an_empty_file_that_was_there_is_begun_anew_with_one_line(state: Path) -> None:
    await make(state)
    (state / "history.db").write_bytes(b"")
    async with History.open(state) as history:
        assert await history.list() == []
        assert history.notices == [f"{state / 'history.db'}: the file of chats was empty; it is begun anew"]
        await history.create(ChatInfo(id=CHAT))
    async with History.open(state) as history:
        assert [info.id for info in await history.list()] == [CHAT]
        assert history.notices == []


async def test_a_file_that_another_process_is_making_is_not_called_empty(state: Path) -> None:
    make_private(state / "history.db")
    make_private(state / "history.lock")
    with (state / "history.lock").open("r+b") as guard:
        fcntl.flock(guard, fcntl.LOCK_SH)  # as it has until it is done
        async with History.open(state) as history:
            assert await history.list() == []
            assert history.notices == []


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
async def test_of_a_truncated_file_what_is_left_is_saved(state: Path, share: float) -> None:
    whole = await make(state)
    damaged = whole[: int(len(whole) * share)]
    (state / "history.db").write_bytes(damaged)
    async with History.open(state) as history:
        infos = await history.list()
        assert_noticed(history, state, str(len(infos)), r"\d+")
        saved = [message for info in infos for message in (await history.load(info.id)).messages]
        originals = {message.id: message for message in [*MESSAGES, asked("other"), answered("begun")]}
        assert saved
        assert [one for one in saved if one.with_meta(partial=False) != originals[one.id]] == []
        assert len(await history.search("question", limit=1000)) == len(
            [one for one in saved if "question" in one.text]
        )
    assert aside(state)[0].read_bytes() == damaged


async def test_of_a_file_with_a_lost_page_of_messages_all_others_are_saved(state: Path) -> None:
    whole = await make(state)
    (state / "history.db").write_bytes(without(whole, page_with(whole, b"q200 ")))
    async with History.open(state) as history:
        chat = await history.load(CHAT)
        assert_noticed(history, state, "2", str(len(chat.messages) + 1))
        assert (chat.info.title, chat.info.draft, chat.info.messages) == ("first", "half", len(chat.messages))
        assert 380 <= len(chat.messages) < 400
        assert MESSAGES[200] not in chat.messages
        assert said(await history.load(OTHER)) == ["question other", "answer begun"]
        await history.append(CHAT, [asked("next")])


async def test_of_a_file_whose_index_is_lost_everything_is_saved(state: Path) -> None:
    whole = await make(state)
    (state / "history.db").write_bytes(without(whole, root_page(state, "found_data")))
    async with History.open(state) as history:
        assert len(await history.search("question", limit=1000)) == 401
        assert_noticed(history, state, "2", "401")
        assert list((await history.load(CHAT)).messages) == MESSAGES


async def test_messages_whose_chat_is_lost_get_another(state: Path) -> None:
    whole = await make(state)
    (state / "history.db").write_bytes(without(whole, root_page(state, "chats")))
    async with History.open(state) as history:
        infos = await history.list()
        assert {info.title for info in infos} == {"Saved from a damaged file"}
        assert sorted(info.messages for info in infos) == [1, 400]
        assert_noticed(history, state, "2", "401")


async def test_damage_that_is_met_while_writing_loses_nothing_that_is_written(state: Path) -> None:
    await make(state)
    root = root_page(state, "messages_in_order")
    async with History.open(state) as history:
        assert len(await history.list()) == 2
        path = state / "history.db"
        path.write_bytes(without(path.read_bytes(), root))
        assert len(await history.search("question")) == 20  # another table: nobody has noticed
        connection_is_fresh = History.open(state)
        with pytest.raises(HistoryError, match="is damaged and another motet has it open; close all others"):
            await connection_is_fresh.append(CHAT, [asked("new")])
        await connection_is_fresh.close()
    async with History.open(state) as history:
        await history.append(CHAT, [asked("new")])
        assert list((await history.load(CHAT)).messages) == [*MESSAGES, asked("new")]
        assert_noticed(history, state, "2", "401")


async def test_what_is_in_the_log_of_writes_is_saved_too(state: Path) -> None:
    await make(state)
    keeper = sqlite3.connect(state / "history.db")  # so that closing does not empty the log
    keeper.execute("SELECT 1 FROM chats").fetchone()
    async with History.open(state) as history:
        await history.append(OTHER, [asked("in the log")])
    wal = (state / "history.db-wal").read_bytes()
    assert wal
    data = (state / "history.db").read_bytes()
    copy = state.parent / "copy"
    copy.mkdir()
    (copy / "history.db").write_bytes(without(data, page_with(data, b"q200 ")))
    (copy / "history.db-wal").write_bytes(wal)
    keeper.close()
    async with History.open(copy) as history:
        await history.load(CHAT)
        assert "question in the log" in said(await history.load(OTHER))
    assert any(b"question in the log" in path.read_bytes() for path in aside(copy))


async def test_a_file_that_is_taken_away_is_not_written_in_the_dark(state: Path) -> None:
    async with History.open(state) as history:
        await history.create(ChatInfo(id=CHAT))
        (state / "history.db").rename(state / "moved.db")
        with pytest.raises(HistoryError, match="no chat"):
            await history.append(CHAT, [asked("x")])
        await history.create(ChatInfo(id=CHAT))
        await history.append(CHAT, [asked("x")])
    async with History.open(state) as history:
        assert (await history.load(CHAT)).messages == (asked("x"),)


REPAIRER = """
import asyncio, os, signal, sys
from pathlib import Path
from history.history_kit import CHAT
from motet.history import History, salvage, store

left = int(sys.argv[2])
STEPS = ("os.link", "os.rename", "os.remove", "os.chmod", "sqlite3.connect", "sqlite3.connect/handle")

def count(event, _):
    global left
    if event in STEPS:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

async def main(state):
    sys.addaudithook(count)
    async with History.open(Path(state)) as history:
        await history.load(CHAT)

asyncio.run(main(sys.argv[1]))
"""


def repair_killed(state: Path, number: int) -> int:
    """Open the file in a process that kills itself at this step; how it ended."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    program = [sys.executable, "-c", REPAIRER, str(state), str(number)]
    return subprocess.run(program, env=environment, timeout=60, check=False).returncode


async def test_killed_while_it_sets_a_file_aside_nothing_is_lost(state: Path) -> None:
    whole = await make(state)
    damaged = without(whole, page_with(whole, b"q200 "))
    killed, saved = 0, set[int]()
    for number in range(1, 40, 1 if EVERY else 2):
        for path in state.iterdir():
            if path.is_file():
                path.unlink()
        (state / "history.db").write_bytes(damaged)
        code = repair_killed(state, number)
        async with History.open(state) as history:
            chat = await history.load(CHAT)
            saved.add(len(chat.messages))
            assert said(await history.load(OTHER)) == ["question other", "answer begun"]
        assert not (state / "history.db.saved").exists()
        assert damaged in [path.read_bytes() for path in aside(state)]
        if code == 0:
            break
        killed += 1
    assert killed >= 3
    assert len(saved) == 1


def test_the_messages_of_these_tests_are_distinct() -> None:
    assert len({message.id for message in MESSAGES}) == len(MESSAGES)
    assert all(isinstance(message, Message) for message in MESSAGES)
