"""Boards in a real Neovim, and other processes that write on them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from cli.kit import Project
from nvim.nvim_kit import Editor

from motet.board import AgentKind, Board, Boards, DeliveryState, Draft, Limits, NewAgent, Outcome, Post, page

T = TypeVar("T")
NAME = "general"
_WRITER = """
import asyncio, json, sys
from pathlib import Path
from motet.board import AgentKind, Boards, Draft, Limits, NewAgent, Seat

async def main(state, project, board, name, bodies):
    async with Boards.in_directory(Path(state), Limits.without_caps()) as boards:
        seat = await Seat.take(boards, project, NewAgent(name, AgentKind.CHAT, "test " + name), board)
        print(seat.address, flush=True)
        for line in sys.stdin:
            posted = await seat.post(json.loads(line), board)
            print(posted.post.seq, flush=True)

asyncio.run(main(*sys.argv[1:], None))
"""


class Writer:
    """An agent in a process of its own."""

    def __init__(self, project: Project, name: str, board: str = NAME) -> None:
        command = [sys.executable, "-c", _WRITER, str(project.state), str(project.root), board, name]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self._line()

    def post(self, *bodies: str) -> list[int]:
        """Post one after the other; returns their numbers."""
        return [int(line) for line in self.send(*bodies).lines(len(bodies))]

    def send(self, *bodies: str) -> Writer:
        """Have them posted."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(json.dumps(body) + "\n" for body in bodies))
        self._process.stdin.flush()
        return self

    def lines(self, many: int) -> list[str]:
        """Wait until so many are stored."""
        return [self._line() for _ in range(many)]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line, "the writer has ended"
        return line


Writers = Callable[[str], Writer]


class Store:
    """What is stored, looked at from outside."""

    def __init__(self, project: Project, board: str = NAME) -> None:
        self.project = project
        self.name = board

    def posts(self) -> list[Post]:
        return self._do(lambda boards, board: boards.posts(board.id, 0, 1_000_000))

    def bodies(self) -> list[str]:
        return [post.body for post in self.posts()]

    def page(self, after: int = 0) -> list[str]:
        """The lines of the page."""
        return self._do(lambda boards, board: _page(boards, board, after))

    def fill(self, bodies: Sequence[str], name: str = "old") -> None:
        """Many posts at once, of an agent."""
        self._do(lambda boards, board: _fill(boards, board, name, bodies))

    def agent(self, name: str, *roles: str, model: str = "") -> str:
        """One who is there; returns the address."""
        return self._do(lambda boards, board: _agent(boards, board, name, roles, model))

    def does(self, work: Any) -> Any:
        """`await work(boards, board)`."""
        return self._do(work)

    def _do(self, work: Any) -> Any:
        async def do() -> Any:
            async with Boards.in_directory(self.project.state, Limits.without_caps()) as boards:
                return await work(boards, await boards.open(str(self.project.root), self.name))

        return _run(do())


async def _page(boards: Boards, board: Board, after: int) -> list[str]:
    return page(board, await boards.posts(board.id, after, 1_000_000)).split("\n")[:-1]


async def _agent(boards: Boards, board: Board, name: str, roles: Sequence[str], model: str) -> str:
    agent = await boards.register(NewAgent(name, AgentKind.CHAT, f"test {name}", tuple(roles), model))
    await boards.join(board.id, agent.address)
    return agent.address


async def _fill(boards: Boards, board: Board, name: str, bodies: Sequence[str]) -> None:
    address = await _agent(boards, board, name, (), "")
    for at in range(0, len(bodies), 2000):
        await asyncio.gather(*(boards.post(Draft(board.id, address, body)) for body in bodies[at : at + 2000]))


def _run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def spend(boards: Boards, board: Board) -> str:
    """Use up the budget of what a human began; returns the chain."""
    human = next(one for one in await boards.agents(board.id) if one.kind == "human")
    agent = next(one for one in await boards.agents(board.id) if one.kind == "chat")
    posted = await boards.post(Draft(board.id, human.address, f"@{agent.address} work"))
    (call,) = await boards.pull(agent.address)
    await boards.settle(agent.address, call.id, Outcome(DeliveryState.ACKED, tokens=600_000))
    return posted.post.chain


def open_board(vim: Editor, words: str = "") -> int:
    """Open a board, and wait until its page is there; returns the buffer of the page."""
    vim.command(f"Motet board {words}")
    buffer = int(vim.lua("return require('motet.board').current().buf"))
    vim.waits_for(f"require('motet.board').by_buf[{buffer}].known")
    vim.waits_for(f"vim.api.nvim_buf_line_count({buffer}) > 5")
    return buffer


def page_of(vim: Editor, buffer: int) -> list[str]:
    """What stands on the page."""
    return list(vim.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, false)", buffer))


def shows(vim: Editor, buffer: int, text: str) -> None:
    """Wait until a line of the page is `text`."""
    code = f"vim.tbl_contains(vim.api.nvim_buf_get_lines({buffer}, 0, -1, false), {json.dumps(text, ensure_ascii=False)})"
    vim.waits_for(code)


_HEADS = """
(function(buf)
  local found, space = {}, vim.api.nvim_get_namespaces()["motet.board.states"]
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if line:match("^## ") then
      local marks = vim.api.nvim_buf_get_extmarks(buf, space, { row - 1, 0 }, { row - 1, -1 }, { details = true })
      for _, mark in ipairs(marks) do
        line = line:sub(1, mark[3]) .. mark[4].virt_text[1][1] .. line:sub(mark[3] + 1)
      end
      found[#found + 1] = line:gsub("%d+-%d+-%d+ %d+:%d+:%d+", "TIME")
    end
  end
  return found
end)"""
"""The heads of a page as they are seen."""


def heads(vim: Editor, buffer: int, *wanted: str, first: bool = False) -> None:
    """Wait until these are the heads of the page as they are seen, without times; with `first`, its first ones."""
    seen = f"{_HEADS}({buffer})"
    if first:
        seen = f"vim.list_slice({seen}, 1, {len(wanted)})"
    vim.waits_for(f"vim.deep_equal({seen}, vim.json.decode({json.dumps(json.dumps(wanted))}))")


def draft_of(vim: Editor, buffer: int) -> str:
    """What is typed."""
    return str(vim.lua("return require('motet.draft').text(require('motet.board').by_buf[...])", buffer))


def me(vim: Editor) -> str:
    """The human's address."""
    return str(vim.lua("return require('motet.board').current().status.me"))
