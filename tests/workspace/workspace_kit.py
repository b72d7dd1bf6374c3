"""A human who can be asked; one run over a small project, and ways to make any step of it fail or be the last one.

As a program (`python workspace_kit.py BASE run|many|undo|merge exchange|plain`) it does the run again and again in
`BASE/1`, `BASE/2`, …, each time in a process of its own that kills itself at step 1, 2, …, until one comes to its end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from motet.errors import MotetError
from motet.permissions import Action, Answer, Gate, GrantStore, RuleSet
from motet.text import TextFile
from motet.workspace import Checkpoints, DiskWorkspace, _fs, atomic
from motet.workspace.guard import Guard

BEFORE = {
    "a.py": b"print('a')\r\n",
    "src/b.py": "﻿ｂ = 'ä'\n".encode(),
    "src/old.py": b"old = 1",
}
AFTER = {
    "a.py": b"print('A')\r\nmore\r\n" * 50,
    "src/b.py": "﻿ｂ = 'ö'\n".encode(),
    "new/deep/c.py": b"c = 3\n",
}
BETWEEN = {"a.py": b"print('aa')\r\n"}
"""What the run leaves in a file for a while."""


def twenty_lines(**changed: str) -> bytes:
    """Twenty lines; `_3="x"` is another third line."""
    return b"".join(changed.get(f"_{number}", f"line {number}").encode() + b"\n" for number in range(1, 21))


CHANGED_SINCE = {
    "a.py": twenty_lines(_3="motet", _10="own"),
    "new/place.py": twenty_lines(_3="motet", _10="own"),
    "made.py": b"made\n",
}
"""What there is after motet has changed one file, moved another and made a third, and somebody has gone on."""
MERGED = {"a.py": twenty_lines(_10="own"), "old.py": twenty_lines(_10="own")}
"""The same without what motet did."""


@dataclass
class Human:
    """Answers every question with `answer` and remembers them."""

    answer: Answer = Answer.NO
    asked: list[Action] = field(default_factory=list)

    async def __call__(self, action: Action) -> Answer:
        self.asked.append(action)
        return self.answer


STEPS = [
    name
    for name, value in vars(_fs).items()
    if callable(value) and value.__module__ == _fs.__name__ and name[0] != "_"
]
Call = Callable[..., object]


def lay_out(base: Path) -> tuple[Path, Path]:
    """A fresh project and state directory below `base`."""
    project, state = base / "project", base / "state"
    for path, data in BEFORE.items():
        place = project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (project / "a.py").chmod(0o755)
    return project, state


def open_workspace(project: Path, state: Path) -> DiskWorkspace:
    gate = Gate(project, RuleSet(), GrantStore(state))
    return DiskWorkspace(project, gate=gate, checkpoints=Checkpoints(state, project))


async def run(project: Path, state: Path) -> None:
    """Two writes of one file, one of another, a new file in new directories, a removal: one checkpoint."""
    workspace = open_workspace(project, state)
    await workspace.begin("a run")
    a = await workspace.read("a.py")
    a = await workspace.write(a, BETWEEN["a.py"])
    await workspace.write(await workspace.read("src/b.py"), AFTER["src/b.py"])
    await workspace.create("new/deep/c.py", AFTER["new/deep/c.py"])
    await workspace.write(a, AFTER["a.py"])
    await workspace.delete(await workspace.read("src/old.py"))
    await workspace.finish()


async def run_many(project: Path, state: Path) -> None:
    """The same files in one call, all but the removal. Raises what one of them failed with."""
    workspace = open_workspace(project, state)
    await workspace.begin("a run")
    files = [await workspace.read(path) if path in BEFORE else TextFile.new(path) for path in AFTER]
    outcomes = await workspace.write_many([(file, AFTER[file.path]) for file in files])
    for outcome in outcomes:
        if isinstance(outcome, MotetError):
            raise outcome
    await workspace.delete(await workspace.read("src/old.py"))
    await workspace.finish()


RUNS = {"run": run, "many": run_many}


async def change_and_go_on(project: Path, state: Path) -> None:
    """What leads to `CHANGED_SINCE`."""
    for name in ("a.py", "old.py"):
        (project / name).write_bytes(twenty_lines())
    (project / "src/b.py").unlink(missing_ok=True)
    (project / "src/old.py").unlink(missing_ok=True)
    workspace = open_workspace(project, state)
    await workspace.begin("a run")
    await workspace.write(await workspace.read("a.py"), twenty_lines(_3="motet"))
    old = await workspace.read("old.py")
    await workspace.create("new/place.py", twenty_lines(_3="motet"), moved_from="old.py")
    await workspace.delete(old)
    await workspace.create("made.py", b"made\n")
    await workspace.finish()
    for name in ("a.py", "new/place.py"):
        (project / name).write_bytes(CHANGED_SINCE[name])


@contextmanager
def every_step(before: Callable[[int, str, tuple[object, ...]], None]) -> Generator[None]:
    """Call `before(number, name, arguments)` ahead of each file-system step inside the block."""
    count = 0
    counting = threading.Lock()  # some steps are taken side by side

    def wrapped(name: str, real: Call) -> Call:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal count
            with counting:
                count += 1
                number = count
            before(number, name, args)
            return real(*args, **kwargs)

        return call

    real = {name: getattr(_fs, name) for name in STEPS}
    for name, function in real.items():
        setattr(_fs, name, wrapped(name, function))
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(_fs, name, function)


@contextmanager
def no_waiting_for_the_disk() -> Generator[None]:
    """A killed process loses nothing that the kernel has: hundreds of runs need not wait for the disk each time."""
    real = _fs.sync

    def sync(handle: int) -> None:
        os.fstat(handle)

    _fs.sync = sync
    try:
        yield
    finally:
        _fs.sync = real


@contextmanager
def plain_renames() -> Generator[None]:
    """A system that can neither exchange two names nor refuse to replace one."""
    real = _fs._extended_rename
    _fs._extended_rename = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        _fs._extended_rename = real


def files(project: Path) -> dict[str, bytes]:
    """Everything in the project, by path."""
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def write_in_every_directory(project: Path) -> None:
    """The next write in each directory, which removes what a killed one left there."""
    guard = Guard(project)
    for directory in [project, *(path for path in project.rglob("*") if path.is_dir())]:
        with guard.locate((directory / "next").relative_to(project).as_posix()) as place:
            assert atomic.examine(place) is None
            atomic.create(place, b"")
            atomic.remove(place, b"")


def main(base: Path, action: str) -> None:
    """`action`: a run, the undo after one, or an undo with a merge."""
    number = 0
    while True:
        number += 1
        project, state = lay_out(base / str(number))
        if action == "undo":
            asyncio.run(run(project, state))
        if action == "merge":
            asyncio.run(change_and_go_on(project, state))
        child = os.fork()
        if child == 0:
            die_at(number, project, state, action)
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status):
            print(number, os.WEXITSTATUS(status))
            return


def die_at(step: int, project: Path, state: Path, action: str) -> None:
    def before(number: int, name: str, arguments: tuple[object, ...]) -> None:
        if number == step:
            if name == "write":  # half of it reaches the file
                handle, data = arguments
                assert isinstance(handle, int)
                assert isinstance(data, memoryview)
                os.write(handle, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    with every_step(before):
        if action in ("undo", "merge"):
            asyncio.run(open_workspace(project, state).undo(merge=action == "merge"))
        else:
            asyncio.run(RUNS[action](project, state))
    os._exit(0)


if __name__ == "__main__":
    with no_waiting_for_the_disk(), plain_renames() if sys.argv[3] == "plain" else nullcontext():
        main(Path(sys.argv[1]), sys.argv[2])
