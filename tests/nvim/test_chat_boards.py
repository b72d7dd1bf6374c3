"""A chat in Neovim on a board: a post opens a turn in its buffer, and what is typed there stays."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import Editor

from motet.board import AgentKind, Boards, NewAgent, Policy, Seat
from motet.engine.agent_spec import AgentFiles
from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]


async def _post(project: Project, body: str) -> None:
    """A human of another program writes on the board; `@ann` is the chat."""
    async with Boards.in_directory(project.state) as boards:
        (board,) = await boards.boards()
        new = NewAgent("mia", AgentKind.HUMAN, "mia@there", policy=Policy.NEVER)
        seat = await Seat.take(boards, board.project, new, board.name)
        await seat.post(body, board.name)


@pytest.mark.acceptance("S4-075")
def test_a_post_opens_a_turn_and_the_draft_stays(vim: Editor, provider: Serve, project: Project) -> None:
    provider([Answer(text="Hello."), Answer(text="I have read it.")])
    vim.command("Motet chat hello")
    vim.turn_ends()
    vim.keys("GA/board general as ann<Esc><CR>")
    vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n'):find('board general') == nil")
    vim.keys("GAhalf a sent<Esc>")
    asyncio.run(_post(project, "@ann please look"))
    vim.lua(
        "function _G.holds(line) for _, buffer in ipairs(vim.api.nvim_list_bufs()) do "
        "if vim.tbl_contains(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), line) then return true end end "
        "return false end"
    )
    vim.waits_for("holds('I have read it.')")
    assert vim.lines[-1] == "half a sent"


def test_an_agent_is_started_and_stopped_in_the_background(vim: Editor, provider: Serve, project: Project) -> None:
    reply = call("board_reply", {"post": "#1", "body": "It is fine."}, "c1")
    provider([Answer(calls=(reply,)), Answer(text="Answered.")])
    vim.command("Motet board review")
    vim.command("Motet agent start ann")
    vim.waits_for("#vim.g.messages > 0")
    files = AgentFiles.of(project.state, str(project.root), "ann")
    running = files.running()
    assert running is not None
    try:
        assert vim.messages == [
            f"motet: {running.address} works on review with scripted/one (process {running.mark.pid})"
        ]
        asyncio.run(_post(project, "@ann please look"))
        vim.comes_to(_shows("It is fine."))
        vim.command("Motet agent stop ann")
        vim.waits_for("#vim.g.messages > 1")
        assert vim.messages[1:] == [f"motet: {running.address} has ended"]
        assert not running.mark.is_there
    finally:
        running.mark.signal(signal.SIGKILL)


def _shows(line: str) -> str:
    return (
        "(function() for _, buffer in ipairs(vim.api.nvim_list_bufs()) do "
        f"if vim.tbl_contains(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '{line}') then return true end end "
        "return false end)()"
    )
