"""What became of one edit: a place, or a refusal that says exactly why. Both are data, for people and models."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from motet.edits.edit import Edit, Write


class Rung(IntEnum):
    """How exactly the search text had to be taken to find its place; smaller is stricter."""

    EXACT = 1
    LINE_ENDS = 2
    TRAILING_SPACE = 3
    INDENTATION = 4
    DECORATIONS = 5
    LOOK_ALIKES = 6
    FOLDED = 7
    ELISION = 8
    APPROXIMATE = 9


class RefusalReason(StrEnum):
    """Why an edit was not applied."""

    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    STALE = "stale"
    OVERLAP = "overlap"
    NO_CHANGE = "no_change"
    SYNTAX = "syntax"
    OUTSIDE_WORKSPACE = "outside_workspace"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    BAD_FORMAT = "bad_format"


@dataclass(frozen=True, slots=True)
class Place:
    """Characters `start` up to `end` of `text`, the file before the answer."""

    start: int
    end: int
    text: str = field(repr=False, compare=False)

    @property
    def first_line(self) -> int:
        """1-based line in which the place begins."""
        return _line_of(self.text, self.start)

    @property
    def last_line(self) -> int:
        """1-based line in which it ends; before `first_line` for an empty place between two lines."""
        return _line_of(self.text, self.end - 1) if self.end > self.start else self.first_line


class Remark(StrEnum):
    """What a model should know besides how exactly its text was taken."""

    ALREADY = "already applied: the new text stands there, nothing was changed"
    THE_SAME = "old and new text are the same, nothing was changed"
    INSIDE = "the search text is a unique part of that line; give whole lines next time"
    BY_ORDER = "the search text stands in several places; the order of your edits left one for it"
    BY_NEAR = "the search text stands in several places; the one you named was taken"
    MERGED = "the file has changed elsewhere since you were shown it; the edit was merged into the new text"
    RAW = "the lines around the change lack the space that a diff has before them; they were taken as they stand"
    NOT_PARSED = "the file is too large to check its syntax"


@dataclass(frozen=True, slots=True)
class Match:
    """The edit has its place: 1-based lines `first_line` to `last_line` of the file before the answer.

    `places` are several for `replace_all` and elisions, and none where there was no such file or text. `doubt`: why an
    approximate one is no more than that, where it is not the search text.
    """

    edit: Edit
    rung: Rung
    places: tuple[Place, ...] = ()
    remarks: tuple[Remark, ...] = ()
    doubt: str = ""

    @property
    def first_line(self) -> int:
        """1-based line in which the first place begins."""
        return self.places[0].first_line if self.places else 1

    @property
    def last_line(self) -> int:
        """1-based line in which the last place ends."""
        return self.places[-1].last_line if self.places else 1

    @property
    def already_applied(self) -> bool:
        """Whether the new text stands there already: a success that changes nothing."""
        return Remark.ALREADY in self.remarks or Remark.THE_SAME in self.remarks

    @property
    def inline(self) -> bool:
        """Whether a search text of whole lines was found as a part of one line."""
        return Remark.INSIDE in self.remarks

    @property
    def note(self) -> str:
        """What the model should know about how its text was taken; empty for an exact match."""
        if self.already_applied:
            return str(Remark.ALREADY if Remark.ALREADY in self.remarks else Remark.THE_SAME)
        notes = [note] if (note := _NOTES.get(self.rung)) else []
        if self.doubt:
            notes = [f"approximate: {self.doubt}; the human decided"]
        if len(self.places) > 1 and self.rung is not Rung.ELISION:
            notes.append(f"replaced in {len(self.places)} places")
        remarks = [one for one in self.remarks if one is not Remark.INSIDE or len(self.places) == 1]
        return "; ".join([*notes, *remarks])

    @property
    def caution(self) -> str:
        """The same for a human who is about to decide."""
        words = "" if self.already_applied else self.note
        if isinstance(self.edit, Write):
            words = words.replace(_NOTES[Rung.APPROXIMATE], "this may be only a piece of the file")
        for told, said in _TO_A_HUMAN.items():
            words = words.replace(told, said)
        return words


_TO_A_HUMAN = {
    "; the human decided": "",
    "; give whole lines next time": "",
    "your edits": "the edits",
    "the one you named": "the one that was named",
    "you were shown it": "the model was shown it",
}
"""What is put otherwise in a note that a human reads before deciding."""
_NOTES = {
    Rung.TRAILING_SPACE: "matched without regard to trailing white space",
    Rung.INDENTATION: "matched with another indentation; the new text was indented the same way",
    Rung.DECORATIONS: "matched after line numbers, fences or escapes were taken off; the new text lost them too",
    Rung.LOOK_ALIKES: "matched although quotes, dashes or spaces are other characters in the file",
    Rung.FOLDED: "matched without regard to blank lines and the width of white space",
    Rung.ELISION: "matched in parts; the lines left out between them stay as they are",
    Rung.APPROXIMATE: "approximate: the search text differs from the file; the human decided",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that the search text fits, or nearly fits: 1-based lines."""

    first_line: int
    last_line: int


_MOST_LISTED = 20
"""Candidates that are written out; of more, the number is told."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The edit was not applied and its file was not touched by it.

    `nearest` is a small diff from the search text to the nearest text of the file; `advice` is one line.
    """

    edit: Edit
    reason: RefusalReason
    message: str
    advice: str
    candidates: tuple[Candidate, ...] = ()
    nearest: str = ""

    def describe(self) -> str:
        """The refusal as text for a model or a person: what was missed, where it might be, what to do."""
        lines = [f"{self.edit.path}: refused ({self.reason}): {self.message}"]
        if self.candidates:
            places = ", ".join(_lines(candidate) for candidate in self.candidates[:_MOST_LISTED])
            more = len(self.candidates) - _MOST_LISTED
            lines.append(f"candidates: {places}" + (f" and {more} more" if more > 0 else ""))
        if self.nearest:
            lines += ["nearest text (- your search text, + the file):", self.nearest.rstrip("\n")]
        lines.append(f"advice: {self.advice}")
        return "\n".join(lines)


Outcome = Match | Refusal


def _lines(candidate: Candidate) -> str:
    if candidate.first_line == candidate.last_line:
        return f"line {candidate.first_line}"
    return f"lines {candidate.first_line}-{candidate.last_line}"


def count_lines(text: str, start: int, end: int) -> int:
    """How many lines end between the offsets `start` and `end`; a line ends at LF, CR LF or CR."""
    count = text.count("\n", start, end)
    if text.find("\r", start, end + 1) >= 0:
        count += text.count("\r", start, end) - text.count("\r\n", start, end + 1)
    return count


def _line_of(text: str, offset: int) -> int:
    return count_lines(text, 0, offset) + 1
