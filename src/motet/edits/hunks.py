"""Hunks: what differs between two versions of a file, in pieces that a person can judge one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from motet.edits.lines import Line, join_lines, split_lines
from motet.text.changes import changes

_JOIN_DISTANCE = 3
"""Changes with at most this many unchanged lines between them are one hunk until it is split."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `first` up to `last` (0-based, end exclusive) of the file before become `new`.

    `parts` are the smallest changes inside, for splitting; a hunk of one part cannot be split.
    """

    first: int
    last: int
    old: tuple[Line, ...]
    new: tuple[Line, ...]
    parts: tuple[Hunk, ...] = ()

    @property
    def line(self) -> int:
        """1-based line of the file before at which the hunk begins."""
        return self.first + 1


def find_hunks(before: str, after: str) -> tuple[Hunk, ...]:
    """The hunks from `before` to `after`; line ends count, so that a changed line end is a change."""
    old, new = split_lines(before), split_lines(after)
    opcodes = changes([line.text + line.end for line in old], [line.text + line.end for line in new])
    parts = [
        Hunk(first, last, tuple(old[first:last]), tuple(new[new_first:new_last]))
        for tag, first, last, new_first, new_last in opcodes
        if tag != "equal"
    ]
    groups: list[list[Hunk]] = []
    for part in parts:
        if groups and part.first - groups[-1][-1].last <= _JOIN_DISTANCE:
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(_join(old, group) for group in groups)


def apply_hunks(before: str, hunks: Sequence[Hunk]) -> str:
    """`before` with `hunks`, which do not overlap, applied; any subset of `find_hunks` is fine."""
    lines = split_lines(before)
    for hunk in sorted(hunks, key=lambda hunk: hunk.first, reverse=True):
        lines[hunk.first : hunk.last] = hunk.new
    return join_lines(lines)


def _join(old: Sequence[Line], parts: Sequence[Hunk]) -> Hunk:
    if len(parts) == 1:
        return parts[0]
    first, last = parts[0].first, parts[-1].last
    new: list[Line] = []
    position = first
    for part in parts:
        new += [*old[position : part.first], *part.new]
        position = part.last
    return Hunk(first, last, tuple(old[first:last]), tuple(new), tuple(parts))
