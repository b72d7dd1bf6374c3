"""What people see of `motet apply`: what was understood, each hunk, what was refused and why."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from motet.cli.advice import advice_for
from motet.cli.apply_json import ApplyJson
from motet.cli.claims_told import ClaimsTold
from motet.cli.diff_view import draw_hunk
from motet.cli.fix_json import write_proposals
from motet.cli.modes import GitModes
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import Decision, Edit, Match, Outcome, Proposal, Refusal, Rung, Write
from motet.edits.formats.whole_file import LeftOut
from motet.edits.lines import split_lines
from motet.edits.pieces import may_be_a_piece
from motet.tools import DeskReport, FileReport, Reviewer

_MOST_NAMED = 3
"""Files that are named one by one."""


class ApplyView:
    """Draws a run on a terminal, and as JSON where that is asked for. `undo` is what takes the run back; `asks`:
    whether a human decides about each hunk."""

    def __init__(
        self, terminal: Terminal, as_json: ApplyJson | None, *, asks: bool, undo: str = "motet undo"
    ) -> None:
        self._terminal = terminal
        self._json = as_json
        self._asks = asks
        self._undo = undo
        self._whole = Whole()
        self._paths: set[str] = set()
        self._announcing: _Announcing | None = None

    @property
    def doubts(self) -> Mapping[str, str]:
        """By path, why the whole text of a file was not taken unasked."""
        return self._announcing.doubts if self._announcing else {}

    def started(self, edits: Sequence[Edit], whole: Whole) -> None:
        """Say what was understood."""
        self._whole = whole
        self._paths = {posixpath.normpath(edit.path) for edit in edits}
        paths = [*dict.fromkeys(edit.path for edit in edits)]
        more = len(paths) - _MOST_NAMED
        names = ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        self._terminal.line(f"{_count(len(edits), 'edit')} in {_count(len(paths), 'file')}: {names}", "bold", hang=2)
        if self._json:
            self._json.understood(edits)

    def left_out(self, found: LeftOut) -> None:
        """Say that a part of the answer is no edit."""
        self._terminal.line(found.describe(), "dim" if found.is_example else "yellow", hang=4, always=True)
        if self._json:
            self._json.left_out(found.describe(), found)

    def modes(self, modes: GitModes) -> None:
        """Say what a git diff wants besides lines, which is not done."""
        for path in modes.changed:
            self._terminal.line(f"{path}: its mode is not changed; chmod does that", hang=4, always=True)
        for path in sorted(modes.links):
            text = f"{path}: a symbolic link in the diff; left out"
            self._terminal.line(text, "yellow", hang=4, always=True)
            if self._json:
                self._json.left_out(text)

    def announcing(self, reviewer: Reviewer, claims: ClaimsTold) -> Reviewer:
        """`reviewer`, before whom claims are told, and every hunk is drawn unless it draws them itself."""
        self._announcing = _Announcing(
            reviewer, self._terminal, self._whole, self._paths, self._json is not None, claims
        )
        return self._announcing

    def finished(self, report: DeskReport, exit_code: int, *, dry_run: bool) -> None:
        """Say what became of it all."""
        terminal = self._terminal
        for file in report.files:
            self._file(file)
        terminal.line(always=True)
        terminal.line(_would(report, self.doubts) if dry_run else _summary(report), "bold", always=True)
        if any(file.was_written for file in report.files):
            terminal.line(f"`{self._undo}` takes it back.", "dim")
        if self._json:
            self._json.applied(report, exit_code, dry_run=dry_run, doubts=self.doubts)

    def _file(self, file: FileReport) -> None:
        """What the human did not decide just now: refusals, how loosely a text was matched, what went wrong."""
        told = [*_refused(file, asks=self._asks), *_problem(file), *_notes(file, asks=self._asks)]
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


@dataclass(frozen=True, slots=True)
class Whole:
    """The files whose whole text the answer gives; `loosely`: those that are named only further above, in a sentence
    or within the fence."""

    paths: frozenset[str] = frozenset()
    loosely: frozenset[str] = frozenset()


class _Announcing:
    def __init__(
        self,
        decides: Reviewer,
        terminal: Terminal,
        whole: Whole,
        paths: AbstractSet[str],
        as_json: bool,
        claims: ClaimsTold,
    ) -> None:
        self._claims = claims
        self._decides = decides
        self._terminal = terminal
        self._whole = whole
        self._paths = paths
        self._as_json = as_json
        self._asks = isinstance(decides, TerminalReviewer)
        self.doubts: dict[str, str] = {}

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`. A text that may be a piece of its file is left to a human."""
        await self._claims.of(proposals)
        if self._asks:
            self._say_what_is_missing(proposals)
        for proposal in proposals:
            if proposal.path in self._whole.paths and proposal.before is not None:
                self._look_at(proposal)
        if not self._asks:
            for proposal in proposals:
                for index in range(len(proposal.hunks)):
                    draw_hunk(self._terminal, proposal, index)
        left = self.doubts if not self._asks else {}
        asked = [proposal for proposal in proposals if proposal.path not in left]
        answers = {proposal.path: proposal for proposal in await self._decides.review(asked)}
        decided = [answers.get(proposal.path, proposal) for proposal in proposals]
        if self._as_json:
            write_proposals(decided)
        return decided

    def _say_what_is_missing(self, proposals: Sequence[Proposal]) -> None:
        """Files about which nobody will be asked."""
        missing = len(self._paths - {proposal.path for proposal in proposals})
        if missing:
            text = f"In {_count(missing, 'file')} there is nothing to review; the reasons stand at the end."
            self._terminal.line(text, "yellow", hang=2, always=True)

    def _look_at(self, proposal: Proposal) -> None:
        """A model may show a piece of a file as if it were all of it; that is seen in the number of lines."""
        before, after = proposal.base.text, proposal.decide_pending(Decision.ACCEPTED).accepted_text()
        old, new = (len(split_lines(text)) for text in (before, after))
        text = f"{proposal.path}: the answer gives the whole file: {_count(old, 'line')} become {new}"
        is_loose = proposal.path in self._whole.loosely and may_be_a_piece(before, after)
        if is_loose or proposal.approximate:
            doubt = "this may be only a piece of the file"
            self.doubts[proposal.path] = doubt
            text += f"; {doubt}"
            if not self._asks:
                text += ", which only a review at a terminal or --format whole_file takes as all of it"
        self._terminal.line(text, "yellow", hang=2, always=True)


