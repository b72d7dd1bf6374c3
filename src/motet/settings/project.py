"""What a project's own settings file may do: restrict. The rest is inert or ignored, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from motet.settings.schema import FixSettings, Settings

_SEVERITIES = ("error", "warning", "info", "hint")
_INERT = ("servers", "checkers")


@dataclass(frozen=True, slots=True)
class Restricted:
    """`values` take effect; `inert` waits for trust; `notices` name what was ignored."""

    values: dict[str, object] = field(default_factory=dict[str, object])
    inert: dict[str, object] = field(default_factory=dict[str, object])
    notices: tuple[str, ...] = ()


def restrict(project: Mapping[str, object], user: Settings, name: str) -> Restricted:
    """Divide the table `project` of the file `name`; `user` are the settings it may only restrict."""
    values: dict[str, object] = {}
    inert = {key: project[key] for key in _INERT if project.get(key)}
    ignored: list[str] = []
    for key, value in project.items():
        match key, value:
            case "ignore", list():
                values[key] = [*user.ignore, *cast("list[str]", value)]
            case "fix", dict():
                values[key] = _restrict_fix(cast("dict[str, object]", value), user.fix, ignored)
            case "permissions", dict():
                values[key] = _restrict_permissions(cast("dict[str, list[str]]", value), user, ignored)
            case _ if key not in _INERT:
                ignored.append(key)
            case _:
                continue
    notices = [f"{name}: {key} ignored: a project's file can only restrict" for key in ignored]
    return Restricted(values, inert, tuple(notices))


def _restrict_fix(table: dict[str, object], user: FixSettings, ignored: list[str]) -> dict[str, object]:
    kept: dict[str, object] = {}
    for key, value in table.items():
        current = getattr(user, key)
        if _is_stricter(key, value, current):
            kept[key] = value
        elif value != current:
            ignored.append(f"fix.{key}")
    return kept


def _is_stricter(key: str, value: object, current: object) -> bool:
    if key == "severity":
        return _SEVERITIES.index(str(value)) < _SEVERITIES.index(str(current))
    if key == "server_timeout":
        return False  # a server cut short is blind, which hides problems
    if isinstance(value, int | float):
        return current is None or (isinstance(current, int | float) and value < current)
    return False


def _restrict_permissions(table: dict[str, list[str]], user: Settings, ignored: list[str]) -> dict[str, object]:
    kept: dict[str, object] = {}
    for key, rules in table.items():
        if key == "allow":
            ignored.append("permissions.allow")
        else:
            kept[key] = [*getattr(user.permissions, key), *rules]
    return kept
