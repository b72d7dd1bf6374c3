"""What other agents have claimed of the files, for the tools that change files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Claims(Protocol):
    """The claims that hold in a workspace, as one of those who work in it sees them. Paths as the workspace has them."""

    async def may_write(self, path: str) -> None:
        """Raises `MotetError`, with the holder's name and how to ask, for a file that another agent has claimed."""
        ...

    async def may_run(self) -> None:
        """Raises the same where another has claimed all there is, so that no command that writes may run."""
        ...

    async def trespassed(self, paths: Sequence[str]) -> str:
        """What is to be said of files that a command changed: which of them others have claimed; empty for none."""
        ...


class NoClaims:
    """Nobody else works here."""

    async def may_write(self, path: str) -> None:
        """See `Claims`."""

    async def may_run(self) -> None:
        """See `Claims`."""

    async def trespassed(self, paths: Sequence[str]) -> str:
        """See `Claims`."""
        return ""
