"""What happens to the files of a project, as the system tells it: inotify(7), each directory by itself.

A recursive watch would take in what is ignored, so each directory that no rule hides is watched alone. What is told are
paths to look at, never what became of them: whoever hears of one looks at the file.
"""

from __future__ import annotations

import ctypes
import errno
import select
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast


class _Inotify(Protocol):
    """What is used of `inotify_simple.INotify`, which has no types."""

    def fileno(self) -> int: ...
    def close(self) -> None: ...
    def add_watch(self, path: Path, mask: int) -> int: ...
    def rm_watch(self, wd: int) -> None: ...
    def read(self, timeout: int) -> Iterable[tuple[int, int, int, str]]: ...


MOST = 500
"""Paths of one batch; for more it costs less to list all files."""
_RULES = frozenset({".gitignore", ".gitattributes", ".motetignore", ".git", "pyvenv.cfg"})
"""Names in a directory that decide which other files belong to the project."""
_OF_GIT = frozenset({"index", "exclude"})
_SHORT = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSYS})


class WatchingShort(Exception):
    """The system does not let this many directories be watched, or none at all."""


@dataclass(slots=True)
class Batch:
    """`paths` to look at: files, or directories with all below them. `entered`: directories that are not watched yet.
    `listing`: look at all files. `again`: watch all directories anew before that."""

    paths: set[str] = field(default_factory=set[str])
    entered: set[str] = field(default_factory=set[str])
    listing: bool = False
    again: bool = False

    def __bool__(self) -> bool:
        return bool(self.paths or self.listing or self.again)

    def add(self, other: Batch) -> None:
        """Take in what `other` says."""
        self.paths |= other.paths
        self.entered |= other.entered
        self.listing |= other.listing or len(self.paths) > MOST
        self.again |= other.again


class Watches:
    """Watches on directories of `root`. For one thread at a time. Raises `WatchingShort`."""

    def __init__(self, root: Path) -> None:
        try:
            import inotify_simple as engine
        except ImportError as error:
            raise WatchingShort("there is no inotify on this system") from error
        # It would have `ctypes.util` look for the C library, which starts `ldconfig`, then `gcc` and `ld` from PATH.
        engine.__dict__["_libc"] = ctypes.CDLL(None, use_errno=True)
        told = engine.flags
        self._engine = told
        self._mask = int(
            told.CREATE | told.CLOSE_WRITE | told.ATTRIB | told.MOVED_FROM | told.MOVED_TO | told.DELETE
            | told.DELETE_SELF | told.MOVE_SELF | told.ONLYDIR | told.DONT_FOLLOW | told.EXCL_UNLINK
        )  # fmt: skip
        self._root = root
        self._paths: dict[int, str | None] = {}
        """By watch; None: a place of git."""
        self._watches: dict[str, int] = {}
        try:
            self._inotify = cast("_Inotify", engine.INotify(nonblocking=True))
        except OSError as error:
            raise WatchingShort(error.strerror or str(error)) from error

    def fileno(self) -> int:
        """What becomes readable when something happened."""
        return self._inotify.fileno()

    def close(self) -> None:
        """Hear of nothing more."""
        self._inotify.close()

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, directories: Iterable[str]) -> None:
        """Watch `directories`, relative to the root. One that is gone is passed over: its parent tells of it."""
        for path in directories:
            watch = self._watch(self._root / path)
            if watch is not None:
                self._forget_one(path)
                old = self._paths.get(watch)
                if old:
                    self._watches.pop(old, None)  # it was moved
                self._paths[watch] = path
                self._watches[path] = watch

    def add_git(self, places: Iterable[str]) -> None:
        """Watch `places` where git notes what is tracked and what is ignored."""
        for place in places:
            watch = self._watch(Path(place))
            if watch is not None:
                self._paths.setdefault(watch, None)

    @property
    def has_news(self) -> bool:
        """Whether something happened since it was last asked."""
        return bool(select.select([self._inotify], [], [], 0)[0])

    def take(self) -> Batch:
        """What happened since it was last asked."""
        batch = Batch()
        told = self._engine
        for watch, mask, _, name in self._inotify.read(timeout=0):
            if mask & told.Q_OVERFLOW:
                batch.again = True
            elif watch not in self._paths:
                continue
            elif (place := self._paths[watch]) is None:
                batch.listing |= name in _OF_GIT and bool(mask & (told.MOVED_TO | told.CLOSE_WRITE | told.DELETE))
                batch.again |= name == "exclude"
            elif mask & (told.IGNORED | told.DELETE_SELF | told.MOVE_SELF):
                batch.again |= not place
                if mask & told.IGNORED and self._watches.get(place) == watch:
                    del self._watches[place]
            elif name:
                self._note(batch, f"{place}/{name}" if place else name, name, mask)
            if mask & told.IGNORED:
                self._paths.pop(watch, None)
        batch.listing |= len(batch.paths) > MOST
        return batch

    def _note(self, batch: Batch, path: str, name: str, mask: int) -> None:
        told = self._engine
        batch.paths.add(path)
        batch.again |= name in _RULES
        if mask & told.ISDIR:
            if mask & (told.DELETE | told.MOVED_FROM | told.MOVED_TO):
                self._forget(path)
            if mask & (told.DELETE | told.MOVED_FROM):
                batch.entered.discard(path)
            else:
                batch.entered.add(path)

    def _watch(self, place: Path) -> int | None:
        try:
            return self._inotify.add_watch(place, self._mask)
        except OSError as error:
            if error.errno in _SHORT:
                raise WatchingShort(error.strerror or str(error)) from error
            return None

    def _forget(self, path: str) -> None:
        """Watch `path` and what lies below it no longer: it is somewhere else now, or nowhere."""
        below = f"{path}/"
        for one in [one for one in self._watches if one == path or one.startswith(below)]:
            self._forget_one(one)

    def _forget_one(self, path: str) -> None:
        watch = self._watches.pop(path, None)
        if watch is not None and self._paths.pop(watch, None) is not None:
            try:
                self._inotify.rm_watch(watch)
            except OSError:
                return  # it went with its directory
