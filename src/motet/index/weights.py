"""What counts how much when places are ranked. `bench/retrieval.py` measures each with and without."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors; 0 switches a feature off."""

    body: float = 1.0
    names: float = 0.8
    path: float = 0.45
    decay: float = 0.5
    """Of the second best chunk of a file beside the best; its square of the third."""
    whole: float = 0.5
    mention: float = 0.4
    """A path, a module or a line of a traceback that the question names."""
    defines: float = 0.6
    history: float = 0.4
    churn: float = 0.05
    tests: float = 0.4
    docs: float = 0.3
    data: float = 0.25
    build: float = 0.25
    """Of files that build a project or come with the tools that do."""
    asked_away: float = 0.6
    """Of source, where the question asks for tests or documents."""
    scope: float = 0.3
    """What stands before a colon in the first line, or in brackets, and is the name of a file or a directory."""
    first_line: float = 2.0
    quoted: float = 1.5
    """A word of a question that is written as code."""


WEIGHTS = Weights()
