"""A hunk as a coloured diff with its place, its reason and a few lines around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from motet.cli.terminal import Terminal
from motet.edits import Hunk, Line, Proposal
from motet.edits.lines import split_lines
from motet.text import Diagnostic

_CONTEXT = 3


def draw_hunk(terminal: Terminal, proposal: Proposal, index: int, reasons: Sequence[Diagnostic]) -> None:
    """Draw hunk `index` of `proposal`; `reasons` are the problems of the file, of which those inside are named."""
    hunk = proposal.hunks[index].hunk
    total = len(proposal.hunks)
    count = f"  hunk {index + 1} of {total}" if total > 1 else ""
    created = "  new file" if proposal.before is None else ""
    terminal.spans((f"{proposal.path}:{hunk.line}", "bold"), (count + created, "dim"), always=True)
    for found in _inside(hunk, reasons):
        code = f" {found.code}" if found.code else ""
        terminal.spans(
            (f"  {found.severity.label.lower()}: ", _severity_style(found)),
            (_first_line(found.message), ""),
            (f" ({found.source}{code})", "dim"),
            always=True,
        )
    for sign, line in _diff(split_lines(proposal.base.text), hunk):
        style = {"-": "red", "+": "green"}.get(sign, "dim")
        terminal.line(f"{sign}{line}", style, always=True)


def _diff(before: Sequence[Line], hunk: Hunk) -> Iterator[tuple[str, str]]:
    parts = hunk.parts or (hunk,)
    start = max(hunk.first - _CONTEXT, 0)
    for part in parts:
        yield from ((" ", line.text) for line in before[start : part.first])
        yield from (("-", _shown(line, part)) for line in part.old)
        yield from (("+", _shown(line, part)) for line in part.new)
        start = part.last
    yield from ((" ", line.text) for line in before[start : start + _CONTEXT])


def _shown(line: Line, part: Hunk) -> str:
    """The line; with its end, where only that differs."""
    texts_equal = [old.text for old in part.old] == [new.text for new in part.new]
    if not texts_equal:
        return line.text
    return line.text + {"\n": "⏎", "\r\n": "␍⏎", "\r": "␍", "": " (no newline at end of file)"}[line.end]


def _inside(hunk: Hunk, reasons: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [
        found
        for found in reasons
        if hunk.first < found.range.start.line <= max(hunk.last, hunk.first + 1)
        or hunk.first < found.range.end.line <= hunk.last
    ]


def _first_line(message: str) -> str:
    return " ".join(message.split())


def _severity_style(found: Diagnostic) -> str:
    return {1: "bold red", 2: "yellow"}.get(found.severity, "cyan")
