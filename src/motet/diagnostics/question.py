"""What servers are asked besides what is wrong: the form that every such question has, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from motet.diagnostics.client import Client, Document
from motet.text import TextFile

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Question(Protocol[T_co]):
    """One question to each server that knows a language of `about`."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The requests of the protocol that a server must offer."""
        ...

    @property
    def about(self) -> Sequence[TextFile]:
        """The files for whose languages a server is needed."""
        ...

    @property
    def files(self) -> Sequence[TextFile]:
        """The texts that the answers are about, those first that a server must see as they are here."""
        ...

    async def put(self, client: Client, documents: Mapping[str, Document], patience: float) -> T_co:
        """The answer of one server; `documents` are those of its languages, by path. It is broken off after
        `patience` seconds. Raises `ServerError`."""
        ...


@dataclass(frozen=True, slots=True)
class Answers(Generic[T]):
    """What servers answered, each with its name; where none did, `why` nobody could say."""

    given: tuple[tuple[str, T], ...] = ()
    why: str = ""

    @property
    def server(self) -> str:
        """The names of those who answered."""
        return ", ".join(name for name, _ in self.given)
