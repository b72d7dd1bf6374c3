"""`motet index`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path

import click

from motet.cli.commands.map import command as draw_map
from motet.cli.commands.search import command as search
from motet.cli.help import Group
from motet.cli.output import write_json, write_line
from motet.cli.project_root import project_root
from motet.errors import MotetError
from motet.index import ProjectIndex, Status
from motet.index.map import ProjectMap
from motet.paths import index_dir
from motet.visible import one_line
from motet.workspace import resolve_user_path


def _run(work: Callable[[ProjectIndex, Path], Awaitable[int]]) -> None:
    raise SystemExit(asyncio.run(_with_index(work)))


async def _with_index(work: Callable[[ProjectIndex, Path], Awaitable[int]]) -> int:
    root = project_root()
    index = ProjectIndex(root, index_dir())
    try:
        return await work(index, root)
    finally:
        await index.close()


_JSON = click.option("--json", "as_json", is_flag=True, help="The answer as one JSON object.")


@click.group("index", cls=Group)
def command() -> None:
    """Look at the index of this project. It is kept by itself: nothing here has to be run.

    \b
    Examples:
      motet index status
      motet index why src/app.py
      motet index search "where is a retry handled?"    the same as `motet search`
      motet index map                                   the same as `motet map`
      motet index rebuild
    """


command.add_command(search)
command.add_command(draw_map)


@command.command("status")
@_JSON
def status(as_json: bool) -> None:
    """What is indexed, where, and how much was left out for which reason."""

    async def work(index: ProjectIndex, _: Path) -> int:
        found = await index.status()
        if as_json:
            write_json({"schema": 1, **asdict(found)})
        else:
            _draw(found)
        return 0

    _run(work)


@command.command("why")
@click.argument("path")
@_JSON
def why(path: str, as_json: bool) -> None:
    """Why the file PATH is in the index, or is not. Exit code 1: it is not."""

    async def work(index: ProjectIndex, root: Path) -> int:
        answer = await index.why(resolve_user_path(root, Path.cwd(), path))
        if as_json:
            write_json({"schema": 1, **asdict(answer)})
        else:
            write_line(f"{one_line(answer.path)}: {'indexed' if answer.indexed else 'left out'}: {answer.reason}")
        return 0 if answer.indexed else 1

    _run(work)


@command.command("rebuild")
def rebuild() -> None:
    """Make the index anew, and what is kept for the map. Nothing but time is lost."""

    async def work(index: ProjectIndex, root: Path) -> int:
        change = await index.rebuild()
        if change is None:
            raise MotetError("another motet is reading the files of this project now; try again when it is done")
        drawn = ProjectMap(root, index_dir())
        try:
            await drawn.rebuild()
        finally:
            await drawn.close()
        write_line(f"{change.indexed:,} files in {change.seconds:.1f} s")
        return 0

    _run(work)


def _draw(status: Status) -> None:
    place = status.place or "in memory, because the state directory cannot be written"
    write_line(f"{one_line(status.root)}")
    write_line(f"  {status.files:,} files, {status.lines:,} lines, {status.size / 1e6:.1f} MB of text")
    write_line(f"  {status.chunks:,} passages, {status.commits:,} commits, {status.disk / 1e6:.1f} MB on disk")
    write_line(f"  {one_line(place)}")
    for reason, count in status.left_out.items():
        write_line(f"  left out: {count:,} × {reason}")
