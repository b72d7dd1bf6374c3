"""No hunk is of two edits: however near they are, each is taken or left by itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Decision, Edit, Proposal, Replace, Write, hunks, parse, plan
from motet.text import TextFile

LINES = [f"line {number}\n" for number in range(1, 13)]


def proposed(text: str, *edits: Edit) -> Proposal:
    planned = plan({"a.txt": TextFile.decode("a.txt", text.encode())}, edits)
    assert not planned.refusals
    [proposal] = planned.proposals()
    return proposal


def rows(proposal: Proposal) -> list[tuple[int, int, list[str]]]:
    """Of each hunk the first line and the one after the last, from 1, and its new lines."""
    return [(one.hunk.line, one.hunk.last + 1, [line.text for line in one.hunk.new]) for one in proposal.hunks]


def blocks(*pairs: tuple[str, str]) -> str:
    return (
        "a.txt\n```\n"
        + "".join(f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n" for old, new in pairs)
        + "```\n"
    )


@pytest.mark.acceptance("CC-11", "CU-02")
@pytest.mark.parametrize("between", [0, 1, 2, 3, 4])
def test_two_edits_near_each_other_are_two_hunks(between: int) -> None:
    text = "".join(LINES)
    second = 4 + between
    found = proposed(text, Replace("a.txt", "line 3\n", "three\n"), Replace("a.txt", f"line {second}\n", "second\n"))
    assert rows(found) == [(3, 4, ["three"]), (second, second + 1, ["second"])]
    for first, other in product((True, False), repeat=2):
        choices = [Decision.ACCEPTED if taken else Decision.REJECTED for taken in (first, other)]
        wanted = text.replace("line 3\n", "three\n") if first else text
        wanted = wanted.replace(f"line {second}\n", "second\n") if other else wanted
        assert found.decide(0, choices[0]).decide(1, choices[1]).accepted_text() == wanted


def test_blocks_whose_context_touches_are_two_hunks() -> None:
    answer = blocks(("line 2\nline 3\nline 4\n", "line 2\nthree\nline 4\n"), ("line 5\nline 6\n", "five\nline 6\n"))
    assert rows(proposed("".join(LINES), *parse(answer))) == [(3, 4, ["three"]), (5, 6, ["five"])]


def test_hunks_of_a_diff_stay_two() -> None:
    diff = (
        "```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -2,3 +2,3 @@\n line 2\n-line 3\n+three\n line 4\n"
        "@@ -5,2 +5,2 @@\n-line 5\n+five\n line 6\n```\n"
    )
    assert rows(proposed("".join(LINES), *parse(diff))) == [(3, 4, ["three"]), (5, 6, ["five"])]


def test_one_edit_with_near_changes_is_one_hunk_until_it_is_split() -> None:
    old, new = "line 3\nline 4\nline 5\n", "three\nline 4\nfive\n"
    whole = proposed("".join(LINES), Replace("a.txt", old, new))
    assert rows(whole) == [(3, 6, ["three", "line 4", "five"])]
    assert rows(whole.split(0)) == [(3, 4, ["three"]), (5, 6, ["five"])]


def test_lines_added_at_one_place_keep_their_order() -> None:
    found = proposed("a\nb\nc\n", Replace("a.txt", "a\n", "a\nx\n"), Replace("a.txt", "b\n", "y\nb\n"))
    assert rows(found) == [(2, 2, ["x"]), (2, 2, ["y"])]
    assert found.decide_pending(Decision.ACCEPTED).accepted() == b"a\nx\ny\nb\nc\n"
    assert found.decide(1, Decision.ACCEPTED).accepted() == b"a\ny\nb\nc\n"


def test_lines_added_before_a_line_that_another_edit_changes() -> None:
    found = proposed("a\nb\nc\n", Replace("a.txt", "a\n", "a\nx\n"), Replace("a.txt", "b\n", "B\n"))
    assert rows(found) == [(2, 2, ["x"]), (2, 3, ["B"])]
    assert found.decide_pending(Decision.ACCEPTED).accepted() == b"a\nx\nB\nc\n"
    assert found.decide(1, Decision.ACCEPTED).accepted() == b"a\nB\nc\n"


def test_two_edits_of_one_line_are_one_hunk() -> None:
    edits = Replace("a.txt", "one", "1", inline=True), Replace("a.txt", "two", "2", inline=True)
    assert rows(proposed("x\none and two\ny\n", *edits)) == [(2, 3, ["1 and 2"])]


def test_an_edit_of_what_another_has_written_is_one_hunk_with_it() -> None:
    edits = Replace("a.txt", "line 3\n", "three\nand more\n"), Replace("a.txt", "and more\n", "and most\n")
    found = proposed("".join(LINES), *edits, Replace("a.txt", "line 5\n", "five\n"))
    assert rows(found) == [(3, 4, ["three", "and most"]), (5, 6, ["five"])]


def test_a_text_without_a_final_line_end_keeps_its_hunks_apart() -> None:
    found = proposed("a\nb\nc", Replace("a.txt", "b\n", "B\n"), Replace("a.txt", "c", "C\nD\n"))
    assert rows(found) == [(2, 3, ["B"]), (3, 4, ["C", "D"])]
    assert found.decide_pending(Decision.ACCEPTED).accepted() == b"a\nB\nC\nD"
    assert found.decide(0, Decision.ACCEPTED).accepted() == b"a\nB\nc"


def test_a_file_that_is_made_is_one_hunk() -> None:
    planned = plan({}, [Write("a.txt", "a\nb\n"), Replace("a.txt", "b\n", "c\n")])
    [proposal] = planned.proposals()
    assert len(proposal.hunks) == 1


def test_the_same_text_replaced_on_near_lines_is_one_hunk() -> None:
    edit = Replace("a.txt", "x", "y", inline=True, replace_all=True)
    assert rows(proposed("x\nx\n\nx\n", edit)) == [(1, 5, ["y", "y", "", "y"])]


def test_only_the_lines_of_the_edit_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"line {number}\n" for number in range(100_000))
    file = TextFile.decode("a.txt", text.encode())
    planned = plan({"a.txt": file}, [Replace("a.txt", "line 99000\n", "new\n"), Replace("a.txt", "line 5\n", "5\n")])
    looked_at: list[int] = []
    for name, look in (("split_lines", hunks.split_lines), ("count_lines", hunks.count_lines)):
        monkeypatch.setattr(hunks, name, counted(look, looked_at))
    [proposal] = planned.proposals()
    one, all_ = proposal.decide(0, Decision.ACCEPTED), proposal.decide_pending(Decision.ACCEPTED)
    assert one.accepted() == text.replace("line 5\n", "5\n", 1).encode()
    assert all_.accepted() == text.replace("line 5\n", "5\n", 1).replace("line 99000\n", "new\n").encode()
    assert sum(looked_at) < 100
    assert [one.hunk.line for one in proposal.hunks] == [6, 99_001]


def counted(look: Callable[..., Any], characters: list[int]) -> Callable[..., Any]:
    """`look`, with the characters of which it is asked."""

    def work(text: str, start: int = 0, end: int | None = None) -> Any:
        characters.append((len(text) if end is None else end) - start)
        return look(text, start, end) if end is not None else look(text)

    return work


WORDS = st.sampled_from(["a", "b", "c", "d", "  e", "", "é"])
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r"])


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A file of lines that are all different, and edits of stretches of it that do not overlap."""
    words = draw(st.lists(WORDS, min_size=1, max_size=16))
    lines = [f"{word} {number}" for number, word in enumerate(words)]
    ends = [draw(ENDS) for _ in lines]
    if draw(st.booleans()):
        ends[-1] = ""
    edits: list[Edit] = []
    at = draw(st.integers(0, 3))
    while at < len(lines):
        last = min(at + draw(st.integers(1, 3)), len(lines))
        new: list[str] = []
        for line in lines[at:last]:
            new += draw(st.sampled_from([[line], [], [f"{line}!"], ["new", line], [line, "new"], ["x", "y"]]))
        edits.append(
            Replace("a.txt", "".join(f"{line}\n" for line in lines[at:last]), "".join(f"{line}\n" for line in new))
        )
        at = last + draw(st.integers(0, 4))
    return "".join(map("".join, zip(lines, ends, strict=True))), draw(st.permutations(edits))


