"""`motet context`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from motet.chat.view import name_of, tokens_of
from motet.cli.output import write_json, write_line
from motet.cli.previewed import Previewed, previewed, require_text
from motet.cli.terminal import Terminal
from motet.messages import Message
from motet.models.protocol import ModelRequest, ToolDefinition
from motet.turn import estimate_request
from motet.visible import one_line


@click.command("context", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[CHAT] [TEXT]…")
@click.option(
    "-f", "--file", "files", multiple=True, metavar="PATH", help="Share a file; PATH:10-40 some lines of it."
)
@click.option("-m", "--model", metavar="NAME", help="The model it is meant for; without: the chat's own.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each item, then the totals.")
def command(words: tuple[str, ...], files: tuple[str, ...], model: str | None, as_json: bool) -> None:
    """Show what would be sent with the next message, item by item, and how full the window is.

    \b
    Examples:
      motet context                       a new chat, before anything is said
      motet context last                  the newest chat of this workspace
      motet context -f src/app.py "why so slow?"
      motet context 1rvcqs3n "and #diff?" --json

    Nothing is sent and nothing is kept. CHAT is `last`, or an id as `motet history` lists it; all else is the text of
    a message.
    """
    require_text(words)
    asyncio.run(_show(words, files, model, as_json))


async def _show(words: Sequence[str], files: Sequence[str], model: str | None, as_json: bool) -> None:
    terminal = Terminal()
    async with previewed(words, files, model, terminal) as found:
        rows = [_row(message) for message in found.request.messages] + [_tool(each) for each in found.request.tools]
        frame = found.tokens - sum(tokens for tokens, _, _, _ in rows)
        rows += [(frame, "frame", "around each message", "")] if frame > 0 else []
        window = found.model.limits.context_tokens
        if as_json:
            for tokens, tag, name, reason in rows:
                write_json({"schema": 1, "item": name, "tokens": tokens, "tag": tag, "reason": reason})
            totals = {"tokens": found.tokens, "window": window, "shared": found.chat.share.lines}
            write_json({"schema": 1, "model": found.model.name, "why": found.why, **totals})
        else:
            _draw(rows, found, window)
        for note in found.notes:
            terminal.line(note, "yellow", hang=2)


def _draw(rows: Sequence[tuple[int, str, str, str]], found: Previewed, window: int) -> None:
    wide = max((len(tag) for _, tag, _, _ in rows), default=0)
    for tokens, tag, name, reason in rows:
        write_line(f"{tokens:>9,}  {tag:<{wide}}  {one_line(name)}" + (f"  ({one_line(reason)})" if reason else ""))
    share = 100 * found.tokens / window if window else 0
    write_line(f"{found.tokens:>9,}  of {window:,} tokens ({share:.1f} %) of {found.model.name}")


def _row(message: Message) -> tuple[int, str, str, str]:
    """Tokens, tag, name, and why it is there."""
    return tokens_of(message), message.tag or message.role.value, _name(message), message.meta.source


def _name(message: Message) -> str:
    name = name_of(message)
    if message.context is not None or message.tag or message.result is not None:
        return name
    first = " ".join(message.shown.split())
    return f"{name}: {first[:60]}{'…' if len(first) > 60 else ''}" if first else name


def _tool(tool: ToolDefinition) -> tuple[int, str, str, str]:
    return estimate_request(ModelRequest((), (tool,))), "tool", tool.name, "its schema"
