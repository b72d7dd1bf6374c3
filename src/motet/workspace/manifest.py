"""The record of one checkpoint: which files, what they held before, what motet may have left in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from motet.workspace.atomic import digest


@dataclass(frozen=True, slots=True)
class Saved:
    """A content that is kept, and the permission bits its file had."""

    hash: str
    mode: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a checkpoint; None stands for *no such file*.

    `after` has one hash once the outcome is known. While a write runs it has the one to come and the one
    before it, so that undo knows motet's own work even when the process was killed in between. `made` names
    the directories that were made for the file. `undoes`: the number of the checkpoint whose change of this file
    was taken back. `moved_from`: the path where the file was before; that path has an entry of its own.
    """

    path: str
    before: Saved | None
    after: tuple[str | None, ...]
    made: tuple[str, ...] = ()
    undone: bool = False
    undoes: int | None = None
    moved_from: str | None = None

    def was(self, hash: str | None) -> bool:
        """Whether the file held the content with this hash before."""
        return hash == (self.before.hash if self.before else None)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One checkpoint. `number` counts up within a workspace."""

    number: int
    root: str
    time: float
    label: str
    finished: bool = False
    entries: tuple[Entry, ...] = ()

    @property
    def undone(self) -> bool:
        """Whether nothing of it is left to take back."""
        return all(entry.undone for entry in self.entries)

    @property
    def undoes(self) -> tuple[int, ...]:
        """The numbers of the checkpoints that this one took something of back, newest first."""
        return tuple(sorted({entry.undoes for entry in self.entries if entry.undoes is not None}, reverse=True))

    def entry(self, path: str) -> Entry | None:
        """The entry of `path`, if it has one."""
        return next((entry for entry in self.entries if entry.path == path), None)

    def with_entries(self, new: Iterable[Entry]) -> Manifest:
        """With each of `new` in place of the entry of the same path, or at the end."""
        entries = {entry.path: entry for entry in self.entries}
        entries.update((entry.path, entry) for entry in new)
        return replace(self, entries=tuple(entries.values()))

    def marked(self, paths: Collection[str], undone: bool) -> list[Entry]:
        """The entries of `paths`, marked as taken back or as standing again."""
        return [replace(entry, undone=undone) for entry in self.entries if entry.path in paths]


def hash_of(data: bytes | None) -> str | None:
    """The hash of a content; None for no file."""
    return None if data is None else digest(data)
