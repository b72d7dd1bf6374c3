"""The path guard: a path is walked part by part from the workspace's root, on directory handles.

No part is ever followed by the system: each is opened with `O_NOFOLLOW`, and a link is read and its target
walked the same way. What the walk ends at is the open parent directory and one name in it, so nothing that is
renamed or swapped in the meantime can lead elsewhere. Works with plain POSIX calls, on Linux and macOS.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from motet.errors import OutsideWorkspace, StaleFile, WorkspaceError
from motet.workspace import _fs
from motet.workspace.failures import shown

_MAX_LINKS = 40
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: one `name` in the open directory `directory`.

    `asked` is the path that was given, `real` the one without links; both relative to the workspace, with `/`.
    `missing` names the directories between `directory` and the file that do not exist yet. `is_link`: what was asked
    for is a link itself, and this is where it leads.
    """

    guard: Guard = field(repr=False)
    asked: str
    directory: int
    name: str
    real: str
    missing: tuple[str, ...] = ()
    is_link: bool = False

    def require_unmoved(self) -> None:
        """Raise `StaleFile` unless `asked` still leads to this very directory and name."""
        with self.guard.locate(self.asked) as now:
            same = os.path.samestat(os.fstat(self.directory), os.fstat(now.directory))
            if not same or now.name != self.name or now.missing != self.missing:
                raise StaleFile(f"{shown(self.asked)}: its directory was replaced meanwhile; read it again")


class Guard:
    """Leads paths of one workspace to places inside it, and to nothing else."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        if not self.root.is_dir():
            raise WorkspaceError(f"{shown(root)}: not a directory")

    @contextmanager
    def locate(self, path: str, *, itself: bool = False) -> Generator[Place]:
        """The place of `path`, its directory held open inside the block.

        A link is resolved while its target stays inside; with `itself`, one at the very end is not. Raises `OutsideWorkspace` for `..`, absolute paths
        and links that leave, `WorkspaceError` for what cannot be a file, `OSError` as the system says it.
        """
        walk = _Walk(self, normal(path), itself)
        try:
            place = walk.end()
            walk.let_go()
            yield place
        finally:
            walk.close()


def normal(path: str) -> str:
    """`path` in its one spelling: no empty or `.` parts. Raises `OutsideWorkspace` or `WorkspaceError`."""
    if "\0" in path:
        raise WorkspaceError(f"{shown(path)}: not a valid file name")
    if path.startswith("/"):
        raise OutsideWorkspace(f"{shown(path)}: absolute; name it relative to the workspace")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OutsideWorkspace(f"{shown(path)}: leaves the workspace (..)")
    if not parts:
        raise WorkspaceError(f"{shown(path) or '(empty path)'}: is a directory")
    return "/".join(parts)


class _Walk:
    """One walk: handles and names from the root down to where it stands, and the parts still to go."""

    def __init__(self, guard: Guard, path: str, itself: bool) -> None:
        self._guard = guard
        self._itself = itself
        self._path = path
        self._todo = path.split("/")[::-1]
        self._links = 0
        self._is_link = False
        self._names: list[str] = []
        self._handles = [_fs.open_file(guard.root, _DIRECTORY)]

    def close(self) -> None:
        for handle in self._handles:
            os.close(handle)

    def let_go(self) -> None:
        """Keep only the handle to the directory where the walk has ended."""
        while len(self._handles) > 1:
            os.close(self._handles.pop(0))

    def end(self) -> Place:
        """Walk all parts and return the place they lead to."""
        while self._todo:
            name = self._todo.pop()
            if name == "..":
                self._up()
            elif not self._todo:
                if self._itself or not self._followed(name):
                    return self._place(name)
                self._is_link = True
            elif not self._down(name):
                return self._missing(name)
        raise WorkspaceError(f"{shown(self._path)}: is a directory")

    def _down(self, name: str) -> bool:
        """Enter directory `name`, or go on where the link `name` points; False when there is none."""
        try:
            handle = _fs.open_file(name, _DIRECTORY, at=self._handles[-1])
        except FileNotFoundError:
            return False
        except OSError as error:
            # What a link answers to O_DIRECTORY | O_NOFOLLOW differs: ENOTDIR on Linux, ELOOP or EMLINK elsewhere.
            if error.errno not in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK) or not self._followed(name):
                raise
            return True
        self._handles.append(handle)
        self._names.append(name)
        return True

    def _followed(self, name: str) -> bool:
        """Whether `name` is a link; its target then comes next in the walk."""
        try:
            if not stat.S_ISLNK(_fs.look(name, at=self._handles[-1]).st_mode):
                return False
            target = _fs.link_target(name, at=self._handles[-1])
        except FileNotFoundError:
            return False
        self._links += 1
        if self._links > _MAX_LINKS:
            raise WorkspaceError(f"{shown(self._path)}: too many links, or links in a circle")
        self._todo += [part for part in target.split("/")[::-1] if part not in ("", ".")]
        if target.startswith("/"):
            self._climb(0)
        return True

    def _up(self) -> None:
        if self._names:
            self._names.pop()
            os.close(self._handles.pop())
        else:
            self._climb(max(len(self._guard.root.parts) - 2, 0))

    def _climb(self, depth: int) -> None:
        """Stand `depth` directories below `/`, above the root, and come back down to it, or be outside.

        The root has no links in its path, so comparing names is enough; nothing above it is opened.
        """
        way = self._guard.root.parts[1:]
        while depth < len(way):
            name = self._todo.pop() if self._todo else ""
            if name == "..":
                depth = max(depth - 1, 0)
            elif name == way[depth]:
                depth += 1
            else:
                raise OutsideWorkspace(f"{shown(self._path)}: leads out of the workspace through a link")
        while self._names:
            self._up()

    def _missing(self, name: str) -> Place:
        if ".." in self._todo:  # only the target of a link has it; the system could not go there either
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._path)
        return self._place(self._todo[0], (name, *self._todo[:0:-1]))

    def _place(self, name: str, missing: tuple[str, ...] = ()) -> Place:
        real = "/".join((*self._names, *missing, name))
        return Place(self._guard, self._path, self._handles[-1], name, real, missing, self._is_link)
