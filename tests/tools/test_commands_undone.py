"""What a model's command destroyed is brought back by one undo, byte for byte, and taken again by the next."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tools.tool_kit import BARE, Project

import motet
from motet.errors import UndoRefused, WorkspaceError
from motet.permissions import Gate, GrantStore, RuleSet
from motet.process.sandbox import SandboxState
from motet.tools.builtin.run_command import RunCommand
from motet.tools.kit import Told
from motet.workspace import Checkpoints, DiskWorkspace
from motet.workspace.snapshots import Limits

MORE = "untracked ä\n"


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


async def test_edits_and_commands_of_one_turn_are_taken_back_together(project: Project) -> None:
    before = seen(project.root)
    await project.workspace.begin("chat: all at once")
    file = await project.workspace.read("kept.py")
    await project.workspace.write(file, b"kept = 3\n")
    await run(project, BARE, "sh", "-c", "echo 'kept = 4' > kept.py; chmod +x kept.py; rm run.sh")
    file = await project.workspace.read("kept.py")
    await project.workspace.write(file, b"kept = 5\n")
    await project.workspace.finish()
    [turn] = await project.workspace.history()
    assert (turn.label, turn.files) == ("chat: all at once", ("kept.py", "run.sh"))
    await project.workspace.undo()
    assert seen(project.root) == before


async def test_what_changed_since_is_kept_and_named(project: Project) -> None:
    await run(project, BARE, "sh", "-c", "rm run.sh; echo 1 > kept.py")
    project.write("kept.py", "by hand\n")
    with pytest.raises(
        UndoRefused, match=r"^checkpoint 1 is not undone, nothing is changed: kept\.py \(changed since\)$"
    ):
        await project.workspace.undo()
    assert not (project.root / "run.sh").exists()
    await project.workspace.undo(paths=["run.sh"])
    assert (project.root / "run.sh").read_bytes() == b"#!/bin/sh\n"
    assert project.read("kept.py") == b"by hand\n"


async def test_what_git_ignores_stops_no_undo_and_what_was_made_of_it_stays(project: Project) -> None:
    script = (
        "echo run >> notes.log; echo 1 > new.log; mkdir -p __pycache__; echo 1 > __pycache__/a.pyc; echo 1 > made"
    )
    await run(project, BARE, "sh", "-c", script)
    project.write("notes.log", "by hand\n")
    report = await project.workspace.undo()
    assert (report.removed, report.restored, report.left) == (("made",), (), ("notes.log",))
    assert (project.read("notes.log"), project.read("new.log")) == (b"by hand\n", b"1\n")


async def test_after_git_has_looked_at_the_files_its_index_is_restored_all_the_same(project: Project) -> None:
    status = status_of(project)
    await run(project, BARE, "git", "reset", "-q", "--hard")
    project.write("kept.py", "kept = 2\n")
    project.git("status")  # notes in the index that it has looked
    await project.workspace.undo()
    assert status_of(project) == status


async def test_a_commit_since_is_not_lost(project: Project) -> None:
    await run(project, BARE, "git", "commit", "-q", "-m", "by the model")
    project.git("commit", "-q", "--allow-empty", "-m", "by hand")
    head = project.git("rev-parse", "HEAD")
    with pytest.raises(UndoRefused, match=r"\.git/refs/heads/main \(changed since\)"):
        await project.workspace.undo()
    assert project.git("rev-parse", "HEAD") == head


async def test_a_snapshot_writes_nothing_into_the_project(project: Project) -> None:
    def looks() -> dict[str, tuple[int, ...]]:
        found = {path: path.lstat() for path in [project.root, *project.root.rglob("*")]}
        return {str(path): (one.st_ino, one.st_mtime_ns, one.st_ctime_ns) for path, one in found.items()}

    before = looks()
    await run(project, BARE, "sh", "-c", ":")
    assert looks() == before
    assert await project.workspace.history() == []


# --- a process that dies, and a turn that is stopped --------------------------------------------------------------

_KILLED = """
import asyncio, sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from tools.tool_kit import Project
from motet.process.sandbox import SandboxState
from motet.tools.builtin.run_command import RunCommand

async def main():
    project = Project(Path(sys.argv[1]), allow=True)
    await project.workspace.begin("chat: doomed")
    tool = RunCommand(project.kit, SandboxState(None, "none"))
    await project.call(tool, shell="rm -rf deep new kept.py; git reset -q --hard HEAD~1; echo done; read never < pipe")

