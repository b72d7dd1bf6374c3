"""`motet board migrate`: all boards go from the file to the server of a team."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import click

from motet.board import BoardError
from motet.board.moving import Moved, move
from motet.cli.boards.events import write_event
from motet.cli.boards.lines import counted
from motet.cli.boards.place import JSON, SCHEMA
from motet.cli.interrupts import Interrupts
from motet.cli.output import write_error, write_line
from motet.cli.terminal import Terminal
from motet.engine import load
from motet.engine.boards import password_of, server_of
from motet.errors import MotetError, UsageError
from motet.paths import state_dir
from motet.settings import BoardSettings
from motet.visible import one_line
from motet.workspace import find_workspace


@click.command("migrate")
@click.option("--project", "named", multiple=True, metavar="PATH=NAME", help="What that project is called there.")
@JSON
def migrate(named: tuple[str, ...], as_json: bool) -> None:
    """Move the boards of all projects from your file to the server that `board.url` names.

    \b
    Examples:
      motet board migrate
      motet board migrate --project /home/me/old/app=old-app

    All is copied in one transaction while writers wait, each table's rows are counted and compared by their hash, and
    then the file is marked: it stays, and is used no more. Broken off at any moment, by Ctrl-C or a crash, there is one
    truth, and running it again ends it. A server that has boards already is refused. A project is called by the last
    part of its path there; of two with the same, one needs --project, and `board.project` in its settings.

    Exit codes: 0 moved, also when that was done before; 1 nothing was moved; 2 usage, or no server is set.
    """
    try:
        moved = asyncio.run(_moved(_names(named)))
    except MotetError as error:
        if as_json:
            write_error(error, SCHEMA)
        raise
    tables = [{"name": one.name, "rows": one.rows, "digest": one.digest} for one in moved.tables]
    if as_json:
        write_event("moved", place=moved.place, tables=tables)
    else:
        write_line(one_line(_line(moved)))


def _line(moved: Moved) -> str:
    if not moved.tables:
        return f"{moved.place}: the boards are there already"
    rows = {one.name: one.rows for one in moved.tables}
    what = f"{counted(rows['boards'], 'board')} with {counted(rows['posts'], 'post')}"
    return f"{moved.place}: {what} moved, {counted(sum(rows.values()), 'row')} of {len(rows)} tables counted and compared"


def _names(named: Sequence[str]) -> dict[str, str]:
    """What projects are to be called, by their paths. Raises `UsageError`."""
    names: dict[str, str] = {}
    for one in named:
        path, _, name = one.rpartition("=")
        if not path or not name:
            raise UsageError(f"--project {one}: write PATH=NAME, as in --project /home/me/old/app=old-app")
        names[path] = name
    return names


async def _moved(names: dict[str, str]) -> Moved:
    """Do it; Ctrl-C breaks it off, and nothing was moved."""
    settings: BoardSettings = load(find_workspace(Path.cwd()), {}).settings.board
    url, terminal, ends = server_of(settings), Terminal(), threading.Event()
    loop = asyncio.get_running_loop()

    def told(table: str, rows: int) -> None:
        if ends.is_set():
            raise BoardError("broken off; nothing was moved")
        loop.call_soon_threadsafe(terminal.progress, f"moving {table}: {rows:,}")

    with Interrupts().installed():
        try:
            return await move(state_dir(), url, password=password_of(settings, os.environ), projects=names, told=told)
        finally:
            ends.set()
            terminal.progress("")
