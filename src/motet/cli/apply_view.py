"""What people see of `motet apply`: what was understood, each hunk, what was refused and why."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence

from motet.cli.apply_json import ApplyJson
from motet.cli.diff_view import draw_hunk
from motet.cli.fix_json import write_proposals
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import Decision, Edit, Match, Outcome, Proposal, Refusal, Write
from motet.edits.lines import split_lines
from motet.tools import DeskReport, FileReport, Reviewer

_MOST_NAMED = 3
"""Files that are named one by one."""


class ApplyView:
    """Draws a run on a terminal, and as JSON where that is asked for. `undo` is what takes the run back."""

    def __init__(self, terminal: Terminal, as_json: ApplyJson | None, *, undo: str = "motet undo") -> None:
        self._terminal = terminal
        self._json = as_json
        self._undo = undo
        self._whole: set[str] = set()

    def started(self, edits: Sequence[Edit]) -> None:
        """Say what was understood."""
        self._whole = {posixpath.normpath(edit.path) for edit in edits if isinstance(edit, Write)}
        paths = [*dict.fromkeys(edit.path for edit in edits)]
        more = len(paths) - _MOST_NAMED
        names = ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        self._terminal.line(f"{_count(len(edits), 'edit')} in {_count(len(paths), 'file')}: {names}", "bold", hang=2)
        if self._json:
            self._json.understood(edits)

    def announcing(self, reviewer: Reviewer) -> Reviewer:
        """`reviewer`, before whom every hunk is drawn unless it draws them itself."""
        return _Announcing(reviewer, self._terminal, self._whole, self._json is not None)

    def finished(self, report: DeskReport, exit_code: int, *, dry_run: bool) -> None:
        """Say what became of it all."""
        terminal = self._terminal
        for file in report.files:
            self._file(file)
        terminal.line(always=True)
        terminal.line(_would(report) if dry_run else report.summary, "bold", always=True)
        if any(file.was_written for file in report.files):
            terminal.line(f"`{self._undo}` takes it back.", "dim")
        if self._json:
            self._json.applied(report, exit_code, dry_run=dry_run)

    def _file(self, file: FileReport) -> None:
        """What the human did not decide just now: refusals, how loosely a text was matched, what went wrong."""
        told = [*_refused(file), *_problem(file), *_notes(file)]
        if told:
            self._terminal.line(always=True)
        for text, style in told:
            if style in _CODE:
                self._terminal.verbatim((text, style), always=True)
            else:
                self._terminal.line(text, style, hang=4, always=True)


_CODE = ("red", "green", "dim")
"""Styles of lines that are a file's, and are not broken between words."""
Told = tuple[str, str]
"""A line and its style."""


class _Announcing:
    def __init__(self, decides: Reviewer, terminal: Terminal, whole: Collection[str], as_json: bool) -> None:
        self._decides = decides
        self._terminal = terminal
        self._whole = whole
        self._as_json = as_json

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        for proposal in proposals:
            if proposal.path in self._whole and proposal.before is not None:
                self._warn(proposal)
        if not isinstance(self._decides, TerminalReviewer):
            for proposal in proposals:
                for index in range(len(proposal.hunks)):
                    draw_hunk(self._terminal, proposal, index, ())
        decided = await self._decides.review(proposals)
        if self._as_json:
            write_proposals(decided)
        return decided

    def _warn(self, proposal: Proposal) -> None:
        """A model may show a piece of a file as if it were all of it; that is seen in the number of lines."""
        after = proposal.decide_pending(Decision.ACCEPTED).accepted_text()
        before, now = (len(split_lines(text)) for text in (proposal.base.text, after))
        text = f"{proposal.path}: the answer gives the whole file: {_count(before, 'line')} become {now}"
        self._terminal.line(text, "yellow", hang=2, always=True)


def _would(report: DeskReport) -> str:
    changed = sum(file.plan.changes_something for file in report.files)
    return f"Nothing is written. {changed} of {_count(len(report.files), 'file')} would change."


def _refused(file: FileReport) -> Iterator[Told]:
    """Each refusal in full, then the state of each edit of the file."""
    outcomes = file.plan.outcomes
    for number, outcome in enumerate(outcomes, 1):
        if not isinstance(outcome, Refusal):
            continue
        first, *rest = outcome.describe().splitlines()
        edit = f"edit {number}, " if len(outcomes) > 1 else ""
        said = first.removeprefix(f"{file.path}: ").replace(f": {file.path}: ", ": ", 1)
        yield f"{file.path}: {edit}line {outcome.edit.line} of the answer: {said}", "yellow"
        nearest = outcome.nearest.rstrip("\n").splitlines()
        at = len(rest) - 1 - len(nearest)
        yield from ((line, "") for line in rest[:at])
        yield from ((line, {"-": "red", "+": "green"}.get(line[:1], "dim")) for line in nearest)
        yield rest[-1], ""
    if file.plan.refusals and len(outcomes) > 1:
        yield f"{file.path}: {_verdict(file)}", "yellow"


def _verdict(file: FileReport) -> str:
    """Which edits of a file fit, which do not, and what that means for it."""
    outcomes = file.plan.outcomes
    fitting = _numbers(outcomes, Match)
    if not fitting:
        return f"nothing is applied to this file: none of its {len(outcomes)} edits fits"
    missed = _numbers(outcomes, Refusal)
    states = f"{_listed(fitting)} {'fits' if len(fitting) == 1 else 'fit'}"
    states += f", {_listed(missed)} {'does' if len(missed) == 1 else 'do'} not"
    if file.plan.changes_something:
        return states
    return f"nothing is applied to this file: {states}; --partial takes what fits"


def _problem(file: FileReport) -> Iterator[Told]:
    if file.problem:
        why = file.problem.removeprefix(f"{file.path}: ")
        yield f"{file.path}: {'' if why.startswith('not ') or file.unsure else 'not written: '}{why}", "yellow"
        yield from ((line, "dim") for line in file.excerpt.splitlines())


def _notes(file: FileReport) -> Iterator[Told]:
    """How loosely each edit was matched; nothing about edits that were given up or left."""
    if (file.plan.refusals and not file.plan.changes_something) or _was_left(file.proposal):
        return
    for outcome in file.plan.outcomes:
        if isinstance(outcome, Match) and outcome.note:
            yield f"{file.path}{_place(outcome)}: {outcome.note}", ""
    if file.merged:
        yield f"{file.path}: somebody else had changed the file meanwhile; both changes stand", ""


def _was_left(proposal: Proposal | None) -> bool:
    return proposal is not None and proposal.is_decided and not proposal.taken


def _place(match: Match) -> str:
    if not match.places:
        return ""
    if match.last_line <= match.first_line:
        return f": line {match.first_line}"
    return f": lines {match.first_line}-{match.last_line}"


def _numbers(outcomes: Sequence[Outcome], kind: type[Outcome]) -> list[int]:
    return [number for number, outcome in enumerate(outcomes, 1) if isinstance(outcome, kind)]


def _listed(numbers: Sequence[int]) -> str:
    *most, last = map(str, numbers)
    return f"edits {', '.join(most)} and {last}" if most else f"edit {last}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
