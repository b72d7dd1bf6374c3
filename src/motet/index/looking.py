"""Whether the files are as the index knows them. It is asked before each answer, of all files of the project, so of a file
that did not change no more is done than to compare its time and size.

A name is judged where the file is new or changed, and again before a place is shown (see `places.held`): a name that was
no secret when the file was read is not one now, unless motet itself has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.index.catalog import Known
from motet.index.membership import Member, differs, judged, own_rules
from motet.workspace.listing import Stamp


@dataclass(frozen=True, slots=True)
class Listed:
    """The `files` of the project, those of them that the index has not read as they are, and whether others are `gone`.
    `is_new`: it has read none."""

    files: Mapping[str, Stamp]
    unread: Sequence[Member]
    gone: bool
    is_new: bool

    @property
    def changed(self) -> bool:
        """Whether the index is not as the files are."""
        return self.gone or bool(self.unread)

    @property
    def size(self) -> int:
        """Bytes that are not read."""
        return sum(member.size for member in self.unread if not member.left_out)


def compared(root: Path, files: Mapping[str, Stamp], known: Known, texts: Mapping[str, str]) -> Listed:
    """All `files` of the project (see `membership.list_standing`) beside what is `known`. Those of which `texts` are, by
    path, are never read as they are."""
    is_same = files == known.stamps
    if is_same and not known.left_out and not texts:
        return Listed(files, (), False, not files)
    rules = own_rules(root, files)
    if is_same:
        unsure, gone = dict[str, Stamp](), False
    else:
        unsure = dict(files if rules else files.items() - known.stamps.items())
        gone = not known.stamps.keys() <= files.keys()
    # What an earlier motet left out may be let in, and what is in an editor is not as it is on disk.
    unsure.update((path, files[path]) for path in (known.left_out.keys() | texts.keys()) & files.keys())
    unread = [
        member
        for member in judged(root, unsure, rules)
        if member.path in texts or differs(member, _read(known, member.path), known.left_out.get(member.path))
    ]
    return Listed(files, unread, gone, not known.stamps)


def _read(known: Known, path: str) -> Stamp | None:
    return None if path in known.left_out else known.stamps.get(path)
