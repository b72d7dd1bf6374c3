"""Where context comes from: handed in by whoever wires a chat, each part to be absent."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from motet.context.editor import Editor
from motet.context.project_map import DrawMap
from motet.errors import MotetError, OutsideWorkspace
from motet.messages import Document, Image, Message
from motet.permissions import Action, Effect, Gate, Origin, is_secret
from motet.text import TextFile

if TYPE_CHECKING:  # language servers and the disk are not needed to say hello
    from motet.context.passages import Lines
    from motet.diagnostics import Report
    from motet.index.packing import Passage, Passages
    from motet.workspace import Workspace

MAX_BYTES = 20 * 1024 * 1024
"""Pictures and documents larger than this are refused."""


@dataclass(frozen=True, slots=True)
class Page:
    """What an address gave: `text` is empty where nothing could be read; a picture or a PDF is a `part` as well."""

    url: str
    text: str
    title: str = ""
    part: Image | Document | None = None
    notes: tuple[str, ...] = ()


Fetch = Callable[[str], Awaitable[Page]]
"""Reads one address. Raises `MotetError`."""

Diff = Callable[[bool], Awaitable[str]]
"""What is not committed yet, as a unified diff; with True only what is staged. Raises `MotetError`."""


class Retrieve(Protocol):
    """Whoever finds passages for a question: the index of the project, or what takes its place."""

    async def __call__(self, question: str, source: str = "") -> Passages:
        """The passages that answer `question`; of another source, where one is named. Raises `MotetError`."""
        ...


class Suggest(Protocol):
    """Whoever finds passages that come along with a message though nobody asked for them."""

    async def __call__(self, said: str, shown: Mapping[str, list[Lines]]) -> Sequence[Passage]:
        """What has to do with what is `said` and is not among what the chat shows already (see `lines_in`). Raises
        nothing."""
        ...


class Diagnoses(Protocol):
    """Who knows what is wrong with files; `DiagnosticsService` does."""

    async def check(self, files: Sequence[TextFile]) -> Report:
        """What is wrong with these versions of `files`."""
        ...


@dataclass(frozen=True, slots=True)
class Group:
    """Files that belong together, by globs as in `.gitignore`: `[groups.api] files = ["src/api/**"]`."""

    name: str
    files: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """All that variables, mentions and commands may draw on.

    `in_context`: paths of the files that the chat shares already. `sees_images`, `reads_documents`: what the model can
    take. `may_share_code`: whether the settings let code leave. `read_bytes` is for pictures and documents; without it
    they are read from the workspace's directory on disk. `retrieve` finds passages for a question, `suggest` such that
    come along by themselves; `asked` is the text in which the symbols stand.
    """

    workspace: Workspace
    gate: Gate
    editor: Editor | None = None
    diagnoses: Diagnoses | None = None
    diff: Diff | None = None
    fetch: Fetch | None = None
    in_context: tuple[str, ...] = ()
    sees_images: bool = True
    reads_documents: bool = True
    may_share_code: bool = True
    read_bytes: Callable[[str], Awaitable[bytes]] | None = None
    draw_map: DrawMap | None = None
    retrieve: Retrieve | None = None
    suggest: Suggest | None = None
    asked: str = ""

    def absolute(self, path: str) -> str:
        """The absolute form of a path in the workspace; empty for none."""
        return str(self.workspace.root / path) if path else ""

    def real(self, path: str) -> str:
        """`path` without links, as the rules about secrets want it; a path that leads out stays absolute."""
        root = self.workspace.root
        real = Path(os.path.realpath(root / path))
        return real.relative_to(root).as_posix() if real.is_relative_to(root) else str(real)

    def is_secret(self, path: str) -> bool:
        """Whether the file is a secret by its name, or by the name of what a link leads to."""
        return is_secret(path) or is_secret(self.real(path))

    async def ask(self, path: str, origin: Origin = Origin.USER) -> None:
        """Ask the gate for sharing what the human has open as `path`. Raises `PermissionDenied`."""
        subject = path if is_secret(path) else self.real(path)
        await self.gate.require(Action(Effect.READ, subject, origin, "to be shared with the model"))

    async def require(self, path: str, origin: Origin = Origin.USER) -> None:
        """Ask the gate for reading a file of the workspace. Raises `PermissionDenied`, and `OutsideWorkspace` for what a
        link leads out of it: then nobody is asked."""
        if self.real(path).startswith("/"):
            raise OutsideWorkspace(f"{path}: leads out of the workspace; share a file inside it")
        await self.ask(path, origin)

    async def read(self, path: str, origin: Origin = Origin.USER) -> TextFile:
        """The text of a file, when the gate lets it be read. Raises `WorkspaceError`, `PermissionDenied`."""
        await self.require(path, origin)
        return await self.workspace.read(path)


@dataclass(frozen=True, slots=True)
class Shared:
    """What one symbol or command came to: `messages` to attach, `words` for the symbol's place in the sentence (empty:
    it stays as it was written), `notices` for the human."""

    messages: tuple[Message, ...] = ()
    words: str = ""
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class Collected:
    """What several of them came to, in order."""

    messages: list[Message] = field(default_factory=list[Message])
    notices: list[str] = field(default_factory=list[str])

    def add(self, shared: Shared) -> None:
        """Take in one more; an item that is there already is not attached twice."""
        there = {(message.context and message.context.id, message.text) for message in self.messages}
        self.messages += [
            each for each in shared.messages if (each.context and each.context.id, each.text) not in there
        ]
        self.notices += [notice for notice in shared.notices if notice not in self.notices]


def notice(text: str | MotetError) -> Shared:
    """Nothing to attach, and why."""
    return Shared(notices=(str(text),))
