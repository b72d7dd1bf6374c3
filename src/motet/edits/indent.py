"""One common change of indentation between a search text and the file, and the same change for the new text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_TAB_WIDTHS = (4, 2, 8)


@dataclass(frozen=True, slots=True)
class IndentShift:
    """First exchange tabs and spaces (`tab_width` > 0: tabs become spaces; < 0: spaces become tabs), then take
    `remove` off the front of every indentation, then put `add` there."""

    tab_width: int = 0
    remove: str = ""
    add: str = ""

    def apply(self, line: str) -> str | None:
        """`line` with its indentation changed; None when it is indented less than what must be removed."""
        body = line.lstrip(" \t")
        if not body:
            return line
        indent = _convert(line[: len(line) - len(body)], self.tab_width)
        if not indent.startswith(self.remove):
            return None
        return self.add + indent[len(self.remove) :] + body


UNSHIFTED = IndentShift()
"""Leaves every line as it is."""


def exact_body(line: str) -> str:
    """What a line has to have in common with another besides its indentation: all but trailing white space."""
    return line.strip(" \t").rstrip()


def find_shift(
    search: Sequence[str], found: Sequence[str], body: Callable[[str], str] = exact_body
) -> IndentShift | None:
    """The one change that turns the indentation of every line of `search` into that of `found`.

    None when their bodies differ, when there is no such change, or when tabs and spaces would have to be exchanged by
    more than one possible width. Other white space at the front of a line (a form feed, an ideographic space) is no
    indentation.
    """
    if any(body(ours) != body(theirs) for ours, theirs in zip(search, found, strict=True)):
        return None
    pairs = [(_indent(ours), _indent(theirs)) for ours, theirs in zip(search, found, strict=True) if ours.strip()]
    plain = _common_prefix_change(pairs, 0)
    if plain is not None:
        return plain
    converted = [
        shift for width in _TAB_WIDTHS for sign in (1, -1) if (shift := _common_prefix_change(pairs, sign * width))
    ]
    exact = [shift for shift in converted if not shift.add and not shift.remove]
    for choice in (exact, converted):
        if len(choice) == 1:
            return choice[0]
    return None


def keeps_indentation(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether new text begins at the same indentation as the search text, in its first or in its least indented
    line: then a change of the one fits the other.

    Otherwise the new text may be indented for the file already, and nobody knows which of the two was meant.
    """
    ours = [_indent(line) for line in search if line.strip()]
    new = [_indent(line) for line in replace if line.strip()]
    return not ours or not new or ours[0] == new[0] or min(ours, key=len) == min(new, key=len)


def _common_prefix_change(pairs: Sequence[tuple[str, str]], tab_width: int) -> IndentShift | None:
    changes = {_prefix_change(_convert(ours, tab_width), theirs) for ours, theirs in pairs}
    if len(changes) != 1:
        return None
    change = changes.pop()
    return None if change is None else IndentShift(tab_width, *change)


def _prefix_change(ours: str, theirs: str) -> tuple[str, str] | None:
    if theirs.endswith(ours):
        return "", theirs[: len(theirs) - len(ours)]
    if ours.endswith(theirs):
        return ours[: len(ours) - len(theirs)], ""
    return None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _convert(indent: str, tab_width: int) -> str:
    if tab_width > 0:
        return indent.replace("\t", " " * tab_width)
    if tab_width < 0:
        return indent.replace(" " * -tab_width, "\t")
    return indent
