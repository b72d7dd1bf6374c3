"""`motet trust`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from motet.cli.keys import EndOfInput, read_key
from motet.cli.terminal import Terminal
from motet.cli.visible import visible
from motet.engine import Engine
from motet.errors import PermissionDenied
from motet.permissions import Action


@click.command("trust")
@click.option("-l", "--list", "listing", is_flag=True, help="List what this project defines, and what is trusted.")
@click.option("--all", "everything", is_flag=True, help="Trust all of it, without questions.")
@click.option("--revoke", is_flag=True, help="Forget everything that was trusted or allowed for this project.")
def command(listing: bool, everything: bool, revoke: bool) -> int:
    """Let motet use what this project defines: its tools, servers and checkers.

    \b
    Examples:
      motet trust            decide about each item
      motet trust --list     what there is
      motet trust --revoke   take it back

    Until then, servers come only from PATH and from motet's own environment. An item that changes is asked about
    again.
    """
    return asyncio.run(_trust(Terminal(), listing, everything, revoke))


async def _trust(terminal: Terminal, listing: bool, everything: bool, revoke: bool) -> int:
    engine = Engine(Path.cwd())
    if revoke:
        count = engine.grants.forget(engine.root)
        terminal.line(f"Forgot {count} {'grant' if count == 1 else 'grants'} for {engine.root}.")
        return 0
    items = engine.project_items()
    if not items:
        terminal.line("This project defines nothing that would run.")
    for item in items:
        if listing:
            click.echo(visible(f"{'trusted' if engine.gate.allows(item) else 'not trusted'}  {item.subject}"))
        elif not engine.gate.allows(item) and (everything or await _wants(terminal, item)):
            engine.grants.add(engine.root, item)
            terminal.line(f"trusted: {item.subject}")
    return 0


async def _wants(terminal: Terminal, item: Action) -> bool:
    if not terminal.can_ask:
        raise PermissionDenied("not a terminal, so nobody can be asked: use --all, or --list to see what there is")
    terminal.line(item.subject, "bold")
    while True:
        terminal.prompt("Trust it? [y]es, [n]o: ")
        try:
            key = await read_key()
        except EndOfInput:
            key = "n"
        terminal.answered(key)
        if key in "yn":
            return key == "y"
