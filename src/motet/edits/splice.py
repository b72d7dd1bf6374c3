"""New lines in place of old ones: what the model left alone keeps its bytes, line ends included."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from motet.edits.indent import IndentShift
from motet.edits.lines import Line


def splice(
    old: Sequence[Line], search: Sequence[Line], replace: Sequence[Line], shift: IndentShift, newline: str
) -> list[Line] | None:
    """The lines that replace `old`, which `search` was matched to line by line.

    A line that stands in both `search` and `replace` survives as it is in the file. A new line gets the line end
    of its neighbour (`newline` where there is none) and the same change of indentation as the search text;
    None when it is indented too little for that.
    """
    result: list[Line] = []
    for tag, first, last, new_first, new_last in changes([s.text for s in search], [r.text for r in replace]):
        if tag == "equal":
            result.extend(old[first:last])
            continue
        neighbour = _neighbour_end(old, first, newline)
        for line in replace[new_first:new_last]:
            text = shift.apply(line.text)
            if text is None:
                return None
            result.append(Line(text, neighbour))
    return result


def close_last_line(lines: list[Line], had_final_newline: bool, newline: str) -> list[Line]:
    """Keep a file's final line end, or its absence, after an edit; give inner lines without end one."""
    closed = [Line(line.text, line.end or newline) for line in lines]
    if closed and not had_final_newline:
        closed[-1] = Line(closed[-1].text, "")
    return closed


def changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """Line opcodes (`equal`, `replace`, `insert`, `delete`) from `before` to `after`, as difflib's.

    The common head and tail are cut off first, which makes the usual edit linear.
    """
    head = 0
    limit = min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    matcher = SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    )
    opcodes = [("equal", 0, head, 0, head)] if head else []
    opcodes += [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in matcher.get_opcodes()]
    if tail:
        opcodes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return opcodes


def _neighbour_end(old: Sequence[Line], index: int, newline: str) -> str:
    for line in (*reversed(old[:index]), *old[index:]):
        if line.end:
            return line.end
    return newline
