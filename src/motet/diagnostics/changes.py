"""Which files of the workspace changed, from check to check, and whom that may concern."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path, PurePosixPath

from motet.text import TextFile

_MOST_NAMES = 50
"""With more changed files than this, every file counts as concerned."""


class ChangeKind(IntEnum):
    """What happened to a file, with the numbers of the Language Server Protocol (`FileChangeType`)."""

    CREATED = 1
    CHANGED = 2
    DELETED = 3


@dataclass(frozen=True, slots=True)
class FileChange:
    """`path` is relative to the workspace, with `/`."""

    path: str
    kind: ChangeKind


class Changes:
    """The history of the files that were checked. `moment` counts the checks that brought a change."""

    def __init__(self, root: Path) -> None:
        self.moment = 0
        self._root = root
        self._files: dict[str, TextFile] = {}
        self._last: dict[str, int] = {}

    def note(self, files: Sequence[TextFile]) -> list[FileChange]:
        """Compare `files` with what was known; a file that is not among them is only missed if it is gone."""
        changes = [
            FileChange(file.path, ChangeKind.CHANGED if file.path in self._files else ChangeKind.CREATED)
            for file in files
            if (known := self._files.get(file.path)) is None or (known is not file and known.data != file.data)
        ]
        given = {file.path for file in files}
        gone = [path for path in self._files if path not in given and not (self._root / path).exists()]
        changes += [FileChange(path, ChangeKind.DELETED) for path in gone]
        self._files |= {file.path: file for file in files}
        for path in gone:
            del self._files[path]
        if changes:
            self.moment += 1
            self._last |= {change.path: self.moment for change in changes}
        return changes

    def concerned(self, files: Sequence[TextFile], since: int) -> Collection[str]:
        """Paths of the `files` that name a file changed after the moment `since`, directly or through others."""
        names = {PurePosixPath(path).name for path, moment in self._last.items() if moment > since}
        if len(names) > _MOST_NAMES:
            return {file.path for file in files}
        concerned: set[str] = set()
        while names:
            found = [
                file.path for file in files if file.path not in concerned and any(name in file.text for name in names)
            ]
            concerned.update(found)
            names = {PurePosixPath(path).name for path in found}
        return concerned
