"""Whole files, in one step: replace, create and remove, each only while the disk holds what was expected.

New bytes go to a temporary file beside the target, reach the disk, and then take the name. Where the system
can exchange two names (Linux, macOS), what comes out is compared once more and put back when somebody else
wrote in that very moment; elsewhere the comparison comes right before the rename. A failure at any step
leaves the old or the new file. A killed process leaves at most its temporary, which the next write in that
directory removes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from dataclasses import replace as changed

from motet.errors import FileTooLarge, StaleFile, WorkspaceError
from motet.text import MAX_TEXT_BYTES
from motet.workspace import _fs
from motet.workspace.failures import reason, shown
from motet.workspace.guard import Place
from motet.workspace.temporary import Spare, clean, spare_name

_CHUNK = 256 * 1024  # stays in the processor's cache while it is compared
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# Rights and signatures that belong to the old bytes; the kernel drops the first itself when a file is written.
_NOT_CARRIED = frozenset({"security.capability", "security.ima", "security.evm"})
# Labels of the system come from its policy; what the user set, and access lists, must stay.
_MUST_CARRY = ("user.", "system.posix_acl", "system.nfs4_acl")


class Unconfirmed(WorkspaceError):
    """The change is made, and something failed after it: the message says what."""


@dataclass(frozen=True, slots=True)
class Current:
    """What a place holds now. `mode` has the permission bits, without set-id bits; `kind` the type, which is another
    only for what `motet.workspace.exactly` looks at."""

    data: bytes
    mode: int
    kind: int = stat.S_IFREG


def read(place: Place, limit: int = MAX_TEXT_BYTES) -> bytes:
    """The bytes of a regular file. Raises `FileTooLarge` above `limit`, `WorkspaceError` or `OSError`."""
    with _opened(place.directory, place.name, place) as handle:
        size = os.fstat(handle).st_size
        if size > limit:
            raise FileTooLarge(
                f"{shown(place.asked)}: {size / 1e6:.1f} MB is more than motet edits ({limit // 1024**2} MiB)"
            )
        return _read(handle, limit)


def examine(place: Place, expected: bytes | None = None) -> Current | None:
    """What would be replaced or removed; None when there is nothing. Comes before each of the three below.

    A file that holds `expected` is compared, not read into memory once more. Raises `WorkspaceError` for what motet
    does not write: no regular file, several hard links, read-only.
    """
    clean(place.directory)
    if place.missing:
        return None
    try:
        with _opened(place.directory, place.name, place) as handle:
            info = _require_writable(place, handle)
            if expected is not None and _holds(handle, expected):
                return Current(expected, _mode(info))
            os.lseek(handle, 0, os.SEEK_SET)
            return Current(_read(handle, MAX_TEXT_BYTES), _mode(info))
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Staged:
    """New bytes on their way to a place: filled, then swapped in, then confirmed. Made by `staged`."""

    place: Place
    before: bytes | None
    after: bytes
    _handle: int
    _spare: Spare

    def fill(self, *, wait: bool = True) -> None:
        """Write the bytes beside their place; on the disk on return, unless the caller waits for many. Raises
        `OSError`."""
        write_all(self._handle, self.after)
        if wait:
            _fs.sync(self._handle)

    def swap(self, old: ExitStack) -> None:
        """Give them the name, if it still stands for `before`. Raises `StaleFile`, `WorkspaceError` or `OSError`.

        With `old` the last handle to the old file is closed: the system frees it then, and that can take as long as a write.
        """
        self.place.require_unmoved()
        if self.before is not None:
            _swap_in(self.place, self._spare, self.before, old)
            return
        try:
            _fs.rename_new(self._spare.name, self.place.name, at=self.place.directory)
        except FileExistsError as error:
            raise StaleFile(f"{shown(self.place.asked)}: exists already; read it first") from error


@contextmanager
def staged(
    place: Place, before: bytes | None, after: bytes, mode: int | None = None, *, exact: bool = False
) -> Generator[Staged]:
    """A temporary file for `after`, gone at the end; the directory of `place` must exist.

    It has the mode, owner, group and extended attributes of the file that it is to replace; where `before` is None,
    `mode`, or the user's default mode. Raises `WorkspaceError` or `OSError`.
    """
    with _written(place.directory, 0o666 if before is None else 0o600) as (handle, spare):
        if before is not None:
            with _opened(place.directory, place.name, place) as old:
                _carry_over(place, old, _require_writable(place, old, exact), handle)
        elif mode is not None:
            _fs.set_mode(handle, mode)
        yield Staged(place, before, after, handle, spare)


def replace(place: Place, expected: bytes, new: bytes, *, exact: bool = False) -> None:
    """Put `new` in place of `expected`; mode, owner, group and extended attributes stay. With `exact`, also of a file
    that is read-only or has other names.

    Raises `StaleFile` when the file is another by now, `WorkspaceError` or `OSError` when it cannot be written.
    """
    with ExitStack() as old, staged(place, expected, new, exact=exact) as file:
        file.fill()
        file.swap(old)
    _confirm(place, "written")


def create(place: Place, data: bytes, mode: int | None = None) -> None:
    """Make a new file, and the directories that miss; `mode` instead of the user's default mode.

    Raises `StaleFile` when something has that name by now.
    """
    with directories_made(place) as there:
        with ExitStack() as old, staged(there, None, data, mode) as file:
            file.fill()
            file.swap(old)
        _confirm(there, "written")


def remove(place: Place, expected: bytes, *, exact: bool = False) -> None:
    """Remove the file while it holds `expected`; `exact` as for `replace`, and whoever wants that waits for the disk. Raises `StaleFile`, `WorkspaceError` or `OSError`."""
    with _opened(place.directory, place.name, place) as old:
        _require_writable(place, old, exact)
        _require_same(place, old, expected)
    place.require_unmoved()
    with spare_name(place.directory) as spare:
        _fs.rename(place.name, spare.name, at=place.directory)
        try:
            _require_held(place, spare.name, expected)
        except BaseException:
            with _kept_unless_done(place, spare):
                _fs.rename_new(spare.name, place.name, at=place.directory)
            raise
    if not exact:
        _confirm(place, "removed")


@contextmanager
def confirming(place: Place, done: str) -> Generator[None]:
    """For a wait for the directory of `place`; an `OSError` inside is an `Unconfirmed`."""
    try:
        yield
    except OSError as error:
        raise Unconfirmed(f"{shown(place.asked)}: {done}, but not confirmed by the disk: {reason(error)}") from error


def _confirm(place: Place, done: str) -> None:
    with confirming(place, done):
        _fs.sync(place.directory)


def digest(data: bytes) -> str:
    """SHA-256 in hex: the identity of a content."""
    return hashlib.sha256(data).hexdigest()


def _swap_in(place: Place, spare: Spare, expected: bytes, old: ExitStack) -> None:
    if not _fs.exchange(spare.name, place.name, at=place.directory):
        _require_held(place, place.name, expected)
        _fs.rename(spare.name, place.name, at=place.directory)
        return
    try:
        _require_same(place, old.enter_context(_opened(place.directory, spare.name, place)), expected)
    except BaseException:
        with _kept_unless_done(place, spare):
            _fs.exchange(spare.name, place.name, at=place.directory)
        raise


@contextmanager
def _kept_unless_done(place: Place, spare: Spare) -> Generator[None]:
    """When somebody else's newer bytes cannot go back to their name, they stay beside it under another one."""
    try:
        yield
    except OSError as error:
        aside = f"{place.name}.{secrets.token_hex(4)}"
        try:
            _fs.rename(spare.name, aside, at=place.directory)
        except OSError:
            spare.keep, aside = True, spare.name
        raise Unconfirmed(
            f"{shown(place.asked)}: somebody wrote it at the same moment, and that version could not go back "
            f"({reason(error)}); it is kept beside it as {shown(aside)}"
        ) from error


