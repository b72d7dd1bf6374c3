"""Keys that a human types in Neovim while others write on the board that he looks at."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from chatspeed.provider import percentile
from measure.run import BenchError
from measure.table import Measured, say
from nvimspeed.editor import HERE, Editor, editor

from boardspeed.hearing import apart, end
from boardspeed.places import LIMITS
from motet.board import AgentKind, Boards, Draft, NewAgent, Seat

AGENTS = 50
SIZE, POST = 10_000_000, 4_000
"""Bytes of the board, and of a post on it."""
_RATE = 20.0
"""Posts in a second, of all agents."""
_NOBODY = "http://127.0.0.1:9"


def typing(rounds: int, keys: int) -> list[Measured]:
    """Keys to the screen: on a board of 10 MB that 50 agents write on, beside a buffer of nothing in the same editor; and
    while ten processes post a thousand posts."""
    quiet: list[float] = []
    busy: list[float] = []
    burst: list[float] = []
    memory: list[float] = []
    for number in range(rounds):
        say(f"keys, round {number + 1} …")
        with editor(_NOBODY, "driver", str(HERE / "init.lua")) as vim:
            state, root = (
                Path(str(vim.lua("return vim.env.XDG_STATE_HOME"))) / "motet",
                str(vim.lua("return vim.fn.getcwd()")),
            )
            asyncio.run(_fill(state, root))
            vim.lua("vim.cmd('enew | set buftype=nofile') vim.cmd.startinsert()")
            vim.wait(0.3)
            quiet.append(percentile(_keys(vim, keys), 0.95))
            vim.lua("vim.cmd.stopinsert() vim.cmd.runtime('plugin/motet.lua') vim.cmd('Motet board general')")
            vim.wait_for(
                lambda: vim.lua("return vim.api.nvim_buf_line_count(require('motet.board').current().buf)") > 700,
                "the board",
            )  # type: ignore[operator]
            vim.press("i")
            vim.wait(0.5)
            child = apart(lambda state=state, root=root: _write(state, root, range(AGENTS), _RATE))
            try:
                vim.wait(2.0)
                busy.append(percentile(_keys(vim, keys), 0.95))
                memory.append(_memory(vim))
            finally:
                end([child])
            burst.append(percentile(_burst(vim, state, root, keys), 0.95))
    return [
        Measured(
            f"a board of 10 MB that {AGENTS} agents write on ({_RATE:g} posts/s), a key to the screen, p95",
            "ms",
            busy,
            16,
        ),
        Measured("the same, beside", "ms", busy, None, "an empty buffer, nobody writes", quiet),
        Measured("10 processes post 1,000 posts meanwhile, a key to the screen, p95", "ms", burst),
        Measured("memory of the program behind the editor", "MB", memory, 150),
    ]


def _keys(vim: Editor, many: int) -> list[float]:
    """Milliseconds from a key to its letter on the screen."""
    took: list[float] = []
    for number in range(many):
        letter = chr(0xAC00 + number % 5_000)
        vim.drawn.clear()
        began = time.monotonic()
        vim.press(letter)
        vim.wait_for(lambda letter=letter: any(letter in text for _, text in vim.drawn), "a letter")
        took.append(1e3 * (time.monotonic() - began))
        vim.wait(0.02)
    return took


def _burst(vim: Editor, state: Path, root: str, keys: int) -> list[float]:
    before = asyncio.run(_last(state, root))
    children = [apart(lambda n=n: _write(state, root, range(n, n + 1), 0.0, 100)) for n in range(10)]
    took = _keys(vim, keys)
    for child in children:
        os.waitpid(child, 0)
    last = asyncio.run(_last(state, root))
    if last != before + 1000:
        raise BenchError(f"{last - before} posts instead of 1,000")
    vim.wait_for(
        lambda: vim.lua("return require('motet.board').current().status.last") == last, "all posts on the page"
    )
    return took


def _memory(vim: Editor) -> float:
    """Megabytes that the program has had at most."""
    children = Path(f"/proc/{vim.pid}/task/{vim.pid}/children").read_text().split()
    status = "".join(Path(f"/proc/{child}/status").read_text() for child in children)
    return max(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1000


async def _fill(state: Path, root: str) -> None:
    async with Boards.in_directory(state, LIMITS) as boards:
        seat = await Seat.take(boards, root, NewAgent("old", AgentKind.CHAT, "old"))
        body = "all of it was said before\n" * (POST // 26)
        board = (await seat.board()).id
        await asyncio.gather(
            *(boards.post(Draft(board, seat.address, f"post {n}\n{body}")) for n in range(SIZE // POST))
        )
        await seat.leave()


async def _last(state: Path, root: str) -> int:
    async with Boards.in_directory(state, LIMITS) as boards:
        return (await boards.find(root, "general")).last


async def _write(state: Path, root: str, which: range, rate: float, posts: int = 10**9) -> None:
    async with Boards.in_directory(state, LIMITS) as boards:
        seats = [await Seat.take(boards, root, NewAgent(f"a{n}", AgentKind.CHAT, f"a{n}")) for n in which]
        began = time.monotonic()
        for number in range(posts):
            await seats[number % len(seats)].post(
                f"step {number} is done, @nobody-12345 looks at `src/a.py`\n\n- one\n- two"
            )
            if rate:
                await asyncio.sleep(max(began + (number + 1) / rate - time.monotonic(), 0))
