"""A proposal holds exactly what the human decided."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Decision, Proposal
from motet.edits.hunks import apply_hunks, find_hunks
from motet.errors import NotText
from motet.text import TextFile

BEFORE = "".join(f"{n}\n" for n in range(1, 31))
AFTER = BEFORE.replace("2\n3\n", "2\nnew\n3\n", 1).replace("\n10\n", "\nten\n").replace("\n30\n", "\n")


def proposal(before: str = BEFORE, after: str = AFTER) -> Proposal:
    file = TextFile.decode("a.txt", before.encode())
    return Proposal.between("a.txt", file, file.with_text(after))


@pytest.mark.acceptance("CC-11")
def test_the_file_gets_exactly_the_accepted_hunks() -> None:
    decided = proposal().decide(0, Decision.ACCEPTED).decide(1, Decision.REJECTED, "keep ten").amend(2, "31\n32\n")
    assert decided.accepted().decode() == BEFORE.replace("2\n3\n", "2\nnew\n3\n", 1).replace("\n30\n", "\n31\n32\n")
    assert decided.describe() == (
        "a.txt: applied 2 of 3 hunks\n"
        "hunk 2 (line 10): rejected by the human: keep ten\n"
        "hunk 3 (line 30): changed by the human (- your lines, + what stands there now):\n+31\n+32"
    )


def test_an_amendment_is_told_as_a_small_diff_from_what_was_proposed() -> None:
    lines = [f"line {n}\n" for n in range(1, 13)]
    decided = proposal("", "".join(lines)).amend(0, "".join(lines).replace("line 2\n", "two\n").replace("12", "XII"))
    assert decided.describe() == (
        "a.txt: applied 1 of 1 hunk\n"
        "hunk 1 (line 1): changed by the human (- your lines, + what stands there now):\n"
        " line 1\n-line 2\n+two\n line 3\n line 4\n@@ 5 unchanged lines @@\n"
        " line 10\n line 11\n-line 12\n+line XII"
    )


def test_an_amendment_that_changes_nothing_is_told_as_taken() -> None:
    assert proposal("a\n", "A\n").amend(0, "A\n").describe() == "a.txt: applied 1 of 1 hunk"


def test_a_hunk_that_nobody_decided_about_is_told() -> None:
    assert proposal("a\n", "A\n").describe() == (
        "a.txt: applied 0 of 1 hunk\nhunk 1 (line 1): not decided, so not written"
    )


@pytest.mark.acceptance("CL-02", "S3-007", "S0-030")
def test_nothing_accepted_leaves_every_byte() -> None:
    assert proposal().decide_pending(Decision.REJECTED).accepted() == BEFORE.encode()


def test_a_decision_can_be_taken_back() -> None:
    amended = proposal().amend(0, "other\n")
    assert amended.decide(0, Decision.PENDING) == proposal()


def test_near_changes_are_one_hunk_until_it_is_split() -> None:
    whole = proposal("a\nb\nc\nd\n", "A\nb\nC\nd\n")
    assert len(whole.hunks) == 1
    parts = whole.split(0)
    assert [(hunk.hunk.first, hunk.hunk.last) for hunk in parts.hunks] == [(0, 1), (2, 3)]
    assert parts.decide(1, Decision.ACCEPTED).accepted() == b"a\nb\nC\nd\n"
    assert parts.split(0) == parts


def test_an_amendment_keeps_the_line_ends_of_the_file() -> None:
    assert proposal("a\r\nb\r\n", "a\r\nB\r\n").amend(0, "x\ny").accepted() == b"a\r\nx\r\ny\r\n"
    assert proposal("a\nb", "a\nB").amend(0, "x\ny\n").accepted() == b"a\nx\ny"


@given(
    st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d"])),
    st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "e"])),
)
def test_all_hunks_give_the_new_text_and_no_hunks_the_old(before: list[str], after: list[str]) -> None:
    old, new = "".join(before), "".join(after)
    hunks = find_hunks(old, new)
    assert apply_hunks(old, hunks) == new
    assert apply_hunks(old, ()) == old


def test_a_hundred_changes_of_a_long_file_of_like_lines_are_a_hundred_hunks() -> None:
    before = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(4000))
    after = "".join(f"def f{n}():\n    return {'-' if n % 40 == 0 else ''}{n}\n\n" for n in range(4000))
    hunks = find_hunks(before, after)
    assert [(hunk.line, len(hunk.old), len(hunk.new)) for hunk in hunks] == [
        (n * 3 + 2, 1, 1) for n in range(0, 4000, 40)
    ]
    assert apply_hunks(before, hunks) == after


def test_hunks_that_leave_bytes_which_cannot_be_read_again_are_not_accepted() -> None:
    middle = "".join(f"line {number}\n" for number in range(9))
    before = TextFile.decode("a.py", f'# -*- coding: latin-1 -*-\n{middle}x = "é"\n'.encode("latin-1"))
    after = TextFile.decode("a.py", f'# no more\n{middle}x = "e"\n'.encode())
    whole = Proposal.between("a.py", before, after)
    taken = whole.decide(0, Decision.ACCEPTED).decide(1, Decision.REJECTED)
    with pytest.raises(NotText):
        taken.accepted()
    assert whole.decide_pending(Decision.ACCEPTED).accepted_text() == after.text


@pytest.mark.parametrize("text", ["# coding: latin-1\n", "\ufeffa\n", "a\0b\n"])
def test_an_amendment_that_could_not_be_read_again_is_not_accepted(text: str) -> None:
    changed = proposal("a\né\n", "b\né\n").amend(0, text)
    with pytest.raises(NotText):
        changed.accepted()


@pytest.mark.parametrize("text", ["# coding: utf-8\n", "# coding: nonsense\n"])
def test_an_amendment_that_declares_the_encoding_it_has_is_accepted(text: str) -> None:
    assert proposal("a\né\n", "b\né\n").amend(0, text).accepted() == f"{text}é\n".encode()
