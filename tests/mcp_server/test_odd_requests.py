"""Requests that no careful client sends: each is answered, with what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp_server.mcp_kit import Door, raw, serving
from mcp_server.test_http import ACCEPT, GREETING

from motet.board import Seat
from motet.tools.board_tool import BOARD_TOOLS

HALVES = pytest.mark.parametrize(
    ("body", "stored"),
    [
        ("cut \\ud83d", "cut \ufffd"),
        ("\\uDE00 cut \\\\ud83d", "\ufffd cut \\ud83d"),
        ("\\ud83d\\ude00 \\ud83d\\ud83d\\ude00", "😀 \ufffd😀"),
    ],
)


@HALVES
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


@HALVES
async def test_half_a_character_is_answered_over_http_too(
    place: Path, human: Seat, tmp_path: Path, body: str, stored: str
) -> None:
    with serving(place, "--socket", str(tmp_path / "s")) as door:
        assert await post_over_http(door, body.encode()) == [(200, False)]
    assert [post.body for post in await human.read()] == [stored]


@pytest.mark.parametrize(
    ("body", "stored"), [(b"cut \xed\xa0\xbd", "cut \ufffd\ufffd\ufffd"), (b"no \xff text", "no \ufffd text")]
)
async def test_what_is_no_text_is_answered_over_http(
    place: Path, human: Seat, tmp_path: Path, body: bytes, stored: str
) -> None:
    with serving(place, "--socket", str(tmp_path / "s")) as door:
        assert await post_over_http(door, body, b"and the next") == [(200, False), (200, False)]
    assert [post.body for post in await human.read()] == [stored, "and the next"]


async def post_over_http(door: Door, *bodies: bytes) -> list[tuple[int, bool]]:
    """Post each body, as it stands between quotes in JSON; the status of each answer, and whether the call failed."""
    answers: list[tuple[int, bool]] = []
    async with door.http() as http:
        greeted = await http.post(door.url, json=GREETING, headers=ACCEPT)
        headers = ACCEPT | {
            "Content-Type": "application/json",
            "Mcp-Session-Id": greeted.headers["mcp-session-id"],
            "Mcp-Protocol-Version": "2025-06-18",
        }
        ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
        assert (await http.post(door.url, content=ready, headers=headers)).status_code == 202
        for number, body in enumerate(bodies, 2):
            asked = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"board_post","arguments":{"body":"%s"}}}'
            got = await http.post(door.url, content=asked % (number, body), headers=headers)
            (line,) = [line for line in got.text.splitlines() if line.startswith("data: ")]
            answer = json.loads(line.removeprefix("data: "))
            assert answer["id"] == number
            answers.append((got.status_code, answer["result"]["isError"]))
    return answers


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
