"""Which problems are named at a hunk."""

from __future__ import annotations

from random import Random

from motet.cli.diff_view import Problems
from motet.edits import Hunk, Line
from motet.edits.hunks import LineNumbers
from motet.text import Diagnostic, Position, Range, Severity


def touches(found: Diagnostic, first: int, last: int) -> bool:
    return first < found.range.start.line <= last or first < found.range.end.line <= last


def test_a_hunk_names_what_each_problem_alone_would_tell() -> None:
    random = Random(1)
    for _ in range(2_000):
        starts = [random.randrange(1, 25) for _ in range(random.randrange(12))]
        problems = [
            Diagnostic(
                "a", Range(Position(line, 1), Position(line + end, 2)), Severity.ERROR, "no", "ts", str(number)
            )
            for number, line in enumerate(starts)
            for end in (random.choice((0, 0, 1, 2, 9)),)
        ]
        first = random.randrange(25)
        hunk = Hunk(first, (Line("", "\n"),) * random.randrange(5), (), LineNumbers("\n" * 30))
        inside = [found for found in problems if touches(found, first, max(hunk.last, first + 1))]
        around = [found for found in problems if touches(found, first - 3, hunk.last + 3)]
        assert Problems(problems).about(hunk) == (inside or around)
