"""What there is in a workspace now: every entry, without reading a file, as far as the limits go.

A project's own files come first, then what is built or downloaded, then git's objects: where there is too much, the last
of these are left out first, and whoever asked is told what.
"""

from __future__ import annotations

import os
import stat
import threading
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from motet.permissions.places import OF_GIT
from motet.workspace.generated import is_left_out
from motet.workspace.snapshots.limits import LeftOut, Limits
from motet.workspace.snapshots.tree import Node, node_of

_TOO_MANY = "more files than a snapshot takes"
_TOO_MUCH = "more bytes than a snapshot takes"
_TOO_LARGE = "too large"
_ELSEWHERE = "on another file system"
_UNREADABLE = "cannot be read"


class Stopped(Exception):
    """Nobody waits for the answer any more."""


@dataclass(slots=True)
class Scan:
    """What was found, by path, and what was not looked at. `blind` are directories that were not looked into."""

    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    left_out: LeftOut = field(default_factory=LeftOut)
    blind: list[str] = field(default_factory=list[str])

    @property
    def size(self) -> int:
        """Bytes of all contents."""
        return sum(node.size for node in self.nodes.values())


def is_of_git(path: str) -> bool:
    """Whether `path` is one of git's own files."""
    return ".git" in path.split("/")


def may_start_programs(path: str) -> bool:
    """Whether git, by what stands in its file `path`, may start programs or look elsewhere."""
    return any(part in OF_GIT for part in f"/{path}".rpartition("/.git/")[2].split("/")[:1])


def is_index(path: str) -> bool:
    """Whether `path` is git's index, of the repository or of a submodule or another work tree in it."""
    return is_of_git(path) and path.rpartition("/")[2] == "index"


def is_object(path: str) -> bool:
    """Whether `path` is one of git's objects, which are named by what they hold and never change."""
    _, found, inside = f"/{path}".partition("/.git/")
    parts = inside.split("/")
    at = parts.index("objects") if found and "objects" in parts else len(parts)
    return len(parts) > at + 1 and parts[at + 1] != "info"


def is_derived(path: str) -> bool:
    """Whether `path` lies in a directory of what is built or downloaded, by its name."""
    return any(part != ".git" and is_left_out(part) for part in path.split("/"))


def scan(
    root: Path,
    limits: Limits,
    stop: threading.Event,
    *,
    own: str | None = None,
    passed_over: Collection[str] = (),
) -> Scan:
    """Look at everything below `root`. `own`: motet's own state, with `/` at its end; `passed_over` are not looked at.

    Raises `OSError` when `root` itself cannot be read, `Stopped` when `stop` is set.
    """
    found = Scan()
    device = root.stat().st_dev
    first: deque[str] = deque([""])
    later: tuple[deque[str], deque[str]] = (deque(), deque())  # what is derived, git's objects
    while directory := _next(first, *later):
        if stop.is_set():
            raise Stopped
        if len(found.nodes) >= limits.files:
            found.left_out.add(_TOO_MANY, f"{directory[0]}/")
            found.blind.append(directory[0])
            continue
        for path, entry in _entries(root, directory[0], found):
            if path in passed_over or (own is not None and f"{path}/" == own):
                continue
            node = _node(path, entry, device, limits, found)
            if node is None:
                continue
            found.nodes[path] = node
            if not node.is_directory:
                continue
            if is_derived(path):
                later[0].append(path)
            elif entry.name == "objects" and is_of_git(path):
                later[1].append(path)
            else:
                (later[1] if is_object(path) else first).append(path)
    return found


def trimmed(found: Scan, limits: Limits, own: Collection[str]) -> None:
    """Leave out of `found` what is too much in bytes; `own` are the files that belong to the project."""
    known = frozenset(own)

    def rank(item: tuple[str, Node]) -> tuple[int, int]:
        path, node = item
        if is_object(path):
            return 4, 0  # a part of them is of no use
        if is_of_git(path) or path in known:
            return 0, node.size
        return (3 if is_derived(path) else 2), node.size

    room = limits.bytes
    objects = sum(node.size for path, node in found.nodes.items() if is_object(path))
    for path, node in sorted(found.nodes.items(), key=rank):
        if node.is_directory:
            continue
        size = objects if is_object(path) else node.size
        if size > room:
            del found.nodes[path]
            found.left_out.add(_TOO_MUCH, path)
        elif not is_object(path):
            room -= size


def _next(*queues: deque[str]) -> tuple[str] | None:
    """The next of the first queue that holds something."""
    return next(((queue.popleft(),) for queue in queues if queue), None)


def _entries(root: Path, directory: str, found: Scan) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(root / directory) as entries:
            listed = list(entries)
    except OSError:
        if not directory:
            raise
        found.left_out.add(_UNREADABLE, f"{directory}/")
        found.blind.append(directory)
        return
    prefix = f"{directory}/" if directory else ""
    for entry in listed:
        yield prefix + entry.name, entry


def _node(path: str, entry: os.DirEntry[str], device: int, limits: Limits, found: Scan) -> Node | None:
    try:
        info = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        found.left_out.add(_UNREADABLE, path)
        return None
    kind = stat.S_IFMT(info.st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
        return None  # pipes and sockets hold nothing
    if info.st_dev != device:
        found.left_out.add(_ELSEWHERE, f"{path}/")
    elif kind == stat.S_IFREG and info.st_size > limits.file_bytes:
        found.left_out.add(_TOO_LARGE, path)
    else:
        return node_of(info)
    return None
