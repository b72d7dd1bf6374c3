"""Which hunks of a proposal are found made, or taken back, in a file that the human edits."""

from __future__ import annotations

from random import Random

import pytest

from motet.edits import Decision, Proposal
from motet.edits.hunks import apply_hunks
from motet.nvim.sheet import Sheet
from motet.text import TextFile
from motet.text.merge import LineMap


def file(*lines: str) -> TextFile:
    return TextFile.decode("a.py", "".join(f"{line}\n" for line in lines).encode())


def place(proposal: Proposal, index: int, taken: set[int], now: TextFile) -> int | None:
    """Where one hunk begins in the file now."""
    hunks = [reviewed.hunk for reviewed in proposal.hunks]
    before = [hunks[other] for other in taken if other < index]
    first = hunks[index].first + sum(len(hunk.new) - len(hunk.old) for hunk in before)
    lines = LineMap(apply_hunks(proposal.base.text, [hunks[other] for other in sorted(taken)]), now.text)
    return lines.place(first, first + len(hunks[index].new if index in taken else hunks[index].old))


def one_by_one(proposal: Proposal, now: TextFile) -> Sheet:
    """Each hunk looked at alone, from the first one again after each that is found."""
    every = range(len(proposal.hunks))
    for _ in every:
        taken = {index for index in every if proposal.hunks[index].is_taken}
        for index in every:
            if proposal.hunks[index].decision is Decision.REJECTED or place(proposal, index, taken, now) is not None:
                continue
            if place(proposal, index, taken ^ {index}, now) is not None:
                proposal = proposal.decide(index, Decision.PENDING if index in taken else Decision.ACCEPTED)
                break
    taken = {index for index in every if proposal.hunks[index].is_taken}
    return Sheet(proposal, now, tuple(place(proposal, index, taken, now) for index in every))


def at_random(random: Random, decisions: tuple[Decision, ...], proposal: Proposal) -> Proposal:
    for index in range(len(proposal.hunks)):
        proposal = proposal.decide(index, random.choice(decisions))
    return proposal


@pytest.mark.parametrize("hunks", [3, 12])
def test_hunks_found_together_are_those_found_one_by_one(hunks: int) -> None:
    random = Random(hunks)
    for _ in range(30):
        lines = [str(number) for number in range(6 * hunks)]
        after = list(lines)
        for at in range(len(lines) - 3, 0, -6):
            after[at : at + random.randrange(2)] = [f"new {at}"] * random.randrange(1, 3)
        decisions = (Decision.PENDING, Decision.PENDING, Decision.ACCEPTED, Decision.REJECTED)
        proposal = at_random(random, decisions, Proposal.between("a.py", file(*lines), file(*after)))
        there = at_random(random, (Decision.PENDING, Decision.ACCEPTED), proposal).accepted_text().splitlines()
        for number in range(random.randrange(6)):
            there[random.randrange(len(there))] = f"mine {number}"
        now = file(*there)
        assert Sheet.of(proposal).with_file(now) == one_by_one(proposal, now)