asyncio.run(main())
"""


@pytest.mark.acceptance("T-27")
async def test_when_motet_is_killed_in_the_middle_of_a_command_it_can_be_taken_back(
    project: Project, tmp_path: Path
) -> None:
    os.mkfifo(project.root / "pipe")
    before, status = seen(project.root), status_of(project)
    places = [Path(__file__).parent.parent, Path(motet.__file__).parent.parent]  # of `tools` and of motet
    argv = [sys.executable, "-c", _KILLED, str(tmp_path), *map(str, places)]
    child = subprocess.Popen(argv)  # noqa: ASYNC220
    try:
        with await asyncio.wait_for(asyncio.to_thread((project.root / "pipe").open, "wb"), 60):
            child.send_signal(signal.SIGKILL)  # the command has done its work, and waits
            child.wait(60)
    finally:
        child.kill()
    assert seen(project.root) != before
    await project.workspace.undo()
    assert (seen(project.root), status_of(project)) == (before, status)


async def test_a_damaged_snapshot_that_cannot_be_set_aside_is_let_go(project: Project) -> None:
    await project.call(RunCommand(project.kit, BARE), shell="rm kept.py")
    [home] = (path.parent for path in project.state.rglob("*.tree"))
    damaged = home / f"{'a' * 230}.pending"  # no longer name can be given to it
    damaged.write_text('{"tree": 1}')
    with pytest.raises(WorkspaceError, match="the name is too long"):
        await project.workspace.undo()
    links = [os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]  # noqa: PTH115
    assert str(damaged) not in links


async def test_what_a_stopped_command_did_is_taken_back_by_the_next_undo(project: Project) -> None:
    os.mkfifo(project.root / "pipe")
    before = seen(project.root)
    tool = RunCommand(project.kit, BARE)
    running = asyncio.create_task(project.call(tool, shell="rm -rf deep; echo . > pipe; read never < pipe"))
    with await asyncio.wait_for(asyncio.to_thread((project.root / "pipe").open, "rb"), 60) as pipe:
        await asyncio.to_thread(pipe.readline)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not (project.root / "deep").exists()
    await project.workspace.undo()
    assert seen(project.root) == before


async def test_what_a_session_does_while_its_output_is_waited_for_is_taken_back(project: Project) -> None:
    before = seen(project.root)
    output = await project.call(RunCommand(project.kit, BARE), argv=["rm", "-rf", "deep"], session="s", timeout=60)
    assert not output.is_error, output.text
    await project.workspace.undo()
    assert seen(project.root) == before


# --- where no snapshot can be taken --------------------------------------------------------------------------------


def with_limits(project: Project, limits: Limits | None) -> DiskWorkspace:
    gate = Gate(project.root, RuleSet(), GrantStore(project.state))
    return DiskWorkspace(
        project.root, gate=gate, checkpoints=Checkpoints(project.state, project.root), snapshots=limits
    )


@pytest.mark.acceptance("T-27")
async def test_without_a_snapshot_nothing_runs_unless_the_human_says_so(project: Project) -> None:
    place = project.state / "checkpoints" / "snapshots"
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("no directory")
    output = await project.call(RunCommand(project.kit, BARE), argv=["rm", "-rf", "deep"])
    assert (project.root / "deep").exists()
    assert output.is_error
    assert output.text.startswith("run_command: not run, because it could not be taken back: ")
    assert output.text.endswith("; mend that, or set snapshots.commands = false")
    project.human._answers, project.human._present = ("run it all the same",), True
    await run(project, BARE, "rm", "-rf", "deep")
    assert not (project.root / "deep").exists()
    assert [question.options for question in project.human.asked] == [("do not run it", "run it all the same")] * 2


@pytest.mark.parametrize(
    ("limits", "text", "gone"),
    [
        (Limits(file_bytes=60_000), "too large: deep/er/one.bin", "deep/er/one.bin"),
        (Limits(bytes=70_000), "more bytes than a snapshot takes: deep/er/one.bin", "deep/er/one.bin"),
    ],
)
async def test_what_a_snapshot_leaves_out_is_told_once(
    tmp_path: Path, project: Project, limits: Limits, text: str, gone: str
) -> None:
    workspace = with_limits(project, limits)
    tool = RunCommand(replace(project.kit, workspace=workspace), BARE)
    for command in ("rm -rf deep new", ":"):
        await project.call(tool, shell=command)
    line = f"not in the snapshot before commands, so `motet undo` cannot bring it back: {text}"
    assert [told for told in project.told if told.kind == "note" and "deep" in told.text] == [
        Told("run_command", "note", line)
    ]
    await workspace.undo()
    assert (project.root / "new" / "untracked.txt").read_text() == MORE
    assert not (project.root / gone).exists()


async def test_switched_off_nothing_is_kept(project: Project) -> None:
    assert await with_limits(project, None).before_command("rm -rf deep") is None
