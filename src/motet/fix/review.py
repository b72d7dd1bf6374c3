"""Reviewers that need nobody, and what the loop asks of one besides reviewing proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from motet.edits import Decision, Proposal
from motet.text import Diagnostic
from motet.tools import Reviewer


class RoundReviewer(Reviewer, Protocol):
    """A reviewer who also decides what happens to a round that made things worse, and can end the run."""

    @property
    def stopped(self) -> bool:
        """Whether the human wants no more: what is decided is applied, then the run ends."""
        ...

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """Whether to keep a round after which there are more problems; `new` are those that it added."""
        ...


class AcceptAll:
    """`--yes`: takes every proposed edit but those whose place is only nearly right, and no round that made things
    worse."""

    stopped = False

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """See `Reviewer`."""
        return [
            proposal if proposal.approximate else proposal.decide_pending(Decision.ACCEPTED) for proposal in proposals
        ]

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """See `RoundReviewer`."""
        return False


class ProposeOnly:
    """`--dry-run`: nothing is decided, so nothing is written."""

    stopped = False

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """See `Reviewer`."""
        return list(proposals)

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """See `RoundReviewer`."""
        return False
