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
    gone = not (known.read.keys() <= files.keys() and known.left_out.keys() <= files.keys())
    rules = own_rules(root, files)
    if rules:
        unsure = files
    elif files == known.read and not texts:
        unsure = dict[str, Stamp]()
    else:
        unsure = dict(files.items() - known.read.items())
        unsure.update((path, files[path]) for path in texts.keys() & files.keys())
    unread = [
        member
        for member in judged(root, unsure, rules)
        if member.path in texts or differs(member, known.read.get(member.path), known.left_out.get(member.path))
    ]
    return Listed(files, unread, gone, not known.read and not known.left_out)
