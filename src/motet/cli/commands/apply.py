"""`motet apply`."""

from __future__ import annotations

import asyncio
import posixpath
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import click

from motet.cli.answer import name_of, read_answer
from motet.cli.apply_json import ApplyJson
from motet.cli.apply_view import ApplyView
from motet.cli.ask import ask_in_terminal
from motet.cli.interrupts import Interrupts
from motet.cli.keys import Keyboard
from motet.cli.output import ReaderGone
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import FORMATS, Decision, Edit, Move, parse
from motet.engine import Engine
from motet.errors import EditFormatError, ExitCode, InputError, MotetError, NoEdits, UsageError
from motet.fix import AcceptAll, ProposeOnly
from motet.tools import DeskReport, EditDesk, Reviewer
from motet.workspace import find_workspace


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
    "-f", "--format", "format", type=click.Choice(["auto", *(name for name in FORMATS if name != "auto")]),
    metavar="NAME", default="auto",
    help=f"What the edits are written in: auto (default), {', '.join(name for name in FORMATS if name != 'auto')}.",
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

    The answer may hold prose, several files and several formats: SEARCH/REPLACE blocks, unified diffs, apply_patch,
    XML, whole files with their path, tool calls. An edit is applied at its only place or refused with the reason;
    nothing is guessed. When one edit of a file is refused, the file stays as it is, unless --partial.

    Without FILE the answer is read from standard input, and questions are asked on the terminal all the same. Where
    there is no terminal nothing is written unless --yes. `motet undo` takes a run back.

    Exit code 0: all edits applied (with --dry-run: would be), 1: some were refused or left, or cannot be understood,
    2: usage, 3: nothing in the answer is an edit, 4: not permitted, 130: interrupted.
    """
    if sum((yes, review, dry_run)) > 1:
        raise UsageError("--yes, --review and --dry-run exclude each other")
    mode = _Mode(yes, dry_run, review, as_json, partial)
    try:
        return asyncio.run(_apply(_understood(answer, format, path), root, mode))
    except ReaderGone:
        raise
    except MotetError as error:
        if as_json:
            ApplyJson().failed(error)
        raise


def _understood(source: str, format: str, path: str) -> list[Edit]:
    """The edits in the answer, whose name stands before whatever is wrong with it."""
    text, name = read_answer(source), name_of(source)
    if not text.strip():
        raise InputError(f"{name}: empty; give the answer as a FILE or through a pipe")
    try:
        return parse(text, format, path=path)
    except NoEdits as error:
        raise NoEdits(f"{name}: {error}", error.line) from error
    except EditFormatError as error:
        hint = "; --path PATH names it" if not path and _is_understood(text, format) else ""
        raise EditFormatError(f"{name}: nothing is applied: {error}{hint}", error.line) from error


def _is_understood(text: str, format: str) -> bool:
    """Whether only the path of an edit is missing."""
    try:
        parse(text, format, path="a")
    except EditFormatError:
        return False
    return True


async def _apply(edits: list[Edit], root: str | None, mode: _Mode) -> int:
    terminal, keyboard, interrupts = Terminal(), Keyboard(), Interrupts()
    terminal.on_lost = interrupts.stop
    as_json = ApplyJson() if mode.as_json else None
    with interrupts.installed():
        try:
            if mode.review and not terminal.can_ask:
                raise UsageError("--review: not a terminal, so nobody can be asked; use --yes or --dry-run")
            start = _start(root)
            engine = Engine(start, ask=ask_in_terminal(terminal, keyboard) if terminal.can_ask else None)
            if root is not None:
                edits = [_meant_from(start, engine.root, edit) for edit in edits]
            view = ApplyView(terminal, as_json, undo=_undo(engine.root))
            view.started(edits)
            reviewer = _reviewer(mode, terminal, keyboard, interrupts)
            report = await _submit(engine, edits, view.announcing(reviewer), mode, reviewer)
            code = _exit_code(report, dry_run=mode.dry_run)
            view.finished(report, code, dry_run=isinstance(reviewer, ProposeOnly))
            _say_where(terminal, report, engine.root)
            return code
        except asyncio.CancelledError:
            terminal.line("Interrupted; `motet undo --list` shows what was written, if anything.", always=True)
            if as_json is not None:
                as_json.interrupted()
            return ExitCode.INTERRUPTED
        finally:
            terminal.close()


async def _submit(
    engine: Engine, edits: list[Edit], announcing: Reviewer, mode: _Mode, reviewer: Reviewer
) -> DeskReport:
    desk = EditDesk(
        engine.workspace,
        announcing,
        partial=mode.partial,
        approximate="propose" if isinstance(reviewer, TerminalReviewer) else "refuse",
    )
    async with engine.checkpoint("motet apply"):
        return await desk.submit(edits)


def _start(root: str | None) -> Path:
    if root is None:
        return Path.cwd()
    if not Path(root).is_dir():
        raise UsageError(f"--root: {root}: not a directory")
    return Path(root).resolve()


def _meant_from(directory: Path, root: Path, edit: Edit) -> Edit:
    """`edit`, whose paths are meant from `directory`, with the paths that the workspace at `root` has for them."""

    def path_of(path: str) -> str:
        if not path or "\0" in path:
            return path
        place = posixpath.normpath(posixpath.join(str(directory), path.strip()))
        is_inside = Path(place).is_relative_to(directory)
        # One that leaves the directory begins with `..`, which the workspace refuses.
        return posixpath.relpath(place, root if is_inside else directory)

    edit = replace(edit, path=path_of(edit.path))
    return replace(edit, to=path_of(edit.to)) if isinstance(edit, Move) else edit


def _undo(root: Path) -> str:
    """The command that takes the run back, from where the user stands."""
    return "motet undo" if find_workspace(Path.cwd()) == root else f"cd {quote(str(root))} && motet undo"


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


def _exit_code(report: DeskReport, *, dry_run: bool) -> int:
    if any(file.denied for file in report.files):
        return ExitCode.PERMISSION
    hunks = [hunk for file in report.files if file.proposal for hunk in file.proposal.hunks]
    # With --dry-run nobody has decided; otherwise a hunk that was left was not applied.
    was_left = not all(hunk.is_taken or (dry_run and hunk.decision is Decision.PENDING) for hunk in hunks)
    if was_left or any(file.is_error for file in report.files):
        return ExitCode.PROBLEMS_REMAIN
    return ExitCode.DONE


def _say_where(terminal: Terminal, report: DeskReport, root: Path) -> None:
    """Name files that are missing from the workspace, but not from where the user stands."""
    here = Path.cwd()
    if here == root:
        return
    missing = (file.path for file in report.files if file.plan.refusals and file.plan.before is None)
    found = next((path for path in missing if (here / path).is_file()), None)
    if found is not None:
        terminal.line(f"{found} is in the current directory: `--root .` takes paths from there.", always=True)
