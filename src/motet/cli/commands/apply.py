"""`motet apply`."""

from __future__ import annotations

import asyncio
import posixpath
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import click

from motet.cli.answer import answer_of_chat, is_chat, name_of, read_answer
from motet.cli.apply_json import ApplyJson
from motet.cli.apply_view import ApplyView, Whole
from motet.cli.ask import ask_in_terminal
from motet.cli.claims_told import ClaimsTold
from motet.cli.diff_view import NO_PROBLEMS
from motet.cli.interrupts import Interrupts
from motet.cli.keys import Keyboard
from motet.cli.modes import GitModes, modes_in
from motet.cli.output import ReaderGone
from motet.cli.review import TerminalReviewer
from motet.cli.slow import told_when_slow
from motet.cli.terminal import Terminal
from motet.edits import FORMATS, Decision, Edit, Move, Write, parse
from motet.edits.formats.answer import Understood, outranked, understand
from motet.edits.formats.paths import IsPath
from motet.edits.formats.whole_file import LeftOut
from motet.engine import Engine
from motet.errors import EditFormatError, ExitCode, InputError, MotetError, NoEdits, UsageError
from motet.fix import AcceptAll, ProposeOnly
from motet.permissions import Ask
from motet.tools import DeskReport, EditDesk, Reviewer
from motet.tools.in_text import excerpts, meant, without_labels
from motet.workspace import Workspace, find_workspace
from motet.workspace.places import KnownPaths


@dataclass(frozen=True, slots=True)
class _Mode:
    """Who decides, and what is written."""

    yes: bool
    dry_run: bool
    review: bool
    as_json: bool
    partial: bool
    encoding: str


@click.command("apply", options_metavar="[OPTIONS]")
@click.argument("answer", metavar="[FILE|-|last|CHAT]", default="-")
@click.option(
    "-f", "--format", "format", type=click.Choice(["auto", *(name for name in FORMATS if name != "auto")]),
    metavar="NAME", default="auto",
    help=f"What the edits are written in: auto (default), {', '.join(name for name in FORMATS if name != 'auto')}.",
)  # fmt: skip
@click.option("--root", metavar="DIR", help="The directory that paths are meant from; default: the workspace.")
@click.option(
    "--path", metavar="PATH", default="", help="The file that edits, or a single fence, without a path are for."
)
@click.option(
    "--encoding",
    metavar="NAME",
    default="",
    help="Of files that are no UTF-8 and declare none; else told by their look.",
)
@click.option("-y", "--yes", is_flag=True, help="Take every edit that has its place, without asking.")
@click.option("-r", "--review", is_flag=True, help="Ask about each hunk (the default on a terminal).")
@click.option("-n", "--dry-run", is_flag=True, help="Say on stdout what would happen; write nothing.")
@click.option("--partial", is_flag=True, help="Of a file's edits keep those that fit when others do not.")
@click.option("--json", "as_json", is_flag=True, help="One JSON event a line on stdout.")
def command(
    answer: str,
    format: str,
    root: str | None,
    path: str,
    encoding: str,
    yes: bool,
    review: bool,
    dry_run: bool,
    partial: bool,
    as_json: bool,
) -> int:
    """Apply the edits in any model's answer, reviewed hunk by hunk. No model is asked.

    \b
    Examples:
      motet apply last                    the last answer of the last chat here
      motet apply answer.md               a chat copied from a web page
      pbpaste | motet apply               from the clipboard, with questions
      git diff other | motet apply --yes  a patch, all of it
      motet apply --dry-run answer.md     what would happen, and why not
      motet apply -f udiff --root ../b -  one format, another directory

    The answer may hold prose, several files and several formats: SEARCH/REPLACE blocks, unified diffs, apply_patch,
    XML, whole files with their path, tool calls as JSON (motet's, Anthropic's and OpenAI's responses, Claude Code's,
    Codex's) or as tags (Cline's, Roo's, Claude's, OpenHands'). A path with \\ is read with /, and one below which nothing
    stands means the only file whose path ends so.
    An edit is applied at its only place or refused with the reason; nothing is guessed. When one edit of a file is
    refused, the file stays as it is, unless --partial. Fences of code that name no file are left out, and said to be.

    `last` is the last answer of the newest chat of this project, CHAT that of another one (`motet history list`); a file
    of the name `last` is ./last. Without FILE the answer is read from standard input, and questions are asked on the
    terminal all the same. Where there is no terminal nothing is written unless --yes. `motet undo` takes a run back.

    Exit code 0: all edits applied (with --dry-run: would be), 1: some were refused or left, or cannot be understood,
    2: usage, 3: nothing in the answer is an edit, 4: not permitted, 130: interrupted.
    """
    if sum((yes, review, dry_run)) > 1:
        raise UsageError("--yes, --review and --dry-run exclude each other")
    mode = _Mode(yes, dry_run, review, as_json, partial, encoding)
    try:
        text = asyncio.run(answer_of_chat(answer)) if is_chat(answer) else read_answer(answer)
        with told_when_slow(f"Looking for edits in {len(text) / 1e6:,.1f} million characters; Ctrl-C ends it"):
            found = _understood(text, name_of(answer), format, path, KnownPaths(_start(root)), quotes=is_chat(answer))
        return asyncio.run(_apply(found, modes_in(text), root, mode))
    except ReaderGone:
        raise
    except MotetError as error:
        if as_json:
            ApplyJson().failed(error)
        raise


