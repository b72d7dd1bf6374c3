"""How long checkpoints are kept: a number of them and of bytes in each workspace, and some time without a change."""

from __future__ import annotations

import os
import time
from pathlib import Path

from motet.workspace.store import write_durably

KEEP = 200
"""Checkpoints that are kept of a workspace."""
KEEP_BYTES = 512 * 1024 * 1024
"""What those of one workspace may take, all but the newest."""
KEEP_DAYS = 30
"""Days without a change after which a checkpoint goes."""

_DAY = 24 * 60 * 60
_SUFFIX = ".journal"


def journals(home: Path) -> list[int]:
    """The numbers of the checkpoints of one workspace, oldest first."""
    return sorted(_sizes(home))


def journal_path(home: Path, number: int) -> Path:
    """Where a checkpoint is kept."""
    return home / f"{number:06}{_SUFFIX}"


def make_room(store: Path, home: Path) -> None:
    """Make room for one more in `home`; once a day drop what is old in all of `store`. Only under its lock."""
    sizes = _sizes(home)
    room = KEEP_BYTES
    for count, number in enumerate(sorted(sizes, reverse=True), 2):
        room -= sizes[number]
        if count > KEEP or (room < 0 and count > 2):
            journal_path(home, number).unlink(missing_ok=True)
    swept = store / "swept"
    if swept.exists() and abs(time.time() - swept.stat().st_mtime) < _DAY:
        return
    for path in (store / "workspaces").glob("*/*"):
        if path.stat().st_mtime < time.time() - KEEP_DAYS * _DAY:
            path.unlink(missing_ok=True)
    write_durably(swept, b"")


def _sizes(home: Path) -> dict[int, int]:
    try:
        with os.scandir(home) as found:
            names = ((entry, entry.name.removesuffix(_SUFFIX)) for entry in found if entry.name.endswith(_SUFFIX))
            return {int(name): entry.stat(follow_symlinks=False).st_size for entry, name in names if name.isdecimal()}
    except FileNotFoundError:
        return {}
