"""Places on the disk: where a path really leads, and what of the machine a command is not to see or to change."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from motet.paths import config_dir, state_dir
from motet.permissions.protected import is_protected
from motet.permissions.rules import is_outside
from motet.permissions.secrets import is_secret, secret_places

_MOST_PROGRAM_BYTES = 64 * 2**20
_MOST_ENTRIES = 200_000
"""Of a larger workspace only so much is looked through for files of secrets."""
_NOT_LOOKED_INTO = frozenset(
    {"node_modules", "site-packages", "__pycache__", ".tox", ".nox", ".mypy_cache", ".ruff_cache", "objects"}
)
OF_GIT = ("config", "hooks", "info", "modules", "worktrees")
"""What of `.git` makes git start programs or look elsewhere; the rest a command such as `git commit` has to write."""


def resolved(root: Path, path: str) -> str:
    """Where `path`, meant from `root` and `~` being the home directory, leads: relative to `root`, with `/`, when that
    lies inside it, else absolute. All links are followed. Blocks for as long as the file system takes."""
    base = os.path.realpath(root)
    place = os.path.realpath(posixpath.join(base, posixpath.expanduser(path)))
    inside = place == base or place.startswith(f"{base.rstrip('/')}/")
    return os.path.relpath(place, base) if inside else place


def command_identity(root: Path, program: Path, cwd: str, network: bool) -> str:
    """What besides its words makes a command the same one, as the definition of its action: where it runs, the
    network, and the content of a program that lies in the workspace. Blocks while that is read."""
    real = resolved(root, str(program))
    content = "" if is_outside(real) else _hash(root / real)
    return f"in {cwd}\n{'with' if network else 'without'} the network\n{program}\n{content}"


def _hash(program: Path) -> str:
    try:
        if program.stat().st_size > _MOST_PROGRAM_BYTES:
            return "too large"
        with program.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "unreadable"


@dataclass(frozen=True, slots=True)
class OffLimits:
    """Places that a command that a model wants has no business with, all of them absolute.

    `hidden`: secrets, and motet's own settings and state. `read_only`: protected places of the workspace. `names`: the
    hidden files of the workspace, as paths in it.
    """

    hidden: tuple[Path, ...]
    read_only: tuple[Path, ...]
    names: tuple[str, ...]


def off_limits(root: Path, environ: Mapping[str, str]) -> OffLimits:
    """Those that exist now. Blocks for as long as it takes to look through the workspace `root`."""
    root = Path(os.path.realpath(root))
    hidden: list[str] = []
    read_only: list[str] = []
    for name, parent, is_directory in _entries(root):
        place = f"{parent}/{name}" if parent else name
        inside = f"{place}/-" if is_directory else place
        if is_secret(inside):
            hidden.append(place)
        elif name == ".git" and is_directory:
            read_only += [f"{place}/{each}" for each in OF_GIT]
        elif is_protected(inside) and not is_protected(f"{parent}/-"):
            read_only.append(place)
    home = Path(environ.get("HOME") or Path.home())
    own = [config_dir(environ), state_dir(environ)]
    everywhere = [place for place in (*secret_places(home), *own) if place.exists()]
    return OffLimits(
        (*everywhere, *(root / place for place in hidden)),
        tuple(place for each in read_only if (place := root / each).exists()),
        tuple(hidden),
    )


def _entries(root: Path) -> Iterator[tuple[str, str, bool]]:
    """Name, directory relative to `root`, and whether it is one itself, of all there is; what is hidden as a whole, and
    what is git's, is not looked into."""
    waiting, seen = [""], 0
    while waiting and seen < _MOST_ENTRIES:
        directory = waiting.pop()
        try:
            with os.scandir(root / directory) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            continue
        seen += len(found)
        for name, is_directory in found:
            yield name, directory, is_directory
            place = f"{directory}/{name}" if directory else name
            if is_directory and name not in _NOT_LOOKED_INTO and name != ".git" and not is_secret(f"{place}/-"):
                waiting.append(place)
