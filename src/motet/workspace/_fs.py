"""Every call of this room that a disk can fail, in one place: tests make each of them fail, or the last one.

Names are looked up below the directory handle `at`, never by a path that could change its meaning.
"""
# pathlib knows no directory handles.

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import cast

UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What a file system or kernel answers when it does not know an operation at all."""

_EXCHANGE = 2
_NO_REPLACE = 4 if sys.platform == "darwin" else 1


def open_file(name: str | os.PathLike[str], flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
    """A handle that no child inherits."""
    return os.open(name, flags | os.O_CLOEXEC, mode, dir_fd=at)


def close(handle: int) -> None:
    """Close; a full network disk may say so only here."""
    os.close(handle)


def look(name: str, *, at: int) -> os.stat_result:
    """What `name` itself is, link or not."""
    return os.stat(name, dir_fd=at, follow_symlinks=False)


def link_target(name: str, *, at: int) -> str:
    """Where the link `name` points."""
    return os.readlink(name, dir_fd=at)


def names(handle: int) -> list[str]:
    """The entries of an open directory."""
    return os.listdir(handle)


def read(handle: int, size: int) -> bytes:
    """At most `size` bytes."""
    return os.read(handle, size)


def write(handle: int, data: memoryview) -> int:
    """Write some of `data`; returns how many bytes."""
    return os.write(handle, data)


def sync(handle: int) -> None:
    """Wait until the disk holds a file, or the names of a directory where the file system can promise that."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


def sync_all(place: str | os.PathLike[str]) -> None:
    """Wait until the disk holds everything on the file system of `place`: for many files at once."""
    handle = open_file(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        import ctypes

        function = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        if function is None:
            os.sync()
        elif function(handle) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), place)
    finally:
        os.close(handle)


def uncache(handle: int) -> None:
    """Let go of the memory that holds what the disk holds as well; a hint, where the system takes it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)


def set_owner(handle: int, user: int, group: int) -> None:
    """Give an open file to `user` and `group`."""
    os.fchown(handle, user, group)


def set_mode(handle: int, mode: int) -> None:
    """Set the permission bits of an open file."""
    os.fchmod(handle, mode)


def change_mode(name: str, mode: int, *, at: int) -> None:
    """Set the permission bits of what has this name; of no link."""
    os.chmod(name, mode, dir_fd=at)


def set_time(name: str, seconds: int, *, at: int) -> None:
    """Set when a file was written, in seconds since 1970."""
    os.utime(name, (seconds, seconds), dir_fd=at)


def make_link(target: bytes, name: str, *, at: int) -> None:
    """Make the symbolic link `name`."""
    os.symlink(target, os.fsencode(name), dir_fd=at)


def attributes(handle: int) -> dict[str, bytes]:
    """The extended attributes of an open file; none where Python or the file system has no such thing."""
    if sys.platform != "linux":
        return {}
    try:
        return {name: os.getxattr(handle, name) for name in os.listxattr(handle)}
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        return {}


def set_attribute(handle: int, name: str, value: bytes) -> None:
    """Set one extended attribute of an open file."""
    if sys.platform == "linux":
        os.setxattr(handle, name, value)


def make_directory(name: str | os.PathLike[str], mode: int = 0o777, *, at: int | None = None) -> None:
    """Make one directory."""
    os.mkdir(name, mode, dir_fd=at)


def remove_directory(name: str, *, at: int) -> None:
    """Remove one empty directory."""
    os.rmdir(name, dir_fd=at)


def remove(name: str | os.PathLike[str], *, at: int | None = None) -> None:
    """Remove one name of a file."""
    os.unlink(name, dir_fd=at)


def rename(old: str | os.PathLike[str], new: str | os.PathLike[str], *, at: int | None = None) -> None:
    """Give `old` the name `new`, over whatever had it."""
    os.rename(old, new, src_dir_fd=at, dst_dir_fd=at)


def rename_new(old: str, new: str, *, at: int) -> None:
    """Give `old` the name `new`; raises `FileExistsError` when the name is taken, even this very moment.

    Where the system cannot do that in one step, `old` stays as a second name that the caller removes.
    """
    if not _rename(old, new, at, _NO_REPLACE):
        os.link(old, new, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)


def exchange(one: str, other: str, *, at: int) -> bool:
    """Swap two names in one step. False, and nothing done, where kernel or file system cannot."""
    return _rename(one, other, at, _EXCHANGE)


def _rename(old: str, new: str, at: int, flag: int) -> bool:
    import ctypes

    function = _extended_rename()
    if function is None:
        return False
    if function(at, os.fsencode(old), at, os.fsencode(new), flag) == 0:
        return True
    code = ctypes.get_errno()
    # EPERM: a container's filter that does not know the call; a real refusal comes again from the plain one.
    if code in UNSUPPORTED or code == errno.EPERM:
        return False
    raise OSError(code, os.strerror(code), new)


@functools.cache
def _extended_rename() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """`renameat2` of Linux, `renameatx_np` of macOS: same arguments, and 2 means exchange in both."""
    import ctypes  # 10 ms that only a write needs

    library = ctypes.CDLL(None, use_errno=True)
    function = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    function.restype = ctypes.c_int
    return cast("Callable[[int, bytes, int, bytes, int], int]", function)
