"""`motet board migrate`: the boards of a file go to the server that the settings name."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

import pytest
from board.killing import rows
from board.places import Place
from cli.kit import BIN, Done, Project

from motet.board.moving import TABLES
from motet.board.postgres import PostgresDatabase


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Project:
    """A project with two posts on a board in a file, one of them changed."""
    root = tmp_path / "app"
    root.mkdir()
    project = Project(root, home)
    project.settings('[board]\nname = "mia"\n')
    for words in (["post", "@nobody we begin"], ["post", "排他制御"], ["edit", "2", "排他制御 again"]):
        assert project.here("board", *words).code == 0
    return project


def _moves(project: Project, to: Place) -> str:
    """Name the server in the settings; what it is called in texts."""
    project.settings(f'[board]\nname = "mia"\nurl = "{to.at}"\n')
    return PostgresDatabase(to.at).place


def said(done: Done) -> tuple[int, str, str]:
    return done.code, done.out, done.err


def test_boards_move_and_one_goes_on_there(project: Project, there: Place) -> None:
    counts = [f"SELECT count(*) FROM {name}" for name in TABLES]
    before = rows(Place(str(project.state)), counts)
    place = _moves(project, there)
    (moved,) = project.here("board", "migrate", "--json").events
    assert [(one["name"], one["rows"]) for one in moved.pop("tables")] == [
        (name, count[0][0]) for name, count in zip(TABLES, before, strict=True)
    ]
    assert moved == {"schema": 1, "event": "moved", "place": place}
    assert rows(there, counts) == before
    assert said(project.here("board", "migrate")) == (0, f"{place}: the boards are there already\n", "")
    assert said(project.here("board", "post", "we go on")) == (0, "general#3  for whoever reads the board\n", "")
    found = project.here("board", "search", "排他制御", "--json").events
    assert [(one["seq"], one["version"]) for one in found] == [(2, 2)]
    project.settings('[board]\nname = "mia"\n')
    assert said(project.here("board", "post", "a second truth")) == (
        *(1, ""),
        f"motet: {project.state}/boards.db: these boards were moved to {place}; set board.url to it\n",
    )


def test_it_says_what_was_moved(project: Project, there: Place) -> None:
    place = _moves(project, there)
    done = project.here("board", "migrate", "--project", f"{project.root}=other")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{place}: 1 board with 2 posts moved, 12 rows of 13 tables counted and compared\n"
    assert rows(there, ["SELECT project FROM boards"]) == [[("other",)]]


def test_a_server_with_boards_stays_as_it_is_and_so_does_the_file(project: Project, there: Place) -> None:
    place = _moves(project, there)
    project.here("board", "post", "written there too early")
    message = f"{place}: there are boards already, which stay as they are; take another schema (?schema=NAME)"
    assert said(project.here("board", "migrate")) == (1, "", f"motet: {message}\n")
    event = {"schema": 1, "event": "error", "message": message, "exit_code": 1}
    assert project.here("board", "migrate", "--json").events == [event]
    project.settings('[board]\nname = "mia"\n')
    assert [one["seq"] for one in project.here("board", "show", "--json").events] == [1, 2]


@pytest.mark.parametrize(
    ("words", "settings", "code", "message"),
    [
        ([], "", 2, 'board.url names no server; set it, as in board.url = "postgresql://USER@HOST/DATABASE"'),
        (
            *([], 'url = "mysql://me:secret@db/boards"', 2),
            "board.url: the URL of the boards is wrong: it does not begin with postgresql://; it looks like "
            "postgresql://USER@HOST/DATABASE",
        ),
        (
            *(["--project", "app"], 'url = "postgresql://db/boards"', 2),
            "--project app: write PATH=NAME, as in --project /home/me/old/app=old-app",
        ),
    ],
    ids=["no server", "no URL", "no name"],
)
def test_what_cannot_be_is_one_line(
    project: Project, words: list[str], settings: str, code: int, message: str
) -> None:
    project.settings(f"[board]\n{settings}\n")
    assert said(project.here("board", "migrate", *words)) == (code, "", f"motet: {message}\n")


def test_without_a_file_or_a_server_nothing_is_made(project: Project, tmp_path: Path) -> None:
    project.settings(f'[board]\nurl = "postgresql:///none?host={tmp_path}"\n')
    done = project.here("board", "migrate")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"motet: postgresql:///none?host={tmp_path}: ")
    assert done.err.count("\n") == 1
    (project.state / "boards.db").unlink()
    assert said(project.here("board", "migrate")) == (
        *(1, ""),
        f"motet: {project.state}: there are no boards to move\n",
    )
    assert not (project.state / "boards.db").exists()


async def test_the_example_of_the_page_sits_where_the_settings_say(project: Project, there: Place) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "boards.md").read_text(encoding="utf-8")
    example = page.partition("<!-- example: reviewer.py -->\n```python\n")[2].partition("```\n")[0]
    project.write({"reviewer.py": example})
    _moves(project, there)
    start = partial(
        asyncio.create_subprocess_exec, cwd=project.root, env=project.env(), stdout=asyncio.subprocess.PIPE
    )
    reviewer = await start(sys.executable, "reviewer.py")
    async with there.boards() as boards, boards.watching() as watch:
        async with asyncio.timeout(60):
            while not await boards.boards() or not await boards.agents((await boards.boards())[0].id):
                await watch.next(1)
        posted = await start(BIN / "motet", "board", "post", "@reviewer please look")
        out, _ = await asyncio.wait_for(posted.communicate(), 60)
        assert out.partition(b"-")[0] == b"general#1  for reviewer"
        assert await asyncio.wait_for(reviewer.wait(), 60) == 0
        (board,) = await boards.boards()
        assert [one.body for one in await boards.posts(board.id)][1:] == [
            "Line 12 keeps the lock when the write fails."
        ]
