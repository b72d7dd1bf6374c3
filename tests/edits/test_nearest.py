"""The part of a file most like a text that does not stand in it: what a refusal shows, and what rung 9 offers."""

import time
from collections.abc import Callable, Sequence

import pytest

from motet.edits.alignment import small_diff
from motet.edits.nearest import Survey, Window

FILE = """\
import os


def total(rows):
    result = 0
    for row in rows:
        result += row.amount
    return result


def largest(rows):
    best = None
    for row in rows:
        if best is None or row.amount > best.amount:
            best = row
    return best
""".splitlines()
TOTAL = FILE[3:8]


def nearest(search: Sequence[str], lines: Sequence[str]) -> Window | None:
    return Survey(search, lines).nearest


def approximate(search: Sequence[str], lines: Sequence[str]) -> Window | None:
    return Survey(search, lines).approximate


def place(window: Window | None) -> tuple[int, int] | None:
    return None if window is None else (window.first, window.last)


def changed(lines: list[str], old: str, new: str) -> list[str]:
    text = "\n".join(lines)
    assert old in text
    return text.replace(old, new).split("\n")


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (changed(TOTAL, "row.amount", "row.value"), (3, 8)),
        (changed(TOTAL, "result", "summed"), (3, 8)),
        ([TOTAL[0], TOTAL[2], TOTAL[3], TOTAL[4]], (3, 8)),
        ([*TOTAL[:2], "    # every row counts", *TOTAL[2:]], (3, 8)),
        (["def totals(rows):"], (3, 4)),
        (["    if best is None or row.amount > best.amounts:"], (13, 14)),
        (["def sum_of(rows):", "    yield 0", "", "def largest(rowz):", "    best = None"], (7, 12)),
    ],
    ids=[
        "a word",
        "a name throughout",
        "a line is missing",
        "a line too many",
        "one line",
        "indentation",
        "half of it",
    ],
)
def test_the_nearest_text_is_where_the_search_text_was_meant(search: list[str], expected: tuple[int, int]) -> None:
    assert place(nearest(search, FILE)) == expected


def test_the_window_tells_which_lines_stand_for_each_other() -> None:
    window = nearest([TOTAL[0], TOTAL[2], TOTAL[3], "    return resultat"], FILE)
    assert window is not None
    assert window.alignment == ((0, 3), (1, 5), (2, 6), (3, 7))
    assert 0.85 < window.score < 0.95


@pytest.mark.parametrize(
    ("search", "lines"),
    [
        (["fn main() -> ExitCode {", "    println!();", "}"], FILE),
        (["anything"], []),
        ([], FILE),
        (["x" * 70_000], ["x" * 70_001, "y"]),
    ],
    ids=["another language", "an empty file", "no search text", "lines over 64 kB"],
)
def test_nothing_is_near_a_text_of_another_kind(search: list[str], lines: list[str]) -> None:
    assert nearest(search, lines) is None


def test_of_several_places_alike_the_first_is_the_nearest() -> None:
    assert place(nearest(["value = 2"], ["a", "value = 1", "b", "value = 1"])) == (1, 2)


def test_of_two_places_the_one_with_the_same_indentation_is_nearer() -> None:
    lines = ["        call(one, two)", *FILE, "    call(one, two)"]
    assert place(nearest(["    call(one, too)"], lines)) == (len(FILE) + 1, len(FILE) + 2)


def test_a_part_of_a_line_finds_its_line() -> None:
    lines = ["a = 1", "    raise LookupError(f'no such row: {row.label}') from error  # told to the user", "b = 2"]
    assert place(nearest(["LookupError(f'no such row: {row.lable}')"], lines)) == (1, 2)


def test_long_lines_take_part_up_to_64_kilobytes() -> None:
    lines = ["short", "a" * 30_000 + "old" + "b" * 30_000, "short"]
    assert place(nearest(["a" * 30_000 + "new" + "b" * 30_000], lines)) == (1, 2)


# Rung 9


def test_one_misspelt_line_among_five_is_approximately_there() -> None:
    window = approximate(changed(TOTAL, "+= row.amount", "+= row.amounts"), FILE)
    assert window is not None
    assert (place(window), window.alignment) == ((3, 8), tuple((index, index + 3) for index in range(5)))


@pytest.mark.acceptance("SP-01")
@pytest.mark.parametrize(
    "search",
    [
        [TOTAL[0], "    return sum(row.amount for row in rows)", TOTAL[4]],
        [TOTAL[0], "    counter = []", *TOTAL[2:4], TOTAL[4]],
        [TOTAL[0], TOTAL[4]],
        [*TOTAL[:2], TOTAL[4]],
        ["# all rows together", *TOTAL[1:]],
        [*TOTAL, "", "# the end of it"],
    ],
    ids=[
        "first and last line alone",
        "one line is another",
        "a definition without its body",
        "two lines are missing",
        "another first line",
        "another last line",
    ],
)
def test_approximate_is_not_a_guess(search: list[str]) -> None:
    assert approximate(search, FILE) is None


