"""What SQLite and the system say, in words a user can act on."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from motet.history.errors import HistoryError

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_KEPT = "what was stored before is safe"


def is_damage(error: Exception) -> bool:
    """Whether the file itself is broken."""
    return isinstance(error, sqlite3.Error) and _code(error) in _DAMAGE


def no_database() -> sqlite3.DatabaseError:
    """What SQLite raises for a file that is none."""
    error = sqlite3.DatabaseError("file is not a database")
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return error


def is_lasting(error: Exception) -> bool:
    """Whether a connection that met `error` may be of no more use."""
    return isinstance(error, sqlite3.Error) and _code(error) in {
        sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FULL,
    }  # fmt: skip


def explained(error: sqlite3.Error | OSError, path: Path) -> HistoryError:
    """The error to show instead."""
    if isinstance(error, OSError):
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return _not_writable(path)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return _full(path)
        return HistoryError(f"{path}: the chats cannot be stored: {error.strerror or error}; look at that place")
    match _code(error):
        case sqlite3.SQLITE_FULL:
            return _full(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return _not_writable(path)
        case sqlite3.SQLITE_CANTOPEN if not os.access(path.parent, os.W_OK | os.X_OK):
            return _not_writable(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return HistoryError(f"{path}: another motet has been writing for too long; try again when it is done")
        case sqlite3.SQLITE_IOERR:
            return HistoryError(f"{path}: the disk does not take the chats ({error}); is it full? {_KEPT}")
        case sqlite3.SQLITE_TOOBIG:
            return HistoryError(f"{path}: a message is too large to be stored ({error}); share less in one message")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return HistoryError(f"{path}: the file of chats is damaged ({error}); move it away to begin a new one")
        case _:
            return HistoryError(f"{path}: the chats cannot be stored: {error}")


def _code(error: sqlite3.Error) -> int:
    """The primary result code; -1 when SQLite was not asked."""
    code: object = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else -1


def _not_writable(path: Path) -> HistoryError:
    return HistoryError(f"{path}: the chats cannot be stored: no permission to write; make the directory writable")


def _full(path: Path) -> HistoryError:
    return HistoryError(f"{path}: the disk is full, nothing more can be stored; make room, {_KEPT}")
