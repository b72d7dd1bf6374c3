"""`motet map`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import click

from motet.cli.numbers import Whole
from motet.cli.output import write_json, write_line
from motet.cli.project_root import project_root
from motet.cli.terminal import Terminal
from motet.errors import UsageError
from motet.index import ProjectIndex
from motet.index.map import TOKENS, ProjectMap
from motet.index.map_pack import MapText
from motet.paths import index_dir
from motet.visible import one_line


@click.command("map", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[QUESTION]…")
@click.option(
    "--tokens",
    type=Whole(50, 200_000),
    default=TOKENS,
    metavar="N",
    help=f"How large it may be ({TOKENS:,}).",
)
@click.option("--around", multiple=True, metavar="FILE", help="For work on this file; may be given again.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object: the text, its tokens, its files.")
def command(words: tuple[str, ...], tokens: int, around: tuple[str, ...], as_json: bool) -> None:
    """Show the map of this project: its files and what they define, without bodies, as many as fit.

    \b
    Examples:
      motet map                              what most of the project builds on
      motet map "how is a retry done?"       what has to do with a question
      motet map --around src/app.py          what a file imports, what imports it
      motet map --tokens 4000 --json | jq -r '.files[]'

    Nothing has to be made first: files that changed are read now. What git ignores, vendored and generated files and
    files of secrets are left out. No model is asked, nothing is sent.
    """
    root = project_root()
    found = asyncio.run(_drawn(root, " ".join(words).strip(), [_inside(root, path) for path in around], tokens))
    if as_json:
        head = {"schema": 1, "tokens": found.tokens, "of": found.files}
        write_json({**head, "files": list(found.paths), "text": found.text})
        return
    if not found.text:
        Terminal().line("there are no files here that define anything", "yellow", hang=2)
    for line in found.text.splitlines():
        write_line(line[: len(line) - len(line.lstrip())] + one_line(line.lstrip()))


async def _drawn(root: Path, question: str, around: Sequence[str], tokens: int) -> MapText:
    found, index = ProjectMap(root, index_dir(), aside=False), ProjectIndex(root, index_dir())
    try:
        return await found.draw(question, around, tokens, closest=await index.closest(question))
    finally:
        await found.close()
        await index.close()


def _inside(root: Path, path: str) -> str:
    """`path` as the project calls it. Raises `UsageError`."""
    real = Path(os.path.realpath(path))
    if not real.is_file() or not real.is_relative_to(root):
        raise UsageError(f"--around {path}: no file of the project {root}")
    return real.relative_to(root).as_posix()
