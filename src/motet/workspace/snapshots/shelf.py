"""The snapshots of one workspace on the disk: trees, and the contents that they share, in packs.

`<state>/checkpoints/snapshots/<hash of the root>/` holds `N.tree` and `N.pack`: a pack is the contents that a snapshot
found new, one after the other, so that a snapshot waits for the disk once however many files there are. What no tree
needs any more goes with the next snapshot. Used only under the store's lock.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from motet.errors import WorkspaceError
from motet.workspace import _fs
from motet.workspace.atomic import digest, write_all
from motet.workspace.snapshots.scan import Scan, Stopped
from motet.workspace.snapshots.tree import Node, Tree, node_of, settled
from motet.workspace.store import make_directory, sync_directory

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_WASTE = 32 * 2**20
"""Bytes of a pack that nobody needs from which it is worth writing the rest anew, when they are more than half."""


class Shelf:
    """The snapshots in `home`, of the workspace `root`."""

    def __init__(self, home: Path, root: Path) -> None:
        self.home = home
        self._root = root
        self._newest: Tree | None = None

    def newest(self) -> Tree | None:
        """The last tree, if there is one that can be read: it only spares reading files."""
        numbers = self._numbers("tree")
        if not numbers:
            return None
        if self._newest is None or self._newest.number != numbers[-1]:
            with contextlib.suppress(WorkspaceError):
                self._newest = self.tree(numbers[-1])
        return self._newest

    def tree(self, number: int) -> Tree:
        """One tree. Raises `OSError` or `WorkspaceError`."""
        return Tree.load(self._path(number, "tree"))

    def keep(self, found: Scan, now: int, stop: threading.Event, needed: Collection[int]) -> Tree:
        """Keep what `found` says there was at `now` (nanoseconds), with the contents that are new; on the disk on
        return. Trees other than that one and `needed` go. Raises `OSError`, and `Stopped` when `stop` is set."""
        old = self.newest()
        number = max([*self._numbers("tree"), *self._numbers("pack"), 0]) + 1
        pack = _Pack(self._path(number, "pack"), number)
        try:
            nodes = self._nodes(found, old, pack, now, stop)
            pack.close()
        except BaseException:
            pack.discard()
            raise
        if old is not None and old.nodes == nodes:
            os.utime(self._path(old.number, "tree"))
            return old
        tree = Tree(number, nodes)
        tree.save(self._path(number, "tree"))
        self._newest = tree
        self._drop(tree, needed)
        return tree

    def content(self, node: Node) -> bytes:
        """What `node` held. Raises `WorkspaceError` when that is lost, `OSError`."""
        handle = _fs.open_file(self._path(node.pack, "pack"), os.O_RDONLY)
        try:
            data = os.pread(handle, node.size, node.offset)
        finally:
            os.close(handle)
        if digest(data) != node.hash:
            raise WorkspaceError(f"{self._path(node.pack, 'pack')}: a content saved in it is damaged")
        return data

    def _nodes(self, found: Scan, old: Tree | None, pack: _Pack, now: int, stop: threading.Event) -> dict[str, Node]:
        before: Mapping[str, Node] = old.nodes if old is not None else {}
        wasteful = self._wasteful(before)
        kept = {node.hash: node for node in before.values() if node.hash and node.pack not in wasteful}
        nodes: dict[str, Node] = {}
        for path, info in found.nodes.items():
            known = before.get(path)
            if info.is_directory:
                nodes[path] = info
            elif known is not None and known.look == info.look and known.pack not in wasteful:
                nodes[path] = settled(known, info, now)
            else:
                if stop.is_set():
                    raise Stopped
                node = self._read(path, info, found, kept, pack)
                if node is not None:
                    nodes[path] = settled(node, node, now)
        return nodes

    def _read(self, path: str, info: Node, found: Scan, kept: dict[str, Node], pack: _Pack) -> Node | None:
        """The entry with its content in a pack; None when it is gone, or cannot be read."""
        try:
            data, info = read(self._root / path, info)
        except FileNotFoundError:
            return None
        except OSError:
            found.left_out.add("cannot be read", path)
            return None
        hash = digest(data)
        place = kept.get(hash)
        if place is None:
            place = kept[hash] = pack.add(data, hash)
        return info._replace(size=len(data), hash=hash, pack=place.pack, offset=place.offset)

    def _wasteful(self, nodes: Mapping[str, Node]) -> frozenset[int]:
        """The packs of which most is needed no more, and those that are lost."""
        found: set[int] = set()
        for pack, needed in _needed(nodes).items():
            try:
                size = self._path(pack, "pack").stat().st_size
            except FileNotFoundError:
                found.add(pack)
            else:
                if size - needed > max(_WASTE, needed):
                    found.add(pack)
        return frozenset(found)

    def _drop(self, tree: Tree, needed: Collection[int]) -> None:
        trees = {tree.number, *needed}
        packs = set(tree.packs)
        for number in trees - {tree.number}:
            packs |= self.tree(number).packs
        for number in self._numbers("tree"):
            if number not in trees:
                self._path(number, "tree").unlink(missing_ok=True)
        for number in self._numbers("pack"):
            if number not in packs:
                self._path(number, "pack").unlink(missing_ok=True)

    def _path(self, number: int, suffix: str) -> Path:
        return self.home / f"{number:06}.{suffix}"

    def _numbers(self, suffix: str) -> list[int]:
        try:
            names = os.listdir(self.home)  # noqa: PTH208
        except FileNotFoundError:
            return []
        found = (name.removesuffix(f".{suffix}") for name in names if name.endswith(f".{suffix}"))
        return sorted(int(name) for name in found if name.isdecimal())


def read(place: Path, info: Node) -> tuple[bytes, Node]:
    """The content of a file, or where a link points, and what the system says of it then. Raises `OSError`."""
    if info.is_link:
        return os.fsencode(os.readlink(place)), node_of(place.lstat())  # noqa: PTH115  as it is, byte for byte
    handle = _fs.open_file(place, _READ)
    try:
        with open(handle, "rb", closefd=False) as file:
            data = file.read()
        return data, node_of(os.fstat(handle))
    finally:
        os.close(handle)


class _Pack:
    """A pack that is written: under another name until all of it is on the disk."""

    def __init__(self, path: Path, number: int) -> None:
        self._path = path
        self._temporary = path.with_suffix(".tmp")
        self._number = number
        self._handle: int | None = None
        self._size = 0

    def add(self, data: bytes, hash: str) -> Node:
        """Append a content; where it stands."""
        if self._handle is None:
            make_directory(self._path.parent)
            self._handle = _fs.open_file(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW)
        write_all(self._handle, data)
        place = Node(0, len(data), "", hash, self._number, self._size)
        self._size += len(data)
        return place

    def close(self) -> None:
        """Give it its name, once the disk holds it."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        try:
            _fs.sync(handle)
            _fs.uncache(handle)
        finally:
            os.close(handle)
        _fs.rename(self._temporary, self._path)
        sync_directory(self._path.parent)

    def discard(self) -> None:
        """Remove what was written."""
        if self._handle is not None:
            os.close(self._handle)
        self._temporary.unlink(missing_ok=True)


def _needed(nodes: Mapping[str, Node]) -> Counter[int]:
    """How many bytes of each pack are needed."""
    needed: Counter[int] = Counter()
    for node in {node.hash: node for node in nodes.values() if node.hash}.values():
        needed[node.pack] += node.size
    return needed
