"""Tables of Markdown (GitHub's extension), laid out in the columns of a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from rich.cells import cell_len

from motet.cli.chat.inline import scan
from motet.cli.wrap import Span, wrap
from motet.visible import one_line

Row = list[list[Span]]
_Side = Literal["<", ">", "^"]
_DELIMITERS = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_CELL_ENDS = re.compile(r"\\.|`+|\|")
_BETWEEN = " │ "
_LEAST = 6
"""Cells that a column keeps when the table is made narrower."""
_MOST_COLUMNS = 30


def is_delimiter(line: str) -> bool:
    """Whether `line` is the one below the head: `| --- | :-: |`."""
    return "-" in line and len(line) < 2_000 and _DELIMITERS.fullmatch(line) is not None


def lay_out(lines: Sequence[str], width: int) -> list[list[Span]] | None:
    """The table whose source is `lines`, as rows of at most `width` cells; None when it cannot be fitted.

    The second line is the delimiter. A row with too few cells is filled up, the rest of one with too many left out
    (as GitHub does).
    """
    sides: list[_Side] = [_side(cell) for cell in _cells(lines[1])]
    count = len(sides)
    if not count or count > _MOST_COLUMNS:
        return None
    rows = [_row(line, count, "bold" if at == 0 else "") for at, line in enumerate([lines[0], *lines[2:]])]
    widths = _fitted([max(_width(row[at]) for row in rows) for at in range(count)], width)
    if widths is None:
        return None
    drawn: list[list[Span]] = []
    for number, row in enumerate(rows):
        drawn += _drawn(row, widths, sides)
        if number == 0:
            drawn.append([("─┼─".join("─" * size for size in widths), "dim")])
    return drawn


def _fitted(natural: list[int], width: int) -> list[int] | None:
    """The widths of columns: the widest ones give way until all fit."""
    room = width - len(_BETWEEN) * (len(natural) - 1)
    widths = [max(size, 1) for size in natural]
    while sum(widths) > room:
        most = max(widths)
        if most <= _LEAST:
            return None
        at = widths.index(most)
        second = max((size for size in widths if size < most), default=_LEAST)
        widths[at] = max(most - (sum(widths) - room), second, _LEAST) if second < most else most - 1
        if widths[at] == most:
            widths[at] = most - 1
    return widths


def _drawn(row: Row, widths: Sequence[int], sides: Sequence[_Side]) -> Iterator[list[Span]]:
    """One row, as several where a cell needs them."""
    cells = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
    for line in range(max(len(cell) for cell in cells)):
        spans: list[Span] = []
        for at, cell in enumerate(cells):
            content = cell[line] if line < len(cell) else []
            free = widths[at] - _width(content)
            left = free if sides[at] == ">" else free // 2 if sides[at] == "^" else 0
            spans += [(" " * left, ""), *content, (" " * (free - left), ""), (_BETWEEN, "dim")]
        yield _trimmed(spans[:-1])


def _row(line: str, count: int, style: str) -> Row:
    cells = _cells(line)[:count]
    cells += [""] * (count - len(cells))
    return [[(one_line(text), look) for text, look in scan(cell, style)] for cell in cells]


def _cells(line: str) -> list[str]:
    """The cells of a row: between bars that are neither escaped nor in code."""
    line = line.strip().removeprefix("|")
    cells: list[str] = []
    start = at = 0
    while found := _CELL_ENDS.search(line, at):
        at = found.end()
        if found[0][0] == "`":
            close = line.find(found[0], at)
            at = close + len(found[0]) if close >= 0 else at
        elif found[0] == "|":
            cells.append(line[start : found.start()])
            start = at
    if line[start:].strip():
        cells.append(line[start:])
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _side(cell: str) -> _Side:
    if cell.endswith(":"):
        return "^" if cell.startswith(":") else ">"
    return "<"


def _width(spans: Sequence[Span]) -> int:
    return sum(cell_len(text) for text, _ in spans)


def _trimmed(spans: list[Span]) -> list[Span]:
    while spans and spans[-1][0].isspace():
        spans = spans[:-1]
    return spans
