"""`motet apply`."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from motet.cli.apply_view import ApplyJson, ApplyView
from motet.cli.ask import ask_in_terminal
from motet.cli.interrupts import Interrupts
from motet.cli.keys import Keyboard
from motet.cli.output import ReaderGone
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import FORMATS, Edit, parse
from motet.engine import Engine
from motet.errors import EditFormatError, ExitCode, InputError, MotetError, UsageError
from motet.fix import AcceptAll, ProposeOnly
from motet.tools import DeskReport, EditDesk, Reviewer

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""A larger answer was written by no model."""


@dataclass(frozen=True, slots=True)
class _Mode:
    """Who decides, and what is written."""

    yes: bool
    dry_run: bool
    review: bool
    as_json: bool
    partial: bool


@click.command("apply", options_metavar="[OPTIONS]")
@click.argument("answer", metavar="[FILE|-]", default="-")
@click.option(
    "-f", "--format", "format", type=click.Choice(["auto", *FORMATS]), metavar="NAME", default="auto",
    help=f"What the edits are written in: auto (default), {', '.join(FORMATS)}.",
)  # fmt: skip
@click.option("--root", metavar="DIR", help="The directory that paths are meant from; default: the workspace.")
@click.option("--path", metavar="PATH", default="", help="The file that edits without a path are for.")
@click.option("-y", "--yes", is_flag=True, help="Take every edit that has its place, without asking.")
@click.option("-r", "--review", is_flag=True, help="Ask about each hunk (the default on a terminal).")
@click.option("-n", "--dry-run", is_flag=True, help="Say what would happen; write nothing.")
@click.option("--partial", is_flag=True, help="Of a file's edits keep those that fit when others do not.")
@click.option("--json", "as_json", is_flag=True, help="One JSON event a line on stdout.")
def command(
    answer: str,
    format: str,
    root: str | None,
    path: str,
    yes: bool,
    review: bool,
    dry_run: bool,
    partial: bool,
    as_json: bool,
) -> int:
    """Apply the edits in any model's answer, reviewed hunk by hunk. No model is asked.

    \b
    Examples:
      motet apply answer.md               a chat copied from a web page
      pbpaste | motet apply               from the clipboard, with questions
      git diff other | motet apply --yes  a patch, all of it
      motet apply --dry-run answer.md     what would happen, and why not
      motet apply -f udiff --root ../b -  one format, another directory

    The answer may hold prose, several files and several formats: SEARCH/REPLACE blocks, unified diffs, apply_patch, XML,
    whole files, tool calls. An edit is applied at its only place or refused with the reason; nothing is guessed.

    `motet undo` takes it back.

    Exit code 0: all edits applied (or would be), 1: some were refused, 2: usage, 3: no edit was understood, 4: not
    permitted, 130: interrupted.
    """
    if sum((yes, review, dry_run)) > 1:
        raise UsageError("--yes, --review and --dry-run exclude each other")
    mode = _Mode(yes, dry_run, review, as_json, partial)
    try:
        return asyncio.run(_apply(_read(answer), format, path, root, mode))
    except ReaderGone:
        raise
    except MotetError as error:
        if as_json:
            ApplyJson().failed(error)
        raise


def _read(answer: str) -> str:
    """The answer's text. Raises `UsageError` when there is no such file, `InputError` when it is no text."""
    if answer == "-":
        if sys.stdin.isatty():
            print("Paste the answer, then press Ctrl-D on a line of its own.", file=sys.stderr)
        data, name = sys.stdin.buffer.read(MAX_ANSWER_BYTES + 1), "standard input"
        _give_back_terminal()
    else:
        name = answer
        try:
            with Path(answer).open("rb") as file:
                data = file.read(MAX_ANSWER_BYTES + 1)
        except OSError as error:
            raise UsageError(f"{answer}: {error.strerror}") from error
    if len(data) > MAX_ANSWER_BYTES:
        raise InputError(f"{name}: more than {MAX_ANSWER_BYTES // 1024**2} MiB; no model wrote that")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeError as error:
        raise InputError(f"{name}: not UTF-8 text; convert it first") from error
    if "\0" in text:
        raise InputError(f"{name}: binary data; give the answer as text")
    return text


def _give_back_terminal() -> None:
    """Read keys from the terminal when the answer came through a pipe."""
    if sys.stdin.isatty() or not sys.stderr.isatty():
        return
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return  # there is none: nobody can be asked
    os.dup2(terminal, sys.stdin.fileno())
    os.close(terminal)


async def _apply(text: str, format: str, path: str, root: str | None, mode: _Mode) -> int:
    terminal, keyboard, interrupts = Terminal(), Keyboard(), Interrupts()
    terminal.on_lost = interrupts.stop
    with interrupts.installed():
        try:
            if mode.review and not terminal.can_ask:
                raise UsageError("--review: not a terminal, so nobody can be asked; use --yes or --dry-run")
            view = ApplyView(terminal, ApplyJson() if mode.as_json else None)
            engine = Engine(_start(root), root=None if root is None else Path(root).resolve(), ask=(
                ask_in_terminal(terminal, keyboard) if terminal.can_ask else None
            ))  # fmt: skip
            edits = _understood(text, format, path)
            view.started(edits)
            reviewer = _reviewer(mode, terminal, keyboard, interrupts)
            desk = EditDesk(
                engine.workspace,
                view.announcing(reviewer),
                partial=mode.partial,
                approximate="propose" if isinstance(reviewer, TerminalReviewer) else "refuse",
            )
            async with engine.checkpoint("motet apply"):
                report = await desk.submit(edits)
            code = _exit_code(report, applied=not isinstance(reviewer, ProposeOnly), dry_run=mode.dry_run)
            view.finished(report, code, dry_run=isinstance(reviewer, ProposeOnly))
            return code
        except asyncio.CancelledError:
            terminal.line("Interrupted; `motet undo --list` shows what was written, if anything.", always=True)
            return ExitCode.INTERRUPTED
        finally:
            terminal.close()


def _start(root: str | None) -> Path:
    start = Path.cwd() if root is None else Path(root)
    if not start.is_dir():
        raise UsageError(f"--root: {root}: not a directory")
    return start


def _understood(text: str, format: str, path: str) -> list[Edit]:
    try:
        return parse(text, format, path=path)
    except EditFormatError as error:
        raise InputError(f"no edit was applied: {error}") from error


def _reviewer(mode: _Mode, terminal: Terminal, keyboard: Keyboard, interrupts: Interrupts) -> Reviewer:
    if mode.yes:
        return AcceptAll()
    if mode.dry_run:
        return ProposeOnly()
    if terminal.can_ask:
        return TerminalReviewer(terminal, keyboard, lambda _: (), interrupts.held)
    text = "Not a terminal, so nobody can be asked: nothing is written. --yes takes every edit."
    terminal.line(text, "yellow", hang=2, always=True)
    return ProposeOnly()


def _exit_code(report: DeskReport, *, applied: bool, dry_run: bool) -> int:
    if any(file.denied for file in report.files):
        return ExitCode.PERMISSION
    if any(file.is_error for file in report.files):
        return ExitCode.PROBLEMS_REMAIN
    return ExitCode.DONE if applied or dry_run else ExitCode.PROBLEMS_REMAIN
