"""Reading the layers and putting them together; every value remembers where it came from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from msgspec import ValidationError, convert

from motet.errors import SettingsError
from motet.settings.project import Restricted, restrict
from motet.settings.schema import ChatSettings, FixSettings, Settings

Table = dict[str, object]


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings with the origin of every value that is not a default, by dotted key.

    `notices` say in one line each what of the project's file was left out; `inert` is what it would start,
    waiting for trust.
    """

    settings: Settings
    origins: Mapping[str, str]
    notices: tuple[str, ...] = ()
    inert: Settings = field(default_factory=Settings)


def load_settings(
    user_file: Path, project_file: Path | None, environ: Mapping[str, str], flags: Mapping[str, object]
) -> Loaded:
    """Settings from all layers, later ones winning: user's file, project's file, `MOTET_*`, `flags` (dotted keys).

    Absent files are empty. Raises `SettingsError` naming the file or variable, the key and what is wrong.
    """
    values: Table = {}
    origins: dict[str, str] = {}
    restricted = Restricted()
    user = _read(user_file)
    _validate(user, str(user_file))
    _merge(values, user, origins, str(user_file))
    if project_file is not None and os.path.lexists(project_file):
        project = _read(project_file)
        _validate(project, str(project_file))
        restricted = restrict(project, convert(values, Settings), project_file.name)
        _merge(values, restricted.values, origins, project_file.name)
    for origin, layer in (*_environment(environ), ("the command line", _nested(flags))):
        _validate(layer, origin, strict=False)
        _merge(values, layer, origins, origin)
    settings = convert(values, Settings, strict=False)  # variables are text
    return Loaded(settings, origins, restricted.notices, convert(restricted.inert, Settings))


def dotted(table: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """The leaves of nested tables by dotted key."""
    flat: dict[str, object] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value:
            flat |= dotted(cast("Table", value), f"{name}.")
        else:
            flat[name] = value
    return flat


def _read(path: Path) -> Table:
    return table_of(read_text(path) or "", path)


def read_text(path: Path) -> str | None:
    """What a file of settings says; None when there is none. Raises `SettingsError`."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise SettingsError(f"{path}: not a file")
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise not_utf_8(path, error) from error
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error


def not_utf_8(path: Path, error: UnicodeDecodeError) -> SettingsError:
    """What to say of the file `path`, which could not be decoded as a whole."""
    line = error.object.count(b"\n", 0, error.start) + 1
    return SettingsError(
        f"{path}: line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8; save the file as UTF-8"
    )


def table_of(text: str, path: Path) -> Table:
    """`text`, which stands in the file `path`, as TOML. Raises `SettingsError`."""
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error
    except RecursionError as error:
        raise SettingsError(f"{path}: values are nested too deeply") from error


def _validate(table: Table, origin: str, *, strict: bool = True) -> None:
    """Raises `SettingsError`; without `strict`, text may stand for a number."""
    try:
        convert(table, Settings, strict=strict)
    except ValidationError as error:
        from motet.settings.faults import fault

        raise SettingsError(f"{origin}: {fault(table, error, strict=strict)}") from error
    except UnicodeError as error:
        raise SettingsError(f"{origin}: what is given is no text") from error


def _merge(values: Table, layer: Table, origins: dict[str, str], origin: str) -> None:
    for key, value in layer.items():
        below = values.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            _merge(cast("Table", below), cast("Table", value), {}, origin)
        elif isinstance(value, dict):
            values[key] = {**cast("Table", value)}
        else:
            values[key] = value
    origins.update(dict.fromkeys(dotted(layer), origin))


def _environment(environ: Mapping[str, str]) -> list[tuple[str, Table]]:
    """One layer a variable, so that an error names it: MOTET_MODEL, MOTET_FIX_ROUNDS, MOTET_CHAT_MAX_COST, …"""
    layers: list[tuple[str, Table]] = []
    of_tables = (("fix", FixSettings), ("chat", ChatSettings))
    tables = (f"{table}.{name}" for table, kind in of_tables for name in kind.__struct_fields__)
    for key in ("model", "edit_format", "encoding", "send_code", "plugins", *tables):
        variable = "MOTET_" + key.replace(".", "_").upper()
        if environ.get(variable):
            layers.append((variable, _nested({key: environ[variable]})))
    return layers


def _nested(flat: Mapping[str, object]) -> Table:
    nested: Table = {}
    for key, value in flat.items():
        *tables, name = key.split(".")
        place = nested
        for table in tables:
            place = cast("Table", place.setdefault(table, {}))
        place[name] = value
    return nested
