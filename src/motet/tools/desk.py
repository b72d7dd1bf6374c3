"""The edit desk: propose, review, apply. Every edit of every model goes over it, whatever format it came in."""

from __future__ import annotations

import asyncio
import os
import posixpath
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from motet.edits import Edit, FilePlan, Move, Plan, Proposal, Refusal, RefusalReason, plan
from motet.errors import FileMissing, FileTooLarge, MotetError, NotText, OutsideWorkspace
from motet.permissions import Action, Effect, Gate, Origin, is_secret
from motet.permissions.places import resolved
from motet.text import TextFile
from motet.text.merge import Merge, merge
from motet.tools.claims import Claims, NoClaims
from motet.tools.report import DeskReport, FileReport
from motet.tools.writing import write_decided
from motet.workspace import Workspace
from motet.workspace.places import with_slashes

AfterApply = Callable[[Sequence[TextFile]], Awaitable[dict[str, str]]]
"""Looks at files just written and says, by path, what the model should know: new and solved problems."""


class Reviewer(Protocol):
    """Whoever decides about proposals: a human at a terminal, an editor, or a rule."""

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """The same proposals, decided. A hunk left pending is not written."""
        ...


class EditDesk:
    """Takes the edits of one answer; remembers every file that it wrote, and what the model knows of each.

    With `partial`, the edits of a file that have a place are kept although others have none. `approximate` is
    `propose` only where a human reviews: places that are nearly right are then shown for a decision.
    """

    def __init__(
        self,
        workspace: Workspace,
        reviewer: Reviewer,
        after_apply: AfterApply | None = None,
        *,
        partial: bool = False,
        approximate: Literal["refuse", "propose"] = "refuse",
        gate: Gate | None = None,
        claims: Claims | None = None,
    ) -> None:
        """`gate`: asked before the text of a file of secrets is looked at, as a refusal tells what stands there; None
        where edits come from no model. `claims`: looked at before an edit is proposed, and before it is written."""
        self._gate = gate
        self._claims = claims or NoClaims()
        self.workspace = workspace
        self._reviewer = reviewer
        self._after_apply = after_apply
        self._partial = partial
        self._approximate: Literal["refuse", "propose"] = approximate
        self._shown: dict[str, TextFile] = {}
        self.reports: list[FileReport] = []

    def show(self, file: TextFile) -> None:
        """Remember that the model has been shown this version of a file; only the newest one counts.

        Its edits are then matched against that version. What it wrote itself it knows without being shown.
        """
        self._shown[self.normalise(file.path)] = file

    def normalise(self, path: str) -> str:
        """`path` as the workspace names it: relative, without `./`; a path that leaves it is left for the guard."""
        root = str(self.workspace.root)
        path = path.strip()
        path = with_slashes(self.workspace.root, path)
        if path.startswith(root + "/"):
            path = path[len(root) :].lstrip("/")
        return posixpath.normpath(path) if path else path

    async def preview(self, edits: Sequence[Edit]) -> dict[str, FilePlan]:
        """What `submit` would plan, by the paths as the edits spell them; nothing is proposed. A file of secrets, and
        one that cannot be read, has no plan: what is wrong with it comes up when its edits are submitted."""
        names = await self._names(edit.path for edit in edits)
        edits = [self._renamed(edit, names) for edit in edits]
        files: dict[str, TextFile] = {}
        untold: set[str] = set()
        for path in dict.fromkeys(edit.path for edit in edits):
            try:
                if any(map(is_secret, await self._spellings(path))):
                    untold.add(path)
                else:
                    files[path] = await self.workspace.read(path)
            except FileMissing:
                continue
            except MotetError:
                untold.add(path)
        told = [edit for edit in edits if edit.path not in untold]
        planned = self._plan(files, told, approximate="propose")
        plans = {file.path: file for file in planned.files}
        return {spelled: plans[name] for spelled, name in names.items() if name in plans}

    async def submit(self, edits: Sequence[Edit]) -> DeskReport:
        """Plan `edits` together, have the proposals reviewed, and write what was accepted."""
        names = await self._names(edit.path for edit in edits)
        edits = [self._renamed(edit, names) for edit in edits]
        files, unreadable = await self._read(edits)
        readable = [edit for edit in edits if edit.path not in unreadable]
        planned = self._plan(files, readable, partial=self._partial, approximate=self._approximate)
        proposals = planned.proposals()
        decided = {each.path: each for each in await self._reviewer.review(proposals)} if proposals else {}
        first = len(self.reports)
        for file in planned.files:
            # On record before it is written: who is cancelled meanwhile must know what may have changed.
            proposal = decided.get(file.path)
            before = proposal.before if proposal else file.before
            self.reports.append(FileReport(file.path, file, proposal, before))
        async for number, report in write_decided(self.workspace, self.reports[first:], self._claims):
            self.reports[first + number] = report
            self._learn(report)
        self.reports += [_unreadable(path, edits, error) for path, error in unreadable.items()]
        self.reports[first:] = await self._look_again(self.reports[first:])
        return DeskReport(tuple(self.reports[first:]), names)

    def _plan(
        self,
        files: Mapping[str, TextFile],
        edits: Sequence[Edit],
        *,
        approximate: Literal["refuse", "propose"],
        partial: bool = False,
    ) -> Plan:
        """Plan against what the model was shown; where nothing comes of that, and the file is again as it was before an
        edit, against that version, which the model knows as well."""
        planned = plan(files, edits, shown=self._shown, partial=partial, approximate=approximate)
        reset = {one.path for one in planned.files if not one.changes_something and self._is_reset(one)}
        if not reset:
            return planned
        shown = {path: file for path, file in self._shown.items() if path not in reset}
        return plan(files, edits, shown=shown, partial=partial, approximate=approximate)

    def _is_reset(self, planned: FilePlan) -> bool:
        """Whether somebody has put back what stood there before an edit that was written."""
        shown, now = self._shown.get(planned.path), planned.before
        if shown is None or now is None or shown.text == now.text:
            return False
        earlier = (one.before for one in self.reports if one.path == planned.path and one.was_written)
        return any(before is not None and before.text == now.text for before in earlier)

    def _renamed(self, edit: Edit, names: Mapping[str, str]) -> Edit:
        edit = replace(edit, path=names[edit.path])
        return replace(edit, to=self.normalise(edit.to)) if isinstance(edit, Move) else edit

    async def _names(self, paths: Iterable[str]) -> dict[str, str]:
        """By path as the model spelled it, the one name that all paths of that file get: links, too, lead to it."""
        names = {path: self.normalise(path) for path in paths}
        if len(set(names.values())) < 2:
            return names
        real = await asyncio.to_thread(self._real, set(names.values()))
        first: dict[str, str] = {}
        return {spelled: first.setdefault(real[name], name) for spelled, name in names.items()}

    def _real(self, names: Iterable[str]) -> dict[str, str]:
        """By name, where it leads to; a name that leaves the workspace is left for the guard."""
        root = str(self.workspace.root)
        real: dict[str, str] = {}
        for name in names:
            leaves = name.startswith(("/", "../")) or name in ("", "..") or "\0" in name
            real[name] = name if leaves else os.path.realpath(posixpath.join(root, name))
        return real

    async def _require(self, path: str) -> None:
        """Raises `PermissionDenied` for a file of secrets that is there and that the model may not see."""
        if self._gate is None:
            return
        for name in filter(is_secret, await self._spellings(path)):
            await self._gate.require(Action(Effect.READ, name, Origin.MODEL, "to edit it"))

    async def _spellings(self, path: str) -> Iterable[str]:
        """`path`, and where it leads to."""
        real = "" if "\0" in path else await asyncio.to_thread(resolved, self.workspace.root, path)
        return dict.fromkeys((path, real))

    async def _read(self, edits: Sequence[Edit]) -> tuple[dict[str, TextFile], dict[str, MotetError]]:
        """The files that are edited or moved to, and by path why a file cannot be edited or moved."""
        files: dict[str, TextFile] = {}
        unreadable: dict[str, MotetError] = {}
        for path in dict.fromkeys(edit.path for edit in edits):
            try:
                await self._claims.may_write(path)
                file = await self.workspace.read(path)
                await self._require(path)
                files[path] = file
            except FileMissing:
                continue  # an edit may create it
            except MotetError as error:
                unreadable[path] = error
        for move in (edit for edit in edits if isinstance(edit, Move)):
            try:
                await self._claims.may_write(move.to)
                file = await self.workspace.read(move.to)
                await self._require(move.to)
                files.setdefault(move.to, file)
            except FileMissing:
                continue
            except (NotText, FileTooLarge):
                files.setdefault(move.to, TextFile.new(move.to))  # planning has to know only that it exists
            except MotetError as error:
                unreadable.setdefault(move.path, error)
        return files, unreadable

    def _learn(self, report: FileReport) -> None:
        """The model knows what was made of its edits; not what somebody else has changed besides."""
        proposal, applied = report.proposal, report.applied
        shown = self._shown.pop(report.path, None) if report.removed else self._shown.get(report.path)
        if applied is None or proposal is None:
            return
        text = proposal.accepted_text()
        known = merge(proposal.base.text, text, shown.text) if shown else Merge(text)
        if not known.conflicts:
            text = known.text
        self._shown[applied.path] = applied if text == applied.text else TextFile.new(applied.path).with_text(text)

    async def _look_again(self, reports: list[FileReport]) -> list[FileReport]:
        written = [report.applied for report in reports if report.applied is not None]
        if self._after_apply is None or not written:
            return reports
        notes = await self._after_apply(written)
        return [
            replace(report, after=notes.get(report.applied.path if report.applied else report.path, ""))
            for report in reports
        ]


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