@given(edited(), st.data())
def test_any_subset_of_hunks_is_the_plan_of_those_edits(case: tuple[str, list[Edit]], data: st.DataObject) -> None:
    text, edits = case
    file = TextFile.decode("a.txt", text.encode())
    planned = plan({"a.txt": file}, edits, partial=True)
    for proposal in planned.proposals():
        assert planned.files[0].after is not None
        assert proposal.decide_pending(Decision.ACCEPTED).accepted() == planned.files[0].after.data
        assert proposal.decide_pending(Decision.ACCEPTED).accepted_text() == planned.files[0].after.text
        assert proposal.decide_pending(Decision.REJECTED).accepted() == file.data
        assert all(one.hunk.edits for one in proposal.hunks)
        # Where the text ends without a line end, the last lines may be of two: one ends where the other begins.
        apart = proposal.hunks if text[-1] in "\r\n" else proposal.hunks[:-1]
        assert all(len(one.hunk.edits) == 1 for one in apart)
        taken = data.draw(st.sets(st.sampled_from(range(len(edits)))))
        for one in reversed(proposal.hunks):
            taken |= one.hunk.edits if one.hunk.edits & taken else set()
        for index, one in enumerate(proposal.hunks):
            if one.hunk.edits <= taken:
                proposal = proposal.decide(index, Decision.ACCEPTED)
        alone = plan({"a.txt": file}, [edits[number] for number in sorted(taken)], partial=True)
        assert proposal.accepted() == (alone.files[0].after or file).data if taken else file.data


def test_each_hunk_says_how_loosely_its_own_edit_was_found() -> None:
    before = TextFile.new("a.py").with_text(
        "def f():\n    one = 1\n\n\n\n\n\n\ndef g():\n    two = 2\n    three = 3\n"
    )
    edits = [
        Replace("a.py", "    one = 1\n", "    one = 10\n"),
        Replace("a.py", "two = 2\nthree = 3\n", "two = 20\nthree = 30\n"),
    ]
    (proposal,) = plan({"a.py": before}, edits).proposals()
    cautions = [hunk.hunk.caution for hunk in proposal.hunks]
    assert cautions == ["", "matched with another indentation; the new text was indented the same way"]


def test_a_part_of_a_split_hunk_says_it_too() -> None:
    before = TextFile.new("a.py").with_text("def g():\n    two = 2\n    mid = 0\n    three = 3\n")
    edits = [Replace("a.py", "two = 2\nmid = 0\nthree = 3\n", "two = 20\nmid = 0\nthree = 30\n")]
    (proposal,) = plan({"a.py": before}, edits).proposals()
    assert [bool(hunk.hunk.caution) for hunk in proposal.split(0).hunks] == [True, True]
