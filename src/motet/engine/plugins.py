"""Plug-ins: functions that distributions installed in motet's own environment name as entry points.

    [project.entry-points."motet.plugins"]
    tickets = "motet_tickets:plug_in"      # def plug_in(m): the `m` of `motet.open`, with its decorators

Only the directories of installed packages of the Python that runs motet are looked at, never `sys.path`: what lies in a
project, or where motet was started, cannot add one. Nothing is imported where there is none.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import motet
from motet.chat import Hooks
from motet.context import Commands, Variables
from motet.engine.registration import Extras, Registration
from motet.settings.callback import describe
from motet.tools import Tool
from motet.tools.registry import is_taken

GROUP = "motet.plugins"


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point: `reference` is `package.module:function`."""

    name: str
    reference: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reference}, of {self.distribution} {self.version}"


def installed() -> list[Plugin]:
    """The plug-ins there are, by name. Imports none of them."""
    found: set[Plugin] = set()
    for directory in filter(Path.is_dir, _environment()):
        packages = [package for package in directory.iterdir() if package.suffix in (".dist-info", ".egg-info")]
        for entries in (package / "entry_points.txt" for package in packages):
            try:
                if GROUP.encode() in entries.read_bytes():
                    found.update(_named(entries.parent))
            except (OSError, ValueError):
                continue  # half installed: `pip check` says so
    return sorted(found, key=lambda one: (one.name, one.distribution))


@dataclass(slots=True)
class Plugged:
    """What plug-ins have added, and a line for each of which something is missing."""

    extras: Extras = field(default_factory=Extras)
    faults: list[str] = field(default_factory=list[str])

    def tools(self, taken: Collection[str]) -> dict[str, Tool]:
        """Their tools, but for those whose name another has."""
        for name in self.extras.tools:
            if is_taken(name, taken):
                self._left_out(f"the tool {name}")
        return {name: tool for name, tool in self.extras.tools.items() if not is_taken(name, taken)}

    def add_to(self, variables: Variables, commands: Commands) -> None:
        """Make their variables and commands known, but for those whose name another has."""
        for variable in self.extras.variables:
            if variables.get(variable.name) is None:
                variables.add(variable)
            else:
                self._left_out(f"#{variable.name}")
        for command in self.extras.commands:
            if commands.get(command.name) is None:
                commands.add(command)
            else:
                self._left_out(f"/{command.name}")

    def _left_out(self, what: str) -> None:
        line = f"plug-ins: {what} is left out: there is one of that name already"
        if line not in self.faults:
            self.faults.append(line)

    def hooks(self, further: Hooks) -> Hooks:
        """Their hooks, and `further` ones behind them; what chooses the context there goes before theirs."""
        own = self.extras.hooks
        return Hooks(
            [*own.before_submit, *further.before_submit],
            [*own.completed, *further.completed],
            [*own.event, *further.event],
            further.context or own.context,
        )


def plug_in(plugins: Sequence[Plugin], root: Path) -> Plugged:
    """Import `plugins` and let each add what it has: all of it, or nothing where it fails. What would be imported from
    the workspace `root` is not."""
    plugged = Plugged()
    for plugin in plugins:
        extras = Extras()
        try:
            if own := _inside(plugin, root):
                plugged.faults.append(f"plug-in {plugin.name} ({plugin.distribution}): {own} lies in this project")
                continue
            _run(plugin, extras)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a stranger's code may raise anything)
            plugged.faults.append(f"plug-in {plugin.name} ({plugin.distribution}) is left out: {describe(error)}")
            continue
        whole = plugged.extras
        plugged.extras = replace(
            whole,
            tools={**extras.tools, **whole.tools},
            variables=[*whole.variables, *extras.variables],
            commands=[*whole.commands, *extras.commands],
            hooks=replace(
                plugged.hooks(extras.hooks), context=whole.hooks.context or extras.hooks.context
            ),  # the first one, as with tools
            retriever=whole.retriever or extras.retriever,
        )
    return plugged


def _run(plugin: Plugin, extras: Extras) -> None:
    from importlib.metadata import EntryPoint

    function = EntryPoint(plugin.name, plugin.reference, GROUP).load()
    function(Registration(extras))


def _inside(plugin: Plugin, root: Path) -> Path | None:
    """Where in the project `root` its module would be imported from, if it would. Imports nothing."""
    from importlib.util import find_spec

    top = find_spec(plugin.reference.partition(":")[0].strip().partition(".")[0])
    places = [top.origin or "", *(top.submodule_search_locations or ())] if top is not None else []
    for place in filter(None, places):
        where = Path(place).resolve()
        if where.is_relative_to(root.resolve()) and not any(where.is_relative_to(own) for own in _environment()):
            return where
    return None


def _named(directory: Path) -> list[Plugin]:
    from importlib.metadata import Distribution

    distribution = Distribution.at(directory)
    return [
        Plugin(entry.name, entry.value, distribution.metadata["Name"] or directory.stem, distribution.version)
        for entry in distribution.entry_points
        if entry.group == GROUP
    ]


def _environment() -> list[Path]:
    """Where packages of motet's own Python lie, and motet itself: who can write there can change motet."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"  # `sysconfig` takes long to say so
    packages = [Path(sys.prefix, lib, version, "site-packages") for lib in ("lib", "lib64")]
    return list(dict.fromkeys(place.resolve() for place in (*packages, Path(motet.__file__).parent.parent)))
