"""The hunks of all proposals as one list: where one stands, what was decided, and every earlier state for `u`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from motet.edits import Decision, Proposal, ReviewedHunk


class Session:
    """A review under way. It is over when every hunk is decided, or after `finish`."""

    def __init__(self, proposals: Sequence[Proposal]) -> None:
        self.proposals = list(proposals)
        self._at = 0
        self._finished = False
        self._history: list[tuple[list[Proposal], int]] = []
        self._edited: tuple[list[Proposal], int, Proposal] | None = None
        self.went_back = False
        """Whether the last decision led to a hunk further up, because none further down is undecided."""

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to ask."""
        return self._finished or all(proposal.is_decided for proposal in self.proposals)

    @property
    def current(self) -> tuple[Proposal, int]:
        """The proposal and the number of its hunk (from 0) that is asked about now."""
        return self._places()[self._at]

    @property
    def hunk(self) -> ReviewedHunk:
        """The hunk that is asked about now."""
        proposal, index = self.current
        return proposal.hunks[index]

    @property
    def position(self) -> tuple[int, int]:
        """Which hunk of how many this is, from 1, over all files."""
        return self._at + 1, len(self._places())

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision, or an edited hunk that is not decided, to take back."""
        return self.edited is not None or bool(self._history)

    @property
    def edited(self) -> Proposal | None:
        """The current file with the current hunk as the human has edited it, which is taken when that is accepted."""
        if self._edited is None or self._edited[0] is not self.proposals or self._edited[1] != self._at:
            return None
        return self._edited[2]

    @property
    def shown(self) -> Proposal:
        """The current file as it is to be drawn: the current hunk as the human has edited it."""
        proposal, index = self.current
        if self.edited is None:
            return proposal
        hunks = list(self.edited.hunks)
        hunks[index] = replace(hunks[index], decision=Decision.PENDING)
        return replace(self.edited, hunks=tuple(hunks))

    def edit(self, changed: Proposal) -> None:
        """The current hunk is to be decided as it is in `changed`."""
        self._edited = (self.proposals, self._at, changed)

    def decide(self, decision: Decision, remark: str = "") -> None:
        """Decide the current hunk and go to the next undecided one."""
        self.replace(self._decided(decision, remark))

    def _decided(self, decision: Decision, remark: str = "") -> Proposal:
        """The current file with the current hunk decided."""
        if self.edited is not None and decision is Decision.ACCEPTED:
            return self.edited
        proposal, index = self.current
        return proposal.decide(index, decision, remark)

    def decide_rest(self, decision: Decision) -> None:
        """Decide the current hunk and all later undecided ones of its file."""
        first, proposal = self.current[1], self._decided(decision)
        for index in range(first + 1, len(proposal.hunks)):
            if proposal.hunks[index].decision is Decision.PENDING:
                proposal = proposal.decide(index, decision)
        self.replace(proposal)

    def decide_all(self, decision: Decision) -> None:
        """Decide the current hunk and all undecided ones of all files, but for those of files in which a place is only
        nearly right: each of these is to be seen."""
        self._put(self._decided(decision))
        self.proposals = [one if one.approximate else one.decide_pending(decision) for one in self.proposals]
        self._go_on()

    def replace(self, proposal: Proposal) -> None:
        """Put `proposal` in place of the current file's and go to the next undecided hunk."""
        self._put(proposal)
        self._go_on()

    def _go_on(self) -> None:
        self.went_back = False
        if self._is_pending(self._at) or self.move(1, undecided=True):
            return
        above = next((at for at in range(self._at) if self._is_pending(at)), None)
        if above is not None:
            self._at, self.went_back = above, True

    def split(self) -> None:
        """Put the parts of the current hunk in its place, all undecided."""
        proposal, index = self.current
        self._put(proposal.split(index))

    def undo(self) -> None:
        """Take back what was edited here, or the last decision or split, and stand where that was made."""
        if self.edited is not None:
            self._edited = None
            return
        self.proposals, self._at = self._history.pop()

    def move(self, step: int, *, undecided: bool) -> bool:
        """Go to the next (`step` 1) or previous (-1) hunk; false when there is none that way."""
        places = range(len(self._places()))
        for at in places[self._at + 1 :] if step > 0 else reversed(places[: self._at]):
            if not undecided or self._is_pending(at):
                self._at = at
                return True
        return False

    def search(self, pattern: re.Pattern[str]) -> bool:
        """Go to the next hunk, around the end, with a line that `pattern` fits; false when there is no other."""
        places = self._places()
        for distance in range(1, len(places)):
            proposal, index = places[(self._at + distance) % len(places)]
            hunk = proposal.hunks[index].hunk
            if any(pattern.search(line.text) for line in (*hunk.old, *hunk.new)):
                self._at = (self._at + distance) % len(places)
                return True
        return False

    def go_to_file(self, path: str) -> None:
        """Go to the first undecided hunk of a file, or to its first one."""
        here = [at for at, (proposal, _) in enumerate(self._places()) if proposal.path == path]
        self._at = next((at for at in here if self._is_pending(at)), here[0])

    def finish(self) -> None:
        """Ask no more; what is undecided stays so."""
        self._finished = True

    def _put(self, proposal: Proposal) -> None:
        self._history.append((self.proposals, self._at))
        self.proposals = [proposal if old.path == proposal.path else old for old in self.proposals]

    def _is_pending(self, at: int) -> bool:
        proposal, index = self._places()[at]
        return proposal.hunks[index].decision is Decision.PENDING

    def _places(self) -> list[tuple[Proposal, int]]:
        return [(proposal, index) for proposal in self.proposals for index in range(len(proposal.hunks))]
