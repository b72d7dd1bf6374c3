"""A full disk, a directory that cannot be written: one clear line, and nothing lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from history.history_kit import CHAT, asked, said

from motet.history import ChatInfo, History, HistoryError

FULL = """
import asyncio, os, resource, sys
from pathlib import Path
from history.history_kit import CHAT, asked
from motet.history import ChatInfo, History, HistoryError

async def main(state):
    history = History.open(Path(state))
    await history.create(ChatInfo(id=CHAT))
    most = 300_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    stored = 0
    while True:
        try:
            await history.append(CHAT, [asked(f"{stored} " + "x" * 5000)])
        except HistoryError as error:
            print(error)
            break
        stored += 1
    for text in ("again", "and again"):
        try:
            await history.append(CHAT, [asked(text + "x" * 50_000)])
        except HistoryError as error:
            print(error)
    assert len((await history.load(CHAT)).messages) == stored
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await history.append(CHAT, [asked("there is room again")])
    print(stored)
    await history.close()

asyncio.run(main(sys.argv[1]))
"""
FORBIDDEN = """
import asyncio, os, sys
from pathlib import Path
from history.history_kit import CHAT, asked
from motet.history import ChatInfo, History, HistoryError, chats, search, store  # before they cannot be read

async def main(state):
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    async with History.open(Path(state)) as history:
        for attempt in (history.create(ChatInfo()), history.append(CHAT, [asked("y")]), history.lease(CHAT)):
            try:
                await attempt
                print("done")
            except HistoryError as error:
                print(error)

asyncio.run(main(sys.argv[1]))
"""


def run(program: str, *arguments: object) -> list[str]:
    """What a process of its own says, line by line."""
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment, capture_output=True, text=True, timeout=60, cwd="/",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


async def test_on_a_full_disk_each_write_says_so_and_what_was_stored_is_there(state: Path) -> None:
    *errors, stored = run(FULL, state)
    assert len(errors) == 3
    for error in errors:
        assert error.startswith(f"{state / 'history.db'}: the disk does not take the chats (disk I/O error)")
        assert error.endswith("what was stored before is safe")
    async with History.open(state) as history:
        texts = said(await history.load(CHAT))
        assert len(texts) == int(stored) + 1
        assert texts[-1] == "question there is room again"
        assert history.notices == []


async def test_a_directory_that_cannot_be_written_is_named(state: Path, tmp_path: Path) -> None:
    async with History.open(state) as history:
        await history.create(ChatInfo(id=CHAT))
        await history.append(CHAT, [asked("x")])
    before = (state / "history.db").read_bytes()
    for path in (tmp_path, state.parent, state):
        path.chmod(0o755)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    if os.getuid() != 0:
        (state / "history.db").chmod(0o400)
        (state / "history.lock").chmod(0o400)
        state.chmod(0o500)
    said_lines = run(FORBIDDEN, state)
    state.chmod(0o700)
    refused = (
        f"{state / 'history.db'}: the chats cannot be stored: no permission to write; make the directory writable"
    )
    assert said_lines == [
        refused,
        refused,
        f"{state / 'leases' / CHAT}: a chat cannot be held: Permission denied; make the directory writable",
    ]
    assert (state / "history.db").read_bytes() == before


@pytest.mark.parametrize("name", ["state", "state/motet/history.db", "state/motet/history.lock"])
async def test_something_else_in_the_way_is_named(tmp_path: Path, name: str) -> None:
    state = tmp_path / "state" / "motet"
    way = tmp_path / name
    way.parent.mkdir(parents=True, exist_ok=True)
    if name == "state":
        way.write_text("a file")
    else:
        way.mkdir()
    async with History.open(state) as history:
        with pytest.raises(HistoryError) as caught:
            await history.create(ChatInfo())
        assert str(caught.value).startswith(f"{state / 'history.db'}: the chats cannot be stored: ")
        assert "\n" not in str(caught.value)
