"""`motet agents conflicts`: what work trees of the repository have changed on two sides."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from motet.board import Agent
from motet.cli.boards.events import write_event
from motet.cli.boards.place import JSON, Place, run, stores
from motet.cli.terminal import Terminal
from motet.git import Overlap, WorkTree, overlaps
from motet.workspace import find_workspace


@click.command("conflicts")
@JSON
def conflicts(as_json: bool) -> int:
    """Show files that two work trees of this repository have changed, and what a merge of them would say.

    \b
    Examples:
      motet agents conflicts
      motet agents conflicts --json | jq '.conflicts[].paths'

    What is not committed counts too. Nothing of the repository is written. Exit code 1: a merge would conflict.
    """

    async def work(place: Place) -> int:
        return _show(await overlaps(place.root), await place.boards.agents(), as_json)

    if stores():
        return run(work, as_json=as_json)
    return _show(asyncio.run(overlaps(find_workspace(Path.cwd()))), [], as_json)


def _show(found: Sequence[Overlap], agents: Sequence[Agent], as_json: bool) -> int:
    out, whose = Terminal(sys.stdout), _by_place(agents)
    for one in found:
        if as_json:
            write_event(
                "overlap",
                one=_fields(one.one, whose),
                other=_fields(one.other, whose),
                files=list(one.files),
                conflicts=[
                    {"paths": list(each.paths), "kind": each.kind, "text": each.text} for each in one.conflicts
                ],
            )
            continue
        style, what = ("red", "would conflict") if one.conflicts else ("green", "would merge")
        out.spans((f"{_name(one.one, whose)} and {_name(one.other, whose)}: ", "bold"), (what, style), hang=2)
        for file in one.files:
            out.spans(("  both changed  ", "dim"), (file, ""), hang=4)
        for each in one.conflicts:
            out.spans(("  ", ""), (each.text, "red"), hang=4)
    if not found and not as_json:
        Terminal().line("No file was changed in two work trees of this repository.")
    return 1 if any(one.conflicts for one in found) else 0


def _by_place(agents: Sequence[Agent]) -> dict[Path, list[str]]:
    found: dict[Path, list[str]] = {}
    for agent in agents:
        if agent.workspace:
            found.setdefault(Path(agent.workspace), []).append(agent.address)
    return found


def _name(tree: WorkTree, whose: Mapping[Path, Sequence[str]]) -> str:
    """The agents that work there, or the branch, or the directory."""
    what = tree.branch or tree.path.name
    agents = ", ".join(whose.get(tree.path, ()))
    return f"{agents} ({what})" if agents else what


def _fields(tree: WorkTree, whose: Mapping[Path, Sequence[str]]) -> dict[str, object]:
    return {
        "path": str(tree.path),
        "branch": tree.branch or None,
        "head": tree.head,
        "agents": list(whose.get(tree.path, ())),
    }