def _understood(text: str, name: str, format: str, path: str, is_path: IsPath, *, quotes: bool) -> Understood:
    """What the answer holds; its name stands before whatever is wrong with it. `quotes`: what stands behind `>` is no
    edit."""
    if not text.strip():
        raise InputError(f"{name}: empty; give the answer as a FILE or through a pipe")
    try:
        return _parsed(text, format, path, is_path, quotes=quotes)
    except NoEdits as error:
        raise NoEdits(f"{name}: {error}", error.line) from error
    except EditFormatError as error:
        hint = "; --path PATH names it" if not path and _is_understood(text, format) else ""
        raise EditFormatError(f"{name}: nothing is applied: {error}{hint}", error.line) from error


def _parsed(text: str, format: str, path: str, is_path: IsPath, *, quotes: bool) -> Understood:
    if format != "auto":
        try:
            return Understood(parse(text, format, path=path))
        except NoEdits as error:
            raise NoEdits(f"{error}; leave --format out to have every form understood", error.line) from error
    found = understand(text, path=path, quotes=quotes, is_path=is_path)
    if found.edits:
        return found
    if path and found.left_out:
        with suppress(NoEdits):
            edits = parse(text, "whole_file", path=path)
            lines = frozenset(edit.line for edit in edits)
            return Understood(edits, loosely_named=lines)
    if found.quoted and not found.left_out:
        lines = ", ".join(str(one.line) for one in found.quoted)
        why = f"no edit was found outside of quotations; `motet apply FILE` takes those in lines {lines} from a file"
        raise NoEdits(why, found.quoted[0].line)
    raise NoEdits(_nothing(found.left_out), found.left_out[0].line if found.left_out else 1)


_MOST_NEAR = 3
_ASK_FOR = "ask the model for SEARCH/REPLACE blocks, or for each whole file in a fence below its path"


def _nothing(left_out: Sequence[LeftOut]) -> str:
    """What a person can do with an answer in which no edit was found."""
    if not left_out:
        return f"no edit was found: there is no block, diff, patch, tool call or file with its path in it; {_ASK_FOR}"
    lines = [str(one.line) for one in left_out]
    if len(lines) == 1:
        return (
            f"no edit was found: the fence in line {lines[0]} names no file; if it is the whole text of one, name it "
            f"with --path PATH, else {_ASK_FOR}"
        )
    named = f"{', '.join(lines[:-1])} and {lines[-1]}"
    return (
        f"no edit was found: the fences in lines {named} name no file; if each is the whole text of one, write its "
        f"path on the line before, else {_ASK_FOR}"
    )


def _is_understood(text: str, format: str) -> bool:
    """Whether only the path of an edit is missing."""
    try:
        parse(text, format, path="a")
    except EditFormatError:
        return False
    return True


_NOBODY = "Not a terminal, so nobody can be asked: nothing is written. --yes takes every edit."


