"""A human's own commands write what agents have claimed, and say whose it is first."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.boards_kit import SETTINGS, Board
from cli.kit import Project, block

from motet.board import AgentKind, Boards, NewAgent, Seat

B = "b.py\n" + block("x = 1\n", "x = 2\n")


@pytest.fixture
def board(tmp_path: Path, home: Path) -> Board:
    root = tmp_path / "project"
    root.mkdir()
    project = Project(root, home)
    project.settings(SETTINGS)
    project.write({"src/app.py": "import os\n\nvalues = [1]\nprint(valeus)\n", "b.py": "x = 1\n"})
    return Board(project)


def _claimed(board: Board) -> str:
    """An agent holds `src/**`, and goes on holding it; what is said of that."""

    async def claim(boards: Boards) -> str:
        address = (await boards.register(NewAgent("backend", AgentKind.CHAT, "backend"))).address
        await Seat(boards, str(board.project.root), await boards.agent(address)).claim(["src/**"], task="the login")
        return address

    address = board.do(claim)
    return f"src/app.py is claimed by {address} for “the login”; tell @{address}"


@pytest.mark.parametrize("options", [("--yes",), ("--dry-run",)])
def test_apply_says_whose_file_it_writes_and_writes_it(board: Board, options: tuple[str, ...]) -> None:
    told = _claimed(board)
    answer = "src/app.py\n" + block("values = [1]\n", "values = [2]\n") + B
    done = board.project.here("apply", *options, given=answer.encode())
    assert (done.code, (done.out + done.err).count(told)) == (0, 1)
    assert "b.py is claimed" not in done.out + done.err
    assert board.project.text("src/app.py").count("[2]") == ("--yes" in options)


def test_fix_says_whose_file_it_writes_once_in_all_rounds(board: Board) -> None:
    told = _claimed(board)
    done = board.project.here("fix", "--yes", "--model", "offline")
    assert done.err.count(told) == 1
    assert "values)" in board.project.text("src/app.py")


def test_where_boards_are_not_used_nothing_of_them_is_made(board: Board) -> None:
    done = board.project.here("apply", "--yes", given=B.encode())
    assert (done.code, "claim" in done.err) == (0, False)
    assert not (board.project.state / "boards.db").exists()
