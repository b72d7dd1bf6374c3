"""Several edits planned together, per file all or nothing. Pure: texts in, texts and refusals out.

Each edit is matched against the text that the model was shown, so the order of the edits does not matter and no
line shift can hurt; an edit without a hit there is tried against the text as the others have left it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from motet.edits.edit import Edit
from motet.edits.indent import IndentShift
from motet.edits.lines import Line, join_lines, split_lines
from motet.edits.match import Haystack, Hit
from motet.edits.outcome import Match, Outcome, Refusal, Rung
from motet.edits.refuse import (
    refuse_absent_file,
    refuse_ambiguous,
    refuse_existing_text,
    refuse_foreign_text,
    refuse_no_change,
    refuse_not_found,
    refuse_overlap,
    refuse_stale,
    refuse_syntax,
    refuse_unencodable,
)
from motet.edits.review import Proposal
from motet.edits.splice import replace_lines, splice
from motet.errors import NotText
from motet.text import TextFile
from motet.text.syntax import language_of, syntax_errors


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file: as it is (`before`; None when it does not exist yet), as it would be, and each edit's outcome.

    `after` equals `before` when nothing is to be written.
    """

    path: str
    before: TextFile | None
    after: TextFile | None
    outcomes: tuple[Outcome, ...]

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The edits of this file that have no place."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Refusal))

    @property
    def changes_something(self) -> bool:
        """Whether there is anything to review and write."""
        return self.after is not None and (self.before is None or self.after.data != self.before.data)


@dataclass(frozen=True, slots=True)
class Plan:
    """All files of one answer, in the order in which it names them."""

    files: tuple[FilePlan, ...]

    def proposals(self) -> list[Proposal]:
        """What a human is to review: one proposal for each file that would change."""
        return [
            Proposal.between(file.path, file.before, file.after)
            for file in self.files
            if file.after is not None and file.changes_something
        ]


def plan(
    files: Mapping[str, TextFile],
    edits: Sequence[Edit],
    *,
    shown: Mapping[str, TextFile] | None = None,
    partial: bool = False,
) -> Plan:
    """Find the place of each edit in `files` (the texts now; an absent path does not exist yet).

    `shown` are the versions that the model has seen, where they differ. With `partial`, the edits of a file that
    have a place are kept although others have none.
    """
    paths = dict.fromkeys(edit.path for edit in edits)
    shown = shown or {}
    return Plan(
        tuple(
            _plan_file(path, files.get(path), [edit for edit in edits if edit.path == path], shown.get(path), partial)
            for path in paths
        )
    )


