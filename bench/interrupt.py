"""How soon the human has control back: after Ctrl-C in a terminal, after a cancellation in a program.

    python bench/interrupt.py [--runs N] [--files N] [--json]

Two moments: while language servers look at the files, and while an answer streams that never ends.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from measure.project import modules, plant, write_project
from measure.run import MOTET, BenchError, Place, place
from measure.table import Measured, Result, main, measured, say

from motet.diagnostics import Doing, Progress
from motet.engine import Engine
from motet.fix import AcceptAll, EndReason
from motet.models.scripted import Answer, ScriptedServer, Wire

BAR_MILLISECONDS = 200
PATIENCE = 60.0
"""Seconds after which a moment that does not come, or a process that does not end, is a failure and named."""
SETTINGS = """
[providers.bench]
base_url = "{url}/v1"
dialect = "openai"
model = "endless"
tools = true
"""
FLAGS = {"model": "bench"}


@dataclass
class Moment:
    """A moment of a run, waited for by whoever interrupts it."""

    name: str
    come: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self, run: Awaitable[object]) -> None:
        """Wait until it has come and a little time has passed; raises `BenchError` when `run` ends before, or when
        it does not come."""
        waiting = asyncio.create_task(self.come.wait())
        ended, _ = await asyncio.wait([waiting, run], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not self.come.is_set():
            what = "the run ended before" if ended else f"after {PATIENCE:g} s there was not"
            raise BenchError(f"{what} the moment to interrupt it: {self.name}")
        await asyncio.sleep(0.2)


CHECKING, STREAMING = "while servers look at the files", "while an answer streams"


def measure(runs: int, files: int) -> Result:
    """`runs` interruptions of each kind, in a project of `files` files."""
    with place() as here:
        made = modules(files)
        made[0] = plant(made[0], 3)
        small, large = here.directory("small"), here.directory("large")
        write_project(small, made[:1])
        write_project(large, made)
        subprocess.run(["git", "init", "--quiet"], cwd=large, env=here.environment, check=True)
        rows = asyncio.run(_measure(here, {STREAMING: small, CHECKING: large}, runs))
    about = (
        f"A run of `motet fix` is interrupted {runs} times {CHECKING} ({files} of them) and {STREAMING} over HTTP. "
        "A program cancels the task of `FixLoop.run` and has control back when that returns; in a shell the prompt is "
        "back when the process has exited, with code 130 and with all that it started ended."
    )
    return measured("Interruption", about, rows)


async def _measure(here: Place, projects: dict[str, Path], runs: int) -> list[Measured]:
    rows: list[Measured] = []
    for how, bar, interrupt in (("cancelled", BAR_MILLISECONDS, _cancelled), ("Ctrl-C", None, _stopped)):
        for moment, project in projects.items():
            times = [await _once(here, project, moment, interrupt) for _ in range(runs)]
            rows.append(Measured(f"{how} {moment}", "ms", [1000 * each for each in times], bar))
            say(f"{how} {moment}: {max(times):.3f} s at most")
    return rows


Interrupt = Callable[[Place, Path, Moment], Awaitable[float]]


async def _once(here: Place, project: Path, name: str, interrupt: Interrupt) -> float:
    moment = Moment(name)
    endless = Answer(text="I think about it. " * 50, wire=Wire(text_chars=20, stall_after=20))

    def asked(_: object) -> None:
        if name == STREAMING:
            moment.come.set()

    async with ScriptedServer([endless], repeat=True, listener=asked) as server:
        here.settings(SETTINGS.format(url=server.url))
        return await interrupt(here, project, moment)


async def _cancelled(here: Place, project: Path, moment: Moment) -> float:
    """Seconds from `cancel` to the end of the loop, in this process."""

    def progress(step: Progress) -> None:
        if moment.name == CHECKING and step.doing is Doing.CHECKING:
            moment.come.set()

    engine = Engine(project, flags=FLAGS, allow=["send"], environ=here.environment)
    files = await engine.source_files()
    model, _ = await engine.choose_model()
    async with engine.diagnostics((), progress) as diagnostics:
        loop = engine.fix_loop(diagnostics, model, AcceptAll(), lambda _: None)
        task = asyncio.create_task(loop.run(files))
        await moment.wait(task)
        started = time.perf_counter()
        task.cancel()
        fixed = await task
        seconds = time.perf_counter() - started
    if fixed.reason is not EndReason.INTERRUPTED:
        raise BenchError(f"the run ended otherwise: {fixed.reason.name} {fixed.detail}")
    return seconds


async def _stopped(here: Place, project: Path, moment: Moment) -> float:
    """Seconds from SIGINT to the exit of motet's process."""
    pipe = asyncio.subprocess.PIPE
    argv = [MOTET, "fix", "--yes", "--model", FLAGS["model"], "--allow", "send", "--json"]
    run = await asyncio.create_subprocess_exec(
        *argv, cwd=project, env=here.environment, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
    )
    assert run.stdout and run.stderr
    reading = [asyncio.create_task(_watch(stream, moment)) for stream in (run.stdout, run.stderr)]
    exited = asyncio.create_task(run.wait())
    try:
        await moment.wait(exited)
        started = time.perf_counter()
        run.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            code = await exited
        seconds = time.perf_counter() - started
    except TimeoutError as error:
        raise BenchError(f"{PATIENCE:g} s after Ctrl-C {moment.name}, motet has not ended") from error
    finally:
        if run.returncode is None:
            run.kill()
        said = await asyncio.gather(*reading)
    if code != 130:
        raise BenchError(f"exit code {code}: {said[1][-500:]}")
    left = _working_in(project)
    if left:
        raise BenchError(f"still running after the end: {', '.join(left)}")
    return seconds


async def _watch(stream: asyncio.StreamReader, moment: Moment) -> str:
    """Read `stream` to its end; the servers are at work when the last of them has said that it starts."""
    said = b""
    while chunk := await stream.read(65536):
        said += chunk
        if moment.name == CHECKING and b"basedpyright: " in said:
            moment.come.set()
    return said.decode("utf-8", "replace")


def _working_in(directory: Path) -> list[str]:
    """Commands of the processes whose working directory this is, where the system tells."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == directory:
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended, or is somebody else's
    return [command for command in found if command]


if __name__ == "__main__":
    sys.exit(main(__doc__, {"runs": 5, "files": 200}, measure))