def _require_held(place: Place, name: str, expected: bytes) -> None:
    with _opened(place.directory, name, place) as handle:
        _require_same(place, handle, expected)


def _require_same(place: Place, handle: int, expected: bytes) -> None:
    if not _holds(handle, expected):
        raise StaleFile(f"{shown(place.asked)}: changed since it was read; read it again")


def _require_writable(place: Place, handle: int, exact: bool = False) -> os.stat_result:
    info = os.fstat(handle)
    if exact:
        return info
    if info.st_nlink > 1:
        raise WorkspaceError(
            f"{shown(place.asked)}: the file has {info.st_nlink} names (hard links), as in a package store, and "
            "writing would part them; make it a file of its own first"
        )
    if not info.st_mode & 0o222 or not os.access(place.name, os.W_OK, dir_fd=place.directory):
        raise WorkspaceError(f"{shown(place.asked)}: read-only; allow writing first (chmod u+w)")
    return info


@contextmanager
def _opened(directory: int, name: str, place: Place) -> Generator[int]:
    """A handle to the regular file `name`; pipes, devices and links are never opened."""
    if place.missing:
        raise FileNotFoundError(2, os.strerror(2), place.asked)
    if not stat.S_ISREG(_fs.look(name, at=directory).st_mode):
        raise WorkspaceError(f"{shown(place.asked)}: not a regular file")
    handle = _fs.open_file(name, _READ, at=directory)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise WorkspaceError(f"{shown(place.asked)}: not a regular file")
        yield handle
    finally:
        os.close(handle)


