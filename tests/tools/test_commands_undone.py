"""What a model's command destroyed is brought back by one undo, byte for byte, and taken again by the next."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tools.tool_kit import Project

from motet.process.sandbox import SandboxState, find_sandbox
from motet.tools.builtin.run_command import RunCommand

BARE = SandboxState(None, "none: a test without it")
MORE = "untracked ä\n"


@pytest.fixture(params=["sandbox", "bare"])
async def wall(request: pytest.FixtureRequest) -> SandboxState:
    """With the second wall and without."""
    if request.param == "bare":
        return BARE
    found = await find_sandbox()
    if found.sandbox is None:
        pytest.skip(f"needs bubblewrap, which only root can install: {found.text}")
    return found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with a bit of everything: staged, changed, removed, untracked, ignored, links, modes, no text."""
    made = Project(tmp_path, allow=True)
    made.git("init", "-q", "-b", "main")
    made.write("kept.py", "kept = 1\n")
    made.write("staged.py", "staged = 1\n")
    made.write("changed.py", "changed = 1\r\n")
    made.write("gone.py", "gone = 1\n")
    made.write("deep/er/one.bin", bytes(range(256)) * 300)
    made.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    made.write(".gitignore", "*.log\nbuild/\nprivate\n")
    (made.root / "link").symlink_to("kept.py")
    os.symlink("nowhere//at/./all", made.root / "dangling")  # noqa: PTH211  a path would tidy it up
    made.commit()
    made.git("branch", "other")
    made.write("kept.py", "kept = 2\n")
    made.commit("two")
    made.write("staged.py", "staged = 2\n")
    made.git("add", "staged.py")
    made.write("staged.py", "staged = 3\n")
    made.write("changed.py", "changed = 2\r\nno end")
    (made.root / "gone.py").unlink()
    made.write("new/untracked.txt", MORE)
    made.write("new/read only", "x").chmod(0o444)
    made.write("private", "secret = 1\n").chmod(0o600)
    made.write("build/out.o", b"\0\1\2")
    made.write("notes.log", "a note\n")
    (made.root / "empty").mkdir(mode=0o750)
    (made.root / "empty").chmod(0o750)
    return made


Seen = dict[str, tuple[int, bytes]]


def seen(root: Path) -> Seen:
    """Everything in the project with its mode and content; of git what says which files there are."""
    found: Seen = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(".git/") and not name.startswith((".git/HEAD", ".git/index", ".git/refs/")):
            continue
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[name] = mode, os.fsencode(os.readlink(path))  # noqa: PTH115  as it is
        elif stat.S_ISREG(mode):
            found[name] = mode, path.read_bytes()
        elif not name.startswith(".git/"):
            found[name] = mode, b""
    return found


def status_of(project: Project) -> str:
    """What git says, without a note in the index that it has looked."""
    return project.git("--no-optional-locks", "status", "--porcelain=v2", "--ignored")


async def run(project: Project, wall: SandboxState, *argv: str) -> str:
    output = await project.call(RunCommand(project.kit, wall), argv=list(argv))
    assert not output.is_error, output.text
    return output.text


COMMANDS = {
    "reset": ["git", "reset", "--hard", "HEAD~1"],
    "clean": ["git", "clean", "-fdxq"],
    "rm": ["rm", "-rf", "deep", "new", "empty", "changed.py", "link", "private"],
    "mv": ["mv", "changed.py", "staged.py"],
    "checkout": ["git", "checkout", "-q", "-f", "other"],
    "checkout of a file": ["git", "checkout", "--", "changed.py"],
    "stash": ["git", "stash", "--include-untracked", "--quiet"],
    "chmod": ["chmod", "u-w,o+x", "run.sh", "deep", "private"],
    "directory for file": ["sh", "-c", "rm kept.py && mkdir -p kept.py/x && echo y > kept.py/x/y"],
    "file for directory": ["sh", "-c", "rm -r deep && ln -s nowhere deep && rm link && echo > link"],
    "everything": ["sh", "-c", "rm -rf * .gitignore; rm -rf .git/index .git/HEAD .git/refs .git/objects"],
}


@pytest.mark.acceptance("T-27", "T-31")
@pytest.mark.parametrize("name", COMMANDS)
async def test_one_undo_brings_back_what_a_command_destroyed(project: Project, wall: SandboxState, name: str) -> None:
    before, status = seen(project.root), status_of(project)
    await run(project, wall, *COMMANDS[name])
    after = seen(project.root)
    assert after != before
    await project.workspace.undo()
    assert seen(project.root) == before
    assert status_of(project) == status
    project.git("fsck", "--strict")
    await project.workspace.undo()
    assert {**seen(project.root), **after} == seen(project.root)
    await project.workspace.undo()
    assert seen(project.root).keys() == before.keys()
    assert status_of(project) == status
