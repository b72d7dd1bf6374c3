"""What is drawn of a hunk: where it stands, the problems there, and what changes inside of lines."""

from __future__ import annotations

import re
from io import StringIO
from random import Random

import pytest

from motet.cli.diff_view import Problems, draw_hunk
from motet.cli.terminal import Terminal
from motet.edits import Hunk, Line, Proposal
from motet.edits.hunks import LineNumbers
from motet.text import Diagnostic, Position, Range, Severity, TextFile


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


def drawn(before: str, after: str, path: str = "a.py", *, colour: bool = False) -> list[str]:
    """The lines of each hunk of a file that becomes another, without the blank one before it. A word that stands out
    is in brackets."""
    file = TextFile.new(path).with_text(before)
    proposal = Proposal.between(path, file if before else None, file.with_text(after))
    screen = StringIO()
    terminal = Terminal(screen)
    terminal._colour = colour  # pyright: ignore[reportPrivateUsage] (no test runs in a terminal)
    for index in range(len(proposal.hunks)):
        draw_hunk(terminal, proposal, index)
    text = re.sub(r"\x1b\[1;\d+m(.*?)\x1b\[0m", r"[\1]", screen.getvalue())
    return [line for line in re.sub(r"\x1b\[\d*m", "", text).splitlines() if line]


CODE = "import os\n\n\nclass Area:\n    def of(self, w):\n        x = 1\n        y = 2\n        return w * h\n\n\nlast = 1\n"


def test_a_head_says_which_lines_and_in_which_definition() -> None:
    lines = drawn(CODE, CODE.replace("import os\n", "import os\nimport re\n").replace("w * h", "w * self.h"))
    assert [line for line in lines if line.startswith("@@")] == [
        "@@ -1,4 +1,5 @@",
        "@@ -5,7 +6,7 @@ def of(self, w):",
    ]


@pytest.mark.parametrize(
    ("before", "after", "head"),
    [
        ("\n", "one\n\n", "@@ -1,1 +1,2 @@"),
        ("one\ntwo\n", "two\n", "@@ -1,2 +1,1 @@"),
        ("a\n", "", "@@ -1,1 +0,0 @@"),
    ],
)
def test_heads_count_as_those_of_diffs_do(before: str, after: str, head: str) -> None:
    assert head in drawn(before, after)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("return bad * h", "return good * h", ["-return [bad] * h", "+return [good] * h"]),
        ("a = f(x, y)", "a = f(x, z)\nb = 2", ["-a = f(x, [y])", "+a = f(x, [z])", "+b = 2"]),
        ("one = 1, two = 2", "1 = 1, two = 3", ["-[one] = 1, two = [2]", "+[1] = 1, two = [3]"]),
        ("deep red green", "deep red blue white", ["-deep red [green]", "+deep red [blue white]"]),
        ("all of this", "is something", ["-all of this", "+is something"]),
        ("x = a", "x = a, b", ["-x = a", "+x = a[, b]"]),
    ],
)
def test_words_that_change_stand_out_inside_of_lines(old: str, new: str, shown: list[str]) -> None:
    lines = drawn(f"{old}\n", f"{new}\n", colour=True)
    assert [line for line in lines if line[0] in "+-"] == shown


def test_a_long_line_is_cut_around_what_changes() -> None:
    long = "word " * 400_000
    before = f"{long}old {long}\n"
    lines = [line for line in drawn(before, before.replace("old", "new"), "a.txt") if line[0] in "+-"]
    around = f"…1,999,940 characters…{'word ' * 12}%s{' word' * 12}…1,999,941 characters…"
    assert lines == [f"-{around % 'old'}", f"+{around % 'new'}"]


def test_of_a_long_line_that_is_all_new_both_ends_are_drawn() -> None:
    lines = drawn("a\n", "a\n" + "b" * 2_000_000 + "\n", "a.txt")
    assert f"+{'b' * 500}…1,999,000 characters…{'b' * 500}" in lines


def test_of_a_long_line_beside_a_change_the_ends_are_drawn() -> None:
    long = "c" * 5_000
    assert f" {'c' * 60}…4,880 characters…{'c' * 60}" in drawn(f"{long}\na\n", f"{long}\nb\n", "a.txt")
