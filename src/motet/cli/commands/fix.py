"""`motet fix`."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from motet.cli.ask import ask_in_terminal
from motet.cli.diff_view import draw_hunk
from motet.cli.fix_json import FixJson, write_proposals
from motet.cli.fix_view import FixView
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.diagnostics import Doing, Progress
from motet.edits import Proposal
from motet.engine import Engine
from motet.fix import AcceptAll, FixEvent, ProposeOnly, RoundReviewer
from motet.text import Diagnostic


@dataclass(frozen=True, slots=True)
class _Mode:
    """How this run talks and who decides."""

    yes: bool
    dry_run: bool
    as_json: bool
    quiet: bool


@click.command("fix")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("-m", "--model", help="provider/model, provider, or offline; default: the first that works.")
@click.option("-y", "--yes", is_flag=True, help="Take every proposed edit without asking.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would be changed; write nothing.")
@click.option("--rounds", type=int, help="Most rounds of ask, review, apply, look again.")
@click.option(
    "--checker", "checkers", multiple=True, metavar="CMD", help="A compiler, linter or test command to heed too."
)
@click.option(
    "--severity", type=click.Choice(["error", "warning", "info", "hint"]), help="The mildest problem to fix."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON event a line on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Only questions, and the end.")
@click.option("--max-tokens", type=int, help="Tokens that this run may use.")
@click.option("--max-cost", type=float, help="US dollars that this run may cost.")
@click.option("--allow", multiple=True, metavar="RULE", help="Allow without asking, as in --allow send.")
def command(
    paths: tuple[Path, ...],
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
    vendored or generated. Exit code 0: clean, 1: problems remain, 2: usage, 3: model failed, 4: not permitted.
    """
    flags = {
        "model": model,
        "fix.rounds": rounds,
        "fix.severity": severity,
        "fix.max_tokens": max_tokens,
        "fix.max_cost": max_cost,
    }
    mode = _Mode(yes, dry_run, as_json, quiet)
    chosen = {key: value for key, value in flags.items() if value is not None}
    return asyncio.run(_fix(paths, mode, chosen, checkers, allow))


async def _fix(
    paths: Sequence[Path], mode: _Mode, flags: Mapping[str, object], checkers: Sequence[str], allow: Sequence[str]
) -> int:
    terminal = Terminal(quiet=mode.quiet)
    task = asyncio.current_task()
    assert task is not None  # asyncio.run made it
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    asks = terminal.can_ask and not mode.yes
    ask = ask_in_terminal(terminal) if terminal.can_ask else None
    engine = Engine(Path.cwd(), flags=flags, allow=allow, ask=ask)
    for notice in engine.notices:
        terminal.line(notice, "yellow")
    ticking = asyncio.create_task(_tick(terminal))
    try:
        return await _run(engine, terminal, paths, mode, checkers, asks)
    finally:
        ticking.cancel()
        terminal.close()


async def _run(
    engine: Engine, terminal: Terminal, paths: Sequence[Path], mode: _Mode, checkers: Sequence[str], asks: bool
) -> int:
    files = await engine.source_files(paths)
    model, why = await engine.choose_model()
    terminal.line(f"Model: {model.name} ({why})", "dim")
    view = FixView(terminal, model.name)
    reviewer = _reviewer(terminal, view, mode, asks)
    json_events = FixJson() if mode.as_json else None

    def emit(event: FixEvent) -> None:
        view(event)
        if json_events is not None:
            json_events(event)

    def progress(step: Progress) -> None:
        terminal.progress(str(step), step=step.doing is Doing.STARTING)

    async with engine.diagnostics(checkers, progress) as diagnostics:
        loop = engine.fix_loop(diagnostics, model, reviewer, emit, dry_run=mode.dry_run)
        async with engine.checkpoint("motet fix"):
            fixed = await loop.run(files)
    return fixed.exit_code


def _reviewer(terminal: Terminal, view: FixView, mode: _Mode, asks: bool) -> RoundReviewer:
    if asks and not mode.dry_run:
        return _Announcing(TerminalReviewer(terminal, view.of), lambda _: None, mode.as_json)
    if not mode.yes and not mode.dry_run:
        text = "Not a terminal, so nobody is asked: nothing will be written without --yes."
        terminal.line(text, "yellow", always=True)
    decides = AcceptAll() if mode.yes and not mode.dry_run else ProposeOnly()

    def show(proposal: Proposal) -> None:
        for index in range(0 if mode.quiet else len(proposal.hunks)):
            terminal.line()
            draw_hunk(terminal, proposal, index, view.of(proposal.path))

    return _Announcing(decides, show, mode.as_json)


class _Announcing:
    """Shows every proposal before another reviewer decides, and with `--json` writes what was decided."""

    def __init__(self, decides: RoundReviewer, show: Callable[[Proposal], None], as_json: bool) -> None:
        self._decides = decides
        self._show = show
        self._as_json = as_json

    @property
    def stopped(self) -> bool:
        """See `RoundReviewer`."""
        return self._decides.stopped

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
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
        await asyncio.sleep(1)
        terminal.tick()
