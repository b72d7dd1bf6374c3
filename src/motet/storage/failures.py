"""What SQLite and the system say, in words a user can act on."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from motet.errors import MotetError
from motet.paths import ANOTHER_PLACE, NO_ROOM

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_KEPT = "what was stored before is safe"


def is_damage(error: Exception) -> bool:
    """Whether the file itself is broken."""
    return isinstance(error, sqlite3.Error) and _code(error) in _DAMAGE


def is_environment(error: Exception) -> bool:
    """Whether it is not about what the file holds: the disk, permissions, other processes."""
    return isinstance(error, sqlite3.Error) and _code(error) in {
        sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM,
    }  # fmt: skip


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


def takes_nothing(error: sqlite3.Error | OSError) -> bool:
    """Whether the disk, or the system, may let nothing be written: what is there can be read all the same. SQLite tells of
    its shared index as of any other failure."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM | {errno.EROFS, errno.EACCES, errno.EPERM}
    return _code(error) in {
        sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """How the store of `path` is spoken of: `what` it holds ("chats"), and the `kind` of its errors."""

    path: Path
    what: str
    kind: type[MotetError]

    def not_writable(self) -> MotetError:
        """Nobody may write there."""
        if _is_read_only(self.path):
            return self.read_only()
        return self.kind(
            f"{self.path}: the {self.what} cannot be stored: no permission to write; make the directory writable"
        )

    def read_only(self) -> MotetError:
        """Nobody may write to that file system."""
        return self.kind(f"{self.path}: the {self.what} cannot be stored: the disk is read-only; {ANOTHER_PLACE}")

    def full(self) -> MotetError:
        """There is no room."""
        return self.kind(f"{self.path}: the disk is full, nothing more can be stored; make room, {_KEPT}")

    def damaged_and_open(self) -> MotetError:
        """It has to be set aside, and cannot be."""
        return self.kind(
            f"{self.path}: the file of {self.what} is damaged and another motet has it open; "
            "close all others, then it is set aside and what can be read is kept"
        )

    def in_repair(self) -> MotetError:
        """Another process has it alone for too long."""
        return self.kind(f"{self.path}: another motet repairs the file of {self.what}; try again")


def explained(error: sqlite3.Error | OSError, words: Words) -> MotetError:
    """The error to show instead."""
    path, what = words.path, words.what
    if isinstance(error, OSError):
        if error.errno == errno.EROFS:
            return words.read_only()
        if error.errno in (errno.EACCES, errno.EPERM):
            return words.not_writable()
        if error.errno in NO_ROOM:
            return words.full()
        advice = "move it away" if error.errno == errno.EISDIR else "look at that place"
        return words.kind(f"{path}: the {what} cannot be stored: {error.strerror or error}; {advice}")
    match _code(error):
        case sqlite3.SQLITE_FULL:
            return words.full()
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return words.not_writable()
        case sqlite3.SQLITE_CANTOPEN if not os.access(path.parent, os.W_OK | os.X_OK):
            return words.not_writable()
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return words.kind(f"{path}: another motet has been writing for too long; try again when it is done")
        case sqlite3.SQLITE_IOERR:
            return words.kind(f"{path}: the disk does not take the {what} ({error}); is it full? {_KEPT}")
        case sqlite3.SQLITE_TOOBIG:
            return words.kind(f"{path}: a message is too large to be stored ({error}); share less in one message")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return words.kind(f"{path}: the file of {what} is damaged ({error}); move it away to begin a new one")
        case _:
            return words.kind(f"{path}: the {what} cannot be stored: {error}")


def _is_read_only(path: Path) -> bool:
    """Whether `path` lies, or would lie, on a file system that takes nothing."""
    for place in (path, *path.parents):
        with suppress(OSError):
            return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    return False


def _code(error: sqlite3.Error) -> int:
    """The primary result code; -1 when SQLite was not asked."""
    code: object = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else -1
