"""What somebody wants to do, as the gate sees it, and what a human may answer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

ANY_HOST = "*"
"""Subject of a `NET` action whose host nobody can know: a command that may use the network."""


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
    """What a human answers to a question: no; yes for this one action; for the same in this chat (a run of a
    command counts as one); for the same in this project from now on; for the same everywhere from now on."""

    NO = "no"
    ONCE = "once"
    CHAT = "chat"
    PROJECT = "project"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Denial:
    """A no with a reason, which whoever asked is told."""

    reason: str


@dataclass(frozen=True, slots=True)
class Action:
    """One wish.

    `subject` is resolved: a path (relative to the workspace when it lies inside, else absolute), a command as one
    line, a host (a URL or `host:port` will do), or `provider host` for what is sent to a model. `detail` is what
    the question shows besides, and changes nothing about who may. `definition` is the text whose hash a grant is
    bound to: the command line that the project defines, the directory that a command runs in.

    `argv` are the words of a command, where they are known; a shell is `("sh", "-c", text)`. `network`: the
    command may reach any host. `contained`: the command can write nothing that outlasts it. `untrusted` is filled in by the gate: whose text is in the turn.
    """

    effect: Effect
    subject: str
    origin: Origin
    detail: str = ""
    definition: str = ""
    argv: tuple[str, ...] = ()
    network: bool = False
    contained: bool = False
    untrusted: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def command(
        cls,
        argv: Sequence[str],
        origin: Origin,
        *,
        detail: str = "",
        definition: str = "",
        network: bool = False,
        contained: bool = False,
    ) -> Action:
        """The wish to run `argv`."""
        return cls(Effect.RUN, shlex.join(argv), origin, detail, definition, tuple(argv), network, contained)

    @property
    def words(self) -> tuple[str, ...]:
        """The command as words. A line whose words are not known for sure is a text for a shell."""
        if self.argv:
            return self.argv
        try:
            words = shlex.split(self.subject)
        except ValueError:
            words = []
        plain = bool(words) and shlex.join(words) == self.subject and "=" not in words[0]
        return tuple(words) if plain else ("sh", "-c", self.subject)

    def __str__(self) -> str:
        return f"{self.effect}:{self.subject}"
