"""The record of one checkpoint: which files, what they held before, what motet may have left in them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast

from motet.errors import WorkspaceError
from motet.workspace.atomic import digest

VERSION = 1
"""Of the file format; a greater one is refused, never guessed at."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A content in the store, and the permission bits its file had."""

    hash: str
    mode: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a checkpoint; None stands for *no such file*.

    `after` has one hash once the outcome is known. While a write runs it has the one to come and the one
    before it, so that undo knows motet's own work even when the process was killed in between. `made` names
    the directories that were made for the file.
    """

    path: str
    before: Saved | None
    after: tuple[str | None, ...]
    made: tuple[str, ...] = ()
    undone: bool = False

    def was(self, hash: str | None) -> bool:
        """Whether the file held the content with this hash before."""
        return hash == (self.before.hash if self.before else None)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One checkpoint. `number` counts up within a workspace; `undoes` is the one that this one took back."""

    number: int
    root: str
    time: float
    label: str
    undoes: int | None = None
    finished: bool = False
    entries: tuple[Entry, ...] = ()

    @property
    def undone(self) -> bool:
        """Whether nothing of it is left to take back."""
        return all(entry.undone for entry in self.entries)

    def entry(self, path: str) -> Entry | None:
        """The entry of `path`, if it has one."""
        return next((entry for entry in self.entries if entry.path == path), None)

    def with_entry(self, new: Entry) -> Manifest:
        """With `new` in place of the entry of the same path, or at the end."""
        if self.entry(new.path) is None:
            return replace(self, entries=(*self.entries, new))
        return replace(self, entries=tuple(new if old.path == new.path else old for old in self.entries))

    def marked(self, paths: frozenset[str], undone: bool) -> Manifest:
        """With the entries of `paths` marked as taken back, or as standing again."""
        entries = (replace(entry, undone=undone) if entry.path in paths else entry for entry in self.entries)
        return replace(self, entries=tuple(entries))

    def to_json(self) -> bytes:
        """The file's content. File names that are no text survive as escapes."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1).encode()

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Read one back. Raises `WorkspaceError`, naming the file, when it is damaged or from a newer motet."""
        try:
            row = cast("dict[str, object]", json.loads(path.read_bytes()))
            version = row.pop("version")
            if version == VERSION:
                return _manifest(row)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise WorkspaceError(
                f"{path}: this checkpoint is damaged; move the file away to use the others"
            ) from error
        raise WorkspaceError(f"{path}: written by a newer motet (format {version}); update motet to use it")


def hash_of(data: bytes | None) -> str | None:
    """The hash of a content; None for no file."""
    return None if data is None else digest(data)


def _manifest(row: dict[str, object]) -> Manifest:
    return Manifest(
        number=cast("int", row["number"]),
        root=str(row["root"]),
        time=cast("float", row["time"]),
        label=str(row["label"]),
        undoes=cast("int | None", row["undoes"]),
        finished=bool(row["finished"]),
        entries=tuple(_entry(entry) for entry in cast("list[dict[str, object]]", row["entries"])),
    )


def _entry(row: dict[str, object]) -> Entry:
    before = cast("dict[str, object] | None", row["before"])
    return Entry(
        path=str(row["path"]),
        before=None if before is None else Saved(str(before["hash"]), cast("int", before["mode"])),
        after=tuple(cast("list[str | None]", row["after"])),
        made=tuple(cast("list[str]", row["made"])),
        undone=bool(row["undone"]),
    )
