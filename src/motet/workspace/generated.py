"""What in a project is not its own: vendored trees, build output, generated files."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path, PurePosixPath

from motet.workspace.temporary import is_temporary

HEAD_BYTES = 1024
"""How much of a file is looked at for a note that it is generated."""

_DIRECTORIES = frozenset({
    ".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "vendor", "third_party", "dist", "build",
    "target", "__pycache__", ".tox", ".nox", "site-packages", ".mypy_cache", ".pytest_cache", ".ruff_cache",
})  # fmt: skip
_SUFFIXES = (".min.js", ".min.css", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
_HEAD_LINES = 10
_COMMENT = re.compile(r'^\s*(?:#|//|/\*|\*|--|;|<!--|%|"""|\'\'\')')
_NOTE = re.compile(
    r"(?<![\w-])@generated(?![\w-])|\bgenerated\b.{0,200}\bdo not (?:edit|modify)\b|\bdo not (?:edit|modify)\b.{0,200}\bgenerated\b",
    re.IGNORECASE,
)


def is_left_out(name: str) -> bool:
    """Whether a directory or file with this name is vendored, built or generated, whatever it holds."""
    return name in _DIRECTORIES or name.endswith(_SUFFIXES) or (name[:1] == "." and is_temporary(name))


class Filter:
    """Tells a project's own regular files from the rest. `below` is a directory that a user named: what lies on
    the way to it does not count.
    """

    def __init__(self, root: Path, below: str) -> None:
        self._root = root
        self._prefix = f"{root}/"
        self._skip = 0 if below in ("", ".") else len(PurePosixPath(below).parts)
        self._directories: dict[str, bool] = {"": True}
        self._own: dict[str, bool] = {}

    def takes(self, path: str) -> bool:
        """Whether `path` is a file of the project itself: no link, nor behind one; not vendored or generated."""
        return self.stands(path) is not None and not self._says_generated(path)

    def stands(self, path: str) -> os.stat_result | None:
        """What the system says of the file `path`; None when it is gone, a link, behind one, vendored or built."""
        parent, _, name = path.rpartition("/")
        if is_left_out(name) or not self._takes_directory(parent):
            return None
        try:
            info = os.lstat(f"{self._prefix}{path}")
        except OSError:
            return None
        return info if stat.S_ISREG(info.st_mode) else None

    def _takes_directory(self, path: str) -> bool:
        known = self._directories.get(path)
        if known is None:
            parts = path.split("/")
            known = all(self._takes_one("/".join(parts[: depth + 1]), depth) for depth in range(len(parts)))
            self._directories[path] = known
        return known

    def _takes_one(self, path: str, depth: int) -> bool:
        known = self._own.get(path)
        if known is None:
            known = self._own[path] = self._is_own_directory(path, depth < self._skip)
        return known

    def _is_own_directory(self, path: str, named: bool) -> bool:
        place = self._root / path
        try:
            if not stat.S_ISDIR(place.lstat().st_mode):
                return False
        except OSError:
            return False
        return named or not (is_left_out(place.name) or (place / "pyvenv.cfg").exists())

    def _says_generated(self, path: str) -> bool:
        try:
            handle = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False  # whoever reads it says why it cannot be read
        with os.fdopen(handle, "rb") as file:
            return says_generated(file.read(HEAD_BYTES) or b"")


def says_generated(head: bytes) -> bool:
    """Whether the comments in the first lines say that a program wrote this file."""
    if b"enerated" not in head and b"ENERATED" not in head:
        return False
    lines = head.decode("utf-8", "replace").splitlines()[:_HEAD_LINES]
    return _NOTE.search(" ".join(line for line in lines if _COMMENT.match(line))) is not None
