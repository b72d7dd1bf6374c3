"""A repair: what to change for one diagnostic, and where the idea comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from motet.models.offline.source import NAME
from motet.text.report import ReportedEdit


class Origin(IntEnum):
    """Where a repair comes from; when two want the same place, the smaller wins."""

    SERVER = 0
    DID_YOU_MEAN = 1
    MECHANICAL = 2
    CLOSEST_NAME = 3


@dataclass(frozen=True, slots=True)
class Repair:
    """Edits of one file that do not overlap; every `old` stands in the shown text at its range."""

    title: str
    edits: tuple[ReportedEdit, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Declined:
    """Why nothing is done about a diagnostic, in a few words for a human."""

    reason: str


def rename_of(repair: Repair) -> tuple[str, str] | None:
    """Old and new name, when all that `repair` does is to put one name in another's place."""
    match repair.edits:
        case (edit,) if NAME.fullmatch(edit.old) and NAME.fullmatch(edit.new):
            return edit.old, edit.new
        case _:
            return None


def overlap(one: ReportedEdit, other: ReportedEdit) -> bool:
    """Whether two edits touch the same characters, or insert at the same place."""
    if one.range.start == other.range.start:
        return True
    first, second = (one, other) if one.range.start < other.range.start else (other, one)
    return second.range.start < first.range.end
