"""`motet undo`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from motet.cli.ask import ask_in_terminal
from motet.cli.keys import Keyboard
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.engine import Engine
from motet.errors import UsageError
from motet.visible import one_line
from motet.workspace import CheckpointInfo, resolve_user_path
from motet.workspace.retention import KEPT
from motet.workspace.undo import UndoReport
from motet.workspace.unsaved import UnsavedEdits

_MOST_FILES = 3
"""Files of one run that a line of the list names."""


@click.command("undo")
@click.argument("paths", nargs=-1)
@click.option("-l", "--list", "listing", is_flag=True, help="List what can be taken back, newest first.")
@click.option("--id", "checkpoint", metavar="ID", help="The run to take back, by its id in the list.")
@click.option("--merge", is_flag=True, help="Take only motet's change back where a file was changed since.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would be taken back; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON lines.")
def command(
    paths: tuple[str, ...], listing: bool, checkpoint: str | None, merge: bool, dry_run: bool, as_json: bool
) -> int:
    """Take back what motet wrote and its commands did; undo again to have it back.

    \b
    Examples:
      motet undo                    the last run
      motet undo src/app.py         the last change of this file
      motet undo src                the last change of each file in it
      motet undo --merge            the last run, keeping what was changed since
      motet undo --dry-run          what that would do
      motet undo --list             what can be taken back
      motet undo --list src/app.py  what changed this file
      motet undo --list --id 3      what became of each file of a run
      motet undo --id 3             an earlier run

    Refuses, naming the files, where a file was changed since. With --merge such a file loses motet's lines and
    keeps the newer ones; where these are the same lines, that is refused too. An undo can itself be undone.

    Exit code 0: taken back, 1: refused, 2: usage, 4: not permitted.
    """
    if listing:
        return asyncio.run(_list(paths, checkpoint, as_json))
    return asyncio.run(_undo(paths, checkpoint, merge, dry_run, as_json))


async def _list(paths: tuple[str, ...], checkpoint: str | None, as_json: bool) -> int:
    engine = Engine(Path.cwd())
    history = await engine.workspace.history()
    wanted = {name for path in paths for name in _files(engine, path, history)}
    if not history:
        Terminal().line("Nothing was written in this workspace yet.")
        return 0
    found = [info for info in history if checkpoint in (None, info.id) and (not wanted or wanted & {*info.files})]
    if not found:
        if checkpoint and all(info.id != checkpoint for info in history):
            raise UsageError(engine.workspace.why_not_there(checkpoint))
        what = f"checkpoint {checkpoint}" if checkpoint else " ".join(paths)
        raise UsageError(f"{what}: not in the list; `motet undo --list` shows all of it")
    for info in found:
        if as_json:
            write_json(_fields(info))
        elif checkpoint is None:
            write_line(_line(info, sorted(wanted & {*info.files}) or info.files))
        else:
            write_line(_line(info, ()))
            for path in info.files:
                write_line(one_line(f"  {'stands' if path in info.standing else 'undone'}  {path}"))
    if not paths and checkpoint is None and not as_json:
        runs = "1 run" if len(history) == 1 else f"{len(history)} runs"
        Terminal().line(f"{runs}; {KEPT}.", "dim")
    return 0


async def _undo(paths: tuple[str, ...], checkpoint: str | None, merge: bool, dry_run: bool, as_json: bool) -> int:
    terminal = Terminal()
    engine = Engine(Path.cwd(), ask=ask_in_terminal(terminal, Keyboard()) if terminal.can_ask else None)
    unsaved = UnsavedEdits(engine.state, engine.root).paths()
    for path in unsaved:
        terminal.line(
            f"{path}: an edit that an editor made in unsaved text is left; `:Motet undo` there takes it back"
        )
    wanted = await _wanted(engine, paths, checkpoint) if paths else None
    report = await engine.workspace.undo(checkpoint, wanted, merge, dry_run)
    if as_json:
        write_json({"schema": 1, **asdict(report), "unsaved": unsaved, "dry_run": dry_run})
        return 0
    done = (("restored", report.restored), ("merged", report.merged), ("removed", report.removed))
    for what, files in done:
        for path in files:
            terminal.line(f"{what:<8}  {path}")
    for path in report.left:
        terminal.line(f"{'left':<8}  {path} (changed since)")
    terminal.line(_summary(report, sum(len(files) for _, files in done), dry_run), "bold", hang=2)
    return 0


def _summary(report: UndoReport, count: int, dry_run: bool) -> str:
    run = " and ".join(report.labels)
    if not count:
        return f"Nothing to write: the files are as they were before {run}."
    files, them = ("1 file", "it") if count == 1 else (f"{count} files", "them")
    if dry_run:
        return f"Would take back {files} of {run}; nothing is written."
    return f"Took back {files} of {run}; `motet undo` again brings {them} back."


async def _wanted(engine: Engine, paths: Sequence[str], checkpoint: str | None) -> list[str]:
    """The files that `paths` mean. Of a directory those in which a change stands that is no undo."""
    history = await engine.workspace.history()
    undone: dict[str, bool] = {}
    for info in history:
        for path in info.standing if checkpoint in (None, info.id) else ():
            undone.setdefault(path, bool(info.undoes))
    found: list[str] = []
    for path in paths:
        files = _files(engine, path, history)
        is_directory = files != [resolve_gone(engine, path)]
        found += [name for name in files if not is_directory or undone.get(name) is False]
        if is_directory and not found:
            raise UsageError(f"{path}: in this directory no change stands; `motet undo --list` shows what was done")
    return list(dict.fromkeys(found))


def _files(engine: Engine, typed: str, history: Sequence[CheckpointInfo]) -> list[str]:
    """The file that was typed, or of a directory all files that were ever written in it."""
    name = resolve_gone(engine, typed)
    known = {path for info in history for path in info.files}
    below = "" if name == "." else f"{name}/"
    inside = sorted(path for path in known if path.startswith(below)) if name not in known else []
    return inside or ([] if (engine.root / name).is_dir() else [name])


def resolve_gone(engine: Engine, typed: str) -> str:
    """The workspace path of a file that may not exist now, because it was created or deleted by the run."""
    if not typed:
        raise UsageError("(empty path): not a path")  # a variable without a value is not the whole directory
    place = Path.cwd() / typed
    if place.is_dir() and not place.is_symlink():
        return resolve_user_path(engine.root, Path.cwd(), str(place))
    plain = Path(os.path.normpath(place))
    if not place.parent.exists() and plain.is_relative_to(engine.root):
        return plain.relative_to(engine.root).as_posix()  # its directory is gone, too
    return f"{resolve_user_path(engine.root, Path.cwd(), str(place.parent))}/{place.name}".removeprefix("./")


def _line(info: CheckpointInfo, files: Sequence[str]) -> str:
    states = ["(undone)" if info.undone else "", "" if info.finished else "(interrupted)"]
    marks = {path: "" if info.undone or path in info.standing else " (undone)" for path in files}
    named = ", ".join(f"{path}{mark}" for path, mark in list(marks.items())[:_MOST_FILES])
    more = f" and {len(marks) - _MOST_FILES} more" if len(marks) > _MOST_FILES else ""
    when = info.time.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return one_line("  ".join(part for part in (info.id, when, info.label, *states, named + more) if part))


def _fields(info: CheckpointInfo) -> dict[str, object]:
    return {"schema": 1, **asdict(info), "time": info.time.isoformat()}
