"""The loop itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Literal

from motet.diagnostics import Change, Report, compare
from motet.errors import FileTooLarge, ModelError, ModelErrorKind, NotText, PermissionDenied, WorkspaceError
from motet.fix.diagnoser import Diagnoser
from motet.fix.events import (
    Checked,
    EndReason,
    Fixed,
    FixEvent,
    Notice,
    RoundFinished,
    RoundStarted,
    TakenBack,
    TurnHappened,
)
from motet.fix.outcome import Outcome, describe_after, listed, remarks
from motet.fix.request import Notes, Request, build_requests, names_in
from motet.fix.review import RoundReviewer
from motet.models.protocol import Completed, Model, TextDelta
from motet.permissions import Gate
from motet.text import Diagnostic, TextFile
from motet.tools import EditDesk, FileReport, Toolbox
from motet.tools.builtin.replace_in_file import ReplaceInFile
from motet.turn import (
    CostLimit,
    InMemory,
    Limit,
    RepeatLimit,
    RoundLimit,
    Spending,
    TokenLimit,
    ToolFinished,
    TurnEnded,
    run_turn,
)
from motet.workspace import Workspace

_SENDS = "the problems, the files they are in and the definitions these use"
_SMALLEST_REQUEST = 250
"""Estimated tokens of files below which a request is not made smaller still."""


_MOST_OTHERS = 50
"""Files that are read for their definitions."""

Defining = Callable[[Sequence[str], Sequence[str]], Awaitable[Sequence[str]]]
"""Which files define any of these names, for work on the files with these paths; the likeliest first."""


async def nowhere(names: Sequence[str], around: Sequence[str]) -> Sequence[str]:
    """Only the files that are looked at are known."""
    return ()


@dataclass(frozen=True, slots=True)
class FixOptions:
    """How far a run may go. Tokens and dollars are for the whole run.

    `approximate` is `propose` only where a human reviews: see `EditDesk`.
    """

    rounds: int = 5
    model_rounds: int = 6
    max_tokens: int | None = None
    max_cost: float | None = None
    dry_run: bool = False
    approximate: Literal["refuse", "propose"] = "refuse"


class FixLoop:
    """One run over some files of a workspace."""

    def __init__(
        self,
        workspace: Workspace,
        diagnostics: Diagnoser,
        model: Model,
        gate: Gate,
        reviewer: RoundReviewer,
        options: FixOptions,
        emit: Callable[[FixEvent], None],
        defining: Defining = nowhere,
    ) -> None:
        """`defining` is asked only when a file does not fit whole into a request."""
        self._workspace = workspace
        self._diagnostics = diagnostics
        self._model = model
        self._gate = gate
        self._reviewer = reviewer
        self._options = options
        self._emit = emit
        self._defining = defining
        self._others: dict[str, TextFile] = {}
        self._spending = Spending(model.price)
        self._notes = Notes()
        self._files: dict[str, TextFile] = {}
        self._written: dict[str, TextFile] = {}
        self._report = Report((), (), ())
        self._known: list[Diagnostic] = []
        self._outcome = Outcome()

    async def run(self, paths: Sequence[str], named: Collection[str] = ()) -> Fixed:
        """Fix what is wrong in `paths` (workspace paths). Always ends with `Fixed`, also when it is cancelled.

        Of those that somebody has `named` one by one it is said why they cannot be read."""
        try:
            reason, detail = await self._run(paths, named)
        except ModelError as error:
            reason, detail = EndReason.MODEL, str(error)
        except PermissionDenied as error:
            reason, detail = EndReason.DENIED, str(error)
        except asyncio.CancelledError:
            reason, detail = EndReason.INTERRUPTED, ""
        fixed = await self._outcome.finish(self._workspace, reason, detail, self._report.diagnostics, self._spending)
        self._emit(fixed)
        return fixed

    async def _run(self, paths: Sequence[str], named: Collection[str]) -> tuple[EndReason, str]:
        await self._read(paths, named)
        if named and not self._files and not self._diagnostics.checker_names:
            return EndReason.UNREADABLE, ""
        self._report = await self._check()
        for line in self._report.advice:
            self._emit(Notice(line))
        self._emit(Checked(self._report.diagnostics, self._report.sources, len(self._files)))
        taken_back = 0
        for number in range(1, self._options.rounds + 1):
            wanted = self._outcome.wanted(self._report.diagnostics, self._files)
            if not wanted:
                return self._nothing_wanted()
            self._outcome.rounds = number
            before = self._files.copy(), self._report
            self._known = [
                found for found in self._report.diagnostics if found.source not in self._diagnostics.checker_names
            ]
            limit, reports = await self._ask(number, wanted)
            if self._options.dry_run:
                return EndReason.DRY_RUN, "nothing was written"
            change, was_taken_back = await self._look_again(number, *before, reports)
            taken_back = taken_back + 1 if was_taken_back else 0
            if self._reviewer.stopped:
                return EndReason.HUMAN, ""
            if limit:
                return EndReason.BUDGET, limit
            if not self._report.diagnostics:
                return self._nothing_found()
            stuck = self._why_stuck(change, reports, taken_back)
            if stuck:
                return EndReason.NO_PROGRESS, stuck
        most = self._options.rounds
        return EndReason.ROUNDS, "after 1 round" if most == 1 else f"after {most} rounds"

    async def _read(self, paths: Sequence[str], named: Collection[str] = ()) -> None:
        for path in paths:
            try:
                self._files[path] = await self._workspace.read(path)
            except WorkspaceError as error:
                # No compiler reads what is no text, or too long.
                if path in named or not isinstance(error, NotText | FileTooLarge):
                    self._emit(Notice(f"left out: {error}"))

    async def _read_again(self) -> None:
        """Follow what others did to the files since they were read."""
        paths = list(self._files)
        self._files.clear()
        await self._read(paths)

    async def _check(self) -> Report:
        """What is wrong now; files that only a checker has named are read too."""
        report = await self._diagnostics.check(list(self._files.values()))
        await self._read(sorted({found.path for found in report.diagnostics} - self._files.keys()))
        return report

    def _nothing_found(self) -> tuple[EndReason, str]:
        """A checker that failed has not said that nothing is left."""
        failed = self._report.failed
        return (EndReason.CHECKER, ", ".join(failed)) if failed else (EndReason.CLEAN, "")

    def _nothing_wanted(self) -> tuple[EndReason, str]:
        if not self._report.diagnostics:
            return self._nothing_found()
        who = "you" if self._outcome.declined else "the model"
        return EndReason.NO_PROGRESS, f"{who} left the rest as it is"

    async def _ask(self, number: int, wanted: Sequence[Diagnostic]) -> tuple[str, list[FileReport]]:
        """Ask about all of `wanted`; returns the budget that ran out, if any, and what became of the edits."""
        requests = await self._requests(wanted)
        if any(request.left_out for request in requests):
            await self._find_definitions(wanted)
            requests = await self._requests(wanted)
        self._emit(RoundStarted(number, tuple(request.paths for request in requests)))
        reports: list[FileReport] = []
        limit = ""
        for request in requests:
            limit = await self._ask_within_window(request, wanted, reports)
            if limit or self._reviewer.stopped:
                break
        return limit, reports

    async def _ask_within_window(
        self, request: Request, wanted: Sequence[Diagnostic], reports: list[FileReport]
    ) -> str:
        """Ask; when the provider finds the request too long, ask again in smaller pieces, and when the model turns
        out to have no tools, again for edits as text."""
        had_tools = self._model.limits.tools
        most_tokens = request.tokens // 2
        try:
            return await self._turn(request, reports)
        except ModelError as error:
            if had_tools and not self._model.limits.tools:
                most_tokens = request.tokens
            elif error.kind is not ModelErrorKind.CONTEXT_TOO_LONG or most_tokens < _SMALLEST_REQUEST:
                raise
        pieces = await self._requests([found for found in wanted if found.path in request.paths], most_tokens)
        for piece in pieces:
            limit = await self._ask_within_window(piece, wanted, reports)
            if limit or self._reviewer.stopped:
                return limit
        return ""

    async def _find_definitions(self, wanted: Sequence[Diagnostic]) -> None:
        """Read the files of the project, besides those that are looked at, that define what `wanted` are about."""
        around = list(dict.fromkeys(found.path for found in wanted))
        paths = await self._defining(await asyncio.to_thread(names_in, dict(self._files), wanted), around)
        self._others.clear()
        for path in paths:
            if path not in self._files and len(self._others) < _MOST_OTHERS:
                with suppress(WorkspaceError, PermissionDenied):
                    self._others[path] = await self._workspace.read(path)

    async def _requests(self, wanted: Sequence[Diagnostic], most_tokens: int | None = None) -> list[Request]:
        """In a thread: a file may have any number of problems."""
        root, limits, others = self._workspace.root, self._model.limits, tuple(self._others.values())
        files, notes = dict(self._files), self._notes
        return await asyncio.to_thread(build_requests, root, files, wanted, limits, notes, most_tokens, others)

    async def _turn(self, request: Request, reports: list[FileReport]) -> str:
        approximate = self._options.approximate
        desk = EditDesk(self._workspace, self._reviewer, self._after_apply, approximate=approximate, gate=self._gate)
        toolbox = Toolbox([ReplaceInFile(desk)])
        limit, ended = "", False
        shown = {path: self._files[path] for path in request.paths}
        for file in shown.values():
            desk.show(file)
        for line in request.left_out:
            self._emit(Notice(f"not shown to the model: {line}"))
        conversation = InMemory(request.stack)
        turn = run_turn(self._model, conversation, toolbox, self._gate, self._limits(), self._spending, sends=_SENDS)
        try:
            async with aclosing(turn) as events:
                async for event in events:
                    self._emit(TurnHappened(request.paths, event))
                    match event:
                        case TextDelta(text):
                            self._outcome.reasons.hear(text)
                        case Completed():
                            self._outcome.reasons.end()
                        case TurnEnded(limit=reached):
                            limit = reached if reached.startswith("budget") else ""
                            ended = not reached
                        case ToolFinished() if self._reviewer.stopped or self._options.dry_run:
                            break
                        case _:
                            pass
        finally:
            self._outcome.reasons.end()
            reports += desk.reports
            self._outcome.add(desk.reports)
            for report in desk.reports:
                for line in remarks(report):
                    self._notes.add(report.path, line)
        if ended:
            self._remember_left(shown, {report.path for report in desk.reports})
        return limit

    def _remember_left(self, shown: dict[str, TextFile], edited: set[str]) -> None:
        for path, file in shown.items():
            if path not in edited:
                found = [each for each in self._report.diagnostics if each.path == path]
                self._outcome.leave(path, file, found)

    def _limits(self) -> list[Limit]:
        options = self._options
        limits: list[Limit] = [RoundLimit(options.model_rounds), RepeatLimit()]
        if options.max_tokens is not None:
            limits.append(TokenLimit(options.max_tokens))
        if options.max_cost is not None:
            limits.append(CostLimit(options.max_cost))
        return limits

    async def _after_apply(self, written: Sequence[TextFile]) -> dict[str, str]:
        """What the servers say about files just written, compared with what they said before. A checker may be
        the whole test suite; it is asked at the end of the round."""
        paths = {file.path for file in written}
        before = {path: self._files[path] for path in paths if path in self._files}
        self._files |= {file.path: file for file in written}
        self._written |= {file.path: file for file in written}
        report = await self._diagnostics.check(written, checkers=False)
        old = [found for found in self._known if found.path in paths]
        self._known = [found for found in self._known if found.path not in paths] + list(report.diagnostics)
        return describe_after(compare(old, before, report.diagnostics, self._files), paths)

    async def _look_again(
        self, number: int, files: dict[str, TextFile], before: Report, reports: Sequence[FileReport]
    ) -> tuple[Change, bool]:
        """Check everything again after a round; take the round back when it made things worse."""
        originals: dict[str, TextFile | None] = {}
        for report in reports:
            if report.applied is not None:
                originals.setdefault(report.path, report.before)
        written = sorted(originals)
        if written or any(_was_overtaken(report, files) for report in reports):
            await self._read_again()
            self._report = await self._check()
        files |= {path: file for path, file in originals.items() if file is not None}
        change = compare(before.diagnostics, files, self._report.diagnostics, self._files)
        worse = bool(written) and len(self._report.diagnostics) > len(before.diagnostics)
        self._emit(
            RoundFinished(number, self._report.diagnostics, self._report.sources, change, tuple(written), worse)
        )
        if not worse or await self._reviewer.keep_worse(change.new, written):
            return change, False
        if not await self._take_back(originals, before, change):
            return change, False
        return compare(before.diagnostics, files, self._report.diagnostics, self._files), True

    async def _take_back(self, originals: dict[str, TextFile | None], before: Report, change: Change) -> bool:
        """Restore first the written files in which there are more problems; all of them when that is not enough.
        Returns whether any was: what somebody else has changed since is left to them."""
        worse = [path for path in originals if _count(self._report, path) > _count(before, path)]
        any_restored = False
        new = "\n".join(f"  {line}" for line in listed(change.new))
        for paths in (worse, [path for path in originals if path not in worse]):
            if not paths or len(self._report.diagnostics) <= len(before.diagnostics):
                continue
            restored = [path for path in paths if await self._restore(path, originals[path])]
            for path in restored:
                self._notes.add(path, f"Your last edits to {path} were taken back, because they led to:\n{new}")
            if restored:
                any_restored = True
                self._report = await self._check()
                self._emit(TakenBack(tuple(restored), self._report.diagnostics, self._report.sources))
        return any_restored

    async def _restore(self, path: str, old: TextFile | None) -> bool:
        try:
            written = self._written[path]
            if old is None:
                await self._workspace.delete(written)
                self._files.pop(path, None)
            else:
                self._files[path] = await self._workspace.write(written, old.data)
        except (WorkspaceError, PermissionDenied) as error:
            self._emit(Notice(f"not taken back: {error}"))
            return False
        return True

    def _why_stuck(self, change: Change, reports: Sequence[FileReport], taken_back: int) -> str:
        """Why another round would bring nothing; empty when it might."""
        if taken_back == 1 or any(remarks(report) for report in reports):
            return ""  # the model has been told something new
        if taken_back:
            return "the same edits make it worse again"
        if not any(report.applied for report in reports):
            return "no edit was made" if not reports else "no edit was applied"
        if not change.solved:
            return "the edits solved nothing"
        return "" if self._outcome.is_new_state(self._files) else "the files are as they were before"


def _was_overtaken(report: FileReport, files: Mapping[str, TextFile]) -> bool:
    """Whether somebody else wrote the file while it was asked about."""
    known = files.get(report.path)
    return bool(report.problem) or (known is not None and (report.before is None or report.before.hash != known.hash))


def _count(report: Report, path: str) -> int:
    return sum(found.path == path for found in report.diagnostics)
