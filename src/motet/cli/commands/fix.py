"""`motet fix`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import click

from motet.cli.ask import ask_in_terminal
from motet.cli.claims_told import ClaimsTold
from motet.cli.diff_view import draw_hunk
from motet.cli.fix_json import FixJson, write_error, write_proposals
from motet.cli.fix_view import FixView
from motet.cli.front import tell_faults
from motet.cli.interrupts import Interrupts
from motet.cli.keys import Keyboard
from motet.cli.numbers import Amount, Whole
from motet.cli.output import ReaderGone, events_at_terminal
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.diagnostics import Checker
from motet.edits import Proposal
from motet.engine import Engine
from motet.errors import ExitCode, MotetError, UsageError
from motet.fix import AcceptAll, Fixed, FixEvent, ProposeOnly, RoundReviewer
from motet.process import find_program, own_bin
from motet.tasks import background
from motet.text import Diagnostic
from motet.workspace import why_no_project


@dataclass(frozen=True, slots=True)
class _Mode:
    """How this run talks and who decides."""

    yes: bool
    dry_run: bool
    as_json: bool
    quiet: bool


@click.command("fix", options_metavar="[OPTIONS]")
@click.argument("paths", nargs=-1)
@click.option(
    "-m", "--model", metavar="NAME", help="PROVIDER/MODEL, PROVIDER or offline; without, the first that works."
)
@click.option("-y", "--yes", is_flag=True, help="Take every proposed edit without asking.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would be changed; write nothing.")
@click.option(
    "--checker", "checkers", multiple=True, metavar="CMD", help="Heed a compiler, linter or test run as well."
)
@click.option(
    "--severity",
    type=click.Choice(["error", "warning", "info", "hint"]),
    metavar="LEVEL",
    help="Mildest problem to fix: error, warning (default), info, hint.",
)
@click.option("--rounds", type=Whole(1, 50), metavar="N", help="Most rounds of ask, review, apply, look again.")
@click.option("--max-tokens", type=Whole(min=1), metavar="N", help="Tokens that this run may use.")
@click.option("--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Dollars that this run may cost.")
@click.option("--allow", multiple=True, metavar="RULE", help="Allow without asking: send, 'send:anthropic *', …")
@click.option("--json", "as_json", is_flag=True, help="One JSON event a line on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Only questions, and the end.")
def command(
    paths: tuple[str, ...],
    model: str | None,
    yes: bool,
    dry_run: bool,
    rounds: int | None,
    checkers: tuple[str, ...],
    severity: str | None,
    as_json: bool,
    quiet: bool,
    max_tokens: int | None,
    max_cost: float | None,
    allow: tuple[str, ...],
) -> int:
    """Fix what compilers and linters complain about, reviewed hunk by hunk.

    \b
    Examples:
      motet fix                            the whole workspace
      motet fix src/app.py tests           these files and directories
      motet fix --yes --model offline      no questions, no key, no network
      motet fix --checker 'make -k'        heed the build as well
      motet fix --dry-run --json           what would be changed, for a script

    Without PATHS: every source file of the git work tree (else of the current directory) that is not ignored,
    vendored or generated; a home directory is not looked through as a whole.

    Each change is shown as a diff and asked about, as in `git add -p`: y takes it, n leaves it, ? lists the other
    keys. `motet undo` takes a whole run back.

    Exit code 0: clean, 1: problems remain or a checker failed, 2: usage, 3: model failed or no named file can be read,
    4: not permitted, 130: interrupted.
    """
    flags = {
        "model": model,
        "fix.rounds": rounds,
        "fix.severity": severity,
        "fix.max_tokens": max_tokens,
        "fix.max_cost": max_cost,
    }
    mode = _Mode(yes, dry_run, as_json, quiet or events_at_terminal(as_json))
    chosen = {key: value for key, value in flags.items() if value is not None}
    try:
        return asyncio.run(_fix(paths, mode, chosen, checkers, allow))
    except ReaderGone:
        raise
    except MotetError as error:
        if as_json:
            write_error(error)
        raise


async def _fix(
    paths: Sequence[str], mode: _Mode, flags: Mapping[str, object], checkers: Sequence[str], allow: Sequence[str]
) -> int:
    terminal, keyboard, interrupts = Terminal(quiet=mode.quiet), Keyboard(), Interrupts()
    terminal.on_lost = interrupts.stop
    tell_faults(terminal)
    ask = ask_in_terminal(terminal, keyboard) if terminal.can_ask else None
    with interrupts.installed():
        ticking = background(_tick(terminal))
        try:
            engine = Engine(Path.cwd(), flags=flags, allow=allow, ask=ask)
            for notice in engine.notices:
                terminal.line(notice, "yellow", hang=2)
            who = _Deciding(terminal, keyboard, mode, interrupts.held)
            return await _run(engine, terminal, paths, who, checkers)
        except asyncio.CancelledError:
            terminal.line("Interrupted; `motet undo --list` shows what was written, if anything.", always=True)
            return ExitCode.INTERRUPTED
        finally:
            ticking.cancel()
            terminal.close()


async def _run(
    engine: Engine, terminal: Terminal, paths: Sequence[str], who: _Deciding, checkers: Sequence[str]
) -> int:
    if "" in paths:
        raise UsageError("an empty path was given; leave it out for the whole workspace")
    if not paths and (no_project := why_no_project(engine.root)):
        raise UsageError(f"{no_project}; or name what to fix, as in: motet fix bin")
    files = await engine.source_files([Path(path) for path in paths])
    one_by_one = [Path(path) for path in paths if not Path(path).is_dir()]
    named = await engine.source_files(one_by_one) if one_by_one else []
    for checker in checkers:
        _require_program(checker, engine.root)
    engine.servers()  # whose settings are wrong hears of it before anything is said
    model, why = await engine.choose_model(work="edit")
    terminal.line(f"Model: {model.name} ({why})", "dim", hang=2)
    view = FixView(terminal, model.name)
    json_events = FixJson() if who.mode.as_json else None
    if json_events is not None:
        json_events.started(str(engine.root), model, why)

    def emit(event: FixEvent) -> None:
        if not (isinstance(event, Fixed) and events_at_terminal(who.mode.as_json)):
            view(event)
        if json_events is not None:
            json_events(event)

    reviewer = who.reviewer(view, engine)
    async with engine.diagnostics(checkers, view.servers) as diagnostics:
        loop = engine.fix_loop(
            diagnostics,
            model,
            reviewer,
            emit,
            dry_run=who.writes_nothing,
            approximate="propose" if who.asks else "refuse",
        )
        async with engine.checkpoint("motet fix"):
            fixed = await loop.run(files, named)
    return fixed.exit_code


def _require_program(command: str, root: Path) -> None:
    """See that a checker the user has named can be started at all."""
    program = Checker.from_text(command, root).argv[0]
    if "/" not in program and find_program(program, first=(own_bin(),)) is None:
        raise UsageError(f"--checker: {program}: not found; install it or put it on PATH")


@dataclass(frozen=True, slots=True)
class _Deciding:
    """Who decides about proposals: the human at the terminal, `--yes`, or nobody."""

    terminal: Terminal
    keyboard: Keyboard
    mode: _Mode
    in_editor: Callable[[], AbstractContextManager[None]]

    @property
    def writes_nothing(self) -> bool:
        """Whether this run only shows what it would do."""
        return self.mode.dry_run or not (self.mode.yes or self.terminal.can_ask)

    @property
    def asks(self) -> bool:
        """Whether the human decides about each hunk."""
        return not self.mode.yes and not self.writes_nothing

    def reviewer(self, view: FixView, engine: Engine) -> RoundReviewer:
        """The reviewer, who shows each proposal first."""
        if self.asks:
            asking = TerminalReviewer(self.terminal, self.keyboard, view.of, self.in_editor)
            return _Announcing(asking, lambda _: None, self.mode.as_json, ClaimsTold(engine, self.terminal))
        if self.writes_nothing and not self.mode.dry_run:
            text = "Not a terminal, so nobody can be asked: nothing is written. --yes takes every edit."
            self.terminal.line(text, "yellow", hang=2, always=True)

        def show(proposal: Proposal) -> None:
            for index in range(0 if self.mode.quiet else len(proposal.hunks)):
                draw_hunk(self.terminal, proposal, index, view.of(proposal.path))

        decides = ProposeOnly() if self.writes_nothing else AcceptAll()
        return _Announcing(decides, show, self.mode.as_json, ClaimsTold(engine, self.terminal))


class _Announcing:
    """Shows every proposal before another reviewer decides, and with `--json` writes what was decided."""

    def __init__(
        self, decides: RoundReviewer, show: Callable[[Proposal], None], as_json: bool, claims: ClaimsTold
    ) -> None:
        self._claims = claims
        self._decides = decides
        self._show = show
        self._as_json = as_json

    @property
    def stopped(self) -> bool:
        """See `RoundReviewer`."""
        return self._decides.stopped

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        await self._claims.of(proposals)
        for proposal in proposals:
            self._show(proposal)
        decided = await self._decides.review(proposals)
        if self._as_json:
            write_proposals(decided)
        return decided

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """See `RoundReviewer`."""
        return await self._decides.keep_worse(new, written)


async def _tick(terminal: Terminal) -> None:
    while True:
        await asyncio.sleep(0.1)
        terminal.tick()
