"""Where to cut a text into pieces that read well: along definitions, else at empty lines, else at any line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from motet.syntax.definitions import Definition

LEAST = 400
MOST = 2_400

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a text: 1-based, inclusive. `inside`: names of the definitions around all of it, outermost first."""

    first_line: int
    last_line: int
    inside: tuple[str, ...]


def chunks(text: str, found: Sequence[Definition], *, least: int = LEAST, most: int = MOST) -> list[Chunk]:
    """Cut `text` along the definitions `found` in it; together the chunks hold each line once, in order.

    A chunk has at most `most` characters but for a single line that is longer, and no fewer than `least` where a
    neighbour has room.
    """
    lines = _LINE_END.split(text)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    sizes = [0, *accumulate(len(line) + 1 for line in lines)]
    pieces = list(_pieces(found, lines, sizes, most))
    return list(_named(_merged(pieces, sizes, least, most), found))


_Span = tuple[int, int]


def _pieces(found: Sequence[Definition], lines: Sequence[str], sizes: Sequence[int], most: int) -> Iterator[_Span]:
    """Cut what is too long at definitions, outer ones first, and at lines where nothing is defined."""
    cuts: dict[int, set[int]] = {}
    for each in found:
        cuts.setdefault(each.depth, set()).update((each.first_line, each.last_line + 1))
    levels = [sorted(cuts[depth]) for depth in sorted(cuts)]
    waiting = [(1, len(lines), 0)]
    while waiting:
        first, last, level = waiting.pop()
        if sizes[last] - sizes[first - 1] <= most:
            yield first, last
        elif level == len(levels):
            yield from _windows(first, last, lines, sizes, most)
        else:
            starts = levels[level]
            inner = starts[bisect_right(starts, first) : bisect_right(starts, last)]
            edges = [first, *inner, last + 1]
            waiting.extend((begin, end - 1, level + 1) for begin, end in reversed(list(pairwise(edges))))


def _windows(first: int, last: int, lines: Sequence[str], sizes: Sequence[int], most: int) -> Iterator[_Span]:
    """As many lines as fit, up to the last empty one in the second half of them."""
    while first <= last:
        end = max(bisect_right(sizes, sizes[first - 1] + most) - 1, first)
        if end >= last:
            end = last
        else:
            end = next((line for line in range(end, (first + end) // 2, -1) if not lines[line - 1].strip()), end)
        yield first, end
        first = end + 1


def _merged(pieces: Sequence[_Span], sizes: Sequence[int], least: int, most: int) -> list[_Span]:
    """Join a piece with the one before it when one of the two is too short to say much and both fit."""
    merged: list[_Span] = []
    for first, last in pieces:
        if merged:
            begin, end = merged[-1]
            before, both = sizes[end] - sizes[begin - 1], sizes[last] - sizes[begin - 1]
            if both <= most and (before < least or both - before < least):
                merged[-1] = begin, last
                continue
        merged.append((first, last))
    return merged


def _named(spans: Sequence[_Span], found: Sequence[Definition]) -> Iterator[Chunk]:
    """Each span with the definitions around all of it."""
    waiting, open_ones = deque(found), list[Definition]()
    for first, last in spans:
        while waiting and waiting[0].first_line <= first:
            open_ones.append(waiting.popleft())
        open_ones = [each for each in open_ones if each.last_line >= first]
        yield Chunk(first, last, tuple(each.name for each in open_ones if each.last_line >= last))
