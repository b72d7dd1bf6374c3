"""The part of a file most like a text that does not stand in it: told in a refusal, or offered as `approximate`.

Lines are compared without the white space around them. Candidates come from lines that stand in both texts and from
the lines most similar to a few of the search text's; only the most promising places are aligned line by line. So
work grows with the file, not with file times search text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress, count
from math import isqrt
from operator import itemgetter

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel

from motet.edits.alignment import (
    ALIKE,
    CLOSELY,
    FILE,
    MOST_PAIRS,
    SEARCH,
    Pair,
    align,
    in_order,
    indent_of,
    is_small,
    keys_of,
    similarity,
)

_NEAR = 0.5
"""A window less similar than this helps nobody."""
_LINE, _MEAN, _LEAD = 0.8, 0.9, 0.08
"""The rule of `approximate`: of each line, of all lines, over the second best."""
_CLEAR = 0.03
"""Lead of what an edit may have been applied to over anything else that is as near to its search text."""
_PROBES, _PROBE_HITS, _PROBE_LENGTH = 6, 32, 200
"""Lines of the search text that are looked up by similarity, hits of each, characters of a line that count there."""
_VOTES = 20_000
"""Pairs of equal or similar lines that are counted at most, for each search line at least four."""
_EDGE = 3
"""Lines that a window is widened by at most where the first or the last search lines have no counterpart."""
_SHORTEST_PART = 8
"""A shorter text, in characters, is like a part of too many lines."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines `first` up to `last` (0-based, end exclusive) of a file; `score` says how similar they are, 0 to 1.

    `alignment` are the lines that stand for each other, ascending: 0-based in the search text, 0-based in the file.
    """

    first: int
    last: int
    score: float
    alignment: tuple[tuple[int, int], ...] = ()


class Survey:
    """Where in a file lines like those of a search text stand; made once, it answers both questions."""

    def __init__(self, search: Sequence[str], lines: Sequence[str], keys: Sequence[str] = ()) -> None:
        """Both texts are lines without their ends; `keys` are those of `lines`, if they are known."""
        self._raw_search, self._raw = search, lines
        self._search = keys_of(search, SEARCH)
        self._lines = keys or keys_of(lines, FILE)
        self._votes = self._count()
        self._diagonals: dict[int, list[float]] = {}

    @cached_property
    def nearest(self) -> Window | None:
        """The part of the file most like the search text; None when nothing is near."""
        best = self._ranked[0] if self._ranked else None
        return best if best is not None and best.score >= _NEAR else None

    @property
    def is_clear(self) -> bool:
        """Whether no other part of the file is nearly as near."""
        rivals = (window.score for window in self._ranked[1:] if not _same_place(self._ranked[0], window))
        return bool(self._ranked) and self._ranked[0].score - max(rivals, default=0.0) >= _CLEAR

    @cached_property
    def _ranked(self) -> list[Window]:
        """Parts of the file, the nearest first."""
        size = len(self._search)
        slack = min(max(2, size // 4), 20)
        most = min(max(2, 4 * MOST_PAIRS // (size * (size + 2 * slack) + 1)), 12)
        found = [window for start in self._regions(slack, most) for window in self._aligned(start, slack)]
        if size == 1 and not any(window.score >= _NEAR for window in found):
            found = self._around()
        return sorted(found, key=lambda window: (-window.score, -self._indented_alike(window), window.first))

    @cached_property
    def approximate(self) -> Window | None:
        """The one place that the search text may well mean although no line rung finds it; None when there is doubt.

        All its lines are aligned, or all but one; or the file has one line more. Aligned lines are >= 0.8 similar, on
        average >= 0.9, and no other place comes within 0.08. A line without counterpart counts 0 in the score, has
        aligned lines before and after it, and at least three lines with text have to be aligned then.
        """
        best = self._leading(self._likely())
        return best if best is not None and self._fits(best) else None

    def _likely(self) -> list[Window]:
        """Places where the lines stand one below the other as in the search text, but for one; the likeliest first."""
        most = min(max(2, 2_000 // (len(self._search) + 1)), 16)
        starts = {start + shift for start in self._regions(1, most) for shift in (-1, 0, 1)}
        found = [window for start in starts for window in self._rigid(start)]
        return sorted(found, key=lambda window: (-window.score, window.first, window.last))

    @staticmethod
    def _leading(found: Sequence[Window]) -> Window | None:
        """The first of `found`, if no other place comes within 0.08."""
        if not found:
            return None
        rivals = (window.score for window in found if not _same_place(found[0], window))
        return found[0] if found[0].score - max(rivals, default=0.0) >= _LEAD else None

    def _count(self) -> list[tuple[int, float]]:
        """What speaks for each first line of a window, ascending: lines at their place, rare ones the most."""
        wanted = self._wanted()
        places: dict[str, list[int]] = {}
        for place in compress(count(), map(wanted.__contains__, self._lines)):
            places.setdefault(self._lines[place], []).append(place)
        room = max(4, _VOTES // max(1, len(self._search)))
        votes: dict[int, float] = {}
        for key, where in places.items():
            indexes = sorted(wanted[key].items())[: isqrt(room)]
            for index, likeness in indexes:
                weight = likeness**4 / len(where)
                for place in where[: room // len(indexes)]:
                    votes[place - index] = votes.get(place - index, 0.0) + weight
        return sorted(votes.items())

    def _wanted(self) -> dict[str, dict[int, float]]:
        """Lines to look for in the file: those of the search text, and the most similar to some of them."""
        unique = dict.fromkeys(self._lines)
        numbers: dict[str, list[int]] = {}
        for index, key in enumerate(self._search):
            numbers.setdefault(key, []).append(index)
        blank = numbers.pop("", [])
        wanted = {key: dict.fromkeys(indexes, 1.0) for key, indexes in numbers.items() if key in unique}
        probes = sorted(numbers, key=lambda key: (key in unique, -min(len(key), _PROBE_LENGTH), numbers[key][0]))
        choices = list(unique)
        heads = list(map(itemgetter(slice(_PROBE_LENGTH)), choices))
        for probe in probes[:_PROBES]:
            for _, score, choice in process.extract(
                probe[:_PROBE_LENGTH],
                heads,
                scorer=Indel.normalized_similarity,
                score_cutoff=ALIKE,
                limit=_PROBE_HITS,
            ):
                found = wanted.setdefault(choices[choice], {})
                for index in numbers[probe]:
                    found[index] = max(score, found.get(index, 0.0))
        return wanted or ({"": dict.fromkeys(blank, 1.0)} if blank and "" in unique else {})

    def _regions(self, slack: int, most: int) -> list[int]:
        """The first lines of the `most` windows that most speaks for, more than `slack` lines from one another;
        votes up to `slack` lines away count, since lines may be missing or added."""
        starts = [start for start, _ in self._votes]
        sums = [0.0, *accumulate(weight for _, weight in self._votes)]
        near = [
            sums[bisect_right(starts, start + slack)] - sums[bisect_left(starts, start - slack)] for start in starts
        ]
        chosen: list[int] = []
        for at in sorted(range(len(starts)), key=lambda at: (-round(near[at], 9), -self._votes[at][1], at)):
            if len(chosen) == most:
                break
            if all(abs(starts[at] - other) > slack for other in chosen):
                chosen.append(starts[at])
        return chosen

    def _aligned(self, start: int, slack: int) -> list[Window]:
        """The best windows that begin at `start` or up to `slack` lines away from there."""
        size = len(self._search)
        first, last = max(start - slack, 0), start + size + slack
        around = self._lines[first:last]
        if start < 0 or is_small(self._search, around):
            return self._widened(align(self._search, around, first))
        straight = self._widened(in_order(self._search, self._lines[start : start + size], 0, start))
        if straight and straight[0].score >= _MEAN:
            return straight
        return straight + self._widened(align(self._search, around, first))

    def _widened(self, pairs: Sequence[Pair]) -> list[Window]:
        """The window of `pairs`, if there are any, and a little more; what is unlike in it counts against it."""
        if not pairs:
            return []
        ahead = min(pairs[0][0], _EDGE)
        behind = min(len(self._search) - 1 - pairs[-1][0], _EDGE)
        start, end = max(pairs[0][1] - ahead, 0), min(pairs[-1][1] + 1 + behind, len(self._lines))
        alike = sum(same * (len(self._search[i]) + len(self._lines[j]) + 2) for i, j, same in pairs)
        total = sum(len(key) + 1 for key in (*self._search, *self._lines[start:end]))
        return [Window(start, end, alike / total, tuple((i, j) for i, j, _ in pairs))]

    def _around(self) -> list[Window]:
        """Lines that have something like the only search line as a part of them."""
        wanted = self._search[0]
        if len(wanted) < _SHORTEST_PART:
            return []
        counts: dict[int, int] = {}
        words = sorted(
            {word for word in re.findall(r"\w+", wanted) if len(word) > 2}, key=lambda word: (-len(word), word)
        )
        for word in words[:8]:
            places = [place for place, key in enumerate(self._lines) if word in key]
            for place in places if len(places) <= 500 else ():
                counts[place] = counts.get(place, 0) + len(word)
        likely = sorted(counts, key=lambda place: (-counts[place], place))[:20]
        parts = ((place, _best_part(wanted, self._lines[place])) for place in likely)
        return [Window(place, place + 1, score, ((0, place),)) for place, score in parts if score >= _LINE]

    def _indented_alike(self, window: Window) -> int:
        return sum(indent_of(self._raw_search[i]) == indent_of(self._raw[j]) for i, j in window.alignment)

    def _rigid(self, start: int) -> list[Window]:
        """The windows at `start` whose lines stand one below the other as in the search text, but for one."""
        size = len(self._search)
        before, here, after = map(self._diagonal, (start - 1, start, start + 1))
        windows = [_window([(i, start + i, same) for i, same in enumerate(here)], size)]
        for shift, other, step in ((1, after, 0), (-1, before, 1)):
            # Line `cut` is the first after the added one, or the dropped one itself.
            head = [0.0, *accumulate(here)]
            tail = [*accumulate(reversed(other), initial=0.0)][::-1]
            cuts = range(1, size - step)
            if cuts:
                cut = max(cuts, key=lambda cut: head[cut] + tail[cut + step])
                pairs = [(i, start + i, here[i]) for i in range(cut)]
                pairs += [(i, start + shift + i, other[i]) for i in range(cut + step, size)]
                windows.append(_window(pairs, size + 1 - step))
        return [window for window in windows if window.first >= 0 and window.last <= len(self._lines)]

    def _diagonal(self, start: int) -> list[float]:
        """How similar each search line is to the one at its place, when the window begins at `start`."""
        if start not in self._diagonals:
            count = len(self._lines)
            self._diagonals[start] = [
                similarity(key, self._lines[start + index]) if 0 <= start + index < count else 0.0
                for index, key in enumerate(self._search)
            ]
        return self._diagonals[start]

    def _fits(self, window: Window) -> bool:
        alike = [similarity(self._search[i], self._lines[j]) for i, j in window.alignment]
        if min(alike) < _LINE or sum(alike) / len(alike) < _MEAN:
            return False
        whole = len(alike) == len(self._search) == window.last - window.first
        return whole or sum(bool(self._search[i]) for i, _ in window.alignment) >= 3


def _window(pairs: Sequence[Pair], rows: int) -> Window:
    alignment = tuple((i, j) for i, j, _ in pairs)
    return Window(alignment[0][1], alignment[-1][1] + 1, sum(same for _, _, same in pairs) / rows, alignment)


def _same_place(one: Window, other: Window) -> bool:
    return 2 * len({*one.alignment}.intersection(other.alignment)) >= len(one.alignment)


def _best_part(wanted: str, line: str) -> float:
    return fuzz.partial_ratio(wanted, line) / 100 if len(line) <= CLOSELY and len(wanted) <= len(line) else 0.0
