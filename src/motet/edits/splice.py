"""New lines in place of old ones: what the model left alone keeps its bytes, line ends included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from motet.edits.lines import Line
from motet.edits.match import Fit, Needle
from motet.text.file import Replaced, spliced

_ENDS = "\r\n"


@dataclass(frozen=True, slots=True)
class Change:
    """Characters `start` up to `end` of a text become `new`; `whole`: these are whole lines. `final_newline`: whether
    a text that ends there has a line end afterwards; None: as before."""

    start: int
    end: int
    new: str
    whole: bool = True
    final_newline: bool | None = None


def apply(text: str, sorted_changes: Sequence[Change]) -> str:
    """`text` with changes that do not overlap, in order.

    A text without a final line end stays without one, unless characters inside a line said otherwise.
    """
    return "".join(spliced(text, replaced(text, sorted_changes)))


def replaced(text: str, sorted_changes: Sequence[Change]) -> list[Replaced]:
    """What `apply` replaces in the end: the changes with the line ends that they need."""
    result = _with_ends(text, sorted_changes)
    if _loses_final_end(text, sorted_changes):
        return [(0, len(text), _without_final_end("".join(spliced(text, result))))]
    return result


def pieces(text: str, sorted_changes: Sequence[Change]) -> list[Replaced]:
    """The same, one for each change."""
    result = _with_ends(text, sorted_changes)
    if not _loses_final_end(text, sorted_changes):
        return result
    at = len(result) - 1
    while at and not result[at][2] and result[at - 1][1] == result[at][0]:
        at -= 1
    start, end, new = result[at]
    if not new:  # nothing is left of the last lines: the line before them ends the text now
        start = len(_without_final_end(text[:start]))
    result[at] = (start, end, _without_final_end(new))
    return result


def _with_ends(text: str, sorted_changes: Sequence[Change]) -> list[Replaced]:
    """The changes, begun with a line end where the line before them has none."""
    result: list[Replaced] = []
    at, last = 0, ""  # up to where the text has been looked at, and the last character of what becomes of that
    for change in sorted_changes:
        last, at, new = text[max(at, change.start - 1) : change.start] or last, change.end, change.new
        if new and change.whole and last and last not in _ENDS:
            new = newline_at(text, change.start) + new
        last = new[-1:] or last
        result.append((change.start, change.end, new))
    return result


def _loses_final_end(text: str, changes: Sequence[Change]) -> bool:
    """Whether the text ends without a line end after the changes: one of them says so, or it did before."""
    final = [change.final_newline for change in changes if change.whole and change.end == len(text)]
    asked = next((one for one in final if one is not None), None)
    return bool(final and text) and (asked is False or (asked is None and text[-1] not in _ENDS))


def splice(old: Sequence[Line], needle: Needle, fit: Fit, newline: str) -> list[Line] | None:
    """The lines that replace `old`, which the search lines were matched to as `fit` says.

    A line that stands in both search text and new text survives as it is in the file. A new line gets the line
    end of the line it replaces, else of its neighbour (`newline` where there is none), and the same change of
    indentation as the search text; None when it is indented too little for that. So do blank lines of the file that
    the search text left out; None when nobody knows between which new lines they belong.
    """
    pairs = fit.pairs or tuple(range(len(needle.search)))
    result: list[Line] = []
    at = 0
    for tag, first, last, new_first, new_last in needle.changes():
        mine = [place for place in pairs[first:last] if place is not None]
        if tag == "equal":
            if mine:
                result.extend(old[at : mine[-1] + 1])
                at = mine[-1] + 1
            continue
        if mine:
            result.extend(old[at : mine[0]])
            at = mine[-1] + 1
        new = needle.replace[new_first:new_last]
        kept = _blank_between(mine)
        if kept and len(new) != len(mine):
            return None  # between which of the new lines?
        for index, line in enumerate(new):
            text = fit.shift.apply(line)
            if text is None:
                return None
            if index:
                result.extend(old[number] for number in kept if mine[index - 1] < number < mine[index])
            own = old[mine[index]].end if index < len(mine) else ""
            result.append(Line(text, own or _neighbour_end(old, min(mine[0] + index if mine else at, at), newline)))
    result.extend(old[at:])
    return [line if line.end else Line(line.text, newline) for line in result]


def newline_at(text: str, offset: int) -> str:
    """The line end of the line before `offset`, else of the first line after it, else LF."""
    start = text.rfind("\n", 0, offset)
    start = max(start, text.rfind("\r", start + 1, offset))
    if start < 0:
        end = text.find("\n", offset)
        other = text.find("\r", offset, end if end >= 0 else len(text))
        start = other if other >= 0 else end
        if start < 0:
            return "\n"
    if text[start] == "\n":
        return "\r\n" if text[start - 1 : start] == "\r" else "\n"
    return "\r\n" if text[start + 1 : start + 2] == "\n" else "\r"


def _blank_between(numbers: Sequence[int]) -> list[int]:
    """What is left out of ascending line numbers."""
    present = set(numbers)
    return [number for number in range(numbers[0], numbers[-1]) if number not in present] if numbers else []


def _without_final_end(text: str) -> str:
    if text.endswith("\r\n"):
        return text[:-2]
    return text[:-1] if text and text[-1] in _ENDS else text


def _neighbour_end(old: Sequence[Line], index: int, newline: str) -> str:
    for line in (*reversed(old[:index]), *old[index:]):
        if line.end:
            return line.end
    return newline
