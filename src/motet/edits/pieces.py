"""Whether the text of a fence is a piece of a file that the answer shows as if it were all of it."""

from __future__ import annotations

from collections import Counter

from motet.edits.elision import is_elision
from motet.text.changes import changes

_FEW = 2
"""Lines that an edit may take out without being taken for a piece."""
_MUCH = 4
"""Old lines for each new one that an edit may replace besides."""


def may_be_a_piece(before: str, now: str) -> bool:
    """Whether `now`, the text of a fence for which a file is named only further above or in a sentence, may be a piece
    of that file, which holds `before`.

    The text itself has to show what it is: it must begin as the file does, keep half of its lines, and leave out
    neither the last ones nor a run of more than two. White space and blank lines do not count.
    """
    old, new = ([line.strip() for line in text.splitlines() if line.strip()] for text in (before, now))
    if not old or not new:
        return bool(old)
    kept = sum((Counter(old) & Counter(new)).values())
    return old[0] != new[0] or 2 * kept < len(old) or _leaves_out(old, new)


def is_excerpt(before: str, shown: str) -> bool:
    """Whether `shown` holds nothing but lines of `before`, in their order, and lines that stand for others: it is read
    out of that file, or is the file with lines taken out."""
    lines = iter(line.strip() for line in before.splitlines())
    return all(
        any(line == other for other in lines)
        for line in map(str.strip, shown.splitlines())
        if line and not is_elision(line)
    )


def _leaves_out(old: list[str], new: list[str]) -> bool:
    """Whether lines are gone for which nothing, or much less, stands there now."""
    made = changes(old, new)
    if made[-1][0] == "delete":
        return True
    return any(end - start > _MUCH * (last - first) + _FEW for _, start, end, first, last in made)
