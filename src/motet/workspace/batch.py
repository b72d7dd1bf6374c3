"""Changes of several files at once: one record for all of them, one wait for the disk, and each file for itself.

The new bytes are laid beside their files while the record goes to the disk; before both are there, no file is
touched. Then each file is swapped, and last the directories are made sure of. One that fails stops no other.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from motet.errors import MotetError, OutsideWorkspace, StaleFile, WorkspaceError
from motet.text import TextFile
from motet.workspace import _fs, atomic
from motet.workspace.atomic import Current, Staged
from motet.workspace.change import Change
from motet.workspace.checkpoint import Checkpoints
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard, Place, normal
from motet.workspace.manifest import hash_of
from motet.workspace.together import later, meanwhile

_DRIVE = re.compile(r"[A-Za-z]:(?:/|\Z)")
_LARGE = 128 * 1024
"""Bytes from which it takes longer to hash a content than to have a thread do it."""
MOST = 64
"""Files that share a record, and that are held open at once with two handles each."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A change that somebody wants: `path` from `before` to `after`; None stands for *no such file*.

    `may_be_absent`: no file counts as an empty one. `moved_from`: as in `Workspace.create`. `allowed`: where `path`
    really leads, when that is a protected place and the human has said yes to it. `file`: the version before, where
    its encoding counts.
    """

    path: str
    before: bytes | None
    after: bytes | None
    may_be_absent: bool = False
    moved_from: str | None = None
    allowed: str | None = None
    file: TextFile | None = None

    def decoded(self) -> TextFile | None:
        """The file as it is to be, if any. Raises `NotText` or `FileTooLarge`."""
        if self.after is None:
            return None
        path = normal(self.path)
        return (
            TextFile.decode(path, self.after)
            if self.file is None
            else replace(self.file, path=path).again(self.after)
        )


class NeedsYes(MotetError):
    """`real` is a protected place, and nobody has been asked about it."""

    def __init__(self, real: str) -> None:
        super().__init__(f"{real}: a protected place")
        self.real = real


Outcome = TextFile | MotetError | None
"""The new version of a file, or why there is none; None where it was removed."""


def carry_out(
    guard: Guard, checkpoints: Checkpoints, own: str | None, wanted: Sequence[Wanted], asks: Callable[[str], bool]
) -> list[Outcome]:
    """Make the changes, and say of each in order what became of it. What begins with `own` is motet's own state and
    never written; `asks` says of a path whether somebody has to be asked.

    Raises `WorkspaceError` when the store of the checkpoints cannot be had; then nothing is written.
    """
    outcomes: list[Outcome] = []
    with checkpoints.locked():
        for first in range(0, len(wanted), MOST):
            with ExitStack() as handles:
                batch = [_Item(one, handles) for one in wanted[first : first + MOST]]
                large = [item for item in batch if len(item.wanted.after or b"") > _LARGE]
                with meanwhile([partial(hash_of, item.wanted.after) for item in large]) as hashing:
                    for item, name in zip(large, hashing, strict=True):
                        item.hash = name.result
                    _Batch(guard, checkpoints, own, asks).make(batch)
                outcomes += [item.failure or item.text for item in batch]
    return outcomes


@dataclass(slots=True)
class _Item:
    """One change on its way. `failure`: why it was given up; `handles`: where what it has open is closed at last;
    `hash`: waits for the hash of the new bytes, where a thread makes it since before the file was looked at."""

    wanted: Wanted
    handles: ExitStack
    text: TextFile | None = None
    failure: MotetError | None = None
    hash: Callable[[], str | None] | None = None

    @contextmanager
    def attempt(self) -> Generator[None]:
        """What fails inside ends this change, and no other."""
        try:
            with told(self.wanted.path, "not removed" if self.wanted.after is None else "not written"):
                yield
        except MotetError as error:
            self.failure = error

    def decode(self) -> None:
        """Only text is written. Raises `NotText` or `FileTooLarge`."""
        self.text = self.wanted.decoded()


@dataclass(slots=True)
class _Ready:
    """A change whose file is as it is expected to be.

    `mode` and `moved_from` are as in `Change`; `staged`: the new bytes beside the file, gone when `beside` is closed.
    """

    item: _Item
    place: Place
    current: Current | None
    mode: int | None = None
    moved_from: str | None = None
    staged: Staged | None = None
    beside: ExitStack = field(default_factory=ExitStack)

    @property
    def changes_something(self) -> bool:
        return (self.current.data if self.current else None) != self.item.wanted.after

    def stage(self) -> None:
        """Directories are made, and files removed, only when that is on record: nothing is laid beside those."""
        after = self.item.wanted.after
        if after is None or self.place.missing:
            return
        before = self.current.data if self.current else None
        self.item.handles.callback(self.beside.close)
        self.staged = self.beside.enter_context(atomic.staged(self.place, before, after, self.mode))

    def fill(self) -> None:
        if self.staged is not None:
            self.staged.fill()

    def change(self, left: tuple[bytes, str] | None) -> Change:
        """What is to be recorded; `left` is a content that may stand in the file, and its hash. Raises `NotText`."""
        before, after = self.current.data if self.current else None, self.item.wanted.after
        known = left[1] if left and left[0] == before else None
        hashes = known or hash_of(before), self.item.hash() if self.item.hash else hash_of(after)
        self.item.decode()  # last: it lets no other thread run meanwhile, and the new bytes should be on their way
        return Change.at(self.place, self.current, after, self.mode, moved_from=self.moved_from, hashes=hashes)


@dataclass(frozen=True, slots=True)
class _Batch:
    """At most `MOST` changes are made together, under the store's lock."""

    guard: Guard
    checkpoints: Checkpoints
    own: str | None
    asks: Callable[[str], bool]

    def make(self, items: Sequence[_Item]) -> None:
        with self.checkpoints.writing([item.wanted.path for item in items]):
            self._make(items)

    def _make(self, items: Sequence[_Item]) -> None:
        ready: dict[str, _Ready] = {}
        for item in items:
            with item.attempt():
                one = self._look(item)
                if one.place.real in ready:
                    raise StaleFile(f"{shown(item.wanted.path)}: written already at this moment; read it again")
                ready[one.place.real] = one
                if one.changes_something:
                    one.stage()
                else:
                    item.decode()
        recorded = self._record([one for one in ready.values() if not one.item.failure and one.changes_something])
        with ExitStack() as old_files:
            _make_sure([one for one, change in recorded if self._swap(one, change, old_files)])
            later(old_files.pop_all().close)

    def _look(self, item: _Item) -> _Ready:
        """The file, compared with what is expected of it."""
        wanted = item.wanted
        place = item.handles.enter_context(self.guard.locate(wanted.path))
        self._require_allowed(wanted, place)
        if wanted.after is None:
            _require_no_link(place, "removed")
        current = atomic.examine(place, wanted.before)
        _require_expected(place, current, wanted)
        if wanted.moved_from is None:
            return _Ready(item, place, current)
        with told(wanted.moved_from), self.guard.locate(wanted.moved_from) as old_place:
            _require_no_link(old_place, "moved")
            old = atomic.examine(old_place)
            return _Ready(item, place, current, old.mode if old else None, old_place.real)

    def _require_allowed(self, wanted: Wanted, place: Place) -> None:
        if self.own is not None and f"{place.real}/".startswith(self.own):
            raise OutsideWorkspace(f"{shown(wanted.path)}: belongs to motet's own state")
        if wanted.allowed is not None:
            if wanted.allowed != place.real:
                raise StaleFile(f"{shown(wanted.path)}: leads elsewhere now; read it again")
        elif self.asks(place.real) or self.asks(wanted.path):
            raise NeedsYes(place.real)

    def _record(self, ready: Sequence[_Ready]) -> list[tuple[_Ready, Change]]:
        """Make sure that all changes can be taken back, and of the new bytes. Returns those that can be made."""
        changes: list[tuple[_Ready, Change]] = []
        with meanwhile([one.fill for one in ready]) as fills:
            for one in ready:
                with one.item.attempt():
                    changes.append((one, one.change(self.checkpoints.left)))
            if changes:
                try:
                    self.checkpoints.record([change for _, change in changes])
                except WorkspaceError as error:
                    for one, _ in changes:
                        one.item.failure = error
        for one, filled in zip(ready, fills, strict=True):
            if one.item.failure is None:
                with one.item.attempt():
                    filled.result()
        return [(one, change) for one, change in changes if one.item.failure is None]

    def _swap(self, one: _Ready, change: Change, old_files: ExitStack) -> bool:
        """Make one change; whether its directory is still to be made sure of."""
        with one.item.attempt():
            if one.staged is None:
                self.checkpoints.carry_out(one.place, change)
                return False
            with self.checkpoints.making(change):
                one.staged.swap(old_files)
            one.beside.close()
        return one.item.failure is None