def _plan_file(
    path: str, before: TextFile | None, edits: Sequence[Edit], shown: TextFile | None, partial: bool
) -> FilePlan:
    draft = _Draft(before or TextFile.new(path), exists=before is not None, shown=shown)
    outcomes = draft.place(edits)
    complete = not any(isinstance(outcome, Refusal) for outcome in outcomes.values())
    after = before
    if complete or partial:
        try:
            text = draft.text()
            if before is not None or text:
                after = draft.base.with_text(text)
        except NotText as error:
            outcomes = {edit: refuse_unencodable(edit, error) for edit in edits}
    return FilePlan(path, before, after, tuple(outcomes[edit] for edit in edits))


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines `first` up to `last` (0-based, end exclusive) of a text become `lines`."""

    edit: Edit
    first: int
    last: int
    lines: tuple[Line, ...]
    match: Match


class _Draft:
    """One file while its edits are being placed."""

    def __init__(self, base: TextFile, *, exists: bool, shown: TextFile | None) -> None:
        self.base = base
        self._exists = exists
        self._shown = shown
        self._newline = base.newline
        self._haystack = Haystack(base.text)
        self._missed = 0
        self._final_newline = not base.text or bool(self._haystack.lines[-1].end)
        self._lines = self._haystack.lines

    def text(self) -> str:
        return join_lines(self._lines)

    def place(self, edits: Sequence[Edit]) -> dict[Edit, Outcome]:
        """Outcome of every edit; afterwards `text()` holds all that have a place."""
        outcomes: dict[Edit, Outcome] = {}
        placed: list[_Change] = []
        later: list[Edit] = []
        for edit in edits:
            match self._try(edit, self._haystack):
                case None:
                    later.append(edit)
                case _Change() as change:
                    placed.append(change)
                case outcome:
                    outcomes[edit] = outcome
        outcomes |= self._apply_together(placed)
        haystack = self._haystack
        for edit in later:
            if haystack.lines is not self._lines:
                haystack = Haystack(self.text())
                self._lines = haystack.lines
            outcomes[edit] = self._apply_later(edit, haystack)
        return outcomes

    def _apply_together(self, placed: list[_Change]) -> dict[Edit, Outcome]:
        """Apply the changes that do not touch each other; refuse those that do."""
        outcomes: dict[Edit, Outcome] = {}
        kept: list[_Change] = []
        for change in sorted(placed, key=lambda change: (change.first, change.last)):
            rival = kept[-1] if kept and _overlap(kept[-1], change) else None
            if rival is None:
                kept.append(change)
            elif (rival.first, rival.last, rival.lines) == (change.first, change.last, change.lines):
                outcomes[change.edit] = _already(change.match)
            else:
                outcomes[change.edit] = refuse_overlap(change.edit, change.match, rival.match)
                outcomes[rival.edit] = refuse_overlap(rival.edit, rival.match, change.match)
        fitting = [change for change in reversed(kept) if change.edit not in outcomes]
        return outcomes | self._apply(fitting)

    def _apply_later(self, edit: Edit, haystack: Haystack) -> Outcome:
        match self._try(edit, haystack):
            case _Change() as change:
                return self._apply([change])[edit]
            case None:
                return self._not_found(edit, haystack)
            case outcome:
                return outcome

    def _apply(self, changes: Sequence[_Change]) -> dict[Edit, Outcome]:
        """Apply `changes`, of which each lies before the one before it. Loosely matched ones are taken back when
        they leave syntax errors: one by one, so that the wrong one is named, or together when they are many."""
        before = self._lines
        for change in changes:
            self._splice(change)
        loose = [change for change in changes if change.match.rung >= Rung.INDENTATION or change.match.inline]
        if not loose or not self._gained_errors(before):
            return {change.edit: change.match for change in changes}
        outcomes: dict[Edit, Outcome] = {}
        self._lines = before
        for change in changes:
            last = self._lines
            outcomes[change.edit] = change.match
            if change not in loose:
                self._splice(change)
            elif len(loose) <= _MOST_CHECKED_ALONE:
                self._splice(change)
                if self._gained_errors(last):
                    self._lines = last
                    outcomes[change.edit] = refuse_syntax(change.edit, change.match)
            else:
                outcomes[change.edit] = refuse_syntax(change.edit, change.match)
        return outcomes

    def _splice(self, change: _Change) -> None:
        self._lines = replace_lines(
            self._lines, change.first, change.last, change.lines, self._final_newline, self._newline
        )

    def _gained_errors(self, before: list[Line]) -> bool:
        language = language_of(self.base.path)
        was, becomes = (syntax_errors(join_lines(lines), language) for lines in (before, self._lines))
        return was is not None and becomes is not None and becomes > was

    def _try(self, edit: Edit, haystack: Haystack) -> _Change | Outcome | None:
        """A change, a final outcome, or None when the search text has no hit in this text."""
        foreign = refuse_foreign_text(edit, self.base.text)
        if foreign is not None:
            return foreign
        search, replace = split_lines(edit.search), split_lines(edit.replace)
        if not search:
            return self._fill(edit, replace)
        if not self._exists:
            return refuse_absent_file(edit)
        if edit.search == edit.replace:
            return refuse_no_change(edit)
        hits = haystack.find(search).hits
        match len(hits):
            case 0:
                return self._try_inline(edit, search, haystack)
            case 1:
                return self._change(edit, search, replace, hits[0], haystack)
            case _:
                return refuse_ambiguous(edit, [(hit.first + 1, hit.first + len(search)) for hit in hits])

    def _fill(self, edit: Edit, replace: list[Line]) -> _Change | Outcome:
        if self.base.text:
            if [line.text for line in self._haystack.lines] == [line.text for line in replace]:
                return Match(edit, Rung.EXACT, 1, len(replace), already_applied=True)
            return refuse_existing_text(edit)
        lines = tuple(Line(line.text, line.end or self._newline) for line in replace)
        return _Change(edit, 0, 0, lines, Match(edit, Rung.EXACT, 1, 1))

    def _change(
        self, edit: Edit, search: list[Line], replace: list[Line], hit: Hit, haystack: Haystack
    ) -> _Change | Outcome:
        last = hit.first + len(search)
        old = haystack.lines[hit.first : last]
        new = splice(old, search, replace, hit.shift, self._newline)
        if new is None:
            return refuse_not_found(edit, haystack, "its new text is indented less than its search text")
        if new == old:
            return refuse_no_change(edit)
        return _Change(edit, hit.first, last, tuple(new), Match(edit, hit.rung, hit.first + 1, last))

    def _try_inline(self, edit: Edit, search: list[Line], haystack: Haystack) -> _Change | Outcome | None:
        """A one-line search text that is a part of exactly one line, on word boundaries, and stays one line: of
        several new lines nobody knows how far the later ones should be indented."""
        needle = search[0].text.strip() if len(search) == 1 else ""
        new = edit.replace.strip()
        if len(needle) < _SHORTEST_INLINE or len(split_lines(new)) > 1:
            return None
        places = [
            (number, column)
            for number, line in enumerate(haystack.lines)
            for column in _word_places(line.text, needle)
        ]
        match places:
            case []:
                return None
            case [(number, column)]:
                old = haystack.lines[number]
                match = Match(edit, Rung.EXACT, number + 1, number + 1, inline=True)
                if _stands_around(old.text, column, needle, new):
                    return _already(match)
                rest = old.text[column + len(needle) :]
                replaced = Line(old.text[:column] + new + rest, old.end)
                return _Change(edit, number, number + 1, (replaced,), match)
            case _:
                return refuse_ambiguous(edit, [(number + 1, number + 1) for number, _ in places])

    def _not_found(self, edit: Edit, haystack: Haystack) -> Outcome:
        if self._shown is not None and self._shown.data != self.base.data:
            hits = Haystack(self._shown.text).find(split_lines(edit.search)).hits
            if len(hits) == 1:
                return refuse_stale(edit, haystack)
        replace = split_lines(edit.replace)
        if fuzz.ratio(edit.search, edit.replace) >= _ALIKE and any(line.text.strip() for line in replace):
            hits = haystack.find(replace).hits
            if len(hits) == 1 and hits[0].shift == IndentShift():
                first = hits[0].first
                return Match(edit, hits[0].rung, first + 1, first + len(replace), already_applied=True)
        self._missed += 1
        return refuse_not_found(
            edit, haystack, "the search text does not stand in the file", show=self._missed <= _MOST_SHOWN
        )


_MOST_CHECKED_ALONE = 20
"""Loosely matched edits of one file of which each is parsed by itself when together they break it."""
_MOST_SHOWN = 20
"""Edits of one file that have no place for which the nearest text is looked up."""
_ALIKE = 50.0
"""Similarity in per cent from which the new text, where it stands alone, can be what became of the old one."""
_SHORTEST_INLINE = 3
"""Shorter parts of a line say too little about the place that was meant."""


def _already(match: Match) -> Match:
    return Match(match.edit, match.rung, match.first_line, match.last_line, already_applied=True)


def _overlap(one: _Change, next_: _Change) -> bool:
    """Whether two changes, in order, want the same lines; two that both fill an empty file do."""
    return one.last > next_.first or one.first == one.last == next_.first == next_.last


def _stands_around(line: str, column: int, needle: str, new: str) -> bool:
    """Whether `needle` at `column` is a part of `new`, which stands there already."""
    offset = new.find(needle)
    while offset >= 0:
        if offset <= column and line.startswith(new, column - offset):
            return True
        offset = new.find(needle, offset + 1)
    return False


def _word_places(line: str, needle: str) -> list[int]:
    places: list[int] = []
    column = line.find(needle)
    while column >= 0:
        before, after = line[column - 1 : column], line[column + len(needle) :][:1]
        if not (_joins(before, needle[0]) or _joins(needle[-1], after)):
            places.append(column)
        column = line.find(needle, column + 1)
    return places


def _joins(left: str, right: str) -> bool:
    return all(character.isalnum() or character == "_" for character in left + right) and bool(left and right)
