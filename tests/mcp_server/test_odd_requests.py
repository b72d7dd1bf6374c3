"""Requests that no careful client sends: each is answered, with what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp_server.mcp_kit import raw

from motet.board import Seat
from motet.tools.board_tool import BOARD_TOOLS


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ("cut \\ud83d", "cut \ufffd"),
        ("\\uDE00 cut \\\\ud83d", "\ufffd cut \\ud83d"),
        ("\\ud83d\\ude00 \\ud83d\\ud83d\\ude00", "😀 \ufffd😀"),
    ],
)
async def test_half_a_character_is_answered(place: Path, human: Seat, body: str, stored: str) -> None:
    async with raw(place) as ann:
        ann.asked += 1
        await ann.write(
            f'{{"jsonrpc":"2.0","id":{ann.asked},"method":"tools/call",'
            f'"params":{{"name":"board_post","arguments":{{"body":"{body}"}}}}}}'
        )
        answer = await ann.next()
        assert (answer["id"], answer["result"]["isError"]) == (ann.asked, False)
    assert [post.body for post in await human.read()] == [stored]


async def test_a_tool_that_there_is_not_is_an_error_of_the_protocol(place: Path) -> None:
    async with raw(place) as ann:
        answer = await ann.ask("tools/call", {"name": "nope", "arguments": {}})
        assert answer["error"] == {
            "code": -32602,
            "message": f"there is no tool 'nope' here; the tools are: {', '.join(BOARD_TOOLS)}",
        }


@pytest.mark.parametrize("after", [2**63, 10**400, -1, 1.5])
async def test_a_number_that_no_store_holds_is_refused(place: Path, after: Any) -> None:
    async with raw(place) as ann:
        answer = await ann.ask("tools/call", {"name": "board_read", "arguments": {"after": after}})
        (content,) = answer["result"]["content"]
        assert answer["result"]["isError"]
        assert content["text"].startswith("board_read: the arguments do not fit: after: ")
