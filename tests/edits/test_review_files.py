"""Files that are created, moved or removed are decided about like lines."""

import pytest

from motet.edits import Decision, Proposal
from motet.text import TextFile

ACCEPTED, REJECTED, PENDING = Decision.ACCEPTED, Decision.REJECTED, Decision.PENDING


def file(text: str, path: str = "a.txt") -> TextFile:
    return TextFile.decode(path, text.encode())


def removal(text: str = "a\nb\n") -> Proposal:
    return Proposal.between("a.txt", file(text), None)


@pytest.mark.parametrize("text", ["a\nb\n", "a\n\nb", ""])
def test_a_removal_is_one_hunk_that_cannot_be_split(text: str) -> None:
    proposal = removal(text)
    assert [(hunk.hunk.new, hunk.hunk.parts) for hunk in proposal.hunks] == [((), ())]
    assert proposal.split(0) == proposal
    assert "".join(line.text + line.end for line in proposal.hunks[0].hunk.old) == text


@pytest.mark.parametrize("text", ["a\nb\n", ""])
def test_a_file_goes_only_when_its_removal_was_accepted(text: str) -> None:
    accepted = removal(text).decide(0, ACCEPTED)
    assert (accepted.will_delete, accepted.accepted(), accepted.describe()) == (True, b"", "a.txt: deleted")
    rejected = removal(text).decide(0, REJECTED, "still needed")
    assert (rejected.will_delete, rejected.accepted()) == (False, text.encode())
    assert rejected.describe() == "a.txt: not deleted\nrejected by the human: still needed"


def test_an_amended_removal_is_no_removal_any_more() -> None:
    amended = removal().amend(0, "b")
    assert (amended.will_delete, amended.taken, amended.accepted()) == (False, 1, b"b\n")
    assert amended.describe() == "a.txt: not deleted\nchanged by the human instead:\n-a\n b"
    assert amended.decide(0, PENDING) == removal()


def test_a_pure_move_has_one_hunk_without_lines_to_decide_about() -> None:
    proposal = Proposal.between("a.txt", file("a\n"), file("a\n", "b.txt"))
    assert [hunk.hunk.has_lines for hunk in proposal.hunks] == [False]
    accepted = proposal.decide(0, ACCEPTED)
    assert (accepted.target, accepted.accepted(), accepted.describe()) == ("b.txt", b"a\n", "a.txt: moved to b.txt")
    rejected = proposal.decide(0, REJECTED)
    assert (rejected.target, rejected.describe()) == ("a.txt", "a.txt: not moved to b.txt\nrejected by the human")


@pytest.mark.parametrize(("taken", "target"), [(ACCEPTED, "b.txt"), (REJECTED, "a.txt")])
def test_a_file_moves_as_soon_as_one_hunk_is_taken(taken: Decision, target: str) -> None:
    before = "".join(f"{n}\n" for n in range(20))
    after = before.replace("3\n", "three\n", 1).replace("\n18\n", "\neighteen\n")
    proposal = Proposal.between("a.txt", file(before), file(after, "b.txt")).decide(0, REJECTED).decide(1, taken)
    assert proposal.target == target
    assert proposal.describe().splitlines()[0] == (
        f"a.txt: {'' if target == 'b.txt' else 'not '}moved to b.txt, applied {proposal.taken} of 2 hunks"
    )


def test_a_new_file_is_created_with_its_lines() -> None:
    proposal = Proposal.between("a.txt", None, file("a\n"))
    assert proposal.decide(0, ACCEPTED).describe() == "a.txt: created, applied 1 of 1 hunk"
    assert proposal.decide(0, REJECTED).describe() == (
        "a.txt: not created, applied 0 of 1 hunk\nhunk 1 (line 1): rejected by the human"
    )


def test_a_new_file_without_lines_has_something_to_decide_too() -> None:
    proposal = Proposal.between("a.txt", None, file(""))
    assert [hunk.hunk.has_lines for hunk in proposal.hunks] == [False]
    assert proposal.decide(0, ACCEPTED).describe() == "a.txt: created"


@pytest.mark.parametrize(("before", "after"), [(None, None), ("a\n", "a\n")])
def test_without_a_difference_there_is_nothing_to_decide(before: str | None, after: str | None) -> None:
    proposal = Proposal.between("a.txt", before and file(before), after and file(after))
    assert (proposal.hunks, proposal.is_decided, proposal.describe()) == ((), True, "a.txt: nothing to do")


def test_what_was_only_nearly_right_says_so() -> None:
    assert Proposal.between("a.txt", file("a\n"), file("b\n"), approximate=True).approximate
