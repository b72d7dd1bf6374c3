"""Three-way merge without fuzz, and where the lines of one version stand in another."""

from __future__ import annotations

import time

import pytest

from motet.text.changes import certain_changes, changes
from motet.text.merge import Conflict, LineMap, merge


def lines(*texts: str) -> str:
    return "".join(f"{text}\n" for text in texts)


BASE = lines("a", "b", "c", "d", "e", "f", "g")


# --- merge -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        (BASE, BASE, BASE),
        (lines("a", "B", "c", "d", "e", "f", "g"), BASE, lines("a", "B", "c", "d", "e", "f", "g")),
        (BASE, lines("a", "b", "c", "d", "e", "g"), lines("a", "b", "c", "d", "e", "g")),
        (
            lines("a", "B", "c", "d", "e", "f", "g"),
            lines("a", "b", "c", "D", "e", "f", "g"),
            lines("a", "B", "c", "D", "e", "f", "g"),
        ),
        (
            lines("new", "a", "b", "c", "d", "e", "f", "g"),
            lines("a", "b", "c", "d", "e", "f", "g", "new"),
            lines("new", "a", "b", "c", "d", "e", "f", "g", "new"),
        ),
        (lines("b", "c", "d", "e", "f", "g"), lines("a", "b", "c", "d", "e", "f"), lines("b", "c", "d", "e", "f")),
        (
            lines("a", "b", "c", "d", "x", "y", "f", "g"),
            lines("a", "c", "d", "e", "f", "g"),
            lines("a", "c", "d", "x", "y", "f", "g"),
        ),
        ("", "", ""),
        (BASE, "", ""),
        ("", BASE, ""),
    ],
)
def test_changes_that_do_not_touch_are_both_made(ours: str, theirs: str, merged: str) -> None:
    assert merge(BASE, ours, theirs).conflicts == ()
    assert merge(BASE, ours, theirs).text == merged
    assert merge(BASE, theirs, ours).text == merged


@pytest.mark.parametrize("same", [lines("a", "X", "c", "d", "e", "f", "g"), lines("a", "b", "c", "d", "e", "f"), ""])
def test_equal_changes_are_made_once(same: str) -> None:
    assert merge(BASE, same, same).text == same


def test_equal_changes_beside_others_are_made_once() -> None:
    ours = lines("a", "X", "c", "d", "e", "f", "own")
    theirs = lines("a", "X", "c", "theirs", "e", "f", "g")
    assert merge(BASE, ours, theirs).text == lines("a", "X", "c", "theirs", "e", "f", "own")


@pytest.mark.parametrize(
    ("ours", "theirs", "conflict"),
    [
        (
            lines("a", "B", "c", "d", "e", "f", "g"),
            lines("a", "X", "c", "d", "e", "f", "g"),
            Conflict(1, 2, ("B\n",), ("X\n",), 1, 1),
        ),
        (  # touching lines
            lines("a", "B", "c", "d", "e", "f", "g"),
            lines("a", "b", "C", "d", "e", "f", "g"),
            Conflict(1, 3, ("B\n", "c\n"), ("b\n", "C\n"), 1, 1),
        ),
        (  # an insertion at the edge of a change
            lines("a", "b", "new", "c", "d", "e", "f", "g"),
            lines("a", "b", "C", "d", "e", "f", "g"),
            Conflict(2, 3, ("new\n", "c\n"), ("C\n",), 2, 2),
        ),
        (  # two insertions at one place
            lines("a", "b", "x", "c", "d", "e", "f", "g"),
            lines("a", "b", "y", "c", "d", "e", "f", "g"),
            Conflict(2, 2, ("x\n",), ("y\n",), 2, 2),
        ),
        (  # deleted there, changed here; below a shift on either side
            lines("0", "a", "b", "c", "d", "E", "f", "g"),
            lines("a", "b", "d", "f", "g"),
            Conflict(4, 5, ("E\n",), (), 5, 3),
        ),
        (  # a file that is emptied
            "",
            lines("a", "b", "c", "D", "e", "f", "g"),
            Conflict(0, 7, (), ("a\n", "b\n", "c\n", "D\n", "e\n", "f\n", "g\n"), 0, 0),
        ),
    ],
)
def test_changes_that_touch_are_a_conflict_that_names_both_sides(ours: str, theirs: str, conflict: Conflict) -> None:
    assert merge(BASE, ours, theirs).conflicts == (conflict,)


def test_every_conflict_is_named() -> None:
    ours = lines("A", "b", "c", "own", "e", "f", "G")
    theirs = lines("x", "b", "c", "d", "e", "f", "y")
    assert [(one.first, one.last) for one in merge(BASE, ours, theirs).conflicts] == [(0, 1), (6, 7)]


def test_line_ends_belong_to_their_lines() -> None:
    base = "a\r\nb\nc\rd\r\ne"
    assert merge(base, "a\r\nB\nc\rd\r\ne", "a\r\nb\nc\rD\r\ne").text == "a\r\nB\nc\rD\r\ne"
    assert merge(base, "a\nb\nc\rd\r\ne", "a\r\nb\nc\rd\r\ne\n").text == "a\nb\nc\rd\r\ne\n"
    assert merge("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nC\n").conflicts


def test_a_missing_end_of_the_last_line_is_a_change_of_that_line() -> None:
    assert merge("a\nb\nc", "A\nb\nc", "a\nb\nc\n").text == "A\nb\nc\n"
    assert merge("a\nb\nc\n", "a\nb\nc", "a\nb\nc\nd\n").conflicts == (Conflict(2, 3, ("c",), ("c\n", "d\n"), 2, 2),)


