"""A client in another language: the inspector of the protocol's authors, which is written in TypeScript."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_server.mcp_kit import MOTET, serving

from motet.board import Seat
from motet.tools.board_tool import BOARD_TOOLS

Need = Callable[[str], Path]


async def inspect(inspector: Path, place: Path, *arguments: str) -> dict[str, Any]:
    """What it prints."""
    process = await asyncio.create_subprocess_exec(
        inspector, "--cli", *arguments, cwd=place, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, said = await process.communicate()
    assert process.returncode == 0, said.decode() + out.decode()
    return json.loads(out)


async def test_the_inspector_finds_nothing_wrong_with_the_tools(place: Path, need: Need) -> None:
    listed = await inspect(need("mcp-inspector"), place, str(MOTET), "mcp", "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == list(BOARD_TOOLS)


@pytest.mark.parametrize("how", ["stdio", "socket-free port"])
async def test_the_inspector_posts_and_a_mention_in_another_process_is_heard(
    place: Path, need: Need, human: Seat, how: str
) -> None:
    inspector = need("mcp-inspector")
    call = ["--method", "tools/call", "--tool-name", "board_post", "--tool-arg", "body=@mia It is done."]
    waiting = asyncio.create_task(human.wait(60))
    if how == "stdio":
        got = await inspect(inspector, place, str(MOTET), "mcp", *call)
    else:
        with serving(place, "--port", "0") as door:
            header = f"Authorization: Bearer {door.token}"
            got = await inspect(inspector, place, door.url, "--transport", "http", "--header", header, *call)
    assert (got["isError"], got["content"][0]["text"]) == (
        False, f"Posted as #1 on general. It reaches @{human.address}.",
    )  # fmt: skip
    (delivery,) = await waiting
    assert (delivery.post.body, delivery.post.author.rpartition("-")[0]) == ("@mia It is done.", "inspector-cli")
    await human.post(f"@{delivery.post.author} Thank you, now the tests.")
    ask = ["--method", "tools/call", "--tool-name", "board_wait", "--tool-arg", "seconds=30"]
    got = await inspect(inspector, place, str(MOTET), "mcp", *ask)  # another process, the same agent
    assert got["content"][0]["text"].endswith(f"\n│ @{delivery.post.author} Thank you, now the tests.")
