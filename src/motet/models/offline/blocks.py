"""Edits by line and column become SEARCH/REPLACE blocks of whole lines, unique in the text that was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from motet.text.report import FileReport, ReportedEdit

CONTEXT_WHEN_CUT = 2
"""Lines taken on each side when the file was cut: lines that were not shown may look the same."""

_MARKER = re.compile(
    r"\s{0,3}(?:<{5,9}(?: .*)?|>{5,9}(?: .*)?|={5,9}|-{5,9} ?SEARCH>?|\+{5,9} ?REPLACE)\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Region:
    """Lines `first` to `last` (1-based, inclusive) and what stands there instead."""

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One SEARCH/REPLACE block as lines."""

    search: tuple[str, ...]
    replace: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(("<<<<<<< SEARCH", *self.search, "=======", *self.replace, ">>>>>>> REPLACE"))

    @property
    def core(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What it changes, without the lines around that only make it unique."""
        same = takewhile(lambda pair: pair[0] == pair[1], zip(self.search, self.replace, strict=False))
        head = sum(1 for _ in same)
        old, new = list(self.search[head:]), list(self.replace[head:])
        while old and new and old[-1] == new[-1]:
            del old[-1], new[-1]
        return tuple(old), tuple(new)


def regions_of(report: FileReport, edits: Iterable[ReportedEdit]) -> list[Region] | None:
    """The lines that `edits` (none overlapping) change, far ones apart; None when a line of them was not shown."""
    groups: list[list[ReportedEdit]] = []
    reach = 0
    for edit in sorted(edits, key=lambda edit: (edit.range.start, edit.range.end)):
        line = edit.range.start.line
        if not groups or (line if report.run_of(line) is not None else line - 1) > reach:
            groups.append([])
        groups[-1].append(edit)
        reach = max(reach, edit.range.end.line)
    regions: list[Region] = []
    for group in groups:
        region = _region(report, group)
        if region is None:
            return None
        regions.append(region)
    return regions


def blocks_of(report: FileReport, regions: Iterable[Region]) -> list[Block] | None:
    """One block for each region, or for several that stand close; None when a block cannot be made unique or
    would hold lines that look like its markers."""
    merged: list[tuple[Region, tuple[Region, ...]]] = []
    for region in sorted(regions, key=lambda region: region.first):
        wide = _widened(report, region)
        if wide is None:
            return None
        parts = (region,)
        while merged and merged[-1][0].last >= wide.first - 1:
            before, regions_before = merged.pop()
            parts = (*regions_before, *parts)
            joined = _joined(report, min(before.first, wide.first), max(before.last, wide.last), parts)
            if joined is None:
                return None
            wide = joined
        merged.append((wide, parts))
    return [_block(report, wide) for wide, _ in merged]


def _region(report: FileReport, ordered: Sequence[ReportedEdit]) -> Region | None:
    first = ordered[0].range.start.line
    last = max(edit.range.end.line for edit in ordered)
    run = report.run_of(first) or report.run_of(first - 1)
    if run is None or any(report.slice(edit.range) is None for edit in ordered):
        return None
    lines = run.lines
    first = min(first, run.last)
    text = "".join(line + "\n" for line in lines[first - run.first : last - run.first + 1])
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    pieces: list[str] = []
    at = 0
    for edit in ordered:
        start, end = edit.range.start, edit.range.end
        a = starts[start.line - first] + start.column - 1
        if a < at:
            return None
        pieces += (text[at:a], edit.new.replace("\r\n", "\n").replace("\r", "\n"))
        at = starts[end.line - first] + end.column - 1
    changed = "".join((*pieces, text[at:]))
    if last > run.last and changed and not changed.endswith("\n"):
        # The next line, which was not shown, would become part of this one.
        return None
    return _trimmed(first, _split(text), _split(changed))


def _trimmed(first: int, old: list[str], new: list[str]) -> Region | None:
    """The region without the equal lines at its ends; at least one line stays to be searched for."""
    if old == new:
        return None
    while len(old) > 1 and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    head = 0
    while len(old) - head > 1 and head < len(new) and old[head] == new[head]:
        head += 1
    return Region(first + head, first + len(old) - 1, tuple(new[head:]))


def _widened(report: FileReport, region: Region) -> Region | None:
    """`region` with as many lines around it as it takes to be unique; None when no number is enough."""
    run = report.run_of(region.first)
    if run is None:
        return None
    lines = run.lines
    first, last = region.first - run.first, region.last - run.first
    if last >= len(lines) or any(_MARKER.fullmatch(line) for line in (*lines[first : last + 1], *region.lines)):
        return None
    least = 0 if report.complete else CONTEXT_WHEN_CUT
    above = below = 0
    while (ambiguous := not _unique(report, lines[first - above : last + below + 1])) or min(above, below) < least:
        can_rise = first > above and not _MARKER.fullmatch(lines[first - above - 1])
        can_sink = last + below + 1 < len(lines) and not _MARKER.fullmatch(lines[last + below + 1])
        if can_rise and (above <= below or not can_sink):
            above += 1
        elif can_sink:
            below += 1
        elif ambiguous:
            return None
        else:
            break
    return _joined(report, region.first - above, region.last + below, (region,))


def _unique(report: FileReport, wanted: tuple[str, ...]) -> bool:
    if not any(line.strip() for line in wanted):
        return False
    return sum(_count(run.lines, wanted) for run in report.runs) == 1


def _count(lines: tuple[str, ...], wanted: tuple[str, ...]) -> int:
    size, found, at = len(wanted), 0, 0
    while True:
        try:
            at = lines.index(wanted[0], at)
        except ValueError:
            return found
        found += lines[at : at + size] == wanted
        at += 1


def _joined(report: FileReport, first: int, last: int, regions: Sequence[Region]) -> Region | None:
    """`regions` and the unchanged lines around and between them as one region."""
    run = report.run_of(first)
    if run is None or last > run.last:
        return None
    lines: list[str] = []
    at = first
    for region in regions:
        lines += run.lines[at - run.first : region.first - run.first]
        lines += region.lines
        at = region.last + 1
    lines += run.lines[at - run.first : last - run.first + 1]
    return Region(first, last, tuple(lines))


def _block(report: FileReport, region: Region) -> Block:
    run = report.run_of(region.first)
    lines = () if run is None else run.lines[region.first - run.first : region.last - run.first + 1]
    return Block(lines, region.lines)


def _split(text: str) -> list[str]:
    """Lines of a text in which each line has its end; a missing last one is no line of its own."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
