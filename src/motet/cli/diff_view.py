"""A hunk as a coloured diff with its place, its reason and a few lines around it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from motet.cli.problem_lines import what_is_wrong
from motet.cli.terminal import Terminal
from motet.cli.wrap import Span
from motet.edits import Decision, Hunk, Line, Proposal
from motet.edits.lines import split_lines
from motet.syntax.definitions import OUTLINE_KINDS, definitions, signature
from motet.syntax.languages import language_of
from motet.text import Diagnostic, TextFile
from motet.text.changes import Pair as Stretch
from motet.text.changes import changed_words

CONTEXT = 3
_HANG = 6
_LONGEST = 1_000
"""Characters of a line up to which all of it is drawn."""
_AROUND = 60
"""Characters drawn on each side of what changes in a longer one."""
_MOST_SHOWN = 10
"""Stretches drawn of such a line."""
_MOST_OF_NAME = 60
"""Characters of the definition that a hunk is in."""
_LEFT = (Decision.REJECTED, Decision.STALE)
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
        return inside or self._touching(hunk.first - CONTEXT, hunk.last + CONTEXT)

    def _touching(self, first: int, last: int) -> list[Diagnostic]:
        """Those that begin or end in lines `first` up to `last` (from 0, end exclusive), in their order."""
        begin, end = (bisect_right(self._lines, line, key=lambda one: one[0]) for line in (first, last))
        return [self._problems[number] for number in sorted({number for _, number in self._lines[begin:end]})]


NO_PROBLEMS = Problems(())


def draw_hunk(terminal: Terminal, proposal: Proposal, index: int, problems: Problems = NO_PROBLEMS) -> None:
    """Draw hunk `index` of `proposal` after a blank line; of the `problems` of the file those at this place are
    named."""
    reviewed = proposal.hunks[index]
    hunk = reviewed.hunk
    place = f"{proposal.path}:{hunk.line}"
    terminal.line(always=True)
    terminal.spans((place, "bold"), (_about_file(proposal) + _STATES[reviewed.decision], "dim"), always=True)
    if hunk.caution:
        terminal.spans(("  ", ""), (hunk.caution, "yellow"), hang=2, always=True)
    for found in problems.about(hunk):
        terminal.spans(("  ", ""), *what_is_wrong(found), hang=_HANG, always=True)
    if hunk.has_lines and proposal.before is not None and not proposal.deletes:
        terminal.spans((_head(proposal, index), "cyan"), always=True)
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


def _head(proposal: Proposal, index: int) -> str:
    """Where the lines that are drawn stand before and after, and in which definition, as in a unified diff. After: where
    all earlier hunks that were not left out are taken."""
    hunk, before = proposal.hunks[index].hunk, _lines(proposal.base.text)
    first, last = _drawn(hunk, before)
    earlier = [one.hunk for one in proposal.hunks[:index] if one.decision not in _LEFT]
    moved = first + sum(len(one.new) - len(one.old) for one in earlier)
    count = last - first
    new_count = count + len(hunk.new) - len(hunk.old)
    where = f"@@ -{first + bool(count)},{count} +{moved + bool(new_count)},{new_count} @@"
    return f"{where} {_definition(proposal.base, max(hunk.first, 1) if not hunk.old else hunk.line)}".rstrip()


@lru_cache(maxsize=2)
def _definitions(text: str, path: str) -> Sequence[tuple[int, int, str]]:
    """First and last line of each, from 1, and what it says of itself."""
    lines = [line.text for line in _lines(text)]
    found = (one for one in definitions(text, language_of(path)) if one.kind in OUTLINE_KINDS)
    return [(one.first_line, one.last_line, signature(lines, one, most=_MOST_OF_NAME)) for one in found]


def _definition(file: TextFile, line: int) -> str:
    """What the innermost definition around a line (from 1) says of itself."""
    found = _definitions(file.text, file.path)
    before = found[: bisect_right(found, line, key=lambda each: each[0])]
    return next((said for _, last, said in reversed(before) if line <= last), "")


def _drawn(hunk: Hunk, before: Sequence[Line]) -> tuple[int, int]:
    """The lines before, from 0 and the end exclusive, that are drawn of a hunk and around it."""
    return max(hunk.first - CONTEXT, 0), min(hunk.last + CONTEXT, len(before))


def _diff(before: Sequence[Line], hunk: Hunk) -> Iterator[list[Span]]:
    start, end = _drawn(hunk, before)
    for part in hunk.parts or (hunk,):
        yield from (_spans(" " if line.text else "", line.text, "", ()) for line in before[start : part.first])
        yield from _changed(part)
        start = part.last
    yield from (_spans(" " if line.text else "", line.text, "", ()) for line in before[start:end])


def _changed(part: Hunk) -> Iterator[list[Span]]:
    """The old lines, then the new ones; where one became another, the words that differ stand out."""
    old, new = [line.text for line in part.old], [line.text for line in part.new]
    marks = changed_words(old, new)
    for sign, style, lines, stretches in (("-", "red", part.old, marks[0]), ("+", "green", part.new, marks[1])):
        for line, marked in zip(lines, stretches, strict=True):
            ends = _LINE_ENDS[line.end] if old == new else ""
            yield _spans(sign, f"{line.text}{ends}", style, marked)


def _spans(sign: str, text: str, style: str, marked: Sequence[Stretch]) -> list[Span]:
    """A line, in which the stretches `marked` stand out; of one that is long, only these and what is around them."""
    spans, at = [(sign, style)], 0
    for first, last in _shown(text, style, marked):
        if first > at:
            spans.append((_left_out(first - at), "dim"))
        at = first
        for begin, end in marked:
            if at <= begin < last or begin < at < end:
                spans.append((text[at:begin], style))
                spans.append((text[max(at, begin) : min(end, last)], f"bold {style}"))
                at = min(end, last)
        spans.append((text[at:last], style))
        at = last
    if at < len(text):
        spans.append((_left_out(len(text) - at), "dim"))
    return spans


def _left_out(count: int) -> str:
    return f"…{count:,} characters…"


def _shown(text: str, style: str, marked: Sequence[Stretch]) -> list[Stretch]:
    """The stretches of a line that are drawn: all of it, or of a long one what changes, with some characters around; the
    first and the last of what is long itself."""
    if len(text) <= _LONGEST:
        return [(0, len(text))]
    half = _LONGEST // 2 if style else _AROUND
    wanted = [(max(first - _AROUND, 0), min(last + _AROUND, len(text))) for first, last in marked] or [(0, len(text))]
    shown: list[Stretch] = []
    for first, last in wanted:
        pieces = [(first, last)] if last - first <= 2 * half else [(first, first + half), (last - half, last)]
        for begin, end in pieces:
            if shown and begin <= shown[-1][1]:
                begin = shown.pop()[0]
            shown.append((begin, end))
    return shown if len(shown) <= _MOST_SHOWN else [*shown[: _MOST_SHOWN - 1], shown[-1]]
