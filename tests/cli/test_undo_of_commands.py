"""A model destroys work with a command that was allowed; `motet undo` brings all of it back, and takes it again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from cli.kit import MAY_SEND, Project, Provider

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]
PLAIN = MAY_SEND + "[chat]\ntitles = false\n"


def git(project: Project, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "--no-optional-locks", *arguments],
        cwd=project.root,
        env=project.env(),
        check=True,
        capture_output=True,
    )
    return done.stdout.decode()


@pytest.mark.acceptance("T-27", "T-31")
def test_a_hard_reset_of_a_model_is_taken_back_in_one_step(project: Project, provider: Serve) -> None:
    git(project, "init", "-q")
    project.write({"a.txt": "one\n", "b.txt": "one\n"})
    git(project, "add", "-A")
    git(project, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one")
    project.write({"a.txt": "staged\n", "new.txt": "never added\n"})
    git(project, "add", "a.txt")
    project.write({"a.txt": "not staged\n"})
    status, index = git(project, "status", "--porcelain=v2"), (project.root / ".git/index").read_bytes()
    words = {"shell": "git reset -q --hard && git clean -fdxq"}
    provider([Answer(calls=(call("run_command", words),)), Answer(text="Clean.")], more=PLAIN)
    done = project.run("ask", "-t", "cmd", "--allow", f"run:sh -c '{words['shell']}'", "tidy up")
    assert done.code == 0, done.err
    assert git(project, "status", "--porcelain=v2") == ""

    assert project.here("undo", "--dry-run").code == 0
    done = project.here("undo")
    assert (done.code, done.err.splitlines()[:-1]) == (
        0, [f"restored  {name}" for name in (".git/index", ".git/logs/HEAD", "a.txt", "new.txt")]
    )  # fmt: skip
    assert (git(project, "status", "--porcelain=v2"), (project.root / ".git/index").read_bytes()) == (status, index)
    assert (project.text("a.txt"), project.text("new.txt")) == ("not staged\n", "never added\n")
    assert project.here("undo").code == 0
    assert git(project, "status", "--porcelain=v2") == ""
