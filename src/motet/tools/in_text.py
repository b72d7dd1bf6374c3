"""Edits that stand in the text of an answer: which of them ask for something, and which only show what is known.

Models repeat themselves. They show again what a call of theirs has done, quote the file they speak of, and name a file
in passing above a piece of code.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from motet.edits import (
    Decision,
    Delete,
    Edit,
    FilePlan,
    Hunk,
    Match,
    Move,
    Proposal,
    Refusal,
    RefusalReason,
    Replace,
    Rung,
    Write,
)
from motet.edits.formats.paths import path_in_comment
from motet.edits.pieces import is_excerpt, may_be_a_piece
from motet.errors import MotetError
from motet.tools.desk import EditDesk
from motet.tools.report import FileReport
from motet.workspace import Workspace
from motet.workspace.places import with_slashes

_WORD = re.compile(r"(?!\w*file\Z)\w+", re.IGNORECASE)
"""A name without an extension or a folder; a `Makefile` or a `Dockerfile` is nothing but a file."""

_MOST_NAMESAKES = 20
"""Files that are read to see which of them a new text is for."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """`fresh`: edits to be proposed. `doubtful`: whole texts of files that may be no edits; only a human who asks for
    them decides. `repeated`: edits that were decided before, and that the files do not say: rejected, or undone since.
    """

    fresh: tuple[Edit, ...] = ()
    doubtful: tuple[Edit, ...] = ()
    repeated: tuple[Edit, ...] = ()


async def sift(
    desk: EditDesk, edits: Sequence[Edit], *, about: str = "", turn: int | None = None, answer: int | None = None
) -> Sifted:
    """Leave out what the files say already, what quotes them, and what was decided before: `turn` and `answer` are the
    numbers of reports that the desk had when these began. `about`: the file that a text is for whose name stands
    further off."""
    reports = desk.reports
    edits = await meant(desk.workspace, edits)
    words = await _mere_words(desk.workspace, edits)
    edits = [replace(edit, loose=True) if isinstance(edit, Write) and edit.line in words else edit for edit in edits]
    loosely = {edit.line for edit in edits if isinstance(edit, Write) and edit.loose}
    edits = await without_labels(desk.workspace, edits, loosely)
    loose = [edit for edit in edits if isinstance(edit, Write) and edit.loose]
    plans = await desk.preview([edit for edit in edits if edit not in loose])
    decided = set(_decided(reports[len(reports) if turn is None else turn :]))
    asked = {_plain(edit) for report in reports[len(reports) if answer is None else answer :] for edit in _of(report)}
    fresh: list[Edit] = []
    doubtful: list[Edit] = []
    repeated: list[Edit] = []
    for edit in edits:
        plan = (await desk.preview([edit]) if edit in loose else plans).get(edit.path)
        if plan is None:
            fresh.append(edit)
        elif (
            _plain(replace(edit, path=plan.path)) in asked
            or _says_nothing(plan)
            or (isinstance(edit, Write) and edit.shown and _quotes(edit, plan))
        ):
            continue
        elif _is_decided(plan, decided):
            repeated.append(edit)
        elif isinstance(edit, Write) and _is_doubtful(edit, plan, is_meant=edit.path == about):
            doubtful.append(edit)
        else:
            fresh.append(replace(edit, loose=False) if isinstance(edit, Write) else edit)
    return Sifted(tuple(fresh), tuple(doubtful), tuple(repeated))


async def meant(workspace: Workspace, edits: Sequence[Edit], below: str = "") -> list[Edit]:
    """`edits`, each with the path of the file that it means. A path below which nothing stands, but one file whose path
    ends so, means that file. New text for such a path means it when it has the lines of that file, else it is `loose`:
    unless the answer says that the file is new, a human decides whether it becomes one. `below`: the directory from
    which the paths are meant, and below which these files have to stand."""
    paths = {edit.path: with_slashes(workspace.root / below, edit.path) for edit in edits}
    edits = [replace(edit, path=paths[edit.path]) for edit in edits]
    places = {path: workspace.root / below / path for path in paths.values() if _may_stand_deeper(path)}
    missing = {path for path, place in places.items() if not os.path.lexists(place)}
    missing -= {edit.path for edit in edits if isinstance(edit, Write) and (edit.create or not edit.shown)}
    if not missing:
        return edits
    gone = {edit.path for edit in edits if isinstance(edit, (Delete, Move))}
    try:
        files = await workspace.list_files()
    except MotetError:
        return edits
    prefix = f"{below}/" if below not in ("", ".") else ""
    files = [file.removeprefix(prefix) for file in files if file.startswith(prefix)]
    files = [file for file in files if file not in gone]
    for path in missing.difference(files):
        namesakes = [file for file in files if file.endswith(f"/{path}")]
        if namesakes:
            mine = [edit for edit in edits if edit.path == path]
            now = await _among(workspace, mine, namesakes, prefix)
            edits = [now.get(id(edit), edit) for edit in edits]
    return edits


def _may_stand_deeper(path: str) -> bool:
    """Whether the path may lack its first directories; `./` before it says that it does not."""
    return bool(path) and not path.startswith(("/", ".")) and posixpath.normpath(path) == path


async def _among(
    workspace: Workspace, edits: Sequence[Edit], namesakes: Sequence[str], prefix: str
) -> Mapping[int, Edit]:
    """By their `id()`, the edits of a path that is missing, when it may be one of `namesakes`."""
    if any(isinstance(edit, (Delete, Move)) for edit in edits):
        return {}  # what goes has to be named
    new = next((edit for edit in edits if isinstance(edit, Write) or _fills(edit)), None)
    if new is None:
        return {id(edit): replace(edit, path=namesakes[0]) for edit in edits} if len(namesakes) == 1 else {}
    text = new.text if isinstance(new, Write) else new.replace if isinstance(new, Replace) else ""
    alike = [file for file in namesakes[:_MOST_NAMESAKES] if await _has_lines_of(workspace, prefix + file, text)]
    folder = posixpath.dirname(new.path)
    has_folder = bool(folder) and (workspace.root / prefix / folder).is_dir()
    if len(alike) == 1 and isinstance(new, Write) and not has_folder:
        return {id(edit): replace(edit, path=alike[0]) for edit in edits}
    if not alike and has_folder:
        return {}
    written = Write(new.path, text, False, new.call, new.line, shown=True, loose=True)
    return {id(edit): written if edit is new else edit for edit in edits}


def _fills(edit: Edit) -> bool:
    return isinstance(edit, Replace) and not edit.search and not edit.inline


async def _has_lines_of(workspace: Workspace, path: str, text: str) -> bool:
    """Whether `text` has half of the lines of that file."""
    try:
        old = Counter(line.strip() for line in (await workspace.read(path)).text.splitlines() if line.strip())
    except MotetError:
        return False
    return 2 * (old & Counter(map(str.strip, text.splitlines()))).total() >= max(old.total(), 1)


async def excerpts(workspace: Workspace, edits: Sequence[Edit]) -> list[Edit]:
    """Those of `edits` that only show lines of their file as it is."""
    found: list[Edit] = []
    for edit in edits:
        if isinstance(edit, Write) and edit.shown:
            with suppress(MotetError):
                if is_excerpt((await workspace.read(edit.path)).text, edit.text):
                    found.append(edit)
    return found


async def without_labels(workspace: Workspace, edits: Sequence[Edit], loosely: Collection[int]) -> list[Edit]:
    """`edits`, without the comment that names a file where the file as it is has none: it was written for the reader
    of the answer. `loosely`: the lines of the edits whose file is named only so, or further off."""
    without: list[Edit] = []
    for edit in edits:
        if isinstance(edit, Write) and edit.line in loosely:
            first, _, rest = edit.text.partition("\n")
            with suppress(MotetError):
                if path_in_comment(first) and first not in (await workspace.read(edit.path)).text.splitlines():
                    edit = replace(edit, text=rest.removeprefix("\n"))
        without.append(edit)
    return without


async def _mere_words(workspace: Workspace, edits: Sequence[Edit]) -> frozenset[int]:
    """The lines of texts shown below a word that may be a heading: `README`, where there is no such file."""
    words: set[int] = set()
    for edit in edits:
        if isinstance(edit, Write) and edit.shown and _WORD.fullmatch(edit.path):
            try:
                await workspace.read(edit.path)
            except MotetError:
                words.add(edit.line)
    return frozenset(words)


def _of(report: FileReport) -> Iterator[Edit]:
    return (outcome.edit for outcome in report.plan.outcomes)


def _plain(edit: Edit) -> Edit:
    """The edit, wherever it was written."""
    edit = replace(edit, call="", line=1)
    return replace(edit, shown=False, loose=False) if isinstance(edit, Write) else edit


_Change = tuple[str, object, object]


def _decided(reports: Iterable[FileReport]) -> Iterator[_Change]:
    """The changes that were proposed in these reports; but for what could not be written."""
    for report in reports:
        if report.proposal is None or (report.problem and not report.unsure):
            continue
        for hunk in report.proposal.hunks:
            if hunk.decision is not Decision.STALE:
                yield from _changes(report.path, hunk.proposed or hunk.hunk)


def _changes(path: str, hunk: Hunk) -> Iterator[_Change]:
    for part in hunk.parts or (hunk,):
        yield path, part.old, part.new


def _is_refused(plan: FilePlan) -> bool:
    return any(isinstance(one, Refusal) and one.reason is not RefusalReason.NO_CHANGE for one in plan.outcomes)


def _says_nothing(plan: FilePlan) -> bool:
    """Whether the file is so already."""
    return not plan.changes_something and not _is_refused(plan)


def _is_decided(plan: FilePlan, decided: set[_Change]) -> bool:
    """Whether all of it was proposed before."""
    if _is_refused(plan):
        return False
    # The edits may be others than those that were proposed, which make the same of the file.
    for regions in (plan.regions, None):
        proposal = Proposal.between(plan.path, plan.before, plan.after, regions=regions)
        if proposal.deletes or proposal.moves_to:
            return False
        if all(change in decided for hunk in proposal.hunks for change in _changes(plan.path, hunk.hunk)):
            return True
    return False


def _quotes(edit: Write, plan: FilePlan) -> bool:
    """Whether it only shows a piece of the file."""
    if plan.before is None or not is_excerpt(plan.before.text, edit.text):
        return False
    return edit.loose or not any(
        isinstance(one, Match) and one.edit.line == edit.line and one.rung is Rung.EXACT for one in plan.outcomes
    )


def _is_doubtful(edit: Write, plan: FilePlan, *, is_meant: bool) -> bool:
    """Whether nobody can tell if it is the whole text of the file."""
    before = plan.before.text if plan.before else ""
    if edit.loose:
        return not is_meant or may_be_a_piece(before, edit.text)
    return edit.shown and bool(before) and is_excerpt(before, edit.text) and may_be_a_piece(before, edit.text)
