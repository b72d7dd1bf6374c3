"""Several places, several edits, several versions: what tells places apart, and what never does."""

import pytest

from motet.edits import Match, Near, Refusal, RefusalReason, Replace, plan
from motet.edits.assign import only_assignment
from motet.text import TextFile

ANYWHERE = Near()


def file(text: str, path: str = "a.txt") -> TextFile:
    return TextFile.decode(path, text.encode())


def result(before: str, *edits: Replace, shown: str | None = None) -> tuple[list[str], str]:
    """The reason of each refusal or the note of each match, and the text after."""
    versions = None if shown is None else {"a.txt": file(shown)}
    one = plan({"a.txt": file(before)}, edits, shown=versions).files[0]
    assert one.after is not None
    return [each.reason if isinstance(each, Refusal) else each.note for each in one.outcomes], one.after.text


def edit(
    search: str, replace: str, near: Near = ANYWHERE, *, inline: bool = False, replace_all: bool = False
) -> Replace:
    return Replace("a.txt", search, replace, near=near, inline=inline, replace_all=replace_all)


BY_ORDER = "the search text stands in several places; the order of your edits left one for it"
BY_NEAR = "the search text stands in several places; the one you named was taken"
MERGED = "the file has changed elsewhere since you were shown it; the edit was merged into the new text"


def test_the_same_edit_twice_for_two_places_goes_to_the_first_and_to_the_second() -> None:
    assert result("x\ny\nx\n", edit("x\n", "X\n"), edit("x\n", "X2\n")) == ([BY_ORDER, BY_ORDER], "X\ny\nX2\n")


def test_the_same_edit_twice_for_three_places_is_refused() -> None:
    assert result("x\nx\nx\n", edit("x\n", "X\n"), edit("x\n", "X2\n"))[0] == [RefusalReason.AMBIGUOUS] * 2


def test_an_edit_between_two_others_can_only_be_between_them() -> None:
    before = "a\nx\nb\nx\nc\n"
    edits = [edit("b\n", "B\n"), edit("x\n", "X\n"), edit("c\n", "C\n")]
    assert result(before, *edits) == (["", BY_ORDER, ""], "a\nx\nB\nX\nC\n")


def test_edits_out_of_order_do_not_decide_for_one_with_two_places() -> None:
    before = "a\nx\nb\nx\nc\n"
    assert result(before, edit("c\n", "C\n"), edit("a\n", "A\n"), edit("x\n", "X\n"))[0][2] == RefusalReason.AMBIGUOUS


@pytest.mark.acceptance("S1-007", "T-24", "S0-120")
def test_a_line_hint_of_a_diff_never_decides() -> None:
    assert result("x\ny\nx\n", edit("x\n", "X\n", Near(line=3)))[0] == [RefusalReason.AMBIGUOUS]


def test_a_line_that_the_model_names_for_a_part_of_it_does() -> None:
    assert result("x\ny\nx\n", edit("x", "X", Near(line=3), inline=True)) == ([BY_NEAR], "x\ny\nX\n")


def test_a_header_decides_for_the_place_inside_its_block() -> None:
    before = "def a():\n    x = 1\ndef b():\n    x = 1\ndef c():\n    x = 1\n"
    changed = "def a():\n    x = 1\ndef b():\n    x = 2\ndef c():\n    x = 1\n"
    for header in ("def b():", "def b", "b"):
        assert result(before, edit("    x = 1\n", "    x = 2\n", Near(headers=(header,)))) == ([BY_NEAR], changed)


def test_a_header_that_stands_twice_decides_nothing() -> None:
    before = "def a():\n    x = 1\ndef a():\n    x = 1\n"
    assert result(before, edit("    x = 1\n", "    x = 2\n", Near(headers=("def a():",))))[0] == ["ambiguous"]


def test_the_end_of_the_file_decides_for_the_last_place() -> None:
    assert result("x\ny\nx\n", edit("x\n", "X\n", Near(at_end=True))) == ([BY_NEAR], "x\ny\nX\n")


@pytest.mark.parametrize("inline", [True, False])
def test_replace_all_replaces_all_and_says_how_many(inline: bool) -> None:
    assert result("x\n" * 1200, edit("x\n", "yy\n", inline=inline, replace_all=True)) == (
        ["replaced in 1200 places"],
        "yy\n" * 1200,
    )


@pytest.mark.acceptance("T-26", "AV-01")
def test_an_edit_of_a_version_that_was_shown_is_carried_to_the_text_now() -> None:
    shown, now = "a\nb\nc\nd\ne\n", "new\na\nb\nc\nd\nE\n"
    assert result(now, edit("c\n", "C\n"), shown=shown) == ([MERGED], "new\na\nb\nC\nd\nE\n")


@pytest.mark.acceptance("T-26")
def test_an_edit_of_lines_that_have_changed_since_is_stale() -> None:
    assert result("a\nB\nc\n", edit("b\n", "x\n"), shown="a\nb\nc\n") == ([RefusalReason.STALE], "a\nB\nc\n")


@pytest.mark.acceptance("T-24", "T-26")
def test_a_place_that_only_now_fits_is_not_the_one_that_was_meant() -> None:
    shown, now = "head\nx = 1\ntail\n", "head\nx = 2\ntail\nmore\nx = 1\n"
    assert result(now, edit("x = 1\n", "x = 3\n"), shown=shown) == ([RefusalReason.STALE], now)


@pytest.mark.acceptance("T-26")
def test_a_text_that_the_model_has_not_seen_is_not_edited() -> None:
    assert result("a\nnew\n", edit("new\n", "newer\n"), shown="a\n") == ([RefusalReason.STALE], "a\nnew\n")


def test_only_assignment_counts_the_ways() -> None:
    assert only_assignment([[(0, 1), (4, 5)], [(0, 1), (4, 5)]]) == [0, 1]
    assert only_assignment([[(0, 1), (4, 5), (8, 9)], [(4, 5)]]) == [0, 0]
    assert only_assignment([[(0, 1), (4, 5)], [(8, 9)]]) is None
    assert only_assignment([[(4, 5)], [(0, 1)]]) is None
    assert only_assignment([[(0, 3), (2, 5)], [(3, 6)]]) == [0, 0]


def test_only_assignment_of_many_equal_places_takes_no_time() -> None:
    places = [(index, index + 1) for index in range(20_000)]
    assert only_assignment([places] * 50) is None
    assert only_assignment([places[:50]] * 50) == list(range(50))


def test_matches_and_refusals_of_one_file_are_told_apart() -> None:
    one = plan({"a.txt": file("a\nb\n")}, [edit("a\n", "A\n"), edit("c\n", "C\n")], partial=True).files[0]
    assert [type(each) for each in one.outcomes] == [Match, Refusal]
