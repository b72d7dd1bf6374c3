"""Where some lines stand one below the other in a text, white space around each of them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from motet.edits.view import View

_FEW = 30
"""Places of the longest line that are looked at in the text itself, before it is divided into lines."""
_MOST_COMPARED = 20_000_000
"""Lines that are compared at most to find a text which does not stand exactly; of a file that repeats itself so often
nobody could say which place is meant."""
_TRIED_FOR_RAREST = 3
"""The longest lines of a search text, of which the rarest one leads the search."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole lines of a text, without their ends: its characters `start` up to `end`, the last line end included."""

    start: int
    end: int
    lines: tuple[str, ...]


def stretches(view: View, wanted: Sequence[str]) -> list[Stretch]:
    """Where lines stand that are `wanted` (stripped) when they are stripped. Splits the text into lines only when the
    longest of them stands in many places."""
    lead = max(range(len(wanted)), key=lambda index: len(wanted[index]), default=0)
    if not wanted or not wanted[lead]:
        return stretches_by(view, view.keys, wanted)
    places = view.places(wanted[lead], _FEW + 1)
    if len(places) > _FEW:
        return stretches_by(view, view.keys, wanted)
    begins = dict.fromkeys(_begin(view.flat, at, lead) for at in places)  # a line may hold it twice
    found = (_stretch(view, begin, len(wanted)) for begin in begins if begin is not None)
    return [one for one in found if one is not None and list(map(str.strip, one.lines)) == wanted]


def stretches_by(view: View, keys: Sequence[str], wanted: Sequence[str]) -> list[Stretch]:
    """Where lines stand whose `keys`, one for each line of the text, are `wanted`."""
    size = len(wanted)
    return [Stretch(*view.span(at, at + size), tuple(view.lines[at : at + size])) for at in starts(keys, wanted)]


def starts(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where `wanted` stands in `lines`. Looks only around its rarest line, so cost grows with the text."""
    if not wanted or len(wanted) > len(lines):
        return []
    longest = sorted(range(len(wanted)), key=lambda index: -len(wanted[index]))[:_TRIED_FOR_RAREST]
    counts = {index: lines.count(wanted[index]) for index in longest}
    rarest = min(counts, key=counts.__getitem__)
    if not counts[rarest]:
        return []
    if counts[rarest] * len(wanted) > _MOST_COMPARED:
        return []
    return [
        at - rarest
        for at in _places(lines, wanted[rarest])
        if at >= rarest and lines[at - rarest : at - rarest + len(wanted)] == wanted
    ]


def _begin(flat: str, at: int, above: int) -> int | None:
    """Where the line begins that stands `above` lines above the one that holds offset `at`."""
    begin = flat.rfind("\n", 0, at) + 1
    for _ in range(above):
        if not begin:
            return None
        begin = flat.rfind("\n", 0, begin - 1) + 1
    return begin


def _stretch(view: View, begin: int, count: int) -> Stretch | None:
    """`count` lines of the text, the first of which begins at offset `begin` of the flat text."""
    lines = tuple(islice(view.lines_below(begin), count))
    if len(lines) < count:
        return None
    end = begin + sum(map(len, lines)) + count  # the last line may have no end
    return Stretch(view.original(begin), view.original(min(end, len(view.flat))), lines)


def _places(lines: Sequence[str], wanted: str) -> Iterator[int]:
    at = -1
    try:
        while True:
            at = lines.index(wanted, at + 1)
            yield at
    except ValueError:
        return
