"""From a `ServerSpec` to a command line, an environment and settings for one project.

What lies inside a project that is not trusted is never started, nor named to a server that would start it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.diagnostics.json_value import merged, object_of
from motet.diagnostics.servers import ServerSpec
from motet.errors import PermissionDenied, ProcessError
from motet.permissions import Gate, Origin
from motet.process import Child, find_program, own_bin, run, spawn

_VERSION_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The project that servers are started for. `extra_dirs` may lie inside it: the caller trusts them."""

    root: Path
    extra_dirs: tuple[Path, ...] = ()
    trusted: bool = False

    @property
    def forbidden(self) -> Path | None:
        """The directory that nothing may be started from."""
        return None if self.trusted else self.root

    def find(self, name: str) -> Path | None:
        """The program `name`: in the extra directories, in motet's own environment, on PATH."""
        return find_program(name, first=(*self.extra_dirs, own_bin()), avoid=self.forbidden)

    @property
    def environment(self) -> dict[str, str]:
        """This process's, with a PATH on which servers find what motet found."""
        entries = [*self.extra_dirs, own_bin()]
        for entry in map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep)):
            if entry.is_absolute() and not (self.forbidden and _is_inside(entry, self.forbidden)):
                entries.append(entry)
        return {**os.environ, "PATH": os.pathsep.join(map(str, dict.fromkeys(entries)))}

    @property
    def python(self) -> Path:
        """The interpreter whose packages the project's code is checked against."""
        for own in (self.root / ".venv" / "bin" / "python", self.root / "venv" / "bin" / "python"):
            if self.trusted and own.exists():
                return own
        return find_program("python3", avoid=self.forbidden) or Path(sys.executable)


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything needed to start one server."""

    spec: ServerSpec
    argv: tuple[str, ...]
    settings: dict[str, object]
    initialization: dict[str, object]


async def locate(specs: Sequence[ServerSpec], around: Surroundings, gate: Gate) -> tuple[list[Launch], list[str]]:
    """What to start, and one line of advice for each server or group of which nothing may or can be started."""
    launches: list[Launch] = []
    advice: list[str] = []
    for members in _groups(specs):
        missing: list[str] = []
        for spec in members:
            found = await _launch(spec, around, gate)
            if isinstance(found, Launch):
                launches.append(found)
                break
            missing.append(found)
        else:
            advice.append(missing[0])
    return launches, advice


async def start(launch: Launch, around: Surroundings) -> Child:
    """Start the server. Raises `ProcessError`."""
    return await spawn(launch.argv, cwd=around.root, env=around.environment)


def _groups(specs: Sequence[ServerSpec]) -> list[list[ServerSpec]]:
    groups: dict[str, list[ServerSpec]] = {}
    for spec in specs:
        groups.setdefault(spec.group or f"only {spec.name}", []).append(spec)
    return list(groups.values())


async def _launch(spec: ServerSpec, around: Surroundings, gate: Gate) -> Launch | str:
    name = spec.argv[0]
    if spec.origin is Origin.PROJECT and "/" in name:
        name = str(around.root / name)  # the gate has been asked about this very command
    program = around.find(name)
    if program is None:
        inside = find_program(name)
        if inside is not None:
            return f"{spec.name}: not started, because {inside} lies in this project; motet trust"
        return f"{spec.name}: not found" + (f"; {spec.advice}" if spec.advice else "")
    if spec.needs_trust and not around.trusted:
        return f"{spec.name}: not started, because {spec.needs_trust}; motet trust"
    try:
        await gate.require(spec.action)
    except PermissionDenied as error:
        return f"{spec.name}: not started; {error}"
    if spec.least_version and await _major_version(program, around) < spec.least_version:
        return f"{spec.name}: {program} is older than version {spec.least_version}; {spec.advice}"
    argv = (str(program), *spec.argv[1:], *(() if around.trusted else spec.unless_trusted))
    # What the user has set goes before what stands in for a missing configuration.
    settings, initialization = dict(spec.settings), dict(spec.initialization)
    if not any(_is_configured(around.root, place) for place in spec.configured_by):
        settings = merged(dict(spec.unless_configured), settings)
        initialization = merged(dict(spec.unless_configured_initialization), initialization)
    if spec.python_setting:
        settings = merged(_nested(spec.python_setting, str(around.python)), settings)
    return Launch(spec, argv, settings, initialization)


async def _major_version(program: Path, around: Surroundings) -> int:
    """From the package that an npm program belongs to, which costs nothing; else the program is asked."""
    try:
        package = json.loads((program.resolve().parent.parent / "package.json").read_bytes())
        text = str(package["version"])
    except (OSError, ValueError, KeyError, TypeError):
        try:
            argv = (str(program), "--version")
            output = await run(argv, cwd=own_bin(), timeout=_VERSION_TIMEOUT, env=around.environment)
        except ProcessError:
            return 0
        text = output.stdout.decode(errors="replace")
    number = re.search(r"\d+", text)
    return int(number[0]) if number else 0


def _is_configured(root: Path, place: str) -> bool:
    name, _, table = place.partition(":")
    if not table:
        return (root / name).exists()
    try:
        tree: object = tomllib.loads((root / name).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    for key in table.split("."):
        tree = object_of(tree).get(key)
    return tree is not None


def _nested(path: str, value: object) -> dict[str, object]:
    *outer, key = path.split(".")
    tree: dict[str, object] = {key: value}
    for key in reversed(outer):
        tree = {key: tree}
    return tree


def _is_inside(entry: Path, directory: Path) -> bool:
    return entry.resolve().is_relative_to(directory.resolve())
