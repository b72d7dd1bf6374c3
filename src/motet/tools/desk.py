"""The edit desk: propose, review, apply. Every edit of every model goes over it, whatever format it came in."""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from motet.edits import Edit, FilePlan, Proposal, Refusal, RefusalReason, plan
from motet.errors import FileMissing, FileTooLarge, MotetError, NotText, OutsideWorkspace, PermissionDenied
from motet.text import TextFile
from motet.workspace import Workspace

AfterApply = Callable[[Sequence[TextFile]], Awaitable[dict[str, str]]]
"""Looks at files just written and says, by path, what the model should know: new and solved problems."""


class Reviewer(Protocol):
    """Whoever decides about proposals: a human at a terminal, an editor, or a rule."""

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """The same proposals, decided. A hunk left pending is not written."""
        ...


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file's edits. `applied` is the file as written, `created` whether it was new;
    `before` is what stood there. `problem` says why a decided proposal could not be written, `denied`
    whether it was for want of permission."""

    path: str
    plan: FilePlan
    proposal: Proposal | None = None
    before: TextFile | None = None
    applied: TextFile | None = None
    problem: str = ""
    denied: bool = False
    after: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the model has something to do again."""
        return bool(self.plan.refusals or self.problem)

    @property
    def was_written(self) -> bool:
        """Whether the file was written, or may have been: a cancelled write is brought to its end."""
        return self.proposal is not None and bool(self.proposal.taken) and not self.problem

    def describe(self) -> str:
        """The report as text for the model."""
        lines: list[str] = []
        if self.plan.refusals:
            lines += [refusal.describe() for refusal in self.plan.refusals]
            fitting = len(self.plan.outcomes) - len(self.plan.refusals)
            if fitting and not self.plan.changes_something:
                lines.append(
                    f"{self.path}: nothing was applied: {fitting} of {len(self.plan.outcomes)} edits fit; "
                    "send all edits of this file again"
                )
        notes = [outcome.note for outcome in self.plan.outcomes if not isinstance(outcome, Refusal) and outcome.note]
        lines += [f"{self.path}: {note}" for note in dict.fromkeys(notes)]
        if self.problem:
            lines.append(f"{self.path}: not written: {self.problem.removeprefix(f'{self.path}: ')}")
        elif self.proposal is not None:
            lines.append(self.proposal.describe())
        if self.after:
            lines.append(self.after)
        return "\n".join(lines) or f"{self.path}: nothing to do"


@dataclass(frozen=True, slots=True)
class DeskReport:
    """What became of all edits of one answer, by file."""

    files: tuple[FileReport, ...]

    def of(self, path: str) -> FileReport:
        """The report on `path`, as the model wrote it."""
        return next(file for file in self.files if file.path == path)


class EditDesk:
    """Takes the edits of one answer; remembers every file that it wrote."""

    def __init__(self, workspace: Workspace, reviewer: Reviewer, after_apply: AfterApply | None = None) -> None:
        self._workspace = workspace
        self._reviewer = reviewer
        self._after_apply = after_apply
        self.reports: list[FileReport] = []

    def normalise(self, path: str) -> str:
        """`path` as the workspace names it: relative, without `./`; a path that leaves it is left for the guard."""
        root = str(self._workspace.root)
        path = path.strip()
        if path.startswith(root + "/"):
            path = path[len(root) + 1 :]
        return posixpath.normpath(path) if path else path

    async def submit(self, edits: Sequence[Edit]) -> DeskReport:
        """Plan `edits` together, have the proposals reviewed, and write what was accepted."""
        edits = [replace(edit, path=self.normalise(edit.path)) for edit in edits]
        files, unreadable = await self._read(dict.fromkeys(edit.path for edit in edits))
        planned = plan(files, [edit for edit in edits if edit.path not in unreadable])
        decided = (
            {proposal.path: proposal for proposal in await self._reviewer.review(planned.proposals())}
            if planned.proposals()
            else {}
        )
        first = len(self.reports)
        for file in planned.files:
            # On record before it is written: who is cancelled meanwhile must know what may have changed.
            self.reports.append(FileReport(file.path, file, decided.get(file.path), before=file.before))
            self.reports[-1] = await self._apply(self.reports[-1])
        self.reports += [_unreadable(path, edits, error) for path, error in unreadable.items()]
        self.reports[first:] = await self._look_again(self.reports[first:])
        return DeskReport(tuple(self.reports[first:]))

    async def _read(self, paths: dict[str, None]) -> tuple[dict[str, TextFile], dict[str, MotetError]]:
        files: dict[str, TextFile] = {}
        unreadable: dict[str, MotetError] = {}
        for path in paths:
            try:
                files[path] = await self._workspace.read(path)
            except FileMissing:
                continue  # an edit may create it
            except MotetError as error:
                unreadable[path] = error
        return files, unreadable

    async def _apply(self, report: FileReport) -> FileReport:
        proposal, before = report.proposal, report.before
        if proposal is None or not proposal.taken:
            return report
        try:
            new = proposal.accepted()
            if before is None:
                return replace(report, applied=await self._workspace.create(report.path, new))
            return replace(report, applied=await self._workspace.write(before, new))
        except PermissionDenied as error:
            return replace(report, problem=str(error), denied=True)
        except MotetError as error:
            return replace(report, problem=str(error))

    async def _look_again(self, reports: list[FileReport]) -> list[FileReport]:
        written = [report.applied for report in reports if report.applied is not None]
        if self._after_apply is None or not written:
            return reports
        notes = await self._after_apply(written)
        return [replace(report, after=notes.get(report.path, "")) for report in reports]


def _unreadable(path: str, edits: Sequence[Edit], error: MotetError) -> FileReport:
    match error:
        case OutsideWorkspace():
            reason, advice = RefusalReason.OUTSIDE_WORKSPACE, "name a file inside the workspace"
        case NotText():
            reason, advice = RefusalReason.BINARY, "leave this file alone"
        case FileTooLarge():
            reason, advice = RefusalReason.TOO_LARGE, "leave this file alone"
        case _:
            reason, advice = RefusalReason.NOT_FOUND, "choose another file"
    refusals = tuple(Refusal(edit, reason, str(error), advice) for edit in edits if edit.path == path)
    return FileReport(path, FilePlan(path, None, None, refusals))
