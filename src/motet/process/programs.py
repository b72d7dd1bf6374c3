"""Where programs are found. The current directory never counts, whatever PATH says."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path


def own_bin() -> Path:
    """The directory of this Python's scripts: the servers that came with motet's extras are there."""
    return Path(sys.executable).parent


def find_program(
    name: str, *, first: Sequence[Path] = (), path: str | None = None, avoid: Path | None = None
) -> Path | None:
    """The first executable file called `name` in `first`, then on PATH; None when there is none.

    `path` replaces the PATH of this process. Relative and empty entries of PATH are passed over: they would
    run what happens to lie in a project. `avoid` is a directory that nothing from PATH may lie in, directly
    or through a link; `first` is the caller's own word and may. An absolute `name` is only checked.
    """
    if "/" in name:
        place = Path(name)
        return place if place.is_absolute() and _is_executable(place) else None
    for directory in first:
        if _is_executable(directory / name):
            return directory / name
    for directory in _entries(os.environ.get("PATH", os.defpath) if path is None else path):
        candidate = directory / name
        if _is_executable(candidate) and not (avoid and _lies_in(candidate, avoid)):
            return candidate
    return None


def _entries(path: str) -> Iterator[Path]:
    return (entry for entry in map(Path, path.split(os.pathsep)) if entry.is_absolute())


def _is_executable(candidate: Path) -> bool:
    return candidate.is_file() and os.access(candidate, os.X_OK)


def _lies_in(candidate: Path, directory: Path) -> bool:
    root = directory.resolve()
    return any(place.is_relative_to(root) for place in (candidate.parent.resolve(), candidate.resolve()))
