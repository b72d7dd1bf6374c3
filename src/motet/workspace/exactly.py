"""What a program may have done to a path, seen and taken back: contents, permission bits, links and directories.

Where `motet.workspace.atomic` refuses what an edit must not touch, this restores what was there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from motet.errors import FileTooLarge, StaleFile
from motet.workspace import _fs, atomic
from motet.workspace.atomic import Current
from motet.workspace.failures import shown
from motet.workspace.guard import Place
from motet.workspace.manifest import name_of, parts_of
from motet.workspace.temporary import spare_name

MOST_BYTES = 512 * 2**20
"""Of one file."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_MINE = 0o700
"""What a directory needs for its owner to put something into it."""


def look(place: Place) -> Current | None:
    """What is at `place` itself, link or not; None when nothing is. Raises `OSError`, `FileTooLarge`."""
    if place.missing:
        return None
    try:
        info = _fs.look(place.name, at=place.directory)
        return Current(_data(place, info), stat.S_IMODE(info.st_mode), stat.S_IFMT(info.st_mode))
    except FileNotFoundError:
        return None


def names(current: Current | None) -> frozenset[str | None]:
    """Every name of what is there now: with its permission bits, and without."""
    if current is None:
        return frozenset((None,))
    exact = name_of(current.data, current.kind | current.mode)
    return frozenset((exact, parts_of(exact)[0])) if current.kind == stat.S_IFREG else frozenset((exact,))


def make(place: Place, before: bytes | None, after: bytes | None, old: str | None, new: str | None) -> None:
    """Put `after`, named `new`, where `before`, named `old`, is. Both names say the type and the bits. Whoever calls
    waits for the disk.

    Raises `StaleFile` when something else is there, `WorkspaceError` or `OSError` when it cannot be done.
    """
    if old not in names(look(place)):
        raise StaleFile(f"{shown(place.asked)}: changed this moment; look at it and undo again")
    was, is_to_be = _mode(old), _mode(new)
    if stat.S_ISDIR(was) and stat.S_ISDIR(is_to_be):
        _fs.change_mode(place.name, stat.S_IMODE(is_to_be), at=place.directory)
    elif stat.S_ISREG(was) and stat.S_ISREG(is_to_be):
        _change(place, before or b"", after or b"", was, is_to_be)
    elif old is not None and new is not None and not stat.S_ISDIR(was) and not stat.S_ISDIR(is_to_be):
        _put(place, after or b"", is_to_be, over=True)
    else:
        _remove(place, before or b"", was)
        with atomic.directories_made(place) as there:
            _create(there, after or b"", is_to_be)


def _mode(name: str | None) -> int:
    return 0 if name is None else parts_of(name)[1]


def _data(place: Place, info: os.stat_result) -> bytes:
    if stat.S_ISLNK(info.st_mode):
        return os.fsencode(_fs.link_target(place.name, at=place.directory))
    if not stat.S_ISREG(info.st_mode):
        return b""
    if info.st_size > MOST_BYTES:
        raise FileTooLarge(f"{shown(place.asked)}: {info.st_size / 1e6:.0f} MB is more than an undo can keep")
    handle = _fs.open_file(place.name, _READ, at=place.directory)
    try:
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def _change(place: Place, before: bytes, after: bytes, was: int, is_to_be: int) -> None:
    if before != after:
        atomic.replace(place, before, after, exact=True)
    if was != is_to_be:
        _fs.change_mode(place.name, stat.S_IMODE(is_to_be), at=place.directory)


def _remove(place: Place, before: bytes, was: int) -> None:
    if stat.S_ISREG(was):
        atomic.remove(place, before, exact=True)
    elif stat.S_ISLNK(was):
        _fs.remove(place.name, at=place.directory)
    elif stat.S_ISDIR(was):
        try:
            _fs.remove_directory(place.name, at=place.directory)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise  # what others have put into it stays


def _create(place: Place, after: bytes, is_to_be: int) -> None:
    if stat.S_ISREG(is_to_be):
        atomic.create(place, after, stat.S_IMODE(is_to_be))
    elif stat.S_ISLNK(is_to_be):
        _put(place, after, is_to_be, over=False)
    elif stat.S_ISDIR(is_to_be):
        with contextlib.suppress(FileExistsError):
            _fs.make_directory(place.name, at=place.directory)
        _fs.change_mode(place.name, stat.S_IMODE(is_to_be) | _MINE, at=place.directory)


def _put(place: Place, after: bytes, is_to_be: int, *, over: bool) -> None:
    """A link, or a file where a link was, in one step."""
    with spare_name(place.directory) as spare:
        if stat.S_ISLNK(is_to_be):
            _fs.make_link(after, spare.name, at=place.directory)
        else:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            handle = _fs.open_file(spare.name, flags, 0o600, at=place.directory)
            try:
                atomic.write_all(handle, after)
                _fs.set_mode(handle, stat.S_IMODE(is_to_be))
                _fs.sync(handle)
            finally:
                os.close(handle)
        if over:
            _fs.rename(spare.name, place.name, at=place.directory)
        else:
            _fs.rename_new(spare.name, place.name, at=place.directory)
