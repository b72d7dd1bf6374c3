"""Whatever is taken of a proposal: the file holds that, and every other byte as it was."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Decision, Proposal
from motet.edits.lines import split_lines
from motet.text import TextFile

ACCEPTED, REJECTED, PENDING, STALE = Decision.ACCEPTED, Decision.REJECTED, Decision.PENDING, Decision.STALE

WORDS = st.sampled_from(["a", "b", "c", "", "  d", "\te", "é"])
LINES = st.lists(st.tuples(WORDS, st.sampled_from(["\n", "\r\n", "\r"])), max_size=24)
ENCODINGS = st.sampled_from([("utf-8", ""), ("utf-8-sig", ""), ("utf-16", ""), ("latin-1", "# coding: latin-1\n")])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Few different words, mixed line ends, with or without a final one."""
    text = "".join(word + end for word, end in draw(LINES))
    return text + draw(st.sampled_from(["", "last"]))


@st.composite
def proposals(draw: st.DrawFn) -> Proposal:
    encoding, head = draw(ENCODINGS)
    file = TextFile.decode("a.txt", (head + draw(texts())).encode(encoding))
    proposal = Proposal.between("a.txt", file, file.with_text(head + draw(texts())))
    if proposal.hunks and draw(st.booleans()):
        proposal = proposal.split(draw(st.integers(0, len(proposal.hunks) - 1)))
    return proposal


def decisions(proposal: Proposal) -> st.SearchStrategy[list[Decision]]:
    size = len(proposal.hunks)
    return st.lists(st.sampled_from([ACCEPTED, REJECTED, PENDING]), min_size=size, max_size=size)


def decided(proposal: Proposal, choices: list[Decision], order: list[int] | None = None) -> Proposal:
    for index in order or range(len(choices)):
        proposal = proposal.decide(index, choices[index])
    return proposal


@pytest.mark.acceptance("CC-11")
@given(st.data())
def test_outside_of_the_hunks_that_were_taken_every_byte_is_as_it_was(data: st.DataObject) -> None:
    proposal = data.draw(proposals())
    result = decided(proposal, data.draw(decisions(proposal)))
    assert result.before is not None
    old, new = split_lines(result.before.text), split_lines(result.accepted_text())
    assert result.accepted() == result.before.encode(result.accepted_text())
    at = done = 0
    for hunk in (reviewed.hunk for reviewed in result.hunks if reviewed.is_taken):
        assert new[done : done + hunk.first - at] == old[at : hunk.first]
        done += hunk.first - at
        assert tuple(new[done : done + len(hunk.new)]) == hunk.new
        at, done = hunk.last, done + len(hunk.new)
    assert new[done:] == old[at:]


@given(ENCODINGS, texts(), texts())
def test_all_hunks_make_the_new_file_and_none_the_old_one(coding: tuple[str, str], old: str, new: str) -> None:
    encoding, head = coding
    before = TextFile.decode("a.txt", (head + old).encode(encoding))
    after = before.with_text(head + new)
    proposal = Proposal.between("a.txt", before, after)
    assert proposal.decide_pending(ACCEPTED).accepted() == after.data
    assert proposal.decide_pending(REJECTED).accepted() == before.data


@given(st.data())
def test_the_order_of_decisions_does_not_matter(data: st.DataObject) -> None:
    proposal = data.draw(proposals())
    choices = data.draw(decisions(proposal))
    order = data.draw(st.permutations(range(len(choices))))
    assert decided(proposal, choices, order) == decided(proposal, choices)


@given(st.data())
def test_every_decision_can_be_taken_back(data: st.DataObject) -> None:
    proposal = data.draw(proposals())
    choices = data.draw(decisions(proposal))
    before = decided(proposal, choices)
    for index, choice in enumerate(choices):
        after = (
            before.amend(index, data.draw(texts())) if data.draw(st.booleans()) else before.decide(index, ACCEPTED)
        )
        assert after.decide(index, choice) == before


@given(st.data())
def test_a_hunk_that_is_not_stale_after_somebody_elses_change_does_the_same_there(data: st.DataObject) -> None:
    proposal = data.draw(proposals()).decide_pending(ACCEPTED)
    assert proposal.before is not None
    head = "# coding: latin-1\n" if proposal.before.encoding != "utf-8" else ""
    now = proposal.before.with_text(head + data.draw(texts()))
    here = proposal.rebase(now)
    lines = split_lines(now.text)
    for hunk in (reviewed.hunk for reviewed in here.hunks if reviewed.is_taken):
        assert tuple(lines[hunk.first : hunk.last]) == hunk.old
    assert here.accepted() == now.encode(here.accepted_text())


@pytest.mark.parametrize("pair", list(product([ACCEPTED, REJECTED], repeat=2)))
def test_a_proposal_moved_there_and_back_is_the_same(pair: tuple[Decision, Decision]) -> None:
    before = TextFile.decode("a.txt", "".join(f"{n}\n" for n in range(20)).encode())
    after = before.with_text(before.text.replace("\n3\n", "\nthree\n").replace("\n15\n", "\nfifteen\n"))
    proposal = decided(Proposal.between("a.txt", before, after), list(pair))
    other = before.with_text(before.text.replace("\n9\n", "\nnine\nand\nmore\n"))
    assert proposal.rebase(other).rebase(before) == proposal
    here, there = proposal.rebase(other).hunks[1], proposal.hunks[1]
    assert (here.hunk.line, here.hunk.old, here.hunk.new) == (there.hunk.line + 2, there.hunk.old, there.hunk.new)
    assert here.decision is pair[1]
