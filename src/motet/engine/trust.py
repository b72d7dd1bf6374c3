"""What a project defines that would run: its own tools, servers and checkers. All of it waits for trust.

Each item is an `Action` of origin `PROJECT` whose definition is what would run; the gate binds a grant to its hash,
so a changed command or a replaced program is asked about again.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass
from pathlib import Path

from motet.permissions import Action, Effect, Gate, Origin
from motet.settings import Loaded

_TOOL_DIRECTORIES = (".venv/bin", "venv/bin", "node_modules/.bin")
_CONFIGURES_SERVERS = (".clangd", "compile_commands.json", "compile_flags.txt", "build.rs", ".venv/pyvenv.cfg")


@dataclass(frozen=True, slots=True)
class ProjectTrust:
    """What of the project may be used: directories of programs, and whether servers may run its code."""

    tool_directories: tuple[Path, ...]
    runs_code: bool


def project_items(root: Path, loaded: Loaded) -> list[Action]:
    """Everything in the project at `root` that needs trust before it is used."""
    items = [item for name in _TOOL_DIRECTORIES if (item := _tools(root, name)) is not None]
    items += [_code(root)] if _exists(root, _CONFIGURES_SERVERS) else []
    commands = [shlex.join(table.command) for table in loaded.inert.servers.values()]
    items += [_item(command, command) for command in commands]
    items += [_item(checker.command, checker.command) for checker in loaded.inert.checkers.values()]
    return items


def project_trust(root: Path, gate: Gate) -> ProjectTrust:
    """What the user has trusted of it so far."""
    directories = [
        root / name for name in _TOOL_DIRECTORIES if (item := _tools(root, name)) is not None and gate.allows(item)
    ]
    return ProjectTrust(tuple(directories), gate.allows(_code(root)))


def _tools(root: Path, directory: str) -> Action | None:
    """The servers' programs in a tool directory as one item; None when there are none."""
    if not (root / directory).is_dir():
        return None
    from motet.diagnostics.servers import BUILT_IN

    programs = [root / directory / name for name in sorted({spec.argv[0] for spec in BUILT_IN})]
    found = [program for program in programs if program.is_file()]
    if not found:
        return None
    names = ", ".join(program.name for program in found)
    return _item(f"programs in {directory}: {names}", "\n".join(f"{each.name} {_hash(each)}" for each in found))


def _code(root: Path) -> Action:
    files = [root / name for name in _CONFIGURES_SERVERS]
    definition = "\n".join(f"{file.name} {_hash(file)}" for file in files if file.is_file())
    return _item("language servers may run this project's code and configuration", definition or "none")


def _item(subject: str, definition: str) -> Action:
    return Action(Effect.RUN, subject, Origin.PROJECT, definition=definition)


def _exists(root: Path, names: tuple[str, ...]) -> bool:
    return any((root / name).exists() for name in names)


def _hash(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError:
        return "unreadable"
