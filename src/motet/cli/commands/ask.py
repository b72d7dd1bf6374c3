"""`motet ask`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from motet.cli.answer import piped_text
from motet.cli.chat_json import ChatJson
from motet.cli.chat_lines import AnswerView, drawn
from motet.cli.front import in_front, tell_notes
from motet.cli.given_files import given_files, share_files
from motet.cli.run_options import RunOptions, run_options
from motet.cli.terminal import Terminal
from motet.engine import Engine
from motet.errors import ExitCode, UsageError


@click.command("ask", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[PROMPT]…")
@click.option(
    "-f", "--file", "files", multiple=True, metavar="PATH", help="Share a file; PATH:10-40 some lines of it."
)
@click.option(
    "-t", "--tools", "tools", multiple=True, metavar="NAME", help="Hand over a tool or a group: files, cmd, …"
)
@run_options()
def command(words: tuple[str, ...], files: tuple[str, ...], tools: tuple[str, ...], options: RunOptions) -> int:
    """Ask one question; the answer comes on stdout.

    \b
    Examples:
      motet ask "what does errno 13 mean?"
      git diff | motet ask "review this"
      motet ask -f src/app.py "why is this slow?"
      motet ask -t files "where is the port set?" > answer.md
      motet ask --json -m offline "hello"

    What comes through a pipe stands behind the words of the prompt, as it is. `@path` and `#diff` in the words share a
    file or the working tree's changes. Tools are only there when -t or `@name` hands them over.

    Exit code 0: answered, 2: usage, 3: model failed, a limit was reached or the request does not fit, 4: not permitted,
    130: interrupted.
    """
    with options.errors_told():
        typed, piped = _prompt(words)
        return asyncio.run(_ask(typed, piped, files, tools, options))


def _prompt(words: Sequence[str]) -> tuple[str, str]:
    """The words, and what comes through a pipe. Raises `UsageError` when both are empty."""
    typed = " ".join(words)
    piped = "" if sys.stdin.isatty() else piped_text()
    if not typed.strip() and not piped.strip():
        raise UsageError('nothing was asked; give a question, as in: motet ask "what is a monad?"')
    return typed, piped


async def _ask(typed: str, piped: str, files: Sequence[str], tools: Sequence[str], options: RunOptions) -> int:
    async with in_front(Terminal(quiet=options.silent), yes=options.yes) as front:
        terminal = front.terminal
        try:
            engine = Engine(Path.cwd(), flags=options.settings, allow=options.allow, ask=front.ask)
            for notice in engine.notices:
                terminal.line(notice, "dim", hang=2)
            async with engine.chats(front.of_chats, keep=options.keep, record=options.recording) as chats:
                model, why = await engine.choose_model(work="chat")
                chat = chats.new(model, tools=tools)
                tell_notes(chat, terminal)
                await share_files(chat, given_files(engine.root, files), terminal)
                terminal.line(f"Model: {model.name} ({why})", "dim", hang=2)
                view = AnswerView(terminal, model.name, writes=not options.as_json)
                as_json = ChatJson() if options.as_json else None
                if as_json is not None:
                    as_json.started(chat, why)
                return await drawn(chat.send(typed, piped), view, *([as_json] if as_json else []))
        except asyncio.CancelledError:
            terminal.line("Interrupted.", always=True)
            return ExitCode.INTERRUPTED
