"""Several edits planned together, per file all or nothing. Pure: texts in, texts and refusals out.

Each edit is matched against the text that the model was shown, so the order of the edits does not matter and no
line shift can hurt; an edit without a hit there is tried against the text as the others have left it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from motet.edits.splice import close_last_line, splice
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
        for edit in later:
            outcomes[edit] = self._apply_later(edit)
        return outcomes

    def _apply_together(self, placed: list[_Change]) -> dict[Edit, Outcome]:
        """Apply the changes that do not touch each other; refuse those that do."""
        outcomes: dict[Edit, Outcome] = {}
        kept: list[_Change] = []
        for change in sorted(placed, key=lambda change: (change.first, change.last)):
            rival = next((other for other in kept if other.last > change.first), None)
            if rival is None:
                kept.append(change)
            elif (rival.first, rival.last, rival.lines) == (change.first, change.last, change.lines):
                outcomes[change.edit] = _already(change.match)
            else:
                outcomes[change.edit] = refuse_overlap(change.edit, change.match, rival.match)
                outcomes[rival.edit] = refuse_overlap(rival.edit, rival.match, change.match)
        for change in reversed(kept):
            if change.edit not in outcomes:
                outcomes[change.edit] = self._apply(change)
        return outcomes

    def _apply_later(self, edit: Edit) -> Outcome:
        haystack = Haystack(self.text())
        match self._try(edit, haystack):
            case _Change() as change:
                return self._apply(change)
            case None:
                return self._not_found(edit, haystack)
            case outcome:
                return outcome

    def _apply(self, change: _Change) -> Outcome:
        lines = [*self._lines[: change.first], *change.lines, *self._lines[change.last :]]
        lines = close_last_line(lines, self._final_newline, self._newline)
        if change.match.rung >= Rung.INDENTATION or change.match.inline:
            language = language_of(self.base.path)
            was, becomes = (syntax_errors(text, language) for text in (self.text(), join_lines(lines)))
            if was is not None and becomes is not None and becomes > was:
                return refuse_syntax(change.edit, change.match)
        self._lines = lines
        return change.match

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
            if self.base.text.splitlines() == edit.replace.splitlines():
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
        """A one-line search text that is a part of exactly one line, on word boundaries."""
        needle = search[0].text.strip() if len(search) == 1 else ""
        if len(needle) < _SHORTEST_INLINE:
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
                rest = old.text[column + len(needle) :]
                replaced = split_lines(old.text[:column] + edit.replace.strip() + rest + old.end)
                match = Match(edit, Rung.EXACT, number + 1, number + 1, inline=True)
                return _Change(edit, number, number + 1, tuple(replaced), match)
            case _:
                return refuse_ambiguous(edit, [(number + 1, number + 1) for number, _ in places])

    def _not_found(self, edit: Edit, haystack: Haystack) -> Outcome:
        if self._shown is not None and self._shown.data != self.base.data:
            hits = Haystack(self._shown.text).find(split_lines(edit.search)).hits
            if len(hits) == 1:
                return refuse_stale(edit, haystack)
        replace = split_lines(edit.replace)
        if any(line.text.strip() for line in replace):
            hits = haystack.find(replace).hits
            if len(hits) == 1 and hits[0].shift == IndentShift():
                first = hits[0].first
                return Match(edit, hits[0].rung, first + 1, first + len(replace), already_applied=True)
        return refuse_not_found(edit, haystack, "the search text does not stand in the file")


_SHORTEST_INLINE = 3
"""Shorter parts of a line say too little about the place that was meant."""


def _already(match: Match) -> Match:
    return Match(match.edit, match.rung, match.first_line, match.last_line, already_applied=True)


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
