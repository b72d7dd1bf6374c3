"""One proposal under review in the editor, compared with the file as it is now. Pure: no I/O here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from motet.edits import Decision, Hunk, Proposal
from motet.edits.hunks import apply_hunks
from motet.edits.lines import split_lines
from motet.text import TextFile
from motet.text.merge import LineMap


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
        for _ in proposal.hunks:
            places = _places(proposal, now.text)
            other = next((index for index, place in enumerate(places) if place is None and _is_other(proposal, index, now)), None)  # fmt: skip
            if other is None:
                break
            taken = proposal.hunks[other].is_taken
            proposal = proposal.decide(other, Decision.PENDING if taken else Decision.ACCEPTED)
        return replace(self, proposal=proposal, now=now, places=_places(proposal, now.text))

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

    def amend(self, index: int, text: str) -> Sheet:
        """The same with a hunk taken as the human rewrote it."""
        return replace(self, proposal=self.proposal.amend(index, text))

    def text_with(self, indexes: Sequence[int], hunks: Proposal | None = None) -> str:
        """The text now with these hunks, as `hunks` has them; those without a place are left out."""
        base = self.now.text if self.now is not None else ""
        wanted: list[Hunk] = []
        for index in indexes:
            place, hunk = self.places[index], (hunks or self.proposal).hunks[index].hunk
            if place is not None:
                wanted.append(hunk.shifted(place - hunk.first))
        return apply_hunks(base, wanted)


def _taken(proposal: Proposal) -> set[int]:
    return {index for index, hunk in enumerate(proposal.hunks) if hunk.is_taken}


def _places(proposal: Proposal, text: str) -> tuple[int | None, ...]:
    """Where each hunk begins in `text`: its new lines if it is taken, else its old ones."""
    taken = _taken(proposal)
    lines = LineMap(_expected(proposal, taken), text)
    return tuple(_place(proposal, index, taken, lines) for index in range(len(proposal.hunks)))


def _is_other(proposal: Proposal, index: int, now: TextFile) -> bool:
    """Whether the file holds a hunk that is pending, or does not hold one that was taken."""
    if proposal.hunks[index].decision in (Decision.REJECTED, Decision.STALE):
        return False
    taken = _taken(proposal) ^ {index}
    return _place(proposal, index, taken, LineMap(_expected(proposal, taken), now.text)) is not None


def _expected(proposal: Proposal, taken: set[int]) -> str:
    """The file as it would be, if nobody else had changed it."""
    return apply_hunks(proposal.base.text, [proposal.hunks[index].hunk for index in taken])


def _place(proposal: Proposal, index: int, taken: set[int], lines: LineMap) -> int | None:
    hunk = proposal.hunks[index].hunk
    before = [proposal.hunks[other].hunk for other in taken if proposal.hunks[other].hunk.first < hunk.first]
    first = hunk.first + sum(len(other.new) - len(other.old) for other in before)
    return lines.place(first, first + len(hunk.new if index in taken else hunk.old))
