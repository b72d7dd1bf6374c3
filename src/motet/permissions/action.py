"""What somebody wants to do, as the gate sees it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What an action does to the world outside this process."""

    READ = "read"
    WRITE = "write"
    RUN = "run"
    SEND = "send"
    NET = "net"


class Origin(StrEnum):
    """On whose behalf: what the user said, motet's own defaults, a model, or a file of the project."""

    USER = "user"
    BUILT_IN = "built-in"
    MODEL = "model"
    PROJECT = "project"


class Answer(StrEnum):
    """What a human answers to a question: no, for this run, or for this project from now on.

    For a write to a protected place both yeses count for that one write only.
    """

    NO = "no"
    ONCE = "once"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Action:
    """One wish. `subject` is resolved: a workspace path, a command as one line, or `provider host`.

    `detail` is what the question shows besides; `definition` is the text whose hash a grant is bound to when
    the wish comes from the project (the command line it defines, the program it points at).
    """

    effect: Effect
    subject: str
    origin: Origin
    detail: str = ""
    definition: str = ""

    def __str__(self) -> str:
        return f"{self.effect}:{self.subject}"
