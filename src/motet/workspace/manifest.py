"""The record of one checkpoint: which files, what they held before, what motet may have left in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from motet.workspace.atomic import digest


@dataclass(frozen=True, slots=True)
class Saved:
    """A content that is kept, by its name (see `name_of`), and the permission bits its file had."""

    hash: str
    mode: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a checkpoint; None stands for *no such file*.

    `after` has one hash once the outcome is known. While a write runs it has the one to come and the one
    before it, so that undo knows motet's own work even when the process was killed in between. `made` names
    the directories that were made for the file. `undoes`: the number of the checkpoint whose change of this file
    was taken back. `moved_from`: the path where the file was before; that path has an entry of its own. `exact`: a
    program did it, not an edit; then `path` may be a link or a directory, and the permission bits are part of what
    it was. `yields`: what others have made of it since stays, and stops no undo.
    """

    path: str
    before: Saved | None
    after: tuple[str | None, ...]
    made: tuple[str, ...] = ()
    undone: bool = False
    undoes: int | None = None
    moved_from: str | None = None
    exact: bool = False
    yields: bool = False

    @property
    def name(self) -> str | None:
        """The name of what the file was before."""
        return self.before.hash if self.before else None

    def was(self, *names: str | None) -> bool:
        """Whether one of these names is that of what the file was before."""
        return self.name in names


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


def name_of(data: bytes, mode: int) -> str:
    """The name of a content and of what it is in: a mode with a type, as the system has it. Of a plain file whose bits
    do not matter the hash alone is the name: a `mode` of 0."""
    return f"{digest(data)}.{mode:o}" if mode else digest(data)


def parts_of(name: str) -> tuple[str, int]:
    """The hash in a name, and the mode with its type, or 0."""
    hash, _, mode = name.partition(".")
    return hash, int(mode or "0", 8)
