"""How long a command waits for the snapshot before it, and how long an undo takes that brings a whole tree back.

    python bench/snapshot_cost.py [--rounds N] [--small N] [--large N] [--json]

Time on the clock, on the disk of the temporary directory, through the workspace. The tree is a git work tree whose
files were written some seconds ago, as those of a project were.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from measure.table import Measured, Result, main, measured, say

from motet.permissions import Gate, GrantStore, RuleSet
from motet.workspace import Checkpoints, DiskWorkspace

ABOUT = (
    "Around a command that a model runs, in time on the clock. *first*: every content is read and kept; later only what "
    "changed is. *beside* it is `git status`, which looks at the same files. The undo brings back every file after "
    "`rm -rf`."
)
BAR_SMALL, BAR_LARGE = 200, 1_000
"""Milliseconds that a command may wait before and after it, in a tree of 2,000 and of 20,000 files."""
LINES = 150
T = TypeVar("T")


def measure(rounds: int, small: int, large: int) -> Result:
    """A table with the rows of a tree of `small` and of `large` files."""
    rows: list[Measured] = []
    for files, bar in ((small, BAR_SMALL), (large, BAR_LARGE)):
        with tempfile.TemporaryDirectory() as home:
            rows += asyncio.run(_of(files, bar, rounds, Path(home)))
    return measured("Snapshots before commands", ABOUT, rows)


async def _of(files: int, bar: float, rounds: int, home: Path) -> list[Measured]:
    root, state = home / "project", home / "state"
    say(f"{files:,} files …")
    _write(root, files)
    first, watch = await _timed(_open(root, state).before_command("first"))
    assert watch is not None
    await _open(root, state).after_command(watch)
    before, after, status = [], [], []
    for _ in range(rounds + 1):
        workspace = _open(root, state)  # as a new process
        taken, watch = await _timed(workspace.before_command("again"))
        assert watch is not None
        before.append(taken)
        after.append((await _timed(workspace.after_command(watch)))[0])
        began = time.perf_counter()
        _git(root, "status", "--porcelain")
        status.append((time.perf_counter() - began) * 1e3)
    workspace = _open(root, state)
    watch = await workspace.before_command("rm -rf")
    assert watch is not None
    for place in root.iterdir():
        if place.name != ".git":
            shutil.rmtree(place)
    lost, _ = await _timed(workspace.after_command(watch))
    undo, _ = await _timed(workspace.undo())
    what = f"{files:,} files"
    return [
        Measured(f"{what}: the first snapshot", "ms", [first]),
        Measured(f"{what}: before a command", "ms", before[1:], bar),
        Measured(f"{what}: after a command", "ms", after[1:], bar),
        Measured(f"{what}: before a command, compared", "ms", before[1:], None, "`git status`", status[1:]),
        Measured(f"{what}: after `rm -rf` of all", "ms", [lost]),
        Measured(f"{what}: undo of that", "ms", [undo]),
    ]


def _open(root: Path, state: Path) -> DiskWorkspace:
    gate = Gate(root, RuleSet(), GrantStore(state))
    return DiskWorkspace(root, gate=gate, checkpoints=Checkpoints(state, root))


def _write(root: Path, files: int) -> None:
    for number in range(files):
        place = root / f"d{number // 50}" / f"f{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(f"line {number}\n".encode() * LINES)
    _git(root, "init", "--quiet")
    _git(root, "add", "-A")
    then = time.time() - 60
    for place in root.rglob("*"):
        os.utime(place, (then, then))


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


async def _timed(work: Awaitable[T]) -> tuple[float, T]:
    began = time.perf_counter()
    made = await work
    return (time.perf_counter() - began) * 1e3, made


if __name__ == "__main__":
    sys.exit(main(__doc__, {"rounds": 9, "small": 2_000, "large": 20_000}, measure))
