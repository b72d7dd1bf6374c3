"""The matching ladder: where in a text do these lines stand? The first rung with exactly one hit wins.

A rung with several hits is a refusal, not a reason to try a looser one. Never on any rung: without regard to
case or to all white space, by first and last line alone, or the first of many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from motet.edits.indent import IndentShift, find_shift
from motet.edits.lines import Line, split_lines
from motet.edits.outcome import Rung


@dataclass(frozen=True, slots=True)
class Hit:
    """The search lines stand at 0-based line `first` of the text; `shift` turns their indentation into its."""

    first: int
    rung: Rung
    shift: IndentShift = field(default_factory=IndentShift)


@dataclass(frozen=True, slots=True)
class Hits:
    """All hits of the first rung that had any: exactly one is a place, several are an ambiguity."""

    hits: tuple[Hit, ...]


class Haystack:
    """One text, prepared for searching whole lines in it."""

    def __init__(self, text: str) -> None:
        self.lines = split_lines(text)
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            self._places.setdefault(line.text.strip(), []).append(number)

    def find(self, search: Sequence[Line]) -> Hits:
        """Hits of `search` (at least one line) on the strictest rung that has any."""
        starts = self._candidates(search)
        for rung, same in _RUNGS:
            hits = tuple(Hit(start, rung) for start in starts if self._all(search, start, same))
            if hits:
                return Hits(hits)
        return Hits(tuple(self._shifted(search, starts)))

    def _candidates(self, search: Sequence[Line]) -> list[int]:
        """Starts at which every line agrees when leading and trailing white space is ignored.

        Looks only around the places of the search text's rarest line, so cost grows with the text.
        """
        keys = [line.text.strip() for line in search]
        rarest = min(range(len(keys)), key=lambda index: len(self._places.get(keys[index], ())))
        last = len(self.lines) - len(search)
        starts = [place - rarest for place in self._places.get(keys[rarest], ())]
        return [
            start
            for start in starts
            if 0 <= start <= last
            and all(self.lines[start + index].text.strip() == key for index, key in enumerate(keys))
        ]

    def _all(self, search: Sequence[Line], start: int, same: Callable[[Line, Line], bool]) -> bool:
        return all(same(line, self.lines[start + index]) for index, line in enumerate(search))

    def _shifted(self, search: Sequence[Line], starts: Sequence[int]) -> list[Hit]:
        hits: list[Hit] = []
        for start in starts:
            window = [line.text for line in self.lines[start : start + len(search)]]
            shift = find_shift([line.text for line in search], window)
            if shift is not None:
                hits.append(Hit(start, Rung.INDENTATION, shift))
        return hits


def _exact(ours: Line, theirs: Line) -> bool:
    # The last line of a search text has no line end of its own to compare.
    return ours.text == theirs.text and ours.end in ("", theirs.end)


def _without_line_end(ours: Line, theirs: Line) -> bool:
    return ours.text == theirs.text


def _without_trailing_space(ours: Line, theirs: Line) -> bool:
    return ours.text.rstrip() == theirs.text.rstrip()


_RUNGS: tuple[tuple[Rung, Callable[[Line, Line], bool]], ...] = (
    (Rung.EXACT, _exact),
    (Rung.LINE_ENDS, _without_line_end),
    (Rung.TRAILING_SPACE, _without_trailing_space),
)
