"""A project on disk, a human at the gate, an editor that knows what it is told, pages and diffs handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from motet.context import Buffer, Cursor, Excerpt, Page, QuickfixEntry, Sources
from motet.errors import MotetError
from motet.permissions import Action, Answer, Gate, GrantStore, RuleSet
from motet.text import Diagnostic
from motet.workspace import Checkpoints, DiskWorkspace


class Human:
    """Answers every question alike, and remembers them."""

    def __init__(self, answer: Answer = Answer.NO) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, action: Action) -> Answer:
        self.asked.append(str(action))
        return self.answer


@dataclass(slots=True)
class Web:
    """Pages by address; everything else fails."""

    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    asked: list[str] = field(default_factory=list[str])

    async def __call__(self, url: str) -> Page:
        self.asked.append(url)
        if url not in self.pages:
            raise MotetError(f"{url}: the server refused")
        return self.pages[url]


@dataclass(slots=True)
class FakeEditor:
    """What the editor shows."""

    open: Sequence[Buffer] = ()
    at: Cursor | None = None
    selected: Excerpt | None = None
    windows: Sequence[Excerpt] = ()
    problems: Sequence[Diagnostic] = ()
    entries: Sequence[QuickfixEntry] = ()
    said: str = ""
    screen: str = ""

    async def buffers(self) -> Sequence[Buffer] | None:
        return self.open

    async def open_files(self) -> dict[str, str | None] | None:
        return {one.path: one.text if one.is_changed else None for one in self.open if one.path}

    async def current_file(self) -> str | None:
        return next((one.path for one in self.open if self.at and one.number == self.at.buffer), "")

    async def cursor(self) -> Cursor | None:
        return self.at

    async def selection(self) -> Excerpt | None:
        return self.selected

    async def viewport(self) -> Sequence[Excerpt] | None:
        return self.windows

    async def diagnostics(self) -> Sequence[Diagnostic] | None:
        return self.problems

    async def quickfix(self) -> Sequence[QuickfixEntry] | None:
        return self.entries

    async def messages(self) -> str | None:
        return self.said

    async def terminal(self) -> str | None:
        return self.screen


@dataclass(slots=True)
class Place:
    """A project, and the sources over it."""

    root: Path
    human: Human
    sources: Sources

    def write(self, path: str, data: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file

    def using(self, **parts: object) -> Sources:
        return replace(self.sources, **parts)  # pyright: ignore[reportArgumentType]


def open_place(directory: Path) -> Place:
    """A project without any file."""
    root = directory / "project"
    root.mkdir()
    human = Human()
    gate = Gate(root, RuleSet(), GrantStore(directory / "state"), human)
    workspace = DiskWorkspace(root, gate=gate, checkpoints=Checkpoints(directory / "state", root))
    return Place(root, human, Sources(workspace, gate))
