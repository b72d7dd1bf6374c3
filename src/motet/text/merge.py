"""Three-way merge by lines, without fuzz: both sides' changes where they do not touch, a conflict where they do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from motet.text.changes import Opcode, certain_changes


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines `first` to `last` of the base (0-based, end exclusive), and what each side has there instead.

    `ours_first` and `theirs_first` say where that stands on either side. Equal for a place between two lines.
    """

    first: int
    last: int
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    ours_first: int
    theirs_first: int


@dataclass(frozen=True, slots=True)
class Merge:
    """What a merge came to; `text` means something only when there are no `conflicts`."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


class LineMap:
    """Where the lines of `base` stand in `now`. Both are texts, or lists of lines with their ends."""

    def __init__(self, base: str | Sequence[str], now: str | Sequence[str]) -> None:
        before, after = _lines(base), _lines(now)
        same = [(i, i2, j, j2) for tag, i, i2, j, j2 in certain_changes(before, after) if tag == "equal"]
        self._same = same or ([(0, 0, 0, 0)] if not before and not after else [])
        self._ends = len(before), len(after)

    def place(self, first: int, last: int) -> int | None:
        """The line of now at which lines `first` to `last` (0-based, end exclusive) of base stand.

        None when one of them changed, or something was changed, inserted or deleted right before or after them;
        None as well when nobody can say that, because the change might as well mean one of these lines. Without
        lines (`first == last`) it is about the place between two lines.
        """
        index = bisect_right(self._same, first, key=lambda run: run[0]) - 1
        if index < 0:
            return None
        i1, i2, j1, j2 = self._same[index]
        begins = i1 < first or i1 == j1 == 0
        ends = last < i2 or (last == i2 and (i2, j2) == self._ends)
        return j1 + first - i1 if begins and ends else None


def merge(base: str, ours: str, theirs: str) -> Merge:
    """Make both changes, from `base` to `ours` and from `base` to `theirs`, in one text.

    Equal changes are made once. Changes of the same or of touching lines are a conflict, as in `git merge-file`,
    and so is a change that might mean several places, one of which the other side touches. Line ends (LF, CRLF,
    CR) belong to their lines, and so does a missing one at the end.
    """
    if theirs in (base, ours):
        return Merge(ours)
    if ours == base:
        return Merge(theirs)
    return _merged(_lines(base), _lines(ours), _lines(theirs))


@dataclass(slots=True)
class _Region:
    """Lines `first` to `last` of the base; what each side has there: its first line, and its last one."""

    first: int
    last: int
    sides: list[tuple[int, int]]


def _merged(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Merge:
    merged: list[str] = []
    conflicts: list[Conflict] = []
    done = 0
    for region in _regions(certain_changes(base, ours), certain_changes(base, theirs)):
        merged += base[done : region.first]
        done = region.last
        (i, i2), (j, j2) = region.sides
        was, one, other = base[region.first : region.last], ours[i:i2], theirs[j:j2]
        if one != other and was not in (one, other):
            conflicts.append(Conflict(region.first, region.last, tuple(one), tuple(other), i, j))
        merged += other if one == was else one
    merged += base[done:]
    return Merge("".join(merged), tuple(conflicts))


def _regions(*sides: Sequence[Opcode]) -> Iterator[_Region]:
    """The changes of both sides in the order of the base, those that touch one another as one."""
    hunks = sorted((i, i2, side, j2) for side, all in enumerate(sides) for tag, i, i2, _, j2 in all if tag != "equal")
    shifts = [0 for _ in sides]  # how much further down than in the base each side is, after the changes so far
    at = 0
    while at < len(hunks):
        begins, (first, last) = shifts.copy(), hunks[at][:2]
        while at < len(hunks) and hunks[at][0] <= last:
            _, i2, side, j2 = hunks[at]
            last, shifts[side] = max(last, i2), j2 - i2
            at += 1
        yield _Region(first, last, [(first + a, last + b) for a, b in zip(begins, shifts, strict=True)])


def _lines(text: str | Sequence[str]) -> Sequence[str]:
    """The lines of a text with their ends: LF, CRLF or CR."""
    return list(StringIO(text, newline="")) if isinstance(text, str) else text