def test_separators_that_are_no_line_ends_stay_inside_their_line() -> None:
    base = "a\x0b1\nb\nc\u20281\x85\n"
    assert merge(base, "A\x0b1\nb\nc\u20281\x85\n", "a\x0b1\nb\nc\u20282\x85\n").text == "A\x0b1\nb\nc\u20282\x85\n"


def test_a_change_that_might_mean_several_places_conflicts_with_a_change_in_any_of_them() -> None:
    ours = lines("f", "g", "f", "g")  # which of the two is the new one?
    assert merge(lines("f", "g"), ours, lines("f", "x", "g")).conflicts
    assert merge(lines("1", "f", "g", "2"), lines("1", "f", "g", "f", "g", "2"), lines("1", "f", "g", "3")).conflicts
    assert merge(lines("1", "f", "g", "2", "3"), lines("1", "f", "g", "f", "g", "2", "3"), lines("1", "f", "g", "2", "4")).text == lines(
        "1", "f", "g", "f", "g", "2", "4"
    )  # fmt: skip


def test_one_more_among_equal_lines_and_a_change_among_them_conflict() -> None:
    assert merge("x\n" * 10, "x\n" * 11, "x\n" * 4 + "y\n" + "x\n" * 5).conflicts
    assert merge("x\n" * 10_000, "x\n" * 10_001, "x\n" * 4 + "y\n" + "x\n" * 9_995).conflicts


# --- speed -------------------------------------------------------------------------------------------------------


def large(*at: int, tag: str = "") -> str:
    return "".join(f"{tag} {n}\n" if n in at else f"line {n}\n" if n % 4 else "\n" for n in range(100_000))


def test_changes_all_over_a_large_file_merge_as_they_should() -> None:
    one, other = range(7, 100_000, 10_001), range(5_003, 100_000, 10_001)
    both = large(*one, *other, tag="changed")
    assert merge(large(), large(*one, tag="changed"), large(*other, tag="changed")).text == both


def test_merging_grows_with_the_file_and_not_faster() -> None:
    def seconds(size: int) -> float:
        base = [f"line {n}\n" if n % 4 else "\n" for n in range(size)]
        ours, theirs = [*base], [*base]
        ours[size // 3] = "ours\n"
        theirs[size // 2] = "theirs\n"
        texts = ["".join(side) for side in (base, ours, theirs)]
        best = 60.0
        for _ in range(3):
            start = time.process_time()
            assert not merge(*texts).conflicts
            best = min(best, time.process_time() - start)
        return best

    assert seconds(80_000) < 32 * seconds(10_000)  # 8 is linear, 64 is quadratic


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["x\n"] * 10_000, ["x\n"] * 9_000),
        ([f"{n % 3}\n" for n in range(20_000)], [f"{n % 5}\n" for n in range(20_000)]),
        ([f"{n}\n" for n in range(50_000)], [f"{n}\n" for n in reversed(range(50_000))]),
        ([f"{n}\n" for n in range(20_000)], [f"{-n}\n" for n in range(20_000)]),
    ],
)
def test_texts_that_are_hard_to_align_are_aligned_rightly(before: list[str], after: list[str]) -> None:
    for found in (changes(before, after), certain_changes(before, after)):
        i = j = 0
        for tag, i1, i2, j1, j2 in found:
            assert (i1, j1) == (i, j)
            assert tag != "equal" or before[i1:i2] == after[j1:j2]
            i, j = i2, j2
        assert (i, j) == (len(before), len(after))


# --- places ------------------------------------------------------------------------------------------------------


def test_lines_are_found_where_they_stand_now() -> None:
    places = LineMap(BASE, lines("0", "a", "b", "c", "D", "e", "f", "g"))
    assert [places.place(at, at + 1) for at in range(7)] == [None, 2, None, None, None, 6, 7]
    assert places.place(0, 3) is None
    assert places.place(5, 7) == 6


def test_a_place_between_lines_is_found_unless_something_was_changed_right_there() -> None:
    places = LineMap(BASE, lines("a", "b", "new", "c", "d", "E", "f", "g"))
    assert [places.place(at, at) for at in range(8)] == [0, 1, None, 4, None, None, 7, 8]


def test_deleted_lines_have_no_place_and_neither_have_their_neighbours() -> None:
    places = LineMap(BASE, lines("a", "b", "e", "f", "g"))
    assert [places.place(at, at + 1) for at in range(7)] == [0, None, None, None, None, 3, 4]
    assert [places.place(at, at) for at in range(8)] == [0, 1, None, None, None, 3, 4, 5]


def test_beginning_and_end_are_places_too() -> None:
    same = LineMap(BASE, BASE)
    assert [same.place(0, 7), same.place(0, 0), same.place(7, 7)] == [0, 0, 7]
    grown = LineMap(BASE, f"0\n{BASE}8\n")
    assert [grown.place(0, 7), grown.place(0, 0), grown.place(7, 7), grown.place(1, 6)] == [None, None, None, 2]
    assert LineMap("", "").place(0, 0) == 0
    assert LineMap("", "a\n").place(0, 0) is None
    assert LineMap("a\n", "").place(0, 1) is None


def test_lines_that_might_be_another_copy_now_have_no_place() -> None:
    places = LineMap(lines("1", "f", "g", "2"), lines("1", "f", "g", "f", "g", "2"))
    assert [places.place(1, 2), places.place(2, 3), places.place(1, 3)] == [None, None, None]


def test_lists_of_lines_serve_as_well() -> None:
    assert LineMap(["a\n", "b\n", "c"], ["x\n", "a\n", "b\n", "c"]).place(1, 3) == 2
