"""A hunk as a coloured diff with its place, its reason and a few lines around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from motet.cli.problem_lines import what_is_wrong
from motet.cli.terminal import Terminal
from motet.cli.wrap import Span
from motet.edits import Decision, Hunk, Line, Proposal
from motet.edits.lines import split_lines
from motet.text import Diagnostic

_CONTEXT = 3
_HANG = 6
_WORD = re.compile(r"\w+|.")
_LINE_ENDS = {"\n": "⏎", "\r\n": "␍⏎", "\r": "␍", "": " (no newline at end of file)"}
_STATES = {
    Decision.PENDING: "",
    Decision.ACCEPTED: "  taken",
    Decision.REJECTED: "  left",
    Decision.AMENDED: "  taken as you edited it",
    Decision.STALE: "  stale: these lines have changed",
}


class Problems:
    """The problems of one file, found by the lines in which they begin or end."""

    def __init__(self, problems: Sequence[Diagnostic]) -> None:
        self._problems = problems
        lines = [(found.range.start.line, found.range.end.line) for found in problems]
        self._lines = sorted({(line, number) for number, both in enumerate(lines) for line in both})

    def about(self, hunk: Hunk) -> list[Diagnostic]:
        """Those in the hunk's lines; without any, those in the lines drawn around it."""
        inside = self._touching(hunk.first, max(hunk.last, hunk.first + 1))
        return inside or self._touching(hunk.first - _CONTEXT, hunk.last + _CONTEXT)

    def _touching(self, first: int, last: int) -> list[Diagnostic]:
        """Those that begin or end in lines `first` up to `last` (from 0, end exclusive), in their order."""
        begin, end = (bisect_right(self._lines, line, key=lambda one: one[0]) for line in (first, last))
        return [self._problems[number] for number in sorted({number for _, number in self._lines[begin:end]})]


NO_PROBLEMS = Problems(())


def draw_hunk(terminal: Terminal, proposal: Proposal, index: int, problems: Problems = NO_PROBLEMS) -> None:
    """Draw hunk `index` of `proposal` after a blank line; of the `problems` of the file those at this place are
    named."""
    reviewed = proposal.hunks[index]
    hunk, total = reviewed.hunk, len(proposal.hunks)
    count = f"  hunk {index + 1} of {total}" if total > 1 else ""
    place = f"{proposal.path}:{hunk.line}"
    terminal.line(always=True)
    terminal.spans((place, "bold"), (count + _about_file(proposal) + _STATES[reviewed.decision], "dim"), always=True)
    if hunk.caution:
        terminal.spans(("  ", ""), (hunk.caution, "yellow"), hang=2, always=True)
    for found in problems.about(hunk):
        terminal.spans(("  ", ""), *what_is_wrong(found), hang=_HANG, always=True)
    for spans in _diff(_lines(proposal.base.text), hunk):
        terminal.verbatim(*spans, always=True)


@lru_cache(maxsize=2)
def _lines(text: str) -> Sequence[Line]:
    """The lines of a text of which many hunks are drawn, one after the other."""
    return split_lines(text)


def _about_file(proposal: Proposal) -> str:
    """What happens to the file besides its lines."""
    cautioned = any(one.hunk.caution for one in proposal.hunks)
    facts = {
        "new file": proposal.before is None,
        "the file is deleted": proposal.deletes,
        f"moved to {proposal.moves_to}": bool(proposal.moves_to),
        "approximate: the search text differs from these lines": proposal.approximate and not cautioned,
    }
    return "".join(f"  {fact}" for fact, holds in facts.items() if holds)


def _diff(before: Sequence[Line], hunk: Hunk) -> Iterator[list[Span]]:
    parts = hunk.parts or (hunk,)
    start = max(hunk.first - _CONTEXT, 0)
    for part in parts:
        yield from (_context(line) for line in before[start : part.first])
        yield from _changed(part)
        start = part.last
    yield from (_context(line) for line in before[start : start + _CONTEXT])


def _context(line: Line) -> list[Span]:
    return [(f" {line.text}" if line.text else "", "")]


def _changed(part: Hunk) -> Iterator[list[Span]]:
    """The old lines, then the new ones; where one stands for one, what differs in them stands out."""
    only_ends = [line.text for line in part.old] == [line.text for line in part.new]
    pairs = list(zip(part.old, part.new, strict=True)) if len(part.old) == len(part.new) else []
    for sign, style, lines in (("-", "red", part.old), ("+", "green", part.new)):
        for at, line in enumerate(lines):
            if only_ends:
                yield [(f"{sign}{line.text}{_LINE_ENDS[line.end]}", style)]
                continue
            head, tail = _common(pairs[at][0].text, pairs[at][1].text) if pairs else (0, 0)
            middle = len(line.text) - tail
            emphasis = f"bold {style}" if head or tail else style
            yield [(sign + line.text[:head], style), (line.text[head:middle], emphasis), (line.text[middle:], style)]


def _common(old: str, new: str) -> tuple[int, int]:
    """How many characters two lines share at their start and at their end, in whole words."""
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    head = _shared(old_words, new_words)
    shorter = min(len(old_words), len(new_words)) - head
    tail = _shared(old_words[::-1][:shorter], new_words[::-1][:shorter])
    return sum(map(len, old_words[:head])), sum(map(len, old_words[len(old_words) - tail :]))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
