"""What a run has come to so far: which files were proposed, changed, refused, declined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from motet.diagnostics import Change
from motet.edits import Decision
from motet.errors import FileMissing, MotetError
from motet.fix.events import EndReason, Fixed
from motet.fix.reasons import Reasons
from motet.text import Diagnostic, LineIndex, TextFile
from motet.tools import FileReport
from motet.turn import Spending
from motet.workspace import Workspace

_MOST_LISTED = 20
"""Problems that a model is told of besides a request; an edit that breaks a file can bring hundreds."""

Line = tuple[str, str]
"""A path and the text of one of its lines: what a human declined to have changed, wherever it moves to."""


Question = tuple[str, str, tuple[str, ...]]
"""A path, the hash of its text and its problems: what a model was asked about one file."""


@dataclass(slots=True)
class Outcome:
    """Grows with every turn; `finish` makes the end of the run out of it."""

    rounds: int = 0
    reasons: Reasons = field(default_factory=Reasons)
    first: dict[str, TextFile | None] = field(default_factory=dict[str, TextFile | None])
    written: set[str] = field(default_factory=set[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    denied: dict[str, None] = field(default_factory=dict[str, None])
    declined: set[Line] = field(default_factory=set[Line])
    left: set[Question] = field(default_factory=set[Question])
    states: set[frozenset[tuple[str, str]]] = field(default_factory=set[frozenset[tuple[str, str]]])

    def add(self, reports: Sequence[FileReport]) -> None:
        """Count what became of one turn's edits."""
        for report in reports:
            self.first.setdefault(report.path, report.before)
            if report.was_written:
                self.written.add(report.path)
            self.declined |= declined_lines(report)
            if report.denied:
                self.denied[report.path] = None
            if report.problem:
                self.failed[report.path] = report.problem
            elif report.plan.refusals:
                refusal = report.plan.refusals[0]
                self.failed[report.path] = f"{refusal.reason}: {refusal.message}"
            else:
                self.failed.pop(report.path, None)

    def leave(self, path: str, file: TextFile, found: Sequence[Diagnostic]) -> None:
        """Remember that the model, shown `file` with the problems `found`, wanted no change in it."""
        self.left.add(_question(path, file, found))

    def wanted(self, diagnostics: Sequence[Diagnostic], files: Mapping[str, TextFile]) -> list[Diagnostic]:
        """What is worth asking about: not what the human declined to have changed, nor a file that the model has
        left alone as it is now."""
        wanted: list[Diagnostic] = []
        for path, group in groupby(diagnostics, key=lambda found: found.path):
            found = list(group)
            file = files.get(path)
            if file is None or _question(path, file, found) in self.left:
                continue
            index = LineIndex(file.text)
            wanted += [each for each in found if (path, index.line(each.range.start.line)) not in self.declined]
        return wanted

    def is_new_state(self, files: Mapping[str, TextFile]) -> bool:
        """Whether the proposed files have not all been exactly like this after an earlier round."""
        state = frozenset((path, file.hash) for path, file in files.items() if path in self.first)
        is_new = state not in self.states
        self.states.add(state)
        return is_new

    async def finish(
        self,
        workspace: Workspace,
        reason: EndReason,
        detail: str,
        remaining: tuple[Diagnostic, ...],
        spending: Spending,
    ) -> Fixed:
        """The end of the run; which of the files that were written differ now is read from the workspace."""
        first = {path: before for path, before in self.first.items() if path in self.written}
        changed = [path for path, before in first.items() if await _differs(workspace, path, before)]
        return Fixed(
            reason,
            detail,
            tuple(sorted(changed)),
            tuple(sorted(self.first)),
            {path: why for path, why in sorted(self.failed.items()) if path not in changed or why},
            remaining,
            self.rounds,
            spending.usage,
            spending.cost if spending.price else None,
            tuple(self.denied),
            {found: why for found in remaining if (why := self.reasons.of(found))},
        )


def _question(path: str, file: TextFile, found: Sequence[Diagnostic]) -> Question:
    return path, file.hash, tuple(f"{each.range.start} {each.source} {each.message}" for each in found)


def declined_lines(report: FileReport) -> set[Line]:
    """The old lines of hunks that the human rejected without saying what would be better."""
    if report.proposal is None:
        return set()
    return {
        (report.path, line.text)
        for hunk in report.proposal.hunks
        if hunk.decision is Decision.REJECTED and not hunk.remark
        for line in hunk.hunk.old
    }


def remarks(report: FileReport) -> list[str]:
    """What the human said about rejected hunks, for the next request."""
    if report.proposal is None:
        return []
    return [
        f"The human rejected your change at line {hunk.hunk.line} of {report.path}: {hunk.remark}"
        for hunk in report.proposal.hunks
        if hunk.decision is Decision.REJECTED and hunk.remark
    ]


def describe_after(change: Change, paths: set[str]) -> dict[str, str]:
    """By path, what an edit solved and what it brought up, for the tool's result."""
    notes: dict[str, str] = {}
    for path in paths:
        solved = sum(found.path == path for found in change.solved)
        left = sum(found.path == path for found in change.remaining)
        new = [found for found in change.new if found.path == path]
        lines = [f"The compilers now: {solved} solved, {left} left, {len(new)} new in {path}."]
        notes[path] = "\n".join([*lines, *listed(new)])
    return notes


def listed(new: Sequence[Diagnostic]) -> list[str]:
    """`new` problems, a line each; of many the first ones and how many more there are."""
    lines = [
        f"[{found.severity.label}] Line {found.range.start.line}, Column {found.range.start.column}: {found.message}"
        for found in new[:_MOST_LISTED]
    ]
    more = len(new) - len(lines)
    return [*lines, f"and {more} more"] if more else lines


async def _differs(workspace: Workspace, path: str, before: TextFile | None) -> bool:
    try:
        now = await workspace.read(path)
    except FileMissing:
        return before is not None
    except MotetError:
        return False  # it never was readable, so nothing was written to it
    return before is None or now.data != before.data
