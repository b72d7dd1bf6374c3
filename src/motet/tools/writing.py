"""One decided proposal becomes what stands in the workspace: compare-and-swap, merge, and a second look.

What is reported comes from reading the file again, not from what the workspace says about its own work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import groupby

from motet.edits import Proposal
from motet.edits.lines import Line, join_lines, split_lines
from motet.errors import FileMissing, MotetError, PermissionDenied, StaleFile
from motet.text import TextFile
from motet.text.merge import Conflict, merge
from motet.tools.claims import Claims
from motet.tools.report import FileReport
from motet.workspace import Workspace

_MOST_ROUNDS = 3
"""Times that a file which others keep writing is merged anew before it is given up."""
_CONTEXT = 3
"""Lines shown around a place where the file has changed."""
_MOST_LINES = 60
"""Lines of one such place that are shown; a longer one is cut."""


async def write_decided(
    workspace: Workspace, reports: Sequence[FileReport], claims: Claims
) -> AsyncIterator[tuple[int, FileReport]]:
    """Write what the proposals of `reports` have accepted and nobody else has claimed: by number, each report with what
    became of it, as soon as that is known. Files that are rewritten one after the other are written together. Raises nothing on purpose.

    A file that was changed since is written only when what was accepted merges with that change.
    """
    for rewrites, group in groupby(enumerate(reports), key=lambda numbered: _is_rewrite(numbered[1])):
        numbered = list(group)
        tried = await _write_together(workspace, [report for _, report in numbered], claims) if rewrites else {}
        for number, report in numbered:
            yield number, await _written(workspace, report, tried.get(report.path), claims)


def _is_rewrite(report: FileReport) -> bool:
    """Whether a file is there, stays where it is and gets a text."""
    proposal = report.proposal
    if proposal is None or not proposal.taken or proposal.will_delete or proposal.before is None:
        return False
    if proposal.written is not None:
        return False
    return proposal.target == proposal.path


async def _write_together(
    workspace: Workspace, reports: Sequence[FileReport], claims: Claims
) -> dict[str, TextFile | MotetError]:
    """What became of each file, by path."""
    news: list[tuple[TextFile, bytes]] = []
    outcomes: dict[str, TextFile | MotetError] = {}
    for proposal in (report.proposal for report in reports):
        if proposal is None or proposal.before is None:
            continue
        try:
            await claims.may_write(proposal.path)
            news.append((proposal.before, proposal.accepted()))
        except MotetError as error:  # what was taken of it could not be read again
            outcomes[proposal.path] = error
    written = await workspace.write_many(news)
    return outcomes | {before.path: outcome for (before, _), outcome in zip(news, written, strict=True)}


async def _written(
    workspace: Workspace, report: FileReport, tried: TextFile | MotetError | None, claims: Claims
) -> FileReport:
    """The report with what became of its file; `tried`: what came of a first try to write it."""
    proposal = report.proposal
    if proposal is None or not proposal.taken:
        return report
    if proposal.written is not None:
        return replace(report, applied=proposal.written)
    try:
        for path in dict.fromkeys((proposal.path, proposal.target)) if tried is None else ():
            await claims.may_write(path)
        if proposal.will_delete:
            return await _delete(workspace, report, proposal)
        if proposal.target != proposal.path:
            return await _move(workspace, report, proposal)
        return await _write(workspace, report, proposal, tried)
    except _Conflict as conflict:
        return replace(report, problem=str(conflict), stale=True, excerpt=conflict.excerpt)
    except StaleFile as error:
        return replace(report, problem=str(error), stale=True)
    except MotetError as error:
        return replace(report, problem=str(error), denied=isinstance(error, PermissionDenied))


class _Conflict(MotetError):
    """The file changed in the same lines; `excerpt` shows what stands there now."""

    def __init__(self, message: str, excerpt: str) -> None:
        super().__init__(message)
        self.excerpt = excerpt


async def _write(
    workspace: Workspace, report: FileReport, proposal: Proposal, tried: TextFile | MotetError | None
) -> FileReport:
    before, new = proposal.before, tried.data if isinstance(tried, TextFile) else proposal.accepted()
    for number in range(_MOST_ROUNDS):
        try:
            if tried is not None and number == 0:
                if isinstance(tried, MotetError):
                    raise tried
            elif before is None:
                await workspace.create(report.path, new)
            elif new != before.data:
                await workspace.write(before, new)
        except StaleFile as error:
            now = await _read(workspace, report.path)
            if now is None or now == before or (before is None and now.data != new):
                raise
            new = _merged(proposal, now, error) if before else new
            before, report = now, replace(report, before=now, merged=True)
            continue
        return await _looked_at(workspace, report, proposal.path, before, new)
    raise StaleFile(f"{report.path}: somebody else keeps changing it; read it again")


async def _delete(workspace: Workspace, report: FileReport, proposal: Proposal) -> FileReport:
    try:
        await workspace.delete(proposal.base)
    except StaleFile:
        if await _read(workspace, report.path) is not None:
            raise
    return await _gone(workspace, report)


async def _move(workspace: Workspace, report: FileReport, proposal: Proposal) -> FileReport:
    """Create the file at its new path, then remove the old one: whatever happens between, no text is lost."""
    old = await workspace.read(report.path)
    new = proposal.accepted()
    if old.data != proposal.base.data:
        new = _merged(proposal, old, StaleFile(f"{report.path}: changed since it was read; read it again"))
        report = replace(report, before=old, merged=True)
    await workspace.create(proposal.target, new, moved_from=report.path)
    report = await _looked_at(workspace, report, proposal.target, None, new)
    if report.problem:
        return report
    try:
        await workspace.delete(old)
    except MotetError as error:
        why = str(error).removeprefix(f"{report.path}: ")
        problem = f"moved only in part: {proposal.target} was written, but {report.path} still stands: {why}"
        return replace(report, problem=problem, denied=isinstance(error, PermissionDenied), unsure=True)
    return await _gone(workspace, report)


async def _looked_at(
    workspace: Workspace, report: FileReport, path: str, before: TextFile | None, new: bytes
) -> FileReport:
    """The report with what `path` holds now; a problem when that is not `new`."""
    now = await _read(workspace, path)
    if now is not None and now.data == new:
        return replace(report, applied=now)
    if now == before:
        what = "there is no such file" if now is None else "the file is as it was before"
        return replace(report, problem=f"not written as asked: {what}")
    what = "there is no such file any more" if now is None else "the file holds another text now; read it again"
    return replace(report, problem=f"not written as asked: {what}", unsure=True)


async def _gone(workspace: Workspace, report: FileReport) -> FileReport:
    if await _read(workspace, report.path) is None:
        return replace(report, removed=True)
    done = f"{report.applied.path} was written, but " if report.applied else ""
    problem = f"not removed as asked: {done}{report.path} still stands"
    return replace(report, problem=problem, unsure=bool(report.applied))


async def _read(workspace: Workspace, path: str) -> TextFile | None:
    try:
        return await workspace.read(path)
    except FileMissing:
        return None


def _merged(proposal: Proposal, now: TextFile, error: StaleFile) -> bytes:
    """What was accepted, with what somebody else has made of the file meanwhile. Raises `_Conflict`."""
    now = proposal.base.again(now.data)  # one encoding for both, whatever each looks like alone
    merged = merge(proposal.base.text, proposal.accepted_text(), now.text)
    if merged.conflicts:
        raise _Conflict(str(error), _excerpt(merged.conflicts, now))
    return now.encode(merged.text)


def _excerpt(conflicts: Sequence[Conflict], now: TextFile) -> str:
    """The lines that stand now where what was accepted does not fit any more, with some around them."""
    lines = split_lines(now.text)
    places: list[tuple[int, int]] = []
    for conflict in conflicts:
        first = max(conflict.theirs_first - _CONTEXT, 0)
        last = min(conflict.theirs_first + len(conflict.theirs) + _CONTEXT, len(lines))
        if places and first <= places[-1][1]:
            first = places.pop()[0]
        places.append((first, last))
    return "\n".join(_numbered(lines, first, last) for first, last in places)


def _numbered(lines: Sequence[Line], first: int, last: int) -> str:
    left_out = last - first - _MOST_LINES
    text = join_lines([*lines[first : min(last, first + _MOST_LINES)]]).rstrip("\r\n")
    more = f"\n({left_out} more lines)" if left_out > 0 else ""
    return f"lines {first + 1}-{last} now:\n{text}{more}" if last > first else "the file is empty now"
