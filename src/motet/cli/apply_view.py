"""What people, and programs, see of `motet apply`: what was understood, each hunk, what was refused and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from motet.cli.diff_view import draw_hunk
from motet.cli.fix_json import write_proposals
from motet.cli.output import write_json
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import Delete, Edit, Match, Move, Proposal, Refusal, Write
from motet.errors import MotetError
from motet.tools import DeskReport, FileReport, Reviewer

SCHEMA = 1
"""Grows when a field changes its meaning or goes; new fields and events do not change it."""


class ApplyJson:
    """Writes events as JSON lines. The first is `understood`, the last `applied` or `error`."""

    def understood(self, edits: Sequence[Edit]) -> None:
        """Write what the answer holds."""
        what = [{"path": edit.path, "kind": _kind(edit), "answer_line": edit.line} for edit in edits]
        _write("understood", edits=what)

    def applied(self, report: DeskReport, exit_code: int, *, dry_run: bool) -> None:
        """Write what became of each file and each of its edits."""
        for file in report.files:
            _write("file", **_file(file))
        _write("applied", summary=report.summary, dry_run=dry_run, exit_code=exit_code)

    def failed(self, error: MotetError) -> None:
        """Write the error that ended the run before it could end by itself."""
        _write("error", message=str(error), exit_code=error.exit_code)


class ApplyView:
    """Draws a run on a terminal, and as JSON where that is asked for."""

    def __init__(self, terminal: Terminal, as_json: ApplyJson | None) -> None:
        self._terminal = terminal
        self._json = as_json

    def started(self, edits: Sequence[Edit]) -> None:
        """Say what was understood."""
        paths = dict.fromkeys(edit.path for edit in edits)
        names = ", ".join([*paths][:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
        self._terminal.line(f"{_count(len(edits), 'edit')} in {_count(len(paths), 'file')}: {names}", "bold", hang=2)
        if self._json:
            self._json.understood(edits)

    def announcing(self, reviewer: Reviewer) -> Reviewer:
        """`reviewer`, before whom every hunk is drawn unless it draws them itself."""
        return _Announcing(reviewer, self._terminal, self._json is not None)

    def finished(self, report: DeskReport, exit_code: int, *, dry_run: bool) -> None:
        """Say what became of it all."""
        terminal = self._terminal
        for file in report.files:
            if file.is_error or any(not isinstance(one, Refusal) and one.note for one in file.plan.outcomes):
                terminal.line(always=True)
                for number, line in enumerate(_told(file)):
                    terminal.line(line, "dim" if number else "yellow", hang=4, always=True)
        terminal.line(always=True)
        terminal.line(_would(report) if dry_run else report.summary, "bold", always=True)
        if any(file.was_written for file in report.files) and not dry_run:
            terminal.line("`motet undo` takes it back.", "dim")
        if self._json:
            self._json.applied(report, exit_code, dry_run=dry_run)


class _Announcing:
    def __init__(self, decides: Reviewer, terminal: Terminal, as_json: bool) -> None:
        self._decides = decides
        self._terminal = terminal
        self._as_json = as_json

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        if not isinstance(self._decides, TerminalReviewer):
            for proposal in proposals:
                for index in range(len(proposal.hunks)):
                    draw_hunk(self._terminal, proposal, index, ())
        decided = await self._decides.review(proposals)
        if self._as_json:
            write_proposals(decided)
        return decided


def _would(report: DeskReport) -> str:
    changed = sum(file.plan.changes_something for file in report.files)
    return f"Nothing is written. {changed} of {_count(len(report.files), 'file')} would change."


def _told(file: FileReport) -> list[str]:
    """The report on a file, without what the human decided just now."""
    outcomes = [one for one in file.plan.outcomes if isinstance(one, Match) and one.note]
    refusals = [line for refusal in file.plan.refusals for line in refusal.describe().splitlines()]
    fitting = len(file.plan.outcomes) - len(file.plan.refusals)
    if refusals and fitting and not file.plan.changes_something:
        count = f"{fitting} of {len(file.plan.outcomes)} edits fit"
        refusals.append(f"{file.path}: nothing is applied to this file; {count}, --partial takes them")
    problem = [f"{file.path}: not written: {file.problem.removeprefix(f'{file.path}: ')}"] if file.problem else []
    notes = [f"{file.path}: line {one.first_line}: {one.note}" for one in outcomes]
    return [*refusals, *problem, *notes]


def _file(file: FileReport) -> Mapping[str, object]:
    return {
        "path": file.path,
        "written": file.was_written,
        "would_change": file.plan.changes_something,
        "problem": file.problem,
        "edits": [_outcome(outcome) for outcome in file.plan.outcomes],
    }


def _outcome(outcome: Match | Refusal) -> Mapping[str, object]:
    common = {"kind": _kind(outcome.edit), "answer_line": outcome.edit.line}
    match outcome:
        case Match():
            places = [[place.first_line, place.last_line] for place in outcome.places]
            return {
                **common,
                "state": "fits",
                "rung": outcome.rung.name.lower(),
                "lines": places,
                "note": outcome.note,
            }
        case Refusal():
            return {
                **common,
                "state": "refused",
                "reason": str(outcome.reason),
                "message": outcome.message,
                "candidates": [[one.first_line, one.last_line] for one in outcome.candidates],
                "nearest": outcome.nearest,
                "advice": outcome.advice,
            }


def _kind(edit: Edit) -> str:
    match edit:
        case Write():
            return "write"
        case Delete():
            return "delete"
        case Move():
            return "move"
        case _:
            return "edit"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _write(event: str, **fields: object) -> None:
    write_json({"schema": SCHEMA, "event": event, **fields})
