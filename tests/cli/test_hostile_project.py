"""A project that wants to run: nothing of it is executed before `motet trust`, and then only what was trusted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli.chat.session_kit import Talker
from cli.hostile_kit import WATCHED, canaries, is_harmless, make_clone, make_hostile, noted
from cli.kit import BIN, ONLY_RUFF, Project


@pytest.fixture
def hostile(project: Project) -> Project:
    make_hostile(project)
    return project


@pytest.fixture
def opened(hostile: Project) -> Project:
    make_clone(hostile)
    return hostile


@pytest.mark.parametrize(
    "arguments",
    [
        ("fix", "--yes", "--model", "offline"), ("fix", "--dry-run", "--json", "--model", "offline"), ("doctor",),
        ("models",), ("config", "show", "--origin"), ("undo", "--list"), ("trust", "--list"),
    ],
)  # fmt: skip
@pytest.mark.acceptance("T-03")
def test_nothing_of_an_untrusted_project_runs(hostile: Project, arguments: tuple[str, ...]) -> None:
    done = hostile.run(*arguments)
    assert canaries(hostile) == []
    assert done.code in (0, 1, 4), done.err  # 4: sitecustomize.py is a protected place
    if arguments[0] == "fix":
        assert "model ignored: a project's file can only restrict" in done.err
        assert "providers ignored: a project's file can only restrict" in done.err
        assert "wait for `motet trust`" in done.err
        assert "ruff" in done.err, "the machine's own servers work all the same"


def test_the_editor_and_git_of_the_project_are_not_run_in_a_review(hostile: Project) -> None:
    human = hostile.human("fix", "--model", "offline", "a.py", env={"EDITOR": "true"})
    human.answers("e")
    human.ends()
    assert canaries(hostile) == []
    assert hostile.text("a.py") == ""


# --- however it is opened --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "-m", "offline", "what changed? #diff @/a.py @agent"), ("ask", "-m", "offline", "-t", "agent", "-y", "repair @/a.py"),
        ("edit", "-m", "offline", "-y", "repair it", "a.py"), ("inspect", "-m", "offline", "#diff #diagnostics{a.py}"),
        ("context", "-m", "offline", "#diff"), ("rules", "a.py"), ("prompt", "list"), ("prompt", "run", "-m", "offline", "explain", "a.py"),
        ("history",), ("log",), ("doctor",), ("models",), ("config", "show"),
        ("fix", "-y", "-m", "offline"), ("trust", "--list"),
    ],
)  # fmt: skip
@pytest.mark.acceptance("T-03")
def test_no_command_starts_anything_of_a_hostile_clone_or_reaches_for_the_network(
    opened: Project, arguments: tuple[str, ...]
) -> None:
    watch = {"WATCH": str(opened.root.parent / "watch")}
    done = opened.run(*arguments, argv=(BIN / "python", "-P", "-c", WATCHED), env=watch)
    assert done.code in (0, 1, 2, 4), done.err
    assert "Traceback" not in done.err
    assert canaries(opened) == []
    assert [each for each in noted(opened) if not is_harmless(opened, *each)] == []


@pytest.mark.acceptance("T-03")
def test_a_chat_in_a_hostile_clone_starts_nothing_of_it_and_reaches_for_no_network(opened: Project) -> None:
    watch = {"WATCH": str(opened.root.parent / "watch")}
    argv = [str(BIN / "python"), "-P", "-c", WATCHED, "chat", "-m", "offline"]
    human = Talker(argv, opened.root, opened.env(watch), 110, 50)
    human.says("#diff #diagnostics{a.py} what is @/a.py and @/a.ts? @agent")
    human.answers("n")
    human.says("and what of #mine @mine #group:mine ?")
    human.is_ready()
    human.presses("\x04")
    assert human.ends() == 0
    assert "+ <diff>uncommitted</diff>" in human.text and "+ <diagnostics>a.py</diagnostics>" in human.text
    assert "mine</" not in human.text
    assert any(args[0].endswith("/git") for _, args in noted(opened))  # so it is seen what is started
    assert canaries(opened) == []
    assert [each for each in noted(opened) if not is_harmless(opened, *each)] == []


# --- trust -----------------------------------------------------------------------------------------------------

TOOL = '#!/bin/sh\necho "$@" >> "$LOG"\nexec \'{real}\' "$@"\n'


@pytest.fixture
def with_tools(project: Project, need: Callable[[str], Path], tmp_path: Path) -> Project:
    """A harmless project whose `.venv/bin/ruff` and checker leave a trace when they run."""
    project.write(
        {"a.py": "import os\n", ".motet.toml": "[checkers.trace]\ncommand = 'echo checked >> ../log; true'\n"}
    )
    project.settings(ONLY_RUFF)
    tool = project.root / ".venv" / "bin" / "ruff"
    tool.parent.mkdir(parents=True)
    tool.write_text(TOOL.format(real=need("ruff")))
    tool.chmod(0o755)
    project.environment["LOG"] = str(tmp_path / "log")
    return project


def log(project: Project) -> str:
    file = Path(project.environment["LOG"])
    return file.read_text() if file.exists() else ""


RUFF = "programs in .venv/bin: ruff"
CHECKER = "echo checked >> ../log; true"
FIX = ("fix", "--dry-run", "--model", "offline", "a.py")


@pytest.mark.acceptance("T-03")
def test_trust_is_listed_given_item_by_item_used_and_revoked(with_tools: Project) -> None:
    project = with_tools
    done = project.here("trust", "--list")
    assert (done.code, done.out) == (0, f"waits    {RUFF}\nwaits    {CHECKER}\n")
    assert project.run(*FIX).code == 1
    assert log(project) == ""

    human = project.human("trust")
    human.sees(RUFF)
    human.is_asked("Trust it? [y]es, [n]o:")
    human.presses("y")
    human.sees(CHECKER)
    human.is_asked("Trust it? [y]es, [n]o:")
    human.presses("n")
    assert human.ends() == 0
    assert project.here("trust", "--list").out == f"trusted  {RUFF}\nwaits    {CHECKER}\n"
    assert project.run(*FIX).code == 1
    assert log(project) == "server\n"

    tool = project.root / ".venv" / "bin" / "ruff"
    tool.write_text(tool.read_text() + "# one byte\n")
    assert project.here("trust", "--list").out == f"waits    {RUFF}\nwaits    {CHECKER}\n", (
        "a changed program is asked about"
    )

    done = project.here("trust", "--all")
    assert (done.code, done.err) == (0, f"trusted: {RUFF}\ntrusted: {CHECKER}\n")
    project.run(*FIX)
    assert sorted(log(project).split()) == ["checked", "server", "server"]

    done = project.here("trust", "--revoke")
    assert (done.code, done.err.startswith("Forgot 3 grants for ")) == (0, True)
    assert project.here("trust", "--list").out == f"waits    {RUFF}\nwaits    {CHECKER}\n"


def test_trust_asks_nobody_without_a_terminal(with_tools: Project) -> None:
    done = with_tools.here("trust")
    assert (done.code, done.err) == (
        4,
        "motet: not a terminal, so nobody can be asked: use --all, or --list to see what there is\n",
    )


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_trust_is_not_given_by_leaving(with_tools: Project, key: str) -> None:
    human = with_tools.human("trust")
    for _ in range(1 if key == "\x03" else 2):
        human.is_asked("Trust it? [y]es, [n]o:")
        human.presses(key)
    assert human.ends() == (130 if key == "\x03" else 0)
    assert "trusted  " not in with_tools.here("trust", "--list").out


def test_a_project_without_anything_to_trust(project: Project) -> None:
    done = project.here("trust")
    assert (done.code, done.err) == (0, "This project defines nothing that would run.\n")
