"""A tree as it was at one moment: of each entry what the system says of it, and where its content is kept.

On the disk it is one file of records that end with NUL, because a line may be part of a file's name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from motet.errors import WorkspaceError
from motet.workspace.store import write_durably

_VERSION = "motet tree 1"
_RACY = 2 * 10**9
"""Nanoseconds: the coarsest clock of a file system. What was changed so shortly before a look may be changed again
without looking different."""


class Node(NamedTuple):
    """One entry. `mode` has its type, too. `look` is what tells that it has not been touched since: size, times and
    number. `hash` of the content (of a link: where it points), which stands at `offset` of pack `pack`; a directory
    has none."""

    mode: int
    size: int
    look: str
    hash: str = ""
    pack: int = 0
    offset: int = 0

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.mode)


def node_of(info: os.stat_result) -> Node:
    """What the system says of an entry; of a directory only its mode, because its times change with each file in it."""
    if stat.S_ISDIR(info.st_mode):
        return Node(info.st_mode, 0, "-")
    look = f"{info.st_mtime_ns}-{info.st_ctime_ns}-{info.st_ino}-{info.st_size}-{info.st_mode:o}"
    return Node(info.st_mode, info.st_size, look)


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree `number` of a workspace, by path."""

    number: int
    nodes: Mapping[str, Node]

    @property
    def packs(self) -> frozenset[int]:
        """The packs that hold its contents."""
        return frozenset(node.pack for node in self.nodes.values() if node.hash)

    def save(self, path: Path) -> None:
        """Write it; on the disk on return. Raises `OSError`."""
        records = [_VERSION]
        records += [
            f"{node.mode:o} {node.size} {node.look} {node.hash or '-'} {node.pack} {node.offset} {name}"
            for name, node in self.nodes.items()
        ]
        write_durably(path, os.fsencode("\0".join(records)))

    @classmethod
    def load(cls, path: Path) -> Tree:
        """Read it. Raises `OSError`, and `WorkspaceError`, naming the file, when it is damaged."""
        version, *records = os.fsdecode(path.read_bytes()).split("\0")
        try:
            if version != _VERSION:
                raise ValueError(version)
            return cls(int(path.stem), dict(map(_node, records)))
        except ValueError as error:
            raise WorkspaceError(f"{path}: this snapshot is damaged; move the file away to go on") from error


def _node(record: str) -> tuple[str, Node]:
    mode, size, look, hash, pack, offset, name = record.split(" ", 6)
    return name, Node(int(mode, 8), int(size), look, "" if hash == "-" else hash, int(pack), int(offset))


def settled(node: Node, info: Node, now: int) -> Node:
    """`node` as it looks by `info`; one that was changed just before `now` (nanoseconds) looks like nothing, so that it
    is read again."""
    if info.is_directory:
        return info
    mtime, ctime, _ = info.look.split("-", 2)
    is_racy = max(int(mtime), int(ctime)) > now - _RACY
    return node._replace(look="?" if is_racy else info.look)