async def _apply(found: Understood, modes: GitModes, root: str | None, mode: _Mode) -> int:
    # What --dry-run says is what it is run for; of other runs it is talk beside the work.
    terminal = Terminal(sys.stdout) if mode.dry_run and not mode.as_json else Terminal()
    keyboard, interrupts = Keyboard(), Interrupts()
    terminal.on_lost = interrupts.stop
    as_json = ApplyJson() if mode.as_json else None
    with interrupts.installed():
        try:
            if mode.review and not terminal.can_ask:
                raise UsageError("--review: not a terminal, so nobody can be asked; use --yes or --dry-run")
            start = _start(root)
            flags = {"encoding": mode.encoding} if mode.encoding else {}
            engine = Engine(start, flags=flags, ask=_ask(terminal, keyboard))
            edits = [edit for edit in found.edits if edit.path not in modes.links]
            below = posixpath.relpath(start, engine.root) if root is not None else ""
            edits = await meant(engine.workspace, edits, below)
            if root is not None:
                edits = [_meant_from(start, engine.root, edit) for edit in edits]
            edits, shown = outranked(edits, await excerpts(engine.workspace, edits))
            found.left_out.extend(shown)
            edits = await without_labels(engine.workspace, edits, found.loosely_named)
            reviewer = _reviewer(mode, terminal, keyboard, interrupts)
            asks = isinstance(reviewer, TerminalReviewer)
            view = ApplyView(terminal, as_json, asks=asks, undo=_undo(engine.root))
            view.started(edits, _whole(edits, found, engine.root))
            for one in found.left_out:
                view.left_out(one)
            for one in found.quoted:
                view.left_out(LeftOut(one.line, "", is_example=True, quotes=one.path))
            if not (asks or mode.yes or mode.dry_run):
                terminal.line(_NOBODY, "yellow", hang=2, always=True)
            announcing = view.announcing(reviewer, ClaimsTold(engine, terminal))
            report = await _submit(engine, edits, announcing, mode, reviewer)
            code = _exit_code(report, dry_run=mode.dry_run)
            was_left = bool((view.doubts and not asks) or modes.links)
            if code == ExitCode.DONE and (was_left or any(one.rivals for one in found.left_out)):
                code = ExitCode.PROBLEMS_REMAIN
            view.modes(modes)
            view.finished(report, code, dry_run=isinstance(reviewer, ProposeOnly))
            if not _say_where(terminal, report, engine.root):
                await _say_near(terminal, report, engine.workspace)
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


def _ask(terminal: Terminal, keyboard: Keyboard) -> Ask | None:
    return ask_in_terminal(terminal, keyboard, asker="the answer") if terminal.can_ask else None


def _whole(edits: Sequence[Edit], found: Understood, root: Path) -> Whole:
    """The files whose whole text is given, by the paths that the workspace has for them."""

    writes = [edit for edit in edits if isinstance(edit, Write)]
    names = {edit.line: posixpath.normpath(edit.path.strip().removeprefix(f"{root}/")) for edit in writes}
    return Whole(frozenset(names.values()), frozenset(names[line] for line in found.loosely_named if line in names))


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
        return TerminalReviewer(terminal, keyboard, lambda _: NO_PROBLEMS, interrupts.held)
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


def _say_where(terminal: Terminal, report: DeskReport, root: Path) -> bool:
    """Name a file that is missing from the workspace, but not from where the user stands; whether there is one."""
    here = Path.cwd()
    if here == root:
        return False
    missing = (file.path for file in report.files if file.plan.refusals and file.plan.before is None)
    found = next((path for path in missing if (here / path).is_file()), None)
    if found is not None:
        terminal.line(f"{found} is in the current directory: `--root .` takes paths from there.", always=True)
    return found is not None


async def _say_near(terminal: Terminal, report: DeskReport, workspace: Workspace) -> None:
    """Name the few files of the workspace that a path, which has none, may mean: with more or fewer directories."""
    missing = [file.path for file in report.files if file.plan.refusals and file.plan.before is None]
    if not missing:
        return
    with suppress(MotetError):
        files = await workspace.list_files()
        for path in missing:
            near = [file for file in files if file.endswith(f"/{path}") or path.endswith(f"/{file}")]
            if 0 < len(near) <= _MOST_NEAR:
                text = f"{path}: did you mean {' or '.join(near)}? Then correct the path in the answer."
                terminal.line(text, hang=4, always=True)
