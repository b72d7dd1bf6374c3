"""What the loop asks of a reviewer besides reviewing proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

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
