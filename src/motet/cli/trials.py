"""Asking a model for edits in places of their own, with `motet edit` as anybody runs it, and judging what came of it."""

from __future__ import annotations

import ast
import json
import os
import sys
import tempfile
import time
import tomllib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, convert

from motet.errors import ExitCode, ModelError, ModelErrorKind, ProcessError, UsageError
from motet.process import Output, run

_PATIENCE = 600.0
"""Seconds that one edit may take."""


class Verdict(StrEnum):
    """What a trial came to."""

    RIGHT = "right"
    OTHER = "other"
    """An edit was made, and the program is another one than was asked for."""
    NONE = "no edit"
    """None was made, and that was said."""
    SILENT = "silent"
    """None was made, and nobody said so: never to happen."""
    FAILED = "failed"
    """The model or its provider did."""


class Task(Struct, frozen=True):
    """One edit: what is said, and what becomes of the file: `find` is replaced by `replace` wherever it stands."""

    say: str
    find: str
    replace: str


class Tasks(Struct, frozen=True):
    """The file that is edited, and the edits."""

    path: str
    file: str
    tasks: list[Task]


@dataclass(frozen=True, slots=True)
class Trial:
    """One edit that was asked for. `tokens`: in and out, as far as the provider told."""

    format: str
    task: str
    verdict: Verdict
    detail: str
    seconds: float
    tokens: int


def tasks() -> Tasks:
    """The tasks that come with motet."""
    table = tomllib.loads(Path(__file__).with_name("bench_tasks.toml").read_text("utf-8"))
    return convert(table, Tasks)


async def trials(model: str, formats: Sequence[str], edits: int, runs: int) -> AsyncGenerator[Trial]:
    """Each of the first `edits` tasks `runs` times in each format, one after the other. Raises `ModelError` when the
    first fails: the others would; and `UsageError` for a model that there is not."""
    asked = tasks()
    first = True
    for format in formats:
        for _ in range(runs):
            for task in asked.tasks[:edits]:
                trial = await _trial(model, format, asked, task)
                if first and trial.verdict is Verdict.FAILED:
                    raise ModelError(trial.detail, ModelErrorKind.BAD_RESPONSE)
                first = False
                yield trial


async def _trial(model: str, format: str, asked: Tasks, task: Task) -> Trial:
    with tempfile.TemporaryDirectory(prefix="motet-bench-") as place:
        file = Path(place, asked.path)
        file.write_text(asked.file, "utf-8")
        argv = [
            sys.executable, "-m", "motet", "edit", "--json", "--yes", "--no-history", "--allow", "send", "-m", model,
            task.say, asked.path,
        ]  # fmt: skip
        began = time.monotonic()
        try:
            done = await run(
                argv, cwd=Path(place), timeout=_PATIENCE, env={**os.environ, "MOTET_EDIT_FORMAT": format}
            )
        except ProcessError as error:
            return Trial(format, task.say, Verdict.FAILED, str(error), time.monotonic() - began, 0)
        seconds = time.monotonic() - began
        wanted, found = asked.file.replace(task.find, task.replace), file.read_text("utf-8")
        verdict, detail = _judge(done, wanted, found)
        return Trial(format, task.say, verdict, detail, seconds, _tokens(done.stdout))


def _judge(done: Output, wanted: str, found: str) -> tuple[Verdict, str]:
    said = (done.stderr.decode("utf-8", "replace").strip().splitlines() or [""])[-1]
    match done.code:
        case ExitCode.DONE:
            is_right = _same_program(wanted, found)
            return (Verdict.RIGHT, "") if is_right else (Verdict.OTHER, "another program than was asked for")
        case ExitCode.PROBLEMS_REMAIN if said.startswith("no edit was made: "):
            return Verdict.NONE, said
        case ExitCode.PROBLEMS_REMAIN:
            return Verdict.SILENT, said
        case ExitCode.USAGE:
            raise UsageError(said.removeprefix("motet: "))
        case _:
            return Verdict.FAILED, said.removeprefix("motet: ")


def _same_program(wanted: str, found: str) -> bool:
    try:
        return ast.dump(ast.parse(wanted)) == ast.dump(ast.parse(found))
    except (SyntaxError, ValueError):
        return False


def _tokens(events: bytes) -> int:
    """What the run used, by its own last word about it."""
    for line in reversed(events.splitlines()):
        event = json.loads(line)
        if event["event"] == "ended":
            return int(event["tokens"]["input"]) + int(event["tokens"]["output"])
    return 0
