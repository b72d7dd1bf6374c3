"""What tools work with: handed to each when it is made, so that a tool says in its constructor what it may touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from motet.permissions import Gate
from motet.tools.claims import Claims, NoClaims
from motet.workspace import Workspace

if TYPE_CHECKING:
    from motet.tools.desk import EditDesk


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the human; without `options` the answer is free text. With `many`, several may be chosen.
    `safe`: the option that does no harm, if there is one."""

    text: str
    options: tuple[str, ...] = ()
    many: bool = False
    safe: str = ""


class Human(Protocol):
    """Whoever sits in front: answers what a tool asks."""

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        """One answer for each question (chosen options on lines of their own); None: no answer is given."""
        ...


class Nobody:
    """A run without a human in front."""

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        """See `Human`."""
        return None


@dataclass(frozen=True, slots=True)
class Told:
    """What a running tool says before it is done: a line of output, a new plan. `kind` is `output`, `plan` or
    `note`."""

    tool: str
    kind: str
    text: str


def unheard(_: Told) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Kit:
    """The workspace and the desk over which every edit goes, the gate, the human, and a private directory `outputs`
    in which whole outputs are kept that are too long for a model. `the_desk` gives one desk, made when a tool first
    needs it. `claims`: what other agents have claimed of the files."""

    workspace: Workspace
    the_desk: Callable[[], EditDesk]
    gate: Gate
    outputs: Path
    human: Human = field(default_factory=Nobody)
    tell: Callable[[Told], None] = unheard
    claims: Claims = field(default_factory=NoClaims)

    @property
    def desk(self) -> EditDesk:
        """The desk, the same for all tools."""
        return self.the_desk()
