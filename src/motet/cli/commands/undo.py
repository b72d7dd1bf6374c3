"""`motet undo`."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import click

from motet.cli.ask import ask_in_terminal
from motet.cli.keys import Keyboard
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.cli.visible import one_line
from motet.engine import Engine
from motet.workspace import CheckpointInfo, resolve_user_path


@click.command("undo")
@click.argument("paths", nargs=-1)
@click.option("-l", "--list", "listing", is_flag=True, help="List what can be taken back, newest first.")
@click.option("--id", "checkpoint", help="The run to take back, by its id in the list; default: the newest.")
@click.option("--json", "as_json", is_flag=True, help="The list as JSON lines.")
def command(paths: tuple[str, ...], listing: bool, checkpoint: str | None, as_json: bool) -> int:
    """Take back what motet wrote; undo again to have it back.

    \b
    Examples:
      motet undo                the last run
      motet undo src/app.py     of the last run only this file
      motet undo --list         what can be taken back
      motet undo --id 3         an earlier run

    Refuses, naming the files, where a file was changed since; an undo can itself be undone.
    """
    return asyncio.run(_list(as_json) if listing else _undo(paths, checkpoint))


async def _list(as_json: bool) -> int:
    history = await Engine(Path.cwd()).workspace.history()
    if not history:
        Terminal().line("Nothing was written in this workspace yet.")
    for info in history:
        if as_json:
            write_json(_fields(info))
        else:
            write_line(_line(info))
    return 0


async def _undo(paths: tuple[str, ...], checkpoint: str | None) -> int:
    terminal = Terminal()
    engine = Engine(Path.cwd(), ask=ask_in_terminal(terminal, Keyboard()) if terminal.can_ask else None)
    wanted = [resolve_gone(engine, path) for path in paths] or None
    report = await engine.workspace.undo(checkpoint, wanted)
    for path in report.restored:
        terminal.line(f"restored  {path}")
    for path in report.removed:
        terminal.line(f"removed   {path}")
    count = len(report.restored) + len(report.removed)
    files, them = ("1 file", "it") if count == 1 else (f"{count} files", "them")
    terminal.line(f"Took back {files} of {report.label}; `motet undo` again brings {them} back.", "bold", hang=2)
    return 0


def resolve_gone(engine: Engine, typed: str) -> str:
    """The workspace path of a file that may not exist now, because it was created or deleted by the run."""
    place = Path.cwd() / typed
    return f"{resolve_user_path(engine.root, Path.cwd(), str(place.parent))}/{place.name}".removeprefix("./")


def _line(info: CheckpointInfo) -> str:
    state = "undone" if info.undone else ("" if info.finished else "interrupted")
    files = ", ".join(info.files[:3]) + (f" and {len(info.files) - 3} more" if len(info.files) > 3 else "")
    when = info.time.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return one_line("  ".join(part for part in (info.id, when, info.label, state, files) if part))


def _fields(info: CheckpointInfo) -> dict[str, object]:
    time: datetime = info.time
    return {
        "schema": 1,
        "id": info.id,
        "time": time.isoformat(),
        "label": info.label,
        "files": info.files,
        "undone": info.undone,
        "undoes": info.undoes,
        "finished": info.finished,
    }
