"""One proposal under review in the editor, compared with the file as it is now. Pure: no I/O here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from motet.edits import Decision, Hunk, Proposal
from motet.edits.hunks import apply_hunks, apply_hunks_at
from motet.edits.lines import split_lines
from motet.text import TextFile
from motet.text.merge import LineMap

_FEW = 4
"""Hunks without a place up to which each is looked at alone: a comparison with the file takes as long as the file."""
_MOST_ROUNDS = 10
"""Comparisons after which what still has no place is left without one."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A proposal, the file `now` (None: there is none), and by hunk the line of it (from 0) at which the hunk begins;
    None where the human has changed that place, so that nobody can say.

    Where `is_written`, hunks are in the file as soon as they are taken. A file that is made, moved or removed is left
    to whoever asked, once all is decided.
    """

    proposal: Proposal
    now: TextFile | None
    places: tuple[int | None, ...]

    @classmethod
    def of(cls, proposal: Proposal) -> Sheet:
        """Nothing has changed since it was proposed."""
        return cls(proposal, proposal.before, tuple(hunk.hunk.first for hunk in proposal.hunks))

    @property
    def is_written(self) -> bool:
        """See above."""
        proposal = self.proposal
        return proposal.before is not None and not proposal.deletes and not proposal.moves_to

    @property
    def pending(self) -> list[int]:
        """The hunks that wait for a decision."""
        return [index for index, hunk in enumerate(self.proposal.hunks) if hunk.decision is Decision.PENDING]

    def with_file(self, now: TextFile | None) -> Sheet:
        """The same for the file as it is `now`. A hunk that the human has made by hand is taken, one that was taken
        back by `u` is pending again."""
        proposal = self.proposal
        if not self.is_written:
            here = proposal.rebase(now)
            places = [None if hunk.decision is Decision.STALE else hunk.hunk.first for hunk in here.hunks]
            return replace(self, now=now, places=tuple(places))
        if now is None:
            return replace(self, now=None, places=tuple(None for _ in proposal.hunks))
        places = _places(proposal, _taken(proposal), now.text)
        for _ in proposal.hunks[:_MOST_ROUNDS]:
            others = _others(proposal, places, now.text)
            if not others:
                break
            for index in others:
                taken = proposal.hunks[index].is_taken
                proposal = proposal.decide(index, Decision.PENDING if taken else Decision.ACCEPTED)
            places = _places(proposal, _taken(proposal), now.text)
        return replace(self, proposal=proposal, now=now, places=places)

    def anchored(self, marks: Mapping[int, tuple[int, int]]) -> Sheet:
        """The same with the places that the editor has kept, by hunk the first row and the one after the last, where
        nothing else tells and just the lines that a hunk takes away stand there."""
        if self.now is None:
            return self
        lines, places = split_lines(self.now.text), list(self.places)
        for index, (first, last) in marks.items():
            old = self.proposal.hunks[index].hunk.old
            if places[index] is None and old and last - first == len(old) and tuple(lines[first:last]) == old:
                places[index] = first
        return replace(self, places=tuple(places))

    def decide(self, index: int, decision: Decision, remark: str = "") -> Sheet:
        """The same with a hunk decided; one whose place has changed can only be left out."""
        if self.places[index] is None and decision is Decision.REJECTED and not remark:
            decision = Decision.STALE
        return replace(self, proposal=self.proposal.decide(index, decision, remark))

    def split(self, index: int) -> Sheet:
        """The same with a hunk in its smallest parts, which wait."""
        hunk, place = self.proposal.hunks[index].hunk, self.places[index]
        proposal = self.proposal.split(index)
        parts = proposal.hunks[index : index + 1 + len(proposal.hunks) - len(self.proposal.hunks)]
        here = tuple(None if place is None else place + part.hunk.first - hunk.first for part in parts)
        return replace(self, proposal=proposal, places=(*self.places[:index], *here, *self.places[index + 1 :]))

    def amend(self, index: int, text: str) -> Sheet:
        """The same with a hunk taken as the human rewrote it."""
        return replace(self, proposal=self.proposal.amend(index, text))

    def text_with(self, indexes: Sequence[int], hunks: Proposal | None = None) -> str:
        """The text now with these hunks, as `hunks` has them; those without a place are left out."""
        base = self.now.text if self.now is not None else ""
        wanted: list[tuple[int, Hunk]] = []
        for index in indexes:
            place, hunk = self.places[index], (hunks or self.proposal).hunks[index].hunk
            if place is not None:
                wanted.append((place, hunk))
        return apply_hunks_at(base, wanted)


def _taken(proposal: Proposal) -> set[int]:
    return {index for index, hunk in enumerate(proposal.hunks) if hunk.is_taken}


def _places(proposal: Proposal, taken: set[int], text: str) -> tuple[int | None, ...]:
    """Where each hunk begins in `text`: its new lines if it is `taken`, else its old ones."""
    hunks = [reviewed.hunk for reviewed in proposal.hunks]
    lines = LineMap(apply_hunks(proposal.base.text, [hunks[index] for index in taken]), text)
    places: list[int | None] = []
    shift = 0  # how much further down than in the base a hunk is, after those that are taken before it
    for index, hunk in enumerate(hunks):
        first = hunk.first + shift
        places.append(lines.place(first, first + len(hunk.new if index in taken else hunk.old)))
        shift += len(hunk.new) - len(hunk.old) if index in taken else 0
    return tuple(places)


def _others(proposal: Proposal, places: Sequence[int | None], text: str) -> list[int]:
    """Of the hunks without a place those that `text` holds though they are pending, or does not hold though they were
    taken: the first one, of many all at once."""
    taken = _taken(proposal)
    left_out = (Decision.REJECTED, Decision.STALE)
    lost = [at for at, place in enumerate(places) if place is None and proposal.hunks[at].decision not in left_out]
    if len(lost) > _FEW:
        here = _places(proposal, taken.symmetric_difference(lost), text)
        if found := [index for index in lost if here[index] is not None]:
            return found
    alone = (at for at in lost[:_FEW] if _places(proposal, taken ^ {at}, text)[at] is not None)
    return list(islice(alone, 1))
