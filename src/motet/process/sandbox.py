"""The second wall around commands: bubblewrap, where it is there and works.

A command inside sees the machine read-only, its workspace writable (but in plan mode), `/tmp` and `/run` empty and its own, no other
process, no network unless allowed, and of what is hidden nothing but empty files and directories. It has no
privileges to gain. Without bubblewrap the permissions are the same and this wall is missing; `motet doctor` says so.

Options: bwrap(1), of bubblewrap 0.4 or newer.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.errors import ProcessError
from motet.process.programs import find_program
from motet.process.run import run

_EMPTY_PLACES = (Path("/tmp"), Path("/var/tmp"), Path("/run"))
_TRIAL = 10.0
"""Seconds that the trial run may take."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What one command gets: `workspace` to write in, or, when it is not `writable`, to read; of it `read_only` only to read, nothing of `hidden`.

    Places that do not exist are passed over, and those that hold the workspace are not hidden.
    """

    workspace: Path
    read_only: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    network: bool = False
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A bubblewrap that works on this machine."""

    program: Path
    version: str

    def argv(self, command: Sequence[str | Path], walls: Walls, cwd: Path) -> list[str]:
        """The command line that runs `command` in `cwd` inside `walls`. To be ended by `ask_to_end`.

        A program that is installed in a temporary place, which is empty inside, is there all the same, to be read.
        """
        installed = _installed(Path(command[0]), walls.workspace.resolve())
        return [str(self.program), *_options(walls), *installed, "--chdir", str(cwd), "--", *map(str, command)]


@dataclass(frozen=True, slots=True)
class SandboxState:
    """Whether commands run in a sandbox here, and in one line which or why not."""

    sandbox: Sandbox | None
    text: str


async def find_sandbox(*, avoid: Path | None = None) -> SandboxState:
    """Look for bubblewrap, outside `avoid`, and try it once: kernels and containers may forbid what it needs."""
    if sys.platform != "linux":
        return SandboxState(None, "none: there is bubblewrap for Linux only; commands run without a second wall")
    program = find_program("bwrap", avoid=avoid)
    if program is None:
        return SandboxState(None, "none: install bubblewrap (bwrap); until then commands run without a second wall")
    try:
        said = await run([program, "--version"], cwd=Path("/"), timeout=_TRIAL)
        version = said.stdout.decode("utf-8", "replace").strip().rpartition(" ")[2]
        sandbox = Sandbox(program, version)
        trial = await run(
            sandbox.argv(["/bin/sh", "-c", ":"], Walls(Path("/tmp")), Path("/")), cwd=Path("/"), timeout=_TRIAL
        )
    except ProcessError as error:
        return SandboxState(None, f"none: {error}")
    if trial.code != 0:
        why = " ".join(trial.stderr.decode("utf-8", "replace").split())[:200] or f"exit code {trial.code}"
        return SandboxState(None, f"none: bubblewrap does not work here ({why}); commands run without a second wall")
    return SandboxState(sandbox, f"bubblewrap {version} ({program})")


def ask_to_end(pid: int) -> None:
    """TERM to everything inside the sandbox whose outermost process is `pid`.

    TERM to that process itself would be the end of all at once: nothing inside could tidy up.
    """
    inside = [process for keeper in _children(pid) for process in _descendants(keeper)]
    for process in inside or [pid]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGTERM)


def _options(walls: Walls) -> Iterator[str]:
    yield from ("--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts")
    yield from ("--cap-drop", "ALL", "--hostname", "sandbox")
    if not walls.network:
        yield "--unshare-net"
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    for place in _EMPTY_PLACES:
        if place.is_dir() and not place.is_symlink():
            yield from ("--tmpfs", str(place))
    resolver = Path("/etc/resolv.conf").resolve()
    if walls.network and _is_within(resolver, _EMPTY_PLACES) and resolver.is_file():
        yield from ("--ro-bind", str(resolver), str(resolver))
    workspace = walls.workspace.resolve()
    yield from ("--bind" if walls.writable else "--ro-bind", str(workspace), str(workspace))
    for place in _real(walls.read_only):
        yield from ("--ro-bind", str(place), str(place))
    for place in _real(walls.hidden):
        if workspace.is_relative_to(place) or (
            _is_within(place, _EMPTY_PLACES) and not place.is_relative_to(workspace)
        ):
            continue
        yield from ("--tmpfs", str(place)) if place.is_dir() else ("--ro-bind", "/dev/null", str(place))


def _installed(program: Path, workspace: Path) -> list[str]:
    """What makes a program readable that stands in an empty place, or is a link into one: with all that was installed
    with it. Links of the workspace are not followed: they would choose what of such places is seen."""
    options: list[str] = []
    for step in _links(program):
        home = step.parent.parent if step.parent.name in ("bin", "sbin") else step.parent
        if home.is_relative_to(workspace):
            break
        if _is_within(home, _EMPTY_PLACES) and home not in _EMPTY_PLACES:
            options += ("--ro-bind", str(home), str(home))
    return options


def _links(program: Path) -> Iterator[Path]:
    """`program`, and what it leads to, link by link."""
    seen: set[Path] = set()
    while program not in seen:
        yield program
        seen.add(program)
        if program.is_symlink():
            program = Path(os.path.normpath(program.parent / program.readlink()))


def _real(places: Sequence[Path]) -> list[Path]:
    """The places as they really are, outer ones first, without those inside another of them."""
    real = sorted({place.resolve() for place in places if place.exists()})
    return [place for place in real if not any(place != outer and place.is_relative_to(outer) for outer in real)]


def _is_within(place: Path, outer: Sequence[Path]) -> bool:
    return any(place.is_relative_to(each) for each in outer)


def _descendants(pid: int) -> list[int]:
    children = _children(pid)
    return children + [each for child in children for each in _descendants(child)]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += [int(child) for child in (task / "children").read_text().split()]
    return found