def test_a_line_that_the_search_text_lacks_is_in_the_window_and_in_no_pair() -> None:
    window = approximate([*TOTAL[:2], *TOTAL[3:]], FILE)
    assert window is not None
    assert (place(window), window.alignment) == ((3, 8), ((0, 3), (1, 4), (2, 6), (3, 7)))
    assert window.score == pytest.approx(4 / 5)


def test_a_line_that_the_file_lacks_is_in_no_pair() -> None:
    window = approximate([*TOTAL[:2], "    # every row counts", *TOTAL[2:]], FILE)
    assert window is not None
    assert (place(window), window.alignment) == ((3, 8), ((0, 3), (1, 4), (3, 5), (4, 6), (5, 7)))


@pytest.mark.acceptance("SP-01")
def test_two_places_about_as_much_alike_are_none() -> None:
    once = ["def read_one(path):", "    with open(path) as file:", "        return parse(file.read(), strict=True)"]
    again = changed(once, "read_one", "read_two")
    search = changed(once, "read_one", "read_it")
    assert approximate(search, [*once, "", *FILE]) is not None
    assert approximate(search, [*once, "", *again, *FILE]) is None


def test_a_run_of_equal_lines_is_no_place() -> None:
    assert approximate(["x = 1"] * 8 + ["x == 1"] + ["x = 1"] * 8, ["x = 1"] * 10_000) is None


def test_another_indentation_counts_as_alike() -> None:
    search = [f"    {line}" for line in changed(TOTAL, "+= row.amount", "+= row.amounts")]
    assert place(approximate(search, FILE)) == (3, 8)


# The small diff


def test_the_small_diff_shows_each_difference_with_one_line_around_it() -> None:
    found = [f"line {number}" for number in range(12)]
    search = list(found)
    search[2] = "lime 2"
    del search[9]
    assert small_diff(search, found).split("\n") == [
        " line 1", "-lime 2", "+line 2", " line 3", "@@", " line 8", "+line 9", " line 10",
    ]  # fmt: skip


def test_the_small_diff_of_equal_texts_is_empty() -> None:
    assert small_diff(TOTAL, TOTAL) == ""


@pytest.mark.parametrize(
    ("search", "found", "note"),
    [
        ("x = 1", "x = 1  ", "? at its end: nothing; in the file: 2 spaces"),
        ("    x = 1", "\tx = 1", "? indentation: 4 spaces; in the file: 1 tab"),
        ("say('it’s')", "say('it's')", "? U+2019 right single quotation mark"),
        ("a\u00a0b", "a b", "? U+00A0 no-break space"),
        ("a - b", "a – b", "? U+002D hyphen-minus; in the file: U+2013 en dash"),
        ("a b", "a\tb", "? in the file: tab"),
        ("ab", "a\u200bb", "? in the file: U+200B zero width space"),
        (
            "cafe\u0301",
            "café",
            "? U+0301 combining acute accent; in the file: U+00E9 latin small letter e with acute",
        ),
        ("\u0430 = 1", "a = 1", "? U+0430 cyrillic small letter a"),
    ],
)
def test_the_small_diff_names_what_cannot_be_seen(search: str, found: str, note: str) -> None:
    assert small_diff([search], [found]).split("\n") == [f"-{search}", f"+{found}", note]


def test_the_small_diff_does_not_spell_out_another_language() -> None:
    assert small_diff(["# 値を読み込む関数"], ["# 文字列を書き出す関数"]).split("\n") == [
        "-# 値を読み込む関数",
        "+# 文字列を書き出す関数",
    ]


def test_a_long_line_is_cut_around_its_first_difference() -> None:
    diff = small_diff(["a" * 5_000 + "X" + "b" * 5_000], ["a" * 5_000 + "Y" + "b" * 5_000])
    mine, file = diff.split("\n")
    assert mine == "-…" + "a" * 53 + "X" + "b" * 106 + "…"
    assert file == "+…" + "a" * 53 + "Y" + "b" * 106 + "…"


def test_a_long_diff_says_that_there_is_more() -> None:
    lines = small_diff([f"one {n}" for n in range(3_000)], [f"two {n}" for n in range(3_000)]).split("\n")
    assert len(lines) <= 42
    assert lines[-1] == "@@ and more"


# Work


@pytest.mark.parametrize(
    "make",
    [
        lambda count: ([f"value_{count // 2} = compute({count // 2 + 1}, 'a')"], [f"value_{n} = compute({n})" for n in range(count)]),
        lambda count: (["x = 1"] * 50 + ["y = 2"], ["x = 1"] * count),
        lambda count: ([f"step {n} of it" for n in range(count // 20)], [f"step {n} of its" for n in range(count)]),
        lambda count: (["a" * 900 + "b" * 90], ["ab" * 500] * (count // 10) + ["a" * 990]),
    ],
    ids=["numbered lines", "equal lines", "a long search text", "long lines"],
)  # fmt: skip
def test_work_grows_with_the_file(make: Callable[[int], tuple[list[str], list[str]]]) -> None:
    def seconds(count: int) -> float:
        search, lines = make(count)
        rounds: list[float] = []
        for _ in range(3):
            started = time.process_time()
            nearest(search, lines)
            approximate(search, lines)
            rounds.append(time.process_time() - started)
        return min(rounds)

    assert seconds(40_000) < 12 * seconds(10_000) + 0.05