def _make_sure(made: Sequence[_Ready]) -> None:
    """Wait until the disk holds the new names: once for each directory."""
    directories: dict[tuple[int, int], list[_Ready]] = {}
    for one in made:
        info = os.fstat(one.place.directory)
        directories.setdefault((info.st_dev, info.st_ino), []).append(one)
    handles = [group[0].place.directory for group in directories.values()]
    with meanwhile([partial(_synced, handle) for handle in handles[1:]]) as others:
        errors = [_synced(handle) for handle in handles[:1]]
    errors += [other.result() for other in others]
    for group, error in zip(directories.values(), errors, strict=True):
        for one in group:
            with one.item.attempt(), atomic.confirming(one.place, "written"):
                if error is not None:
                    raise error


def _synced(handle: int) -> OSError | None:
    try:
        _fs.sync(handle)
    except OSError as error:
        return error
    return None


def _require_expected(place: Place, current: Current | None, wanted: Wanted) -> None:
    name = shown(place.asked)
    if current is None:
        if wanted.before is not None and not wanted.may_be_absent:
            raise StaleFile(f"{name}: was removed since it was read")
        _require_plain_name(place)
    elif wanted.before is None:
        raise StaleFile(f"{name}: exists already; read it first")
    elif current.data != wanted.before:
        raise StaleFile(f"{name}: changed since it was read; read it again")


def _require_no_link(place: Place, done: str) -> None:
    """A link whose file goes would lead nowhere; and whether the link or the file is meant, nobody has said."""
    if place.is_link:
        name, real = shown(place.asked), shown(place.real)
        raise WorkspaceError(f"{name}: not {done}: it is a link to {real}, which would lead nowhere; name {real}")


def _require_plain_name(place: Place) -> None:
    """Names that read differently than they are, or mean a path elsewhere, are not made anew."""
    made = "/".join((*place.missing, place.name))
    if _DRIVE.match(made):
        raise WorkspaceError(f"{shown(place.asked)}: not a name for a new file (a drive of Windows)")
    if "\\" in made or not made.isprintable():
        raise WorkspaceError(f"{shown(place.asked)}: not a name for a new file (backslash or invisible character)")
