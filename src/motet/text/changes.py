"""The changes between two texts, line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

Opcode = tuple[str, int, int, int, int]
"""As difflib's: tag (`equal`, `replace`, `insert`, `delete`), then 0-based first and last line on either side."""
_MOST_PAIRS = 4_000_000
"""Pairs of lines that are aligned with each other; a larger stretch without any unique line is one change."""


def changes(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """Line opcodes (`equal`, `replace`, `insert`, `delete`) from `before` to `after`, as difflib's.

    Lines that are unique on both sides divide the texts first (Cohen's patience diff), so that work grows with
    the files, not with their product.
    """
    opcodes: list[Opcode] = []
    a = b = 0
    for next_a, next_b in (*_anchors(before, after), (len(before), len(after))):
        for tag, i1, i2, j1, j2 in _stretch(before[a:next_a], after[b:next_b]):
            _add(opcodes, (tag, a + i1, a + i2, b + j1, b + j2))
        if next_a < len(before) and next_b < len(after):
            _add(opcodes, ("equal", next_a, next_a + 1, next_b, next_b + 1))
        a, b = next_a + 1, next_b + 1
    return opcodes


def _add(opcodes: list[Opcode], new: Opcode) -> None:
    """Append `new`; neighbours of one kind become one."""
    if opcodes and opcodes[-1][0] == new[0]:
        tag, first, _, new_first, _ = opcodes[-1]
        opcodes[-1] = (tag, first, new[2], new_first, new[4])
    else:
        opcodes.append(new)


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The longest ascending run of pairs of lines that stand once on each side."""
    counts, new_counts = Counter(before), Counter(after)
    places = {line: index for index, line in enumerate(after) if new_counts[line] == 1}
    lasts: list[int] = []
    ends: list[tuple[int, int, int]] = []  # (index before, index after, the pair that precedes it in `ends`, or -1)
    tops: list[int] = []
    for index, line in enumerate(before):
        place = places.get(line) if counts[line] == 1 else None
        if place is None:
            continue
        depth = bisect_left(lasts, place)
        ends.append((index, place, tops[depth - 1] if depth else -1))
        lasts[depth : depth + 1] = [place]
        tops[depth : depth + 1] = [len(ends) - 1]
    anchors: list[tuple[int, int]] = []
    top = tops[-1] if tops else -1
    while top >= 0:
        index, place, top = ends[top]
        anchors.append((index, place))
    return anchors[::-1]


def _stretch(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """The opcodes of a stretch without anchors; its common head and tail are cut off first."""
    head, tail = 0, 0
    limit = min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    opcodes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    if len(a) * len(b) > _MOST_PAIRS:
        opcodes.append(("replace", head, head + len(a), head, head + len(b)))
    else:
        found = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        opcodes += [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in found]
    if tail:
        opcodes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return opcodes
