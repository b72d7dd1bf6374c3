"""Listings in columns, counted in cells: wide characters take two, and a terminal has only so many."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from motet.cli.terminal import Terminal
from motet.cli.wrap import Span, most_hang
from motet.visible import one_line

_MARK = 2
_BETWEEN = 2


def padded(text: str, width: int) -> str:
    """`text`, shown in one line and filled up to `width` cells."""
    shown = one_line(text)
    return shown + " " * max(width - cell_len(shown), 0)


def widest(texts: Sequence[str]) -> int:
    """Cells of the widest of `texts`."""
    return max((cell_len(one_line(text)) for text in texts), default=0)


def marked_rows(out: Terminal, rows: Sequence[tuple[Span, Span, Span]]) -> None:
    """Rows of a mark, a name and a text. The texts stand below one another; behind a name that would leave them too
    little of a terminal its text follows at once, and goes on where the others stand."""
    names = [name for _, (name, _), _ in rows]
    most = None if out.width is None else most_hang(out.width) - _MARK - _BETWEEN
    width = widest([name for name in names if most is None or cell_len(one_line(name)) <= most])
    for (mark, style), (name, of_name), text in rows:
        first = (padded(name, width) + " " * _BETWEEN, of_name)
        out.spans((padded(mark, _MARK), style), first, text, hang=_MARK + width + _BETWEEN)
