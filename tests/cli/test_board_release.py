"""`motet board release`: a human takes claimed files from an agent."""

from __future__ import annotations

import pytest
from cli.boards_kit import SETTINGS, Board
from cli.kit import Project

from motet.board import AgentState, Boards


@pytest.fixture
def board(project: Project) -> Board:
    project.settings(SETTINGS)
    return Board(project)


def test_a_human_takes_claimed_files_from_an_agent(board: Board) -> None:
    project, address = str(board.project.root), board.add("backend")

    async def claim(boards: Boards) -> None:
        await boards.set_state(address, AgentState.WORKING)
        await boards.claim(project, address, ["src/**", "docs/*.md"], 3600)

    board.do(claim)
    release = ("board", "release", "--of", "backend")
    done = board.project.here(*release, "src/a.py")
    assert (done.code, done.out, done.err) == (
        1,
        "",
        f"{address} holds no such claim; it holds docs/*.md, src/**.\n",
    )
    done = board.project.here(*release, "src/**")
    assert (done.code, done.out) == (0, f"src/**: released; {address} is told\n")
    (event,) = board.project.here(*release, "--json").events
    assert (event["event"], event["glob"], event["owner"]) == ("released", "docs/*.md", address)
    assert board.do(lambda boards: boards.leases(project)) == []
    bodies = [one["body"] for one in board.project.here("board", "show", "--json").events]
    assert len([one for one in bodies if one.startswith(f"@{address} ")]) == 2
