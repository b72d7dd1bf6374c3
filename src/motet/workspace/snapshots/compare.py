"""What became of a tree: every entry that is not as it was, and how much of that is worth taking back."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from motet.workspace import _fs
from motet.workspace.snapshots.limits import Limits
from motet.workspace.snapshots.scan import Scan, Stopped, is_object, is_of_git, scan
from motet.workspace.snapshots.tree import Node

_EVERYTHING = Limits(files=1_000_000, bytes=2**63, file_bytes=2**63)
_RUBBISH = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", "node_modules"})
"""Directories that programs fill on the side, whether or not git ignores them."""
_ON_THE_SIDE = ("logs/", "refs/remotes/", "FETCH_HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "gc.log")
"""What git keeps besides what the repository is."""
_CHUNK = 2**20


@dataclass(frozen=True, slots=True)
class Difference:
    """One entry, as it was and as it is; None stands for *nothing there*. `before.hash` and `after.hash` differ, or the
    modes do."""

    path: str
    before: Node | None
    after: Node | None

    @property
    def is_new(self) -> bool:
        """Whether it was not there before."""
        return self.before is None


def differences(
    root: Path,
    before: Mapping[str, Node],
    passed_over: Collection[str],
    own: str | None,
    stop: threading.Event,
) -> list[Difference]:
    """What differs from `before`. Raises `OSError`, and `Stopped` when `stop` is set."""
    now = scan(root, _EVERYTHING, stop, own=own, passed_over=passed_over)
    return list(_changed(root, before, now, stop))


def _changed(root: Path, before: Mapping[str, Node], now: Scan, stop: threading.Event) -> Iterator[Difference]:
    blind = frozenset(now.blind)
    unseen = now.left_out.paths
    for path, node in before.items():
        after = now.nodes.get(path)
        if after is None and path not in unseen and not _is_below(path, blind):
            yield Difference(path, node, None)
    for path, after in now.nodes.items():
        if stop.is_set():
            raise Stopped
        node = before.get(path)
        if node is None and is_object(path):
            continue  # an object more does no harm, and others may have come to need it
        if node is not None and (node.look == after.look or is_object(path)) and node.mode == after.mode:
            continue
        try:
            hashed = after if after.is_directory else after._replace(hash=_hash(root / path, after))
        except OSError:
            continue  # gone this moment, or not to be read: nothing that could be taken back
        if node is None or (node.hash, node.mode) != (hashed.hash, hashed.mode):
            yield Difference(path, node, hashed)


def worth(found: list[Difference], project: Collection[str] | None) -> Iterator[tuple[Difference, bool]]:
    """Those that are taken back, each with whether it yields to what others make of it. `project`: the files that git
    knows or does not ignore, where git says so.

    What programs make on the side, and git ignores, is not removed by an undo, and what became of it later stops none.
    """
    known = None if project is None else frozenset(project)
    for one in found:
        yields = _is_aside(one, known)
        if not (yields and one.is_new):
            yield one, yields


def _is_aside(one: Difference, project: frozenset[str] | None) -> bool:
    path = one.path
    if is_of_git(path):
        inside = f"/{path}".partition("/.git/")[2]
        return is_object(path) or inside.startswith(_ON_THE_SIDE)
    if not _RUBBISH.isdisjoint(path.split("/")):
        return True
    if project is None or one.after is None or one.after.is_directory:
        return False
    return path not in project


def _is_below(path: str, directories: frozenset[str]) -> bool:
    while directories and path:
        path = path.rpartition("/")[0]
        if path in directories:
            return True
    return False


def _hash(place: Path, node: Node) -> str:
    if node.is_link:
        return hashlib.sha256(os.fsencode(os.readlink(place))).hexdigest()  # noqa: PTH115  as it is, byte for byte
    handle = _fs.open_file(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        hash = hashlib.sha256()
        while chunk := os.read(handle, _CHUNK):
            hash.update(chunk)
        return hash.hexdigest()
    finally:
        os.close(handle)
