"""Who tells the loop what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from motet.diagnostics import Report
from motet.text import TextFile


class Diagnoser(Protocol):
    """Language servers and checkers of our own (`DiagnosticsService`), or an editor with its own."""

    @property
    def checker_names(self) -> frozenset[str]:
        """The sources that are asked only at the end of a round."""
        ...

    async def check(self, files: Sequence[TextFile], *, checkers: bool = True) -> Report:
        """What is wrong with these versions of `files`; without `checkers`, as far as the other sources know."""
        ...
