"""What each edit of an answer changes in the file before, however many edits stand on one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from motet.edits.splice import Change, pieces


@dataclass(frozen=True, slots=True)
class Region:
    """Characters `start` up to `end` of the file before become `new`. `edits` are the numbers of those that want it:
    several where one changes what another has written, so that neither can be taken alone."""

    start: int
    end: int
    new: str
    edits: frozenset[int]

    @property
    def growth(self) -> int:
        """By how many characters the text gets longer."""
        return len(self.new) - (self.end - self.start)


@dataclass(frozen=True, slots=True)
class LineRegion:
    """Whole lines of the file before, from its character `start` on, and what becomes of them."""

    start: int
    old: str
    new: str
    edits: frozenset[int]


@dataclass(frozen=True, slots=True)
class Regions:
    """The regions of one file, in order; they do not overlap."""

    all: tuple[Region, ...] = ()

    def changed(self, text: str, changes: Sequence[tuple[Change, int]]) -> Regions:
        """The same after changes of `text`, which is what the regions make: in order, each with its edit's number."""
        found = [
            Region(start, end, new, frozenset({edit}))
            for (start, end, new), (_, edit) in zip(pieces(text, [one for one, _ in changes]), changes, strict=True)
        ]
        if not self.all:
            return Regions(tuple(found))
        regions = list(self.all)
        for region in reversed(found):
            regions = _with(regions, region)
        return Regions(tuple(regions))

    def numbered_from(self, first: int) -> Regions:
        """The same for edits whose numbers begin with `first` instead of 0."""
        return Regions(tuple(replace(one, edits=frozenset(edit + first for edit in one.edits)) for one in self.all))

    def in_lines(self, before: str) -> list[LineRegion]:
        """The regions as whole lines of `before`. Of two that want the same line one is made, of two that touch none."""
        wide: list[tuple[Region, int, int]] = []  # each with the first and last character of its lines
        for region in self.all:
            start, end = _line_start(before, region.start), _line_end(before, region.end)
            becomes = before[start : region.start] + region.new
            if becomes and becomes[-1] not in "\r\n" and end == region.end < len(before):
                end = _after_line(before, end)
            if wide and start < wide[-1][2]:
                last, start, last_end = wide[-1]
                new = last.new + before[last.end : region.start] + region.new
                wide[-1] = (Region(last.start, region.end, new, last.edits | region.edits), start, max(last_end, end))
            else:
                wide.append((region, start, end))
        return [
            LineRegion(
                start,
                before[start:end],
                before[start : region.start] + region.new + before[region.end : end],
                region.edits,
            )
            for region, start, end in wide
        ]


def _with(regions: Sequence[Region], new: Region) -> list[Region]:
    """The regions and `new`, which is in characters of the text that they make; with those whose new text it touches
    it becomes one."""
    before: list[Region] = []
    touched: list[tuple[Region, int]] = []  # with where each begins in that text
    after: list[Region] = []
    moved = moved_before = moved_touched = 0
    for one in regions:
        start = one.start + moved
        moved += one.growth
        if start + len(one.new) <= new.start:
            before.append(one)
            moved_before = moved_touched = moved
        elif start < new.end:
            touched.append((one, start))
            moved_touched = moved
        else:
            after.append(one)
    begin, finish, text, edits = new.start - moved_before, new.end - moved_touched, new.new, new.edits
    if touched:
        (first, first_start), (last, last_start) = touched[0], touched[-1]
        begin, finish = min(begin, first.start), max(finish, last.end)
        text = first.new[: max(new.start - first_start, 0)] + text + last.new[max(new.end - last_start, 0) :]
        edits = edits.union(*(one.edits for one, _ in touched))
    return [*before, Region(begin, finish, text, edits), *after]


def _line_start(text: str, at: int) -> int:
    """Where the line with the character `at` begins."""
    after_lf = text.rfind("\n", 0, at) + 1
    cr = text.rfind("\r", after_lf, at)
    if cr >= 0 and cr + 1 == at and text[at : at + 1] == "\n":
        cr = text.rfind("\r", after_lf, cr)
    return max(after_lf, cr + 1)


def _line_end(text: str, at: int) -> int:
    """Where the next line begins, from `at` on: there, if one begins there."""
    return at if _line_start(text, at) == at else _after_line(text, at)


def _after_line(text: str, at: int) -> int:
    """Where the line after the one with the character `at` begins."""
    lf = text.find("\n", at)
    end = lf + 1 if lf >= 0 else len(text)
    cr = text.find("\r", at, end)
    return cr + 1 if cr >= 0 and text[cr + 1 : cr + 2] != "\n" else end
