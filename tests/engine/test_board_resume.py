"""A chat on a board that is killed at any step of a delivery: when it is back, the post was read once and answered once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from engine.board_chats import DEADLINE, Voice, is_result, number, told
from engine.board_kill_kit import STEPS
from engine.engine_kit import house

from motet.board import AgentKind, NewAgent, Policy, Seat
from motet.history import History
from motet.messages import MessageStack, tags
from motet.models.scripted import Answer, ScriptedRequest, Step, call

TESTS = Path(__file__).resolve().parent.parent


def _voice(request: ScriptedRequest) -> Step:
    if is_result(request) or "\n│ " not in "\n".join(told(request)):
        return Answer(text="Done.")
    return Answer(calls=(call("board_reply", {"post": number(request), "body": "The answer is 42."}, "c1"),))


def _talker(_: ScriptedRequest) -> Step:
    return Answer(text="The answer is 42.")


async def _run(root: Path, chat: str, step: str) -> tuple[int, list[str]]:
    """The exit code of the other process, and what it printed."""
    environ = {**os.environ, "PYTHONPATH": str(TESTS)}
    program = [sys.executable, str(TESTS / "engine" / "board_kill_kit.py"), str(root), chat, step]
    process = await asyncio.create_subprocess_exec(*program, env=environ, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(DEADLINE):
        out, _ = await process.communicate()
    return process.returncode or 0, out.decode().split()


@pytest.mark.acceptance("VB-07")
@pytest.mark.parametrize(
    ("voice", "step"), [*((_voice, step) for step in STEPS), (_talker, "replied"), (_talker, "settled")]
)
async def test_a_post_is_read_once_whenever_its_reader_is_killed(tmp_path: Path, voice: Voice, step: str) -> None:
    async with house(tmp_path, voice) as place:
        code, (chat, address) = await _run(place.root, "-", "-")
        assert code == 0
        boarding = place.m._opened.house.boarding
        boards = boarding.boards()
        human = await Seat.take(
            boards, boarding.project, NewAgent("mia", AgentKind.HUMAN, "mia@here", policy=Policy.NEVER)
        )
        posted = await human.post(f"@{address} what is it?")
        assert posted.recipients == (address,)  # it is gone, and gets it when it is back
        code, _ = await _run(place.root, chat, step)
        assert code == -signal.SIGKILL
        code, again = await _run(place.root, chat, "-")
        assert (code, again) == (0, [chat, address])

        async with History.open(boarding.state) as history:
            messages = (await history.load(chat)).messages
        MessageStack(*messages)
        (got,) = [one for one in messages if one.tag == tags.BOARD]
        (delivery,) = await boards.deliveries(recipient=address)
        assert (delivery.turn, str(delivery.state)) == (got.id, "answered")
        bodies = [post.body for post in await boards.posts(posted.post.board)]
        assert bodies == [f"@{address} what is it?", "The answer is 42."]
