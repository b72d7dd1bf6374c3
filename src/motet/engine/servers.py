"""The language servers of one workspace: those motet knows, as the user changed them, and the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from motet.diagnostics import BUILT_IN, ServerSpec, Surroundings
from motet.errors import SettingsError
from motet.permissions import Gate, Origin
from motet.settings import Loaded, ServerSettings


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server and its program; None when it is not there. `advice` says how to get it."""

    name: str
    program: Path | None
    advice: str


def find_servers(specs: Sequence[ServerSpec], around: Surroundings) -> list[FoundServer]:
    """Where each server would be started from; of a group of alternatives, the first found or else the first."""
    groups: dict[str, list[FoundServer]] = {}
    for spec in specs:
        found = FoundServer(spec.name, around.find(spec.argv[0]), spec.advice)
        groups.setdefault(spec.group or spec.name, []).append(found)
    return [next((found for found in group if found.program), group[0]) for group in groups.values()]


def server_specs(loaded: Loaded, gate: Gate) -> list[ServerSpec]:
    """The servers to look for, in order. Raises `SettingsError` for a server that is not described."""
    own = loaded.settings.servers
    specs = [_changed(spec, own[spec.name]) if spec.name in own else spec for spec in BUILT_IN]
    specs = [spec for spec in specs if not (spec.name in own and own[spec.name].disabled)]
    known = {spec.name for spec in BUILT_IN}
    specs += [_own(name, table, Origin.USER) for name, table in own.items() if name not in known]
    inert = [_own(name, table, Origin.PROJECT) for name, table in loaded.inert.servers.items()]
    return [*specs, *(spec for spec in inert if gate.allows(spec.action))]


def _changed(spec: ServerSpec, table: ServerSettings) -> ServerSpec:
    return replace(
        spec.with_settings(table.settings),
        argv=tuple(table.command) or spec.argv,
        languages=table.languages or spec.languages,
        origin=Origin.USER,
    )


def _own(name: str, table: ServerSettings, origin: Origin) -> ServerSpec:
    known = [spec.languages for spec in BUILT_IN if spec.name == name]
    languages = table.languages or (known[0] if known else {})
    if not table.command or not languages:
        raise SettingsError(f"servers.{name}: needs command and languages, as in languages = {{ '.go' = 'go' }}")
    return ServerSpec(
        name=name, argv=tuple(table.command), languages=languages, settings=table.settings, origin=origin
    )
