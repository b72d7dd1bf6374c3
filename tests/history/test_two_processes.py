"""Several processes use the same file."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from history.history_kit import CHAT, asked

from motet.history import ChatInfo, History

WRITER = """
import asyncio, sys
from pathlib import Path
from history.history_kit import asked
from motet.history import ChatInfo, History

async def main(state, chat, count):
    async with History.open(Path(state)) as history:
        assert await history.lease(chat)
        await history.create(ChatInfo(id=chat))
        for n in range(int(count)):
            await history.append(chat, [asked(f"{chat}-{n}")])
        print("done", history.notices, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""
HOLDER = """
import asyncio, sys
from pathlib import Path
from motet.history import History

async def main(state, chat):
    history = History.open(Path(state))
    lease = await history.lease(chat)
    print("held" if lease else "not held", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}


async def start(program: str, *arguments: object) -> asyncio.subprocess.Process:
    """A process of its own; what it says can be read."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, *map(str, arguments),
        env=ENVIRONMENT | {"PATH": os.environ["PATH"]}, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def test_processes_that_write_different_chats_at_once_lose_nothing(state: Path) -> None:
    writers = [await start(WRITER, state, f"chat-{n}", 150) for n in range(3)]
    said = await asyncio.wait_for(asyncio.gather(*(one.communicate() for one in writers)), 60)
    assert [out for out, _ in said] == [b"done []\n"] * 3
    async with History.open(state) as history:
        for n in range(3):
            chat = await history.load(f"chat-{n}")
            assert list(chat.messages) == [asked(f"chat-{n}-{at}") for at in range(150)]
        assert len(await history.search("question", limit=1000)) == 450


async def test_a_chat_that_another_process_holds_is_held_until_that_is_killed(state: Path) -> None:
    async with History.open(state) as history:
        await history.create(ChatInfo(id=CHAT))
        holder = await start(HOLDER, state, CHAT)
        assert holder.stdout is not None
        assert await asyncio.wait_for(holder.stdout.readline(), 30) == b"held\n"
        assert await history.lease(CHAT) is None
        assert await history.holder(CHAT) == holder.pid
        assert (await history.load(CHAT)).messages == ()
        holder.send_signal(signal.SIGKILL)
        await asyncio.wait_for(holder.wait(), 10)
        assert await history.lease(CHAT) is not None


async def test_of_many_that_want_a_chat_one_gets_it(state: Path) -> None:
    wanting = [await start(HOLDER, state, CHAT) for _ in range(4)]
    try:
        said = await asyncio.wait_for(asyncio.gather(*(one.stdout.readline() for one in wanting if one.stdout)), 30)
        assert sorted(said) == [b"held\n", b"not held\n", b"not held\n", b"not held\n"]
    finally:
        for one in wanting:
            one.kill()
            await one.wait()


async def test_what_one_process_stores_another_finds_at_once(state: Path) -> None:
    async with History.open(state) as one, History.open(state) as other:
        assert await other.list() == []
        await one.create(ChatInfo(id=CHAT))
        await one.append(CHAT, [asked("x")])
        assert [info.messages for info in await other.list()] == [1]
        assert len(await other.search("question")) == 1
