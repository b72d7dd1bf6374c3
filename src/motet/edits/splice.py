"""New lines in place of old ones: what the model left alone keeps its bytes, line ends included."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from motet.edits.indent import IndentShift
from motet.edits.lines import Line

Opcode = tuple[str, int, int, int, int]
_MOST_PAIRS = 4_000_000
"""Pairs of lines that are aligned with each other; a larger stretch without any unique line is one change."""


def splice(
    old: Sequence[Line], search: Sequence[Line], replace: Sequence[Line], shift: IndentShift, newline: str
) -> list[Line] | None:
    """The lines that replace `old`, which `search` was matched to line by line.

    A line that stands in both `search` and `replace` survives as it is in the file. A new line gets the line end
    of the line it replaces, else of its neighbour (`newline` where there is none), and the same change of indentation as the search text;
    None when it is indented too little for that.
    """
    result: list[Line] = []
    for tag, first, last, new_first, new_last in changes([s.text for s in search], [r.text for r in replace]):
        if tag == "equal":
            result.extend(old[first:last])
            continue
        for index, line in enumerate(replace[new_first:new_last], first):
            text = shift.apply(line.text)
            if text is None:
                return None
            own = old[index].end if index < last else ""
            result.append(Line(text, own or _neighbour_end(old, min(index, last), newline)))
    return result


def replace_lines(
    lines: Sequence[Line], first: int, last: int, new: Sequence[Line], had_final_newline: bool, newline: str
) -> list[Line]:
    """`lines` with `new` in place of `first` up to `last` (0-based, end exclusive).

    The file keeps its final line end, or its absence; a line without end that is not the last any more gets one.
    """
    closed = [line if line.end else Line(line.text, newline) for line in new]
    result = [*lines[:first], *closed, *lines[last:]]
    if result and not had_final_newline:
        result[-1] = Line(result[-1].text, "")
    return result


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


def _neighbour_end(old: Sequence[Line], index: int, newline: str) -> str:
    for line in (*reversed(old[:index]), *old[index:]):
        if line.end:
            return line.end
    return newline
