"""Edits that stand in unsaved buffers of editors only: noted, so that an undo elsewhere can say that it misses them.

One small file for each process in `<state>/unsaved/`, named by the hash of the root and the process; it counts as long
as the process lives, and goes with the first look after that.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from motet.workspace.atomic import digest
from motet.workspace.store import write_durably
from motet.workspace.temporary import other_alive


class UnsavedEdits:
    """Those of the workspace `root`, in the state directory `state`."""

    def __init__(self, state: Path, root: Path) -> None:
        self._home = state / "unsaved"
        self._name = digest(os.fsencode(os.path.realpath(root)))[:16]

    def note(self, paths: Collection[str]) -> None:
        """This process holds edits of just these files. Raises `OSError`."""
        place = self._home / f"{self._name}.{os.getpid()}"
        if paths:
            self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_durably(place, "\0".join(sorted(paths)).encode("utf-8", "surrogateescape"))
        else:
            place.unlink(missing_ok=True)

    def paths(self) -> list[str]:
        """The files of which some process holds edits now."""
        found: set[str] = set()
        for place in self._home.glob(f"{self._name}.*"):
            if not place.suffix[1:].isdecimal():
                continue
            with suppress(FileNotFoundError):  # its process has just ended
                if other_alive(int(place.suffix[1:])):
                    found |= {*place.read_bytes().decode("utf-8", "surrogateescape").split("\0")}
                else:
                    place.unlink()
        return sorted(found)
