"""What a model said about a place besides the text that stands there: lines, headers, anchors, the end of the file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from motet.edits.edit import Near
from motet.edits.formats.anchors import anchor_of
from motet.edits.match import Spot
from motet.edits.view import View

_DEFINES = "(?:def|class|func|function|fn|interface|struct|enum|type|trait|impl|module|const|let|var)"
_CLOSING = ("", "}", ")", "]")
"""First characters of lines that end a block; blank lines begin with none."""


def narrow(view: View, spots: Sequence[Spot], near: Near, *, trust_line: bool) -> list[Spot]:
    """Those of several spots that `near` allows; a line number counts only when `trust_line` says so."""
    left = list(spots)
    if near.hash and not _is_anchor(view, near):
        return []
    if near.at_end:
        left = [spot for spot in left if not view.text[spot.end :].strip()]
    if near.headers:
        named = [spot for spot in left if near.apart is not None and _begins_at(view, spot, near.line)]
        left = _below(view, left, near.headers)
        if any(spot not in left for spot in named):
            return []  # the number says one place, the header another
    if near.line and trust_line and len(left) > 1:
        left = [spot for spot in left if _covers(view, spot, near.line)]
    elif near.line and near.apart is not None and len(left) > 1:
        away = [abs(view.lines_of(spot.start, spot.start + 1)[0] + 1 - near.line) for spot in left]
        if sorted(away)[0] == 0 and sorted(away)[1] >= near.apart:
            left = [left[away.index(0)]]
    return left


def line_of_header(view: View, headers: Sequence[str]) -> int | None:
    """0-based line that the last header names, each one below the one before; None when that is not certain."""
    first, last = 0, len(view.lines)
    line: int | None = None
    for header in headers:
        lines = [number for number in _header_lines(view, header) if number >= first]
        lines = [number for number in lines if number < last] or lines
        if len(lines) != 1:
            return None
        line = lines[0]
        first, last = line + 1, _end_of_block(view, line)
    return line


def insertion(view: View, near: Near) -> int | None:
    """The offset at which new lines go that have no search text; None when `near` does not say it exactly."""
    count = len(view.lines)
    if near.headers:
        line = line_of_header(view, near.headers)
        return None if line is None else view.span(0, line + 1)[1]
    if near.at_end:
        return len(view.text)
    if 1 <= near.line <= count + 1:
        return view.span(0, near.line - 1)[1] if near.line > 1 else 0
    return None


def _below(view: View, spots: Sequence[Spot], headers: Sequence[str]) -> list[Spot]:
    """The spots that stand below the header line: inside its block where one does, else the only one after it."""
    line = line_of_header(view, headers)
    if line is None:
        return list(spots)
    start, _ = view.span(line, line + 1)
    end = view.span(line, _end_of_block(view, line))[1]
    below = [spot for spot in spots if spot.start >= start]
    inside = [spot for spot in below if spot.end <= end]
    return inside or [spot for spot in below if not _is_left(view, line, spot.start)]


def _is_left(view: View, header: int, end: int) -> bool:
    """Whether `header` opens a block, and something else stands beside or above it before offset `end`."""
    depth, block = _depth(view.lines[header]), _end_of_block(view, header)
    between = range(block, view.lines_of(end, end + 1)[0])
    return block > header + 1 and any(
        view.keys[number][:1] not in _CLOSING and _depth(view.lines[number]) <= depth for number in between
    )


def _begins_at(view: View, spot: Spot, line: int) -> bool:
    return view.lines_of(spot.start, spot.start + 1)[0] + 1 == line


def _is_anchor(view: View, near: Near) -> bool:
    """Whether the line that `near` names holds what its hash says."""
    lines = view.lines
    return 1 <= near.line <= len(lines) and anchor_of(lines[near.line - 1], near.line).hash == near.hash


def _header_lines(view: View, header: str) -> list[int]:
    """Lines that a header may mean: that line, lines that begin with it, else the definition of that name."""
    wanted = header.strip()
    if not wanted:
        return []
    definition = re.compile(rf"\b{_DEFINES}\s.*?(?<!\w){re.escape(wanted)}(?!\w)")
    keys = list(enumerate(view.keys))
    return (
        [number for number, key in keys if key == wanted]
        or [number for number, key in keys if key.startswith(wanted)]
        or [number for number, key in keys if wanted in key and definition.search(key)]
    )


def _end_of_block(view: View, line: int) -> int:
    """The line after the last one that is indented deeper than `line` and stands below it without interruption."""
    depth = _depth(view.lines[line])
    end = line + 1
    while end < len(view.lines) and (not view.keys[end] or _depth(view.lines[end]) > depth):
        end += 1
    return end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _covers(view: View, spot: Spot, line: int) -> bool:
    first, last = view.lines_of(spot.start, spot.end)
    return first < line <= last