def _read(handle: int, limit: int) -> bytes:
    chunks: list[bytes] = []
    left = limit + 1
    while left and (chunk := _fs.read(handle, min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _holds(handle: int, expected: bytes) -> bool:
    """Whether what is read from here to the end is `expected`."""
    position = 0
    while chunk := _fs.read(handle, _CHUNK):
        if not expected.startswith(chunk, position):
            return False
        position += len(chunk)
    return position == len(expected)


def write_all(handle: int, data: bytes) -> None:
    """Write every byte of `data`."""
    rest = memoryview(data)
    while rest:
        rest = rest[_fs.write(handle, rest) :]


def _mode(info: os.stat_result) -> int:
    return stat.S_IMODE(info.st_mode) & ~(stat.S_ISUID | stat.S_ISGID)


def _carry_over(place: Place, old: int, info: os.stat_result, new: int) -> None:
    """Owner first, because a change of owner clears bits; mode next; then attributes, access lists among them."""
    fresh = os.fstat(new)
    if (info.st_uid, info.st_gid) != (fresh.st_uid, fresh.st_gid):
        try:
            _fs.set_owner(new, info.st_uid, info.st_gid)
        except PermissionError as error:
            raise WorkspaceError(
                f"{shown(place.asked)}: belongs to another user or group (uid {info.st_uid}, gid {info.st_gid}), "
                "which motet cannot keep; change the owner first"
            ) from error
    _fs.set_mode(new, _mode(info))
    for name, value in _fs.attributes(old).items():
        if name in _NOT_CARRIED:
            continue
        try:
            _fs.set_attribute(new, name, value)
        except OSError as error:
            if name.startswith(_MUST_CARRY):
                raise WorkspaceError(
                    f"{shown(place.asked)}: its attribute {shown(name)} cannot be kept ({reason(error)})"
                ) from error


@contextmanager
def _written(directory: int, mode: int) -> Generator[tuple[int, Spare]]:
    with spare_name(directory) as spare:
        handle = _fs.open_file(spare.name, _NEW, mode, at=directory)
        try:
            yield handle, spare
        finally:
            os.close(handle)


@contextmanager
def directories_made(place: Place) -> Generator[Place]:
    """The place with its missing directories made; they go again when the block fails."""
    with contextlib.ExitStack() as stack:
        directory = place.directory
        for name in place.missing:
            directory = stack.enter_context(_directory_made(name, directory))
        yield changed(place, directory=directory, missing=())


@contextmanager
def _directory_made(name: str, parent: int) -> Generator[int]:
    made = False
    try:
        with contextlib.suppress(FileExistsError):
            _fs.make_directory(name, at=parent)
            made = True
        handle = _fs.open_file(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, at=parent)
        try:
            _fs.sync(parent)
            yield handle
        finally:
            os.close(handle)
    except BaseException:
        if made:
            with contextlib.suppress(OSError):
                _fs.remove_directory(name, at=parent)
        raise
