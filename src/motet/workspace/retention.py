"""How long checkpoints are kept: a number of them and of bytes in each workspace, and some time without a change. A
snapshot for commands goes after the same time without one."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from motet.workspace.store import write_durably

KEEP = 200
"""Checkpoints that are kept of a workspace."""
KEEP_BYTES = 512 * 1024 * 1024
"""What those of one workspace may take, all but the newest."""
KEEP_DAYS = 30
"""Days without a change after which a checkpoint goes."""

KEPT = f"the last {KEEP} are kept, up to {KEEP_BYTES // 1024**2} MiB and for {KEEP_DAYS} days"
"""The same for a human."""

_DAY = 24 * 60 * 60
_SUFFIX = ".journal"


def journals(home: Path) -> list[int]:
    """The numbers of the checkpoints of one workspace, oldest first."""
    try:
        names = os.listdir(home)  # noqa: PTH208  two hundred names, before each first write of a turn
    except FileNotFoundError:
        return []
    numbers = [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)]
    return sorted(int(number) for number in numbers if number.isdecimal())


def journal_path(home: Path, number: int) -> Path:
    """Where a checkpoint is kept."""
    return home / f"{number:06}{_SUFFIX}"


class Shelf:
    """The checkpoints of the workspace in `home`, and room for more. Used only under the lock of `store`."""

    def __init__(self, store: Path, home: Path) -> None:
        self._store = store
        self._home = home
        self._sizes: dict[int, int] = {}  # of those that have ended: they hardly grow any more

    def make_room(self) -> int:
        """Make room for one more, and once a day drop what is old in all of the store; the newest number there is."""
        numbers = journals(self._home)
        for number in [*numbers[-1:], *(number for number in numbers if number not in self._sizes)]:
            with contextlib.suppress(FileNotFoundError):
                self._sizes[number] = journal_path(self._home, number).stat().st_size
        if len(numbers) >= KEEP or sum(self._sizes.values()) > KEEP_BYTES:
            self._drop(numbers)
        self._sweep()
        return numbers[-1] if numbers else 0

    def _drop(self, numbers: Sequence[int]) -> None:
        self._sizes = {number: self._sizes.get(number, 0) for number in numbers}
        room = KEEP_BYTES
        for count, number in enumerate(reversed(numbers), 2):
            room -= self._sizes[number]
            if count > KEEP or (room < 0 and count > 2):
                journal_path(self._home, number).unlink(missing_ok=True)
                del self._sizes[number]

    def _sweep(self) -> None:
        swept = self._store / "swept"
        with contextlib.suppress(FileNotFoundError):
            if abs(time.time() - swept.stat().st_mtime) < _DAY:
                return
        for path in (self._store / "workspaces").glob("*/*"):
            if path.stat().st_mtime < time.time() - KEEP_DAYS * _DAY:
                path.unlink(missing_ok=True)
        for home in (self._store / "snapshots").glob("*"):
            if all(path.stat().st_mtime < time.time() - KEEP_DAYS * _DAY for path in home.glob("*.tree")):
                shutil.rmtree(home, ignore_errors=True)
        write_durably(swept, b"")
