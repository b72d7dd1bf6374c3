"""What is raised where nobody waits for it is in the log and told in one line: in tasks, in callbacks, at the terminal."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import BIN, DONE, Project, provider_for

from motet.engine.faults import FaultLog
from motet.errors import MotetError
from motet.tasks import background

TICKS = """
import sys
from motet.cli import front
async def fails(terminal):
    raise KeyError("nobody expects this")
front._tick = fails
from motet.cli import run
sys.exit(run(sys.argv[1:]))
"""


async def dies(error: Exception) -> None:
    raise error


def now(error: Exception) -> None:
    raise error


def kept(error: Exception) -> object:
    return background(dies(error))


def forgotten(error: Exception) -> object:
    asyncio.Task(dies(error))
    return None


def called(error: Exception) -> object:
    return asyncio.get_running_loop().call_soon(now, error)


@pytest.mark.parametrize("start", [kept, forgotten, called])
def test_what_is_raised_is_logged_and_told(tmp_path: Path, start: Callable[[Exception], object]) -> None:
    log, lines = FaultLog(tmp_path, {}), list[str]()

    async def run() -> None:
        log.catch("here", lines.append)
        held = start(KeyError("x"))
        for _ in range(3):
            await asyncio.sleep(0)
        gc.collect()
        del held

    asyncio.run(run())
    assert lines == [f"a defect of motet, KeyError('x'); {tmp_path / 'errors.jsonl'} has the rest"]
    (fault,) = log.read()
    assert fault.where == "here"
    assert fault.trace.endswith("    raise error\nKeyError: 'x'\n")


def test_an_error_for_people_is_told_in_its_own_words(tmp_path: Path) -> None:
    lines = list[str]()

    async def run() -> None:
        FaultLog(tmp_path, {}).catch("here", lines.append)
        await asyncio.wait({background(dies(MotetError("the disk is full")))})
        await asyncio.sleep(0)

    asyncio.run(run())
    assert lines == ["the disk is full"]


def test_a_task_that_is_cancelled_is_no_news(tmp_path: Path) -> None:
    lines = list[str]()

    async def run() -> None:
        FaultLog(tmp_path, {}).catch("here", lines.append)
        task = background(asyncio.sleep(60))
        task.cancel()
        await asyncio.wait({task})
        await asyncio.sleep(0)

    asyncio.run(run())
    assert lines == []


def test_at_the_terminal_it_is_a_line_on_stderr(project: Project) -> None:
    with provider_for(project, [DONE]):
        done = project.run("ask", "hello", argv=[BIN / "python", "-c", TICKS])
    assert (done.code, done.out) == (0, "Done.\n")
    assert "motet: a defect of motet, KeyError('nobody expects this');" in " ".join(done.err.split())
    assert "Traceback" not in done.err
    rows = [json.loads(line) for line in (project.state / "errors.jsonl").read_text().splitlines()]
    assert [row["where"] for row in rows] == ["motet"]
