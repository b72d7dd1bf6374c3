"""The writes of an undo: one by one, and what a command did to many files in groups that wait for the disk once."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from motet.errors import StaleFile, WorkspaceError
from motet.workspace import _fs, atomic
from motet.workspace.change import Change
from motet.workspace.checkpoint import Checkpoints
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard, Place
from motet.workspace.manifest import parts_of
from motet.workspace.snapshots.scan import is_index

_MOST = 64
"""Files that are written together, and held open at once with a few handles each."""
_NOT_RESTORED = "not restored"


def put_back(guard: Guard, checkpoints: Checkpoints, changes: Sequence[Change]) -> None:
    """Make recorded changes, in order; on the disk on return. Raises `WorkspaceError` at the first that fails."""
    for group in _groups(changes):
        if _is_plain_write(group[0]):
            _write_together(guard, checkpoints, group)
        else:
            _restore(guard, checkpoints, group[0])
    if any(change.exact for change in changes):
        _close_directories(guard, changes)
        with told(guard.root, "restored, but not confirmed by the disk"):
            _fs.sync_all(guard.root)


def _groups(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Plain writes of one program that follow one another, and every other change for itself."""
    group: list[Change] = []
    for change in changes:
        if group and (len(group) == _MOST or not _is_plain_write(change)):
            yield group
            group = []
        if _is_plain_write(change):
            group.append(change)
        else:
            yield [change]
    if group:
        yield group


def _is_plain_write(change: Change) -> bool:
    """Whether a program's change of a file's content is taken back, or a file comes back that it removed."""
    modes = [parts_of(name)[1] for name in (change.old, change.new) if name is not None]
    return change.exact and change.new is not None and all(map(stat.S_ISREG, modes)) and change.before != change.after


def _write_together(guard: Guard, checkpoints: Checkpoints, changes: Sequence[Change]) -> None:
    with ExitStack() as open_files:
        places = [open_files.enter_context(guard.locate(change.path, itself=True)) for change in changes]
        if any(place.missing for place in places):
            for change in changes:
                _restore(guard, checkpoints, change)
            return
        staged: list[atomic.Staged] = []
        for change, place in zip(changes, places, strict=True):
            with told(change.path, _NOT_RESTORED):
                mode = stat.S_IMODE(parts_of(change.new or "")[1])
                file = atomic.staged(place, change.before, change.after or b"", mode, exact=True)
                staged.append(open_files.enter_context(file))
                staged[-1].fill(wait=False)
        with told(guard.root, _NOT_RESTORED):
            _fs.sync_all(guard.root)
        for change, place, file in zip(changes, places, staged, strict=True):
            with told(change.path, _NOT_RESTORED), checkpoints.making(change):
                file.swap(open_files)
                modes = [stat.S_IMODE(parts_of(name)[1]) for name in (change.old, change.new) if name is not None]
                if modes[0] != modes[-1]:
                    _fs.change_mode(place.name, modes[-1], at=place.directory)
                _set_time(place, change)


def _set_time(place: Place, change: Change) -> None:
    """By the time of its index git tells which files it need not read: it would take a restored one for newer."""
    if is_index(change.path):
        _fs.set_time(place.name, 1, at=place.directory)


def _restore(guard: Guard, checkpoints: Checkpoints, change: Change) -> None:
    with told(change.path, _NOT_RESTORED), guard.locate(change.path, itself=change.exact) as place:
        if change.exact:
            checkpoints.carry_out(place, change)
            if change.after is not None:
                _set_time(place, change)
            return
        if _held(place) != change.before:
            raise StaleFile(f"{shown(change.path)}: changed this moment; look at it and undo again")
        checkpoints.carry_out(place, change)
    with told(change.path, "restored, but cannot be read again"), guard.locate(change.path) as place:
        if _held(place) != change.after:
            raise WorkspaceError(f"{shown(change.path)}: not restored as asked: it holds something else now")


def _held(place: Place) -> bytes | None:
    current = atomic.examine(place)
    return current.data if current else None


def _close_directories(guard: Guard, changes: Sequence[Change]) -> None:
    """Give directories the bits that they had, where their owner could put nothing into them."""
    for change in changes:
        mode = parts_of(change.new)[1] if change.new else 0
        if stat.S_ISDIR(mode) and ~mode & 0o700:
            with told(change.path, _NOT_RESTORED), guard.locate(change.path, itself=True) as place:
                _fs.change_mode(place.name, stat.S_IMODE(mode), at=place.directory)
