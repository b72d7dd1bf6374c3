"""`motet search`."""

from __future__ import annotations

import asyncio
import sys

import click
from rich.cells import set_cell_size

from motet.cli.numbers import Whole
from motet.cli.output import write_json
from motet.cli.project_root import project_root
from motet.cli.terminal import Terminal
from motet.errors import UsageError
from motet.index import Answer, Found, ProjectIndex
from motet.paths import index_dir
from motet.visible import one_line

_WIDEST = 100
_PATIENCE = 1.5
"""Seconds for which a human who asks once waits for all of the answer."""


@click.command("search", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, required=True, metavar="QUESTION…")
@click.option("-n", "--limit", type=Whole(1, 100), default=10, metavar="N", help="At most so many (10).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with all places.")
def command(words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Find the places of this project that answer a question, each with its reasons.

    \b
    Examples:
      motet search "where is a retry after HTTP 429 handled?"
      motet search -n 3 parse_config
      motet search --json "設定はどこで読む" | jq -r '.places[].path'

    No index has to be made: files that changed are read first. In a large project that was never searched, the first
    answer comes from what could be read in two seconds, and says so; the rest is read after it was shown. What git
    ignores, vendored and generated files and files of secrets are never looked at (`motet index why PATH`). No model
    is asked, nothing is sent. Exit code 1: nothing was found.
    """
    question = " ".join(words).strip()
    if not question:
        raise UsageError("search for what? give words or a question")
    raise SystemExit(asyncio.run(_search(question, limit, as_json)))


async def _search(question: str, limit: int, as_json: bool) -> int:
    index = ProjectIndex(project_root(), index_dir())
    try:
        answer = await index.search(question, limit, patience=_PATIENCE)
        if as_json:
            write_json(_data(answer))
        else:
            _draw(answer)
        if not answer.complete:
            Terminal().line(
                f"{answer.files:,} files were read so far; the rest is read now (Ctrl-C: later).", "yellow", hang=2
            )
            await index.finish()
    finally:
        await index.close()
    return 0 if answer.found else 1


def _draw(answer: Answer) -> None:
    listing = Terminal(sys.stdout)
    wide = min((listing.width or _WIDEST + 4) - 4, _WIDEST)
    for place in answer.found:
        where, score = f"{place.path}:{place.line}", f"  {place.score:.2f}  "
        listing.spans((where, "cyan"), (score, "dim"), ("; ".join(place.reasons), ""), hang=4)
        listing.line(f"    {set_cell_size(one_line(place.text), wide).rstrip()}")
    if not answer.found:
        is_empty = answer.complete and not answer.files
        many = "there are no files to search here" if is_empty else f"nothing of that in {answer.files:,} files"
        Terminal().line(many, "yellow", hang=2)


def _data(answer: Answer) -> dict[str, object]:
    places = [_place(place) for place in answer.found]
    return {"schema": 1, "complete": answer.complete, "files": answer.files, "places": places}


def _place(place: Found) -> dict[str, object]:
    return {
        "path": place.path,
        "line": place.line,
        "first": place.first,
        "last": place.last,
        "text": place.text,
        "score": round(place.score, 4),
        "kind": place.kind,
        "reasons": list(place.reasons),
    }
