"""How a failure of the file system reads to a person: one line with the file, what happened, what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager

from motet.errors import FileMissing, WorkspaceError

_ADVICE = {
    errno.ENOSPC: "no space left on the disk; free some and try again",
    errno.EDQUOT: "your disk quota is used up; free some space and try again",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "no permission; check the owner and mode of the file and its directory",
    errno.EPERM: "not permitted; the file may be immutable or belong to somebody else",
    errno.ENOENT: "no such file",
    errno.ENOTDIR: "a part of the path is not a directory",
    errno.EISDIR: "is a directory",
    errno.ENAMETOOLONG: "the name is too long for the file system",
    errno.EIO: "the disk reported an input/output error; check it",
    errno.EMFILE: "too many open files; close some programs or raise the limit (ulimit -n)",
    errno.ENFILE: "too many open files on this machine",
}


@contextmanager
def told(path: str | os.PathLike[str], doing: str = "") -> Generator[None]:
    """Turn an `OSError` inside into a `WorkspaceError` line: `path: doing: reason`."""
    try:
        yield
    except OSError as error:
        kind = FileMissing if error.errno == errno.ENOENT else WorkspaceError
        raise kind(": ".join(filter(None, (shown(path), doing, reason(error))))) from error
    except UnicodeEncodeError as error:
        raise WorkspaceError(f"{shown(path)}: not a valid file name") from error


def reason(error: OSError) -> str:
    """What went wrong, in words, without the path."""
    return _ADVICE.get(error.errno or 0) or error.strerror or str(error)


def shown(path: str | os.PathLike[str]) -> str:
    """`path` for a line of text: control and invisible characters, and bytes that are no text, as escapes."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in os.fspath(path)
    )
