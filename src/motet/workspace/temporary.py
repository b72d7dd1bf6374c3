"""Temporary names beside a target: ours while a write runs, and recognised when a killed one left them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from motet.workspace import _fs

_PATTERN = re.compile(r"\.motet-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{8}\.tmp")
_in_use: set[str] = set()


def is_temporary(name: str) -> bool:
    """Whether `name` is one of ours, of whatever machine and process."""
    return _PATTERN.fullmatch(name) is not None


@dataclass(slots=True)
class Spare:
    """A second name in the target's directory. `keep`: it holds something that must not go."""

    name: str
    keep: bool = False


@contextmanager
def spare_name(directory: int) -> Generator[Spare]:
    """A name of ours in `directory` that is gone at the end; if it cannot go, the next write removes it."""
    import secrets  # for a write alone: who lists files asks for names

    mine = Spare(f".motet-{machine()}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    _in_use.add(mine.name)
    try:
        yield mine
    finally:
        if not mine.keep:
            with contextlib.suppress(OSError):
                _fs.remove(mine.name, at=directory)
            _in_use.discard(mine.name)


def clean(directory: int) -> None:
    """Remove what killed writes of this machine left; whatever cannot be removed does not stop a write."""
    for name in _fs.names(directory):
        found = _PATTERN.fullmatch(name)
        if found and found[1] == machine() and name not in _in_use and not other_alive(int(found[2])):
            with contextlib.suppress(OSError):
                info = _fs.look(name, at=directory)
                if stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid():
                    _fs.remove(name, at=directory)


@functools.cache
def machine() -> str:
    """What names of this machine have in common."""
    return hashlib.sha256(os.fsencode(os.uname().nodename)).hexdigest()[:8]


def other_alive(process: int) -> bool:
    """Whether another process with this id lives."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
