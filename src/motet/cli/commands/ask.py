"""`motet ask`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from motet.cli.answer import piped_text
from motet.cli.chat_json import ChatJson, write_error
from motet.cli.chat_lines import AnswerView, drawn
from motet.cli.front import in_front
from motet.cli.given_files import given_files, share_files
from motet.cli.output import ReaderGone
from motet.cli.terminal import Terminal
from motet.engine import Engine
from motet.errors import ExitCode, MotetError, UsageError


@dataclass(frozen=True, slots=True)
class _Mode:
    """How this run talks, and who decides about edits."""

    as_json: bool
    quiet: bool
    yes: bool


@click.command("ask", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[PROMPT]…")
@click.option(
    "-m", "--model", metavar="NAME", help="PROVIDER/MODEL, PROVIDER or offline; without, the first that works."
)
@click.option(
    "-f", "--file", "files", multiple=True, metavar="PATH", help="Share a file; PATH:10-40 some lines of it."
)
@click.option(
    "-t", "--tools", "tools", multiple=True, metavar="NAME", help="Hand over a tool or a group: files, cmd, …"
)
@click.option("-y", "--yes", is_flag=True, help="Take every proposed edit without asking.")
@click.option("--allow", multiple=True, metavar="RULE", help="Allow without asking: send, 'run:pytest *', …")
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="USD", help="Dollars it may cost.")
@click.option("--record", metavar="FILE", help="Record the session, to be played with `-m replay:FILE`.")
@click.option("--no-history", is_flag=True, help="Do not keep this chat.")
@click.option("--json", "as_json", is_flag=True, help="One JSON event a line on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Only the answer, and errors.")
def command(
    words: tuple[str, ...],
    model: str | None,
    files: tuple[str, ...],
    tools: tuple[str, ...],
    yes: bool,
    allow: tuple[str, ...],
    max_cost: float | None,
    record: str | None,
    no_history: bool,
    as_json: bool,
    quiet: bool,
) -> int:
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

    Exit code 0: answered, 2: usage, 3: model failed, 4: not permitted, 130: interrupted.
    """
    mode = _Mode(as_json, quiet, yes)
    flags = {"model": model, "chat.max_cost": max_cost}
    chosen = {key: value for key, value in flags.items() if value is not None}
    try:
        typed, piped = _prompt(words)
        return asyncio.run(_ask(typed, piped, files, tools, mode, chosen, allow, record, keep=not no_history))
    except ReaderGone:
        raise
    except MotetError as error:
        if as_json:
            write_error(error)
        raise


def _prompt(words: Sequence[str]) -> tuple[str, str]:
    """The words, and what comes through a pipe. Raises `UsageError` when both are empty."""
    typed = " ".join(words)
    piped = "" if sys.stdin.isatty() else piped_text()
    if not typed.strip() and not piped.strip():
        raise UsageError('nothing was asked; give a question, as in: motet ask "what is a monad?"')
    return typed, piped


async def _ask(
    typed: str,
    piped: str,
    files: Sequence[str],
    tools: Sequence[str],
    mode: _Mode,
    flags: Mapping[str, object],
    allow: Sequence[str],
    record: str | None,
    *,
    keep: bool,
) -> int:
    async with in_front(Terminal(quiet=mode.quiet), yes=mode.yes) as front:
        terminal = front.terminal
        try:
            engine = Engine(Path.cwd(), flags=flags, allow=allow, ask=front.ask)
            for notice in engine.notices:
                terminal.line(notice, "dim", hang=2)
            async with engine.chats(front.of_chats, keep=keep, record=Path(record) if record else None) as chats:
                model, why = await engine.choose_model(work="chat")
                chat = chats.new(model, tools=tools)
                await share_files(chat, given_files(engine.root, files), terminal)
                terminal.line(f"Model: {model.name} ({why})", "dim", hang=2)
                view = AnswerView(terminal, model.name, writes=not mode.as_json)
                as_json = ChatJson() if mode.as_json else None
                if as_json is not None:
                    as_json.started(chat, why)
                return await drawn(chat.send(typed, piped), view, *([as_json] if as_json else []))
        except asyncio.CancelledError:
            terminal.line("Interrupted.", always=True)
            return ExitCode.INTERRUPTED
