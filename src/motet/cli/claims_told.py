"""What is said before a human's own command writes files that agents have claimed: a human is never held back."""

from __future__ import annotations

from collections.abc import Sequence

from motet.cli.terminal import Terminal
from motet.edits import Proposal
from motet.engine import Engine


class ClaimsTold:
    """Says it once for each file of a run."""

    def __init__(self, engine: Engine, terminal: Terminal) -> None:
        self._engine = engine
        self._terminal = terminal
        self._asked = set[str]()

    async def of(self, proposals: Sequence[Proposal]) -> None:
        """Say which of these files agents have claimed."""
        paths = [one.path for one in proposals if one.path not in self._asked]
        self._asked.update(paths)
        for line in await self._engine.claimed(paths):
            self._terminal.line(line, "yellow", hang=2, always=True)
