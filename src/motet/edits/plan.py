"""Several edits planned together, per file all or nothing. Pure: texts in, texts and refusals out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Literal

from motet.edits.draft import Draft
from motet.edits.edit import Delete, Edit, Insert, Move, Replace, ReplaceAnchored, Write
from motet.edits.match import lines_of
from motet.edits.outcome import Match, Outcome, Refusal, RefusalReason, Remark, Rung
from motet.edits.refuse import (
    refuse_absent_file,
    refuse_company,
    refuse_deletion,
    refuse_existing_file,
    refuse_large,
    refuse_no_change,
    refuse_stale,
    refuse_unencodable,
)
from motet.edits.regions import Regions
from motet.edits.review import Proposal, ReviewedHunk
from motet.edits.view import View
from motet.errors import FileTooLarge, NotText
from motet.syntax.definitions import definitions
from motet.syntax.languages import language_of
from motet.text import TextFile

Approximate = Literal["refuse", "propose"]


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file: as it is (`before`; None when it does not exist), as it would be, and each edit's outcome.

    `after` equals `before` when nothing is to be written, is None when the file is to be deleted, and has another
    path when the file is to be moved there. `regions` are what makes `after` of `before`, by the places of the edits
    in `outcomes`.
    """

    path: str
    before: TextFile | None
    after: TextFile | None
    outcomes: tuple[Outcome, ...]
    regions: Regions | None = None

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The edits of this file that have no place."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Refusal))

    @property
    def changes_something(self) -> bool:
        """Whether there is anything to review and write."""
        return self.after is not self.before and self.after != self.before

    @property
    def is_approximate(self) -> bool:
        """Whether a place was only guessed: it is to be shown to a human, never applied by itself."""
        return any(isinstance(outcome, Match) and outcome.rung is Rung.APPROXIMATE for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Plan:
    """All files of one answer, in the order in which it names them."""

    files: tuple[FilePlan, ...]

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The edits that have no place, in all files."""
        return tuple(refusal for file in self.files for refusal in file.refusals)

    def proposals(self) -> list[Proposal]:
        """What a human is to review: one proposal for each file that would change."""
        return [_proposal(file) for file in self.files if file.changes_something]


def _proposal(file: FilePlan) -> Proposal:
    """What would become of a file; each hunk says how loosely the places of its edits were found."""
    found = Proposal.between(
        file.path, file.before, file.after, regions=file.regions, approximate=file.is_approximate
    )
    return replace(found, hunks=tuple(_with_caution(file, one) for one in found.hunks))


def _with_caution(file: FilePlan, reviewed: ReviewedHunk) -> ReviewedHunk:
    hunk = reviewed.hunk
    numbers = hunk.edits or range(len(file.outcomes))  # of a hunk without edits it is not known where it comes from
    outcomes = [file.outcomes[number] for number in sorted(numbers)]
    cautions = [one.caution for one in outcomes if isinstance(one, Match) and one.caution]
    if not cautions:
        return reviewed
    caution = "; ".join(dict.fromkeys(cautions))
    parts = tuple(replace(part, caution=caution) for part in hunk.parts)
    return replace(reviewed, hunk=replace(hunk, caution=caution, parts=parts))


def plan(
    files: Mapping[str, TextFile],
    edits: Sequence[Edit],
    *,
    shown: Mapping[str, TextFile] | None = None,
    partial: bool = False,
    approximate: Approximate = "refuse",
) -> Plan:
    """Find the place of each edit in `files` (the texts now; an absent path does not exist yet).

    `shown` are the versions that the model has seen, where they differ: its edits are matched against those and
    merged into the texts now. With `partial`, the edits of a file that have a place are kept although others have
    none. With `approximate="propose"`, an edit without a place gets the one that is nearly right, for a human to
    decide. Every edit gets one outcome; nothing is raised.
    """
    by_path: dict[str, list[Edit]] = {}
    known: set[int] = set()
    for edit in edits:
        by_path.setdefault(edit.path, []).append(_taken(edit, id(edit) in known))
        known.add(id(edit))
    shown = shown or {}
    plans: list[FilePlan] = []
    for path, mine in by_path.items():
        rewrites = path in files and any(isinstance(edit, Write) for edit in mine)
        elsewhere = _defined([edit for edit in edits if edit.path != path]) if rewrites else frozenset[str]()
        options = _Options(partial, approximate, elsewhere)
        plans.append(_plan_file(path, files, mine, shown.get(path), options))
    plans = _without_meetings(plans)
    if any(file.changes_something for file in plans):
        plans = [replace(file, outcomes=_with_same(file.outcomes)) for file in plans]
    return Plan(tuple(plans))


def _with_same(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, in which a text that is given for itself does not hold back the others that all fit."""
    same = [
        isinstance(one, Refusal) and one.reason is RefusalReason.NO_CHANGE and not isinstance(one.edit, Move)
        for one in outcomes
    ]
    if not any(same) or any(isinstance(one, Refusal) and not idle for one, idle in zip(outcomes, same, strict=True)):
        return tuple(outcomes)
    return tuple(
        Match(one.edit, Rung.EXACT, (), (Remark.THE_SAME,)) if idle else one
        for one, idle in zip(outcomes, same, strict=True)
    )


def _without_meetings(plans: Sequence[FilePlan]) -> list[FilePlan]:
    """The plans, without those that would give one file the texts of two."""
    targets = Counter(file.after.path for file in plans if file.after is not None)
    return [
        file
        if file.after is None or targets[file.after.path] == 1
        else replace(
            file,
            after=file.before,
            outcomes=tuple(refuse_company(one.edit, f"writes {file.after.path} too") for one in file.outcomes),
        )
        for file in plans
    ]


@dataclass(frozen=True, slots=True)
class _Options:
    partial: bool
    approximate: Approximate
    elsewhere: frozenset[str]


def _defined(edits: Sequence[Edit]) -> frozenset[str]:
    """The names that the new text of edits defines."""
    texts = [
        (edit.path, edit.replace if isinstance(edit, Replace) else edit.text)
        for edit in edits
        if isinstance(edit, Replace | Write | Insert | ReplaceAnchored)
    ]
    return frozenset(one.name for path, text in texts for one in definitions(text, language_of(path)))


def _plan_file(
    path: str, files: Mapping[str, TextFile], edits: Sequence[Edit], shown: TextFile | None, options: _Options
) -> FilePlan:
    before = files.get(path)
    deletes = [edit for edit in edits if isinstance(edit, Delete)]
    moves = [edit for edit in edits if isinstance(edit, Move)]
    if before is not None and len(edits) == 2 and isinstance(edits[0], Delete) and isinstance(edits[1], Write):
        rewritten = _plan_file(path, files, [replace(edits[1], create=False)], shown, options)
        outcome = replace(rewritten.outcomes[0], edit=edits[1])
        regions = rewritten.regions and rewritten.regions.numbered_from(1)
        return replace(rewritten, outcomes=(_follows(edits[0], outcome), outcome), regions=regions)
    if deletes:
        return _plan_delete(path, before, shown, edits)
    texts = [edit for edit in edits if not isinstance(edit, Move)]
    draft = Draft(
        before or TextFile.new(path),
        exists=before is not None,
        shown=shown,
        approximate=options.approximate == "propose",
        elsewhere=options.elsewhere,
    )
    outcomes = draft.place(texts, {id(edit): number for number, edit in enumerate(edits)})
    outcomes |= {id(move): _move(move, before, moves, files) for move in moves}
    if any(isinstance(outcome, Match) for outcome in outcomes.values()):
        outcomes = dict(zip(outcomes, _with_same(tuple(outcomes.values())), strict=True))
    complete = not any(isinstance(outcome, Refusal) for outcome in outcomes.values())
    after = before
    if complete or options.partial:
        try:
            made = draft.after()
            if before is not None or made.data or any(isinstance(edit, Write) for edit in texts):
                after = made
        except NotText as error:
            outcomes = {id(edit): refuse_unencodable(edit, error) for edit in edits}
        except FileTooLarge as error:
            outcomes = {id(edit): refuse_large(edit, error) for edit in edits}
        moved = [move for move in moves if isinstance(outcomes[id(move)], Match)]
        if after is not None and moved:
            after = replace(after, path=moved[0].to)
    return FilePlan(path, before, after, tuple(outcomes[id(edit)] for edit in edits), draft.regions)


_MARK = re.compile(r"^\ufeff", re.MULTILINE)


def _taken(edit: Edit, is_known: bool) -> Edit:
    """The edit, or a copy of one that is there already, because outcomes go by identity; without byte order marks,
    because a `TextFile.text` has none."""
    match edit:
        case Replace() if edit.search.startswith("\ufeff"):
            return replace(edit, search=edit.search[1:], replace=_MARK.sub("", edit.replace))
        case Replace() if edit.replace.startswith("\ufeff"):
            return replace(edit, replace=edit.replace[1:])
        case Write() | Insert() | ReplaceAnchored() if edit.text.startswith("\ufeff"):
            return replace(edit, text=edit.text[1:])
        case _:
            pass
    return copy(edit) if is_known else edit


def _follows(delete: Delete, written: Outcome) -> Outcome:
    """What becomes of a deletion after which the file is written anew: it stands or falls with that."""
    return Match(delete, Rung.EXACT) if isinstance(written, Match) else replace(written, edit=delete)


def _plan_delete(path: str, before: TextFile | None, shown: TextFile | None, edits: Sequence[Edit]) -> FilePlan:
    if before is None:
        return FilePlan(path, None, None, tuple(refuse_absent_file(edit) for edit in edits))
    if shown is not None and shown.data != before.data:
        return FilePlan(path, before, before, tuple(refuse_stale(edit, View(before.text)) for edit in edits))
    if not all(isinstance(edit, Delete) for edit in edits):
        others = {True: "edits the file", False: "deletes the file"}
        return FilePlan(
            path, before, before, tuple(refuse_company(edit, others[isinstance(edit, Delete)]) for edit in edits)
        )
    for edit in edits:
        if isinstance(edit, Delete) and edit.text is not None and _lines(edit.text) != _lines(before.text):
            return FilePlan(path, before, before, tuple(refuse_deletion(edit, View(before.text)) for edit in edits))
    again = (Match(edit, Rung.EXACT, (), (Remark.ALREADY,)) for edit in edits[1:])
    return FilePlan(path, before, None, (Match(edits[0], Rung.EXACT), *again))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in lines_of(text)]


def _move(move: Move, before: TextFile | None, moves: Sequence[Move], files: Mapping[str, TextFile]) -> Outcome:
    if before is None:
        return refuse_absent_file(move)
    if len({other.to for other in moves}) > 1:
        return refuse_company(move, "moves the file elsewhere")
    if move.to == move.path:
        return refuse_no_change(move)
    if move.to in files:
        return refuse_existing_file(move, move.to)
    remarks = () if move is moves[0] else (Remark.ALREADY,)
    return Match(move, Rung.EXACT, (), remarks)
