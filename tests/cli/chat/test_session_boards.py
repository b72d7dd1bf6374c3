"""Chats in two terminals, two processes, on one board."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from cli.chat.session_kit import QUIET, Talker, talker
from cli.kit import Project, Provider, eventually

from motet.board import AgentState, Boards
from motet.models.scripted import Answer, ScriptedRequest, Step, call


def _answer(request: ScriptedRequest) -> Step:
    """What the chat `ann` and the chat `ben` say."""
    messages = request.text
    last = request.body["messages"][-1]  # type: ignore[index]
    if last["role"] == "tool" or "tool_result" in str(last["content"]):
        return Answer(text="I have asked.") if "as `ann-" in messages else Answer(text="Answered.")
    if "as `ann-" in messages:
        if "answers #1" in messages:
            return Answer(text="Ben says it is fine.")
        return Answer(calls=(call("board_post", {"body": "@ben is a.py fine?", "kind": "request"}, "c1"),))
    return Answer(calls=(call("board_reply", {"post": "#1", "body": "Yes, it is fine."}, "c2"),))


async def _posts(project: Project) -> tuple[list[str], list[str]]:
    """The bodies of the posts, and what the agents do."""
    async with Boards.in_directory(project.state) as boards:
        (board,) = await boards.boards()
        posts = [post.body for post in await boards.posts(board.id)]
        return posts, [str(agent.state) for agent in await boards.agents(board.id)]


@pytest.fixture
def both(project: Project, provider: Callable[..., Provider]) -> Callable[..., Talker]:
    """`both(name)`: a human in a chat of that name on the board `general`."""
    provider(_answer, more=QUIET)

    def start(name: str, **how: Any) -> Talker:
        human = talker(project, "chat", "--board", "general", "--as", name, **how)
        human.sees(f"On the board general as @{name}-")
        return human

    return start


@pytest.mark.acceptance("S4-048", "S4-075")
def test_a_post_opens_a_turn_in_the_other_terminal_and_the_answer_one_in_the_first(
    both: Callable[..., Talker], project: Project
) -> None:
    ben = both("ben")
    ann = both("ann")
    ann.says("ask ben about a.py")
    ann.sees("I have asked.")
    ben.sees("#1 from ann-")
    ben.sees("Answered.")
    ann.sees("Ben says it is fine.")
    ann.says("/board")
    ann.sees("On general as @ann-")
    ann.says("/clear")
    ann.sees("A new chat; the other one stays")
    ann.says("/board")
    ann.sees("This chat is on no board; /board NAME joins one")
    for human in (ann, ben):
        human.says("/exit")
        assert human.ends() == 0
    posts, states = asyncio.run(_posts(project))
    assert posts == ["@ben is a.py fine?", "Yes, it is fine."]
    assert states == [AgentState.GONE, AgentState.GONE]


def test_a_turn_of_others_waits_for_what_is_being_typed(both: Callable[..., Talker], project: Project) -> None:
    ben = both("ben")
    ben.is_ready()
    ben.presses("half a sent")
    ben.sees("half a sent")
    ann = both("ann")
    ann.says("ask ben about a.py")
    ann.sees("I have asked.")
    eventually(lambda: len(asyncio.run(_posts(project))[0]) == 1)
    assert "Answered" not in ben.text
    ben.presses("\x15")
    ben.sees("Answered.")
    ann.sees("Ben says it is fine.")
    for human in (ann, ben):
        human.says("/exit")
        assert human.ends() == 0