def _would(report: DeskReport, doubts: Collection[str]) -> str:
    changed = sum(file.plan.changes_something and file.path not in doubts for file in report.files)
    return f"Nothing is written. {changed} of {_count(len(report.files), 'file')} would change."


def _summary(report: DeskReport) -> str:
    """What was written; where of a written file some hunks were left, how many hunks."""
    written = [file.proposal.hunks for file in report.files if file.proposal and file.was_written]
    hunks = [hunk.is_taken for each in written for hunk in each]
    there = sum(bool(file.plan.outcomes) and all(map(_is_there, file.plan.outcomes)) for file in report.files)
    if all(hunks):
        return report.summary.rstrip(".") + (
            f", {there} {'was' if there == 1 else 'were'} so already." if there else "."
        )
    files = report.summary.removeprefix("Applied changes to ")
    return f"Applied {sum(hunks)} of {_count(len(hunks), 'hunk')} in {files}"


def _is_there(outcome: Outcome) -> bool:
    return isinstance(outcome, Match) and outcome.already_applied


def _refused(file: FileReport, *, asks: bool) -> Iterator[Told]:
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
        yield f"advice: {advice_for(outcome, file.plan, asks=asks)}", ""
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
        why = file.problem.removeprefix(f"{file.path}: ").removeprefix(f"write:{file.path}: ")
        yield f"{file.path}: {'' if why.startswith('not ') or file.unsure else 'not written: '}{why}", "yellow"
        yield from ((line, "dim") for line in file.excerpt.splitlines())


def _notes(file: FileReport, *, asks: bool) -> Iterator[Told]:
    """How loosely each edit was matched; nothing about edits that were given up or left. Who was asked (`asks`) has seen
    it above each hunk."""
    if (file.plan.refusals and not file.plan.changes_something) or _was_left(file.proposal):
        return
    for outcome in file.plan.outcomes:
        is_seen = asks and file.plan.changes_something and isinstance(outcome, Match) and not outcome.already_applied
        if isinstance(outcome, Match) and outcome.note and not is_seen:
            yield f"{file.path}{_place(outcome)}: {_note(outcome, asked=file.plan.changes_something)}", ""
    if file.merged:
        yield f"{file.path}: somebody else had changed the file meanwhile; both changes stand", ""


def _note(match: Match, *, asked: bool) -> str:
    decided = "you took it" if asked else "what it would write stands there already"
    if match.rung is Rung.APPROXIMATE and isinstance(match.edit, Write):
        return f"it may have been only a piece of the file; {decided}"
    return match.note.replace("the human decided", decided)


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
