"""Before and after a change: what is solved, what remains, what is new, whatever happened to line numbers."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motet.diagnostics.comparison import Change, compare, summary
from motet.text import Diagnostic, Range, Severity, TextFile


def files(text: str, path: str = "a.py") -> dict[str, TextFile]:
    return {path: TextFile.new(path).with_text(text)}


def problem(line: int, message: str = "wrong", *, code: str = "X1", path: str = "a.py") -> Diagnostic:
    return Diagnostic(path, Range.at(line, 5), Severity.ERROR, message, "ruff", code)


def changed(
    before: str, old: Sequence[Diagnostic], after: str, new: Sequence[Diagnostic]
) -> tuple[list[Diagnostic], list[Diagnostic], list[Diagnostic]]:
    change = compare(old, files(before), new, files(after))
    return list(change.solved), list(change.remaining), list(change.new)


@pytest.mark.acceptance("CL-05")
def test_a_shifted_old_error_is_not_new_and_an_added_one_is() -> None:
    before, after = "x = y\n", "import os\n\nx = y\nz = 1\n"
    assert changed(before, [problem(1)], after, [problem(3), problem(1, "unused"), problem(4)]) == (
        [],
        [problem(3)],
        [problem(1, "unused"), problem(4)],
    )


def test_a_repaired_error_is_solved() -> None:
    assert changed("x = y\nz = w\n", [problem(1), problem(2)], "x = 1\nz = w\n", [problem(2)]) == (
        [problem(1)],
        [problem(2)],
        [],
    )


def test_equal_errors_on_equal_lines_are_counted() -> None:
    old, new = [problem(1), problem(2)], [problem(1), problem(2), problem(3)]
    assert changed("x\nx\n", old, "x\nx\nx\n", new) == ([], new[:2], new[2:])
    assert changed("x\nx\n", old, "x\n", [problem(1)]) == ([problem(2)], [problem(1)], [])


def test_another_indentation_is_the_same_line() -> None:
    assert changed("x = y\n", [problem(1)], "if a:\n    x  = y\n", [problem(2)]) == ([], [problem(2)], [])


def test_the_second_error_of_a_repaired_line_remains() -> None:
    old = [problem(2, "no a"), problem(2, "no b")]
    assert changed("one\nf(a, b)\ntwo\n", old, "one\nf(1, b)\ntwo\n", [problem(2, "no b")]) == (
        [old[0]],
        [problem(2, "no b")],
        [],
    )


@pytest.mark.acceptance("CL-05")
def test_the_same_kind_of_error_elsewhere_is_new() -> None:
    assert changed("a = b\nx\ny\nz\n", [problem(1)], "a = 1\nx\ny\nz = b\n", [problem(4)]) == (
        [problem(1)],
        [],
        [problem(4)],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Redefinition of `x` from line 3", "Redefinition of `x` from line 12"),
        ("expected at lines 3-5, column 7", "expected at lines 30-50, column 9"),
        ("first defined at src/b.c:12:5 there", "first defined at src/b.c:120:9 there"),
        ("first defined at src/b.ts(12,5)", "first defined at src/b.ts(3,5)"),
        ("wrong\nnote: declared here (b.c:12)", "wrong\nnote: something else"),
    ],
)
def test_positions_and_explanations_in_a_message_do_not_count(old: str, new: str) -> None:
    assert changed("x\n", [problem(1, old)], "x\n", [problem(1, new)]) == ([], [problem(1, new)], [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expected 2 arguments, got 3", "expected 2 arguments, got 4"),
        ("no value at (1, 2)", "no value at (1, 3)"),
        ("int32 is no int64", "int32 is no int16"),
        ("'1.5' is no number", "'1.6' is no number"),
    ],
)
def test_other_numbers_in_a_message_count(old: str, new: str) -> None:
    assert changed("x\n", [problem(1, old)], "x\n", [problem(1, new)]) == ([problem(1, old)], [], [problem(1, new)])


def test_code_and_file_count() -> None:
    assert changed("x\n", [problem(1)], "x\n", [problem(1, code="X2")])[2] == [problem(1, code="X2")]
    both = {**files("x\n"), **files("x\n", "b.py")}
    moved = compare([problem(1)], both, [problem(1, path="b.py")], both)
    assert moved == Change((problem(1),), (), (problem(1, path="b.py"),))


def test_a_file_that_is_gone_counts_as_empty() -> None:
    assert compare([problem(1)], files("x\n"), [], {}) == Change((problem(1),), (), ())
    assert compare([], {}, [problem(1)], files("x\n")) == Change((), (), (problem(1),))


def test_places_after_the_end_are_no_problem() -> None:
    assert changed("x\n", [problem(99)], "x\ny\n", [problem(100)]) == ([], [problem(100)], [])


def test_large_files_are_compared_quickly() -> None:
    before = "".join(f"line {number}\n" for number in range(30_000))
    after = "".join(f"row {number}\n" for number in range(30_000))
    old, new = (
        [problem(number * 90 + 1) for number in range(300)],
        [problem(number * 80 + 1) for number in range(300)],
    )
    begin = time.process_time()
    solved, remaining, added = changed(before, old, after, new)
    assert time.process_time() - begin < 5
    assert (len(solved), len(remaining), len(added)) == (0, 300, 0)


lines = st.lists(st.sampled_from(["x = y", "  x = y", "f(a, b)", "", "pass", "日本"]), min_size=1, max_size=12)
messages = st.sampled_from(["wrong", "from line 3", "b.c:1:2: x", "two\nlines", ""])


@pytest.mark.acceptance("CL-05")
@settings(max_examples=300, deadline=None)
@given(
    lines,
    st.lists(st.tuples(st.integers(0, 11), messages), max_size=8),
    st.lists(st.tuples(st.integers(0, 12), lines), max_size=4),
    st.sampled_from(["\n", "\r\n"]),
)
def test_inserting_lines_anywhere_solves_nothing_and_adds_nothing(
    text: list[str], places: list[tuple[int, str]], inserted: list[tuple[int, list[str]]], end: str
) -> None:
    numbered = [(number, line) for number, line in enumerate(text)]
    for index, new_lines in inserted:
        numbered[index:index] = [(-1, line) for line in new_lines]
    where = {number: index for index, (number, _) in enumerate(numbered) if number >= 0}
    before = [problem(number % len(text) + 1, message) for number, message in places]
    after = [problem(where[number % len(text)] + 1, message) for number, message in places]
    change = compare(before, files(end.join(text)), after, files(end.join(line for _, line in numbered)))
    assert change == Change((), tuple(after), ())


@settings(max_examples=200, deadline=None)
@given(lines, lines, st.lists(st.integers(1, 14), max_size=8), st.lists(st.integers(1, 14), max_size=8))
def test_every_problem_is_told_exactly_once(old: list[str], new: list[str], one: list[int], two: list[int]) -> None:
    before, after = [problem(number) for number in one], [problem(number) for number in two]
    change = compare(before, files("\n".join(old)), after, files("\n".join(new)))
    assert len(change.solved) + len(change.remaining) == len(before)
    assert sorted(each.range for each in (*change.remaining, *change.new)) == sorted(each.range for each in after)


def severe(severity: Severity, path: str) -> Diagnostic:
    return Diagnostic(path, Range.at(1), severity, "m", "s")


@pytest.mark.parametrize(
    ("found", "sources", "expected"),
    [
        ([], ["ruff"], "no problems (ruff)"),
        ([], [], "no problems"),
        ([severe(Severity.ERROR, "a")], ["ruff"], "1 file, 1 error (ruff)"),
        (
            [severe(Severity.ERROR, f"{number % 3}") for number in range(7)] + [severe(Severity.WARNING, "0")] * 2,
            ["tsc", "basedpyright", "ruff", "ruff"],
            "3 files, 7 errors, 2 warnings (basedpyright, ruff, tsc)",
        ),
        (
            [severe(each, "a") for each in (Severity.INFO, Severity.HINT, Severity.HINT)],
            [],
            "1 file, 1 info, 2 hints",
        ),
    ],
)
def test_the_summary_counts_files_and_severities(found: list[Diagnostic], sources: list[str], expected: str) -> None:
    assert summary(found, sources) == expected
