"""New lines in place of old ones: what the model left alone keeps its bytes, line ends included."""

from __future__ import annotations

from collections.abc import Sequence

from motet.edits.indent import IndentShift
from motet.edits.lines import Line
from motet.text.changes import changes


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


def _neighbour_end(old: Sequence[Line], index: int, newline: str) -> str:
    for line in (*reversed(old[:index]), *old[index:]):
        if line.end:
            return line.end
    return newline
