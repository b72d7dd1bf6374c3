"""What became of one edit: a place, or a refusal that says exactly why. Both are data, for people and models."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from motet.edits.edit import Edit


class Rung(IntEnum):
    """How exactly the search text had to be taken to find its place; smaller is stricter."""

    EXACT = 1
    LINE_ENDS = 2
    TRAILING_SPACE = 3
    INDENTATION = 4


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
class Match:
    """The edit has exactly one place: 1-based lines `first_line` to `last_line` of the file before the answer.

    `already_applied` means the new text stands there already: a success that changes nothing. `inline` means the
    search text was part of that one line.
    """

    edit: Edit
    rung: Rung
    first_line: int
    last_line: int
    already_applied: bool = False
    inline: bool = False

    @property
    def note(self) -> str:
        """What the model should know about how its text was taken; empty for an exact match."""
        if self.already_applied:
            return "already applied: the new text stands there, nothing was changed"
        if self.inline:
            return "the search text is a unique part of that line; give whole lines next time"
        match self.rung:
            case Rung.INDENTATION:
                return "matched with another indentation; the new text was indented the same way"
            case Rung.TRAILING_SPACE:
                return "matched without regard to trailing white space"
            case _:
                return ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that the search text fits, or nearly fits: 1-based lines."""

    first_line: int
    last_line: int


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
            places = ", ".join(_lines(candidate) for candidate in self.candidates)
            lines.append(f"candidates: {places}")
        if self.nearest:
            lines += ["nearest text (- your search text, + the file):", self.nearest.rstrip("\n")]
        lines.append(f"advice: {self.advice}")
        return "\n".join(lines)


Outcome = Match | Refusal


def _lines(candidate: Candidate) -> str:
    if candidate.first_line == candidate.last_line:
        return f"line {candidate.first_line}"
    return f"lines {candidate.first_line}-{candidate.last_line}"
