"""`motet trust`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.output import write_line
from motet.cli.terminal import Terminal
from motet.engine import Engine
from motet.errors import PermissionDenied, UsageError
from motet.permissions import Action
from motet.visible import one_line


@click.command("trust")
@click.option("-l", "--list", "listing", is_flag=True, help="List what this project defines, and what is trusted.")
@click.option("--all", "everything", is_flag=True, help="Trust all of it, without questions.")
@click.option("--revoke", is_flag=True, help="Forget everything that was trusted or allowed for this project.")
@click.option("--everywhere", is_flag=True, help="With --revoke: what was always allowed as well.")
def command(listing: bool, everything: bool, revoke: bool, everywhere: bool) -> int:
    """Let motet use what this project defines: its tools, servers and checkers.

    \b
    Examples:
      motet trust            decide about each item
      motet trust --list     what there is
      motet trust --revoke   take it back
      motet trust --revoke --everywhere   and what was always allowed

    Until then, servers come only from PATH and from motet's own environment. An item that changes is asked about
    again.
    """
    if everywhere and not revoke:
        raise UsageError("--everywhere: only with --revoke")
    return asyncio.run(_trust(Terminal(), listing, everything, revoke, everywhere))


async def _trust(terminal: Terminal, listing: bool, everything: bool, revoke: bool, everywhere: bool) -> int:
    engine = Engine(Path.cwd())
    if revoke:
        count = engine.grants.forget(engine.root)
        count += engine.grants.forget(None) if everywhere else 0
        terminal.line(f"Forgot {count} {'grant' if count == 1 else 'grants'} for {engine.root}.")
        return 0
    items = engine.project_items()
    if not items:
        terminal.line("This project defines nothing that would run.")
    for item in items:
        if listing:
            state = "trusted" if engine.gate.allows(item) else "waits"
            write_line(f"{state:<8} {one_line(item.subject)}")
        elif engine.gate.allows(item):
            terminal.line(f"trusted already: {item.subject}")
        elif everything or await wants(terminal, item):
            engine.grants.add(engine.root, item)
            terminal.line(f"trusted: {item.subject}")
    return 0


async def wants(terminal: Terminal, item: Action) -> bool:
    """Whether the human trusts it. Raises `PermissionDenied` when there is nobody to ask."""
    if not terminal.can_ask:
        raise PermissionDenied("not a terminal, so nobody can be asked: use --all, or --list to see what there is")
    keyboard = Keyboard()
    terminal.line()
    terminal.line(item.subject, "bold")
    key = ""
    while key not in ("y", "n"):
        terminal.ask("Trust it? [y]es, [n]o:")
        try:
            key = await keyboard.key(terminal.ask_again)
        except EndOfInput:
            key = "n"
        terminal.answered(key)
    return key == "y"
