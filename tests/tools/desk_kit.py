"""A desk between a workspace and a reviewer that decides as told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from motet.edits import Decision, Edit, Proposal
from motet.permissions import Gate, GrantStore, RuleSet
from motet.tools import DeskReport, EditDesk
from motet.workspace import Checkpoints, DiskWorkspace, MemoryWorkspace, Workspace

Decide = Callable[[Proposal], Proposal]


class Deciding:
    """Decides with a function, by default takes every hunk; remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[Proposal] = []
        self.decide: Decide = lambda proposal: proposal.decide_pending(Decision.ACCEPTED)

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        self.seen += proposals
        return [self.decide(proposal) for proposal in proposals]


class Place:
    """One workspace with its files, whatever keeps them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.reviewer = Deciding()

    def write(self, path: str, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        if isinstance(self.workspace, MemoryWorkspace):
            self.workspace.files[path] = data
        else:
            place = self.workspace.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)

    def remove(self, path: str) -> None:
        if isinstance(self.workspace, MemoryWorkspace):
            del self.workspace.files[path]
        else:
            (self.workspace.root / path).unlink()

    @property
    def files(self) -> dict[str, bytes]:
        if isinstance(self.workspace, MemoryWorkspace):
            return self.workspace.files
        root = self.workspace.root
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def desk(self, **options: object) -> EditDesk:
        return EditDesk(self.workspace, self.reviewer, **options)  # type: ignore[arg-type]

    async def submit(self, *edits: Edit, **options: object) -> DeskReport:
        return await self.desk(**options).submit(edits)


def on_disk(root: Path, state: Path) -> DiskWorkspace:
    root.mkdir()
    gate = Gate(root, RuleSet(), GrantStore(state))
    return DiskWorkspace(root, gate=gate, checkpoints=Checkpoints(state, root))
