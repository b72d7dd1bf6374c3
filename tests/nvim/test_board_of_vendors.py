"""One board with a human in Neovim, a chat over HTTP, and two MCP clients of other vendors.

Agents that speak the agent protocol take no part yet: clients of the official MCP library stand where they will.
"""

from __future__ import annotations

import asyncio

import pytest
from cli.background_kit import background, replies
from cli.kit import Project
from mcp_server.mcp_kit import stdio
from nvim.board_kit import Store, me, open_board, shows
from nvim.nvim_kit import editor
from nvim.test_board_notices import MARKED

from motet.board import DeliveryState


@pytest.mark.acceptance("VB-01", "S4-037")
def test_a_mention_reaches_one_of_three_agents_whole_and_the_human_sees_it(project: Project, store: Store) -> None:
    with background(project, {"coder": replies("Done.")}) as agents, editor() as vim:
        agents.start("coder")
        page = open_board(vim)
        asked = agents.provider.requests[:]
        (body, got, (first, second)) = asyncio.run(_asks(project))
        shows(vim, page, body)
        assert body == f"@{second} review src/auth/login.ts"
        assert [line.removeprefix("│ ") for line in got.splitlines() if line.startswith("│ ")] == [body]
        assert got.count(body) == 1
        (call,) = store.does(lambda boards, _: boards.deliveries())
        assert (call.recipient, call.post.author, call.post.body) == (second, first, body)
        assert (call.state, call.reason) == (DeliveryState.ACKED, "the client went on")
        agents.is_settled("coder")
        assert agents.provider.requests == asked  # the chat was not woken
        assert ["MotetBoardOther", f"@{second}"] in vim.lua(MARKED, page)
        assert vim.messages == []
        assert me(vim) not in (first, second)


async def _asks(project: Project) -> tuple[str, str, tuple[str, str]]:
    """One client calls the other one; what it wrote, what the other was given, and who they are."""
    async with stdio(project.root, name="Codex") as first, stdio(project.root, name="Claude Code") as second:
        body = f"@{second.address} review src/auth/login.ts"
        await first.text("post", body=body)
        got = await second.text("wait", seconds=40)
        assert await first.bodies(1) == []
        assert await second.bodies(1) == []
        return body, got, (first.address, second.address)
