"""Several proposals wait on one file: accepting one moves the others along, or makes them stale."""

import pytest

from motet.edits import Decision, Proposal
from motet.text import TextFile

BEFORE = "".join(f"line {n}\n" for n in range(1, 41))
ACCEPTED, REJECTED, PENDING, STALE = Decision.ACCEPTED, Decision.REJECTED, Decision.PENDING, Decision.STALE


def file(text: str, path: str = "a.txt") -> TextFile:
    return TextFile.decode(path, text.encode())


def edit(text: str, *lines: int, prefix: str = "new ") -> str:
    """`text` with `prefix` before each of `lines` (1-based, as numbered in them)."""
    for line in lines:
        text = text.replace(f"line {line}\n", f"{prefix}{line}\n")
    return text


def waiting(*lines: int) -> Proposal:
    """A proposal with one hunk for each of `lines`."""
    return Proposal.between("a.txt", file(BEFORE), file(edit(BEFORE, *lines)))


@pytest.mark.acceptance("CC-11")
def test_accepting_one_proposal_moves_another_along_with_its_decisions() -> None:
    one = Proposal.between("a.txt", file(BEFORE), file(edit(BEFORE, 5).replace("new 5\n", "new 5\nand more\n")))
    now = file(one.decide_pending(ACCEPTED).accepted().decode())
    other = waiting(1, 12, 20, 30).decide(0, ACCEPTED).decide(1, REJECTED, "no").amend(2, "better 20\n")
    here = other.rebase(now)
    assert [(hunk.hunk.line, hunk.decision) for hunk in here.hunks] == [
        (1, ACCEPTED), (13, REJECTED), (21, Decision.AMENDED), (31, PENDING),
    ]  # fmt: skip
    assert here.hunks[1].remark == "no"
    assert here.accepted().decode() == edit(edit(now.text, 1), 20, prefix="better ")
    assert here.decide(2, ACCEPTED).accepted().decode() == edit(now.text, 1, 20)


def test_a_hunk_whose_lines_were_touched_is_stale_and_the_others_are_not() -> None:
    here = waiting(5, 30).decide_pending(ACCEPTED).rebase(file(edit(BEFORE, 5, prefix="typed ")))
    assert [hunk.decision for hunk in here.hunks] == [STALE, ACCEPTED]
    assert here.accepted().decode() == edit(edit(BEFORE, 5, prefix="typed "), 30)
    assert here.describe() == (
        "a.txt: applied 1 of 2 hunks\nhunk 1 (line 5): not written: the file has changed there since; read it again"
    )


def test_a_stale_hunk_is_decided_and_no_decision_brings_it_back() -> None:
    stale = waiting(5).rebase(file(edit(BEFORE, 5, prefix="typed ")))
    assert stale.is_decided
    assert stale.decide(0, ACCEPTED) == stale.amend(0, "x\n") == stale.split(0) == stale
    assert stale.decide_pending(ACCEPTED) == stale.rebase(file(BEFORE)).rebase(stale.base) == stale
    assert stale.accepted() == stale.base.data


def test_lines_put_in_the_middle_of_a_hunk_make_it_stale() -> None:
    proposal = Proposal.between("a.txt", file(BEFORE), file(edit(BEFORE, 5, 7)))
    now = file(BEFORE.replace("line 6\n", "line 6\ntyped\n"))
    assert [hunk.decision for hunk in proposal.rebase(now).hunks] == [STALE]


@pytest.mark.parametrize("typed", ["line 5\ntyped\n", "typed\nline 5\n"])
def test_an_insertion_is_stale_when_somebody_else_inserted_at_its_place(typed: str) -> None:
    added = file(BEFORE.replace("line 5\n", "line 5\nadded\n"))
    here = Proposal.between("a.txt", file(BEFORE), added).rebase(file(BEFORE.replace("line 5\n", typed)))
    assert [hunk.decision for hunk in here.hunks] == [STALE if typed.endswith("typed\n") else PENDING]


def test_two_proposals_that_append_do_not_both_fit() -> None:
    one, other = (Proposal.between("a.txt", file(BEFORE), file(BEFORE + text)) for text in ("one\n", "other\n"))
    here = other.rebase(file(one.decide_pending(ACCEPTED).accepted().decode()))
    assert [hunk.decision for hunk in here.hunks] == [STALE]


@pytest.mark.parametrize("now", [f"top\n{BEFORE}", f"{BEFORE}end\n", edit(BEFORE, 20)])
def test_the_removal_of_a_file_is_stale_whatever_changed_in_it(now: str) -> None:
    removal = Proposal.between("a.txt", file(BEFORE), None).decide_pending(ACCEPTED)
    assert removal.rebase(file(BEFORE)) == removal
    here = removal.rebase(file(now))
    assert ([hunk.decision for hunk in here.hunks], here.will_delete, here.accepted()) == (
        [STALE],
        False,
        now.encode(),
    )


def test_a_pure_move_goes_on_with_the_text_that_is_there_now() -> None:
    move = Proposal.between("a.txt", file(BEFORE), file(BEFORE, "b.txt")).decide_pending(ACCEPTED)
    here = move.rebase(file(edit(BEFORE, 3)))
    assert (here.target, here.accepted().decode()) == ("b.txt", edit(BEFORE, 3))


def test_a_file_that_is_gone_or_was_created_by_somebody_else_leaves_only_stale_hunks() -> None:
    gone = waiting(5, 30).decide_pending(ACCEPTED).rebase(None)
    assert ([hunk.decision for hunk in gone.hunks], gone.before, gone.taken) == ([STALE, STALE], None, 0)
    new = Proposal.between("a.txt", None, file("mine\n"))
    assert new.rebase(None) == new
    assert [hunk.decision for hunk in new.rebase(file("theirs\n")).hunks] == [STALE]


def test_a_last_line_without_end_is_not_joined_to_a_line_that_came_after_it() -> None:
    proposal = Proposal.between("a.txt", file("a\nb\nc\nd\n"), file("a\nb\nc\nD")).decide_pending(ACCEPTED)
    here = proposal.rebase(file("a\nb\nc\nd\ne\n"))
    assert here.accepted() == b"a\nb\nc\nd\ne\n"
    assert proposal.rebase(file("A\nb\nc\nd\n")).accepted() == b"A\nb\nc\nD"
