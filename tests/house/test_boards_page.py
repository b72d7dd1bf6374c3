"""`docs/boards.md` tells the truth: its examples are run, its tables are compared with the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.background_kit import background, replies
from cli.boards_kit import SETTINGS, Board
from cli.kit import BIN, Project, eventually
from cli.test_agents_conflicts import git
from engine.board_chats import told

from motet.board import Boards, DeliveryState
from motet.models.scripted import Answer, ScriptedRequest, Step, call
from motet.settings import BoardSettings

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```\w+\n(.*?)```\n", re.DOTALL)
EXAMPLES = dict(_EXAMPLE.findall(PAGE))


@pytest.fixture
def board(tmp_path: Path, home: Path) -> Board:
    root = tmp_path / "project"
    root.mkdir()
    project = Project(root, home)
    project.settings(SETTINGS)
    return Board(project)


def plain(text: str) -> str:
    """`text` without what differs from run to run: times, and the human's address, which is this machine's."""
    return re.sub(r"mia-\w{5}", "mia-12345", re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", text))


def run(board: Board, example: str) -> str:
    """What a console shows when the commands of an example are typed."""
    shown = ""
    for line in EXAMPLES[example].splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                ["bash", "-c", line[2:]], cwd=board.project.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
                env=board.project.env({"PATH": f"{BIN}:/usr/bin:/bin"}),
            )  # fmt: skip
            shown += f"{line}\n{done.stdout}"
    return shown


@pytest.mark.acceptance("S4-085")
def test_the_worked_example_works(board: Board) -> None:
    board.project.write({"reviewer.py": EXAMPLES["reviewer.py"]})
    reviewer = subprocess.Popen(
        [sys.executable, "reviewer.py"], cwd=board.project.root, env=board.project.env(), stderr=subprocess.PIPE
    )

    async def is_there(boards: Boards) -> bool:
        found = [agent.name for one in await boards.boards() for agent in await boards.agents(one.id)]
        return "reviewer" in found

    eventually(lambda: (board.project.state / "boards.db").exists() and board.do(is_there))
    assert plain(run(board, "ask")) == plain(EXAMPLES["ask"])
    _, err = reviewer.communicate(timeout=60)
    assert (reviewer.returncode, err) == (0, b"")
    assert plain(run(board, "answered")) == plain(EXAMPLES["answered"])


@pytest.mark.acceptance("S4-085")
def test_the_example_for_programs_works(board: Board) -> None:
    board.project.write({"api.py": EXAMPLES["api.py"]})
    done = board.project.run("api.py", argv=(sys.executable,))
    assert (done.code, done.err) == (0, "")
    refused, found = done.out.splitlines()
    assert refused.startswith("src/auth/login.ts is claimed by backend-") and found == "[1]"


_DIFF = "<<<<<<< SEARCH\npass\n=======\nlogin()\n>>>>>>> REPLACE\n"


def _backend(request: ScriptedRequest) -> Step:
    """It edits, asks for a review, and tells the human when it has one."""
    last = told(request)[-1]
    if "Please add a login" in last:
        return Answer(calls=(call("replace_in_file", {"path": "src/app.py", "diff": _DIFF}, "c1"),))
    if "applied 1 of 1 hunk" in last:
        return Answer(calls=(call("board_post", {"body": "@role:review please look at src/app.py"}, "c2"),))
    if "Line 1 is fine" in last:
        return Answer(calls=(call("board_post", {"body": "@human the login is there"}, "c3"),))
    return Answer(text="Done.")


@pytest.mark.acceptance("S4-085")
def test_the_team_of_the_page_works(board: Board) -> None:
    project = board.project
    project.write({"team.toml": EXAMPLES["team.toml"], "src/app.py": "pass\n"})
    for words in (("init", "--quiet", "--initial-branch=main"), ("add", "."), ("commit", "--quiet", "-m", "begin")):
        git(project.root, *words)
    with background(project, {"backend": _backend, "reviewer": replies("Line 1 is fine.")}):
        refused = project.here("team", "run", "--dry-run", "--json").event("prediction")
        assert refused["rights"] == ["backend edits without a look"]
        done = project.run("team", "run", "--until-done", "--trust", "--json")
    assert done.code == 0, done.err
    assert [event["body"] for event in done.events if event["event"] == "post"] == [
        "@backend Please add a login to src/app.py, and have it reviewed.", "@role:review please look at src/app.py",
        "Line 1 is fine.", "@human the login is there",
    ]  # fmt: skip
    (tree,) = [event["work_tree"] for event in done.events if event["event"] == "stopped" and event["work_tree"]]
    assert (Path(tree) / "src" / "app.py").read_text() == "login()\n"
    assert project.text("src/app.py") == "pass\n"


def test_each_event_has_the_fields_that_the_page_lists(board: Board) -> None:
    rows = dict(
        re.findall(r"^\| `(\w+)`(?:, `\w+`)? \| (.*) \|$", PAGE.partition("## For programs")[2], re.MULTILINE)
    )
    listed = {name: set(re.findall(r"`(\w+)`", text)) | {"schema", "event"} for name, text in rows.items()}
    here = board.project.here
    board.add("backend")
    here("board", "post", "@backend go")
    seen: dict[str, set[str]] = {}
    for words in (
        ["board", "list"], ["board", "show"], ["board", "post", "again"], ["board", "inbox", "backend"], ["agents", "list"],
        ["agents", "show", "backend"], ["board", "stop", "1"], ["board", "export"], ["board", "rights"],
    ):  # fmt: skip
        for event in here(*words, "--json").events:
            seen[event["event"]] = seen.get(event["event"], set()) | set(event)
    assert {name: listed[name] for name in seen} == seen
    assert set(listed) - set(seen) == {
        "notice",
        "refusal",
        "overlap",
        "released",
        "moved",
        "started",
        "stopped",
        "lost",
        "share",
        "prediction",
    }


def test_states_and_settings_are_those_of_the_code() -> None:
    states = re.findall(r"^\| `(\w+)` \|", PAGE.partition("## Deliveries")[2].partition("## Money")[0], re.MULTILINE)
    assert states == [str(state) for state in DeliveryState]
    table = PAGE.partition("Under `[board]`")[2].partition("`motet board pause`")[0]
    named = set(re.findall(r"`(\w+)`", re.sub(r"\|[^|]*\|\n", "|\n", table)))
    assert named == set(BoardSettings.__struct_fields__) - {"url", "password", "project", "name"}
