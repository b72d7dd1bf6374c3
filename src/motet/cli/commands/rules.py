"""`motet rules`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import click

from motet.chat.view import tokens_of
from motet.cli.front import Front
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.context import FoundRules, find_rules
from motet.engine import Engine
from motet.engine.filling import sources_of
from motet.messages import Message
from motet.models.offline import OfflineModel
from motet.visible import one_line
from motet.workspace import resolve_user_path


@click.command("rules", options_metavar="[OPTIONS]")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each file.")
def command(paths: tuple[str, ...], as_json: bool) -> None:
    """List the rules files that go along when files are shared.

    \b
    Examples:
      motet rules                     those that always go along
      motet rules src/api/server.ts   those for one file, the farthest first
      motet rules src tests --json

    AGENTS.md, CLAUDE.md, .cursorrules, .cursor/rules, .clinerules, .windsurfrules and .github/copilot-instructions.md
    are looked for on the way from the workspace's root to each file. Where two differ, the later one counts.
    """
    asyncio.run(_list(paths, as_json))


async def _list(typed: Sequence[str], as_json: bool) -> None:
    terminal = Terminal()
    engine = Engine(Path.cwd(), flags={})
    found = await _found(
        engine, Front(terminal), [resolve_user_path(engine.root, Path.cwd(), path) for path in typed]
    )
    for message in found.messages:
        path = _path(message, engine.root)
        tokens = tokens_of(message)
        if as_json:
            fields = {"path": path, "origin": message.meta.source, "tokens": tokens, "characters": len(message.text)}
            write_json({"schema": 1, **fields})
        else:
            write_line(
                f"{tokens:>7,} tokens  {one_line(path)}" + ("" if message.meta.source == "project" else "  (yours)")
            )
    for line in found.notices:
        terminal.line(line, "yellow", hang=2)
    if not found.messages and not as_json:
        terminal.line("No rules file applies; AGENTS.md in the workspace's root would.")


async def _found(engine: Engine, front: Front, paths: Sequence[str]) -> FoundRules:
    """The rules that a chat would share for `paths`; a directory stands for the files in it."""
    async with engine.chats(front.of_chats, keep=False) as chats:
        chat = chats.new(OfflineModel())
        files: list[str] = []
        for path in paths:
            files += await engine.workspace.list_files([path]) if (engine.root / path).is_dir() else [path]
        context = chat.parts.context
        groups = context.rules if context else ()
        return await find_rules(files, sources_of(chat), groups=groups, always=True)


def _path(message: Message, root: Path) -> str:
    """The path of a rules file, in the workspace where it is there."""
    path = Path(message.context.path) if message.context else Path()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
