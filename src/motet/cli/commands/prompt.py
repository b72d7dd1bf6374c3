"""`motet prompt`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from motet.cli.answer import piped_text
from motet.cli.help import Group
from motet.cli.output import write_json, write_line
from motet.cli.prompts import library, prompt_entry
from motet.cli.run_options import RunOptions, run_options
from motet.cli.terminal import Terminal
from motet.context import PromptEntry
from motet.errors import ExitCode, MotetError
from motet.paths import config_dir
from motet.prompts import LIBRARY
from motet.visible import one_line, visible


@click.group("prompt", cls=Group)
def command() -> None:
    """List, show and run the prompts of the library.

    \b
    Examples:
      motet prompt list
      motet prompt show review
      motet prompt run review
      motet prompt run explain src/app.py:10-40

    Your own are Markdown files in the directory `prompts` beside your settings; `motet prompt show NAME` prints what
    one looks like.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each prompt.")
def list_prompts(as_json: bool) -> None:
    """List the prompts that there are, yours first.

    \b
    Examples:
      motet prompt list
      motet prompt list --json | jq -r .name
    """
    found = library()
    wide = max((len(_names(entry)) for entry in found), default=0)
    for entry in found:
        if as_json:
            write_json({"schema": 1, **_fields(entry)})
        else:
            whose = "" if entry.origin.value == "built-in" else f"  ({entry.origin.value}'s)"
            write_line(one_line(f"{_names(entry):<{wide}}  {entry.kind.value:<8}  {entry.description}{whose}"))
    for problem in found.problems:
        Terminal().line(problem, "yellow", hang=2)


@command.command("show")
@click.argument("name")
def show_prompt(name: str) -> None:
    """Show a prompt as its file has it.

    \b
    Examples:
      motet prompt show review
      motet prompt show review > ~/.config/motet/prompts/review.md    to change it
    """
    entry = prompt_entry(name)
    try:
        if entry.origin.value == "built-in":
            text = (LIBRARY / entry.path).read_text("utf-8")
        else:
            text = Path(entry.path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise MotetError(f"{entry.path}: {error.strerror}") from error
    write_line((visible(text) if sys.stdout.isatty() else text).rstrip("\n"))


@command.command("run", options_metavar="[OPTIONS]")
@click.argument("name")
@click.argument("files", nargs=-1, metavar="[FILE[:10-40]]…")
@click.option("-i", "--input", "words", default="", metavar="TEXT", help="What you would write behind its name.")
@run_options(model="PROVIDER/MODEL or PROVIDER; without, the prompt's own, or the first.")
def run_prompt(name: str, files: tuple[str, ...], words: str, options: RunOptions) -> int:
    """Run a prompt on files; the answer comes on stdout.

    \b
    Examples:
      motet prompt run review
      motet prompt run explain src/app.py:10-40
      motet prompt run review -i "only the error handling"
      pytest 2>&1 | motet prompt run fix src/app.py
      motet prompt run tests -y src/app.py

    What comes through a pipe stands behind --input. A workflow sends its steps one after the other, and the last one
    again until its condition holds; diagnostics are those of the files.

    Exit code 0: answered, 1: the condition does not hold, 2: usage, 3: model failed, 4: not permitted,
    130: interrupted.
    """
    with options.errors_told():
        entry = prompt_entry(name)
        piped = "" if sys.stdin.isatty() else piped_text()
        given = "\n\n".join(part for part in (words, piped) if part.strip())
        return asyncio.run(_run(entry, files, given, options))


async def _run(entry: PromptEntry, files: tuple[str, ...], given: str, options: RunOptions) -> int:
    # What lists prompts has no need of chats.
    from motet.cli.front import in_front, tell_notes
    from motet.cli.prompt_run import PromptRun
    from motet.engine import Engine

    async with in_front(Terminal(quiet=options.silent), yes=options.yes) as front:
        terminal = front.terminal
        try:
            own = {"model": entry.model} if entry.model else {}
            engine = Engine(Path.cwd(), flags={**own, **options.settings}, allow=options.allow, ask=front.ask)
            for notice in engine.notices:
                terminal.line(notice, "dim", hang=2)
            async with engine.chats(front.of_chats, keep=options.keep, record=options.recording) as chats:
                model, why = await engine.choose_model(work="chat")
                run = PromptRun(engine, entry, terminal, as_json=options.as_json)
                chat = chats.new(model)
                tell_notes(chat, terminal)
                return await run.run(chat, why, files, given)
        except asyncio.CancelledError:
            terminal.line("Interrupted.", always=True)
            return ExitCode.INTERRUPTED


def _names(entry: PromptEntry) -> str:
    return f"{entry.name}, {entry.alias}" if entry.alias else entry.name


def _fields(entry: PromptEntry) -> dict[str, object]:
    return {
        "name": entry.name,
        "alias": entry.alias,
        "kind": entry.kind.value,
        "description": entry.description,
        "origin": entry.origin.value,
        "path": entry.path if entry.origin.value != "built-in" else "",
        "model": entry.model,
        "tools": entry.tools,
        "rules": entry.rules,
        "steps": len(entry.steps),
        "repeat_until": str(entry.repeat_until) if entry.repeat_until else None,
        "max_repeats": entry.max_repeats,
        "needs": entry.needs,
        "directory": str(config_dir() / "prompts"),
    }
