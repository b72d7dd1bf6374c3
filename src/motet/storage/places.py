"""Where a store lies: its directory, its mode, and whether that place is on another machine."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from pathlib import Path

_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|lustre|beegfs|gpfs|orangefs|ocfs2|gfs2|ncpfs|coda|davfs"
    r"|fuse\.(?:sshfs|s3fs|rclone|glusterfs|davfs2?|gcsfuse|ceph|juicefs|gvfsd-fuse)"
)
_MOUNTS = Path("/proc/self/mountinfo")


def make_private(path: Path) -> None:
    """Make the directory of `path` (mode 0700) and an empty file (mode 0600) where they are not there; take what
    others may do with the file away. Raises `OSError`.

    A file that is there is not opened: to close it would release all locks that this process has on it (fcntl(2)), and
    SQLite's with them; then another process may take the write-ahead log away below an open database.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make(os.path.realpath(path))
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not os.access(path, os.R_OK | os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if found.st_mode & 0o077:
        path.chmod(0o600)


def _make(path: str) -> None:
    try:
        os.mknod(path, stat.S_IFREG | 0o600)
    except FileExistsError:
        pass
    except PermissionError:  # some systems leave that to root
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def network_file_system(path: Path, mounts: Path = _MOUNTS) -> str:
    """The type of the file system that `path` is on, when it is on another machine; empty when it is not, or where the
    system does not tell. Linux: proc(5), `/proc/PID/mountinfo`."""
    best, kind = "", ""
    with contextlib.suppress(OSError, ValueError, IndexError):
        real = os.path.realpath(path)
        for line in mounts.read_text("utf-8", "surrogateescape").splitlines():
            left, _, right = line.partition(" - ")
            point = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), left.split()[4])
            inside = real == point or real.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(best):
                best, kind = point, right.split()[0]
    return kind if _NETWORK.fullmatch(kind) else ""


def sync_directory(path: Path) -> None:
    """Wait until the disk holds the names in the directory `path`, where its file system can promise that."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
