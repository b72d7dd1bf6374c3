"""What the index answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A place: lines `first` to `last` of a file (1-based, both inside), the `line` among them that says most of the
    question, with its `text`. `reasons` speak to a human; `score` compares places of one answer.
    """

    path: str
    first: int
    last: int
    line: int
    text: str
    score: float
    kind: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The best places, best first. `complete`: all files of the project were looked at as they are now."""

    found: tuple[Found, ...]
    complete: bool
    files: int
    """How many files are indexed."""


@dataclass(frozen=True, slots=True)
class Status:
    """An index. `place`: its directory, empty when it is in memory. `size` and `disk` in bytes."""

    root: str
    place: str
    files: int
    lines: int
    size: int
    chunks: int
    commits: int
    disk: int
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class Why:
    """Whether a file is `indexed`, and why (not)."""

    path: str
    indexed: bool
    reason: str
