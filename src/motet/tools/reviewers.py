"""Reviewers that need nobody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motet.edits import Proposal
    from motet.text import Diagnostic


class AcceptAll:
    """`--yes`: takes every proposed edit but those whose place is only nearly right, and no round that made things
    worse."""

    stopped = False

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """See `Reviewer`."""
        from motet.edits import Decision

        return [
            proposal if proposal.approximate else proposal.decide_pending(Decision.ACCEPTED) for proposal in proposals
        ]

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """What `motet fix` asks of a reviewer besides."""
        return False


class ProposeOnly:
    """`--dry-run`: nothing is decided, so nothing is written."""

    stopped = False

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """See `Reviewer`."""
        return list(proposals)

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """What `motet fix` asks of a reviewer besides."""
        return False
