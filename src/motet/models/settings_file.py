"""The user's settings file, changed value by value: comments, order and everything else in it stay."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from motet.errors import SettingsError
from motet.models import private_file
from motet.settings import load_settings
from motet.settings.load import dotted, not_utf_8

if TYPE_CHECKING:
    import tomlkit

Table = MutableMapping[str, object]


def set_values(path: Path, values: Mapping[str, object]) -> None:
    """Set `values`, by dotted key (`providers.acme.key`), in the file `path`, which is made if need be.

    Raises `SettingsError`, and changes nothing, when the file is broken, cannot be written, or would be wrong then.
    """
    with private_file.held(path):
        document = _read(path)
        for key, value in values.items():
            *tables, name = key.split(".")
            _table(path, document, tables)[name] = value
        _write(path, document)


def unset(path: Path, key: str) -> object:
    """Take the value or table `key` out of the file `path`; what stood there, None when nothing did.

    Tables that are empty then go, too. Raises `SettingsError` as above.
    """
    if not path.exists():
        return None
    with private_file.held(path):
        document = _read(path)
        places: list[tuple[Table, str]] = []
        table: object = document
        for name in key.split("."):
            if not isinstance(table, MutableMapping) or name not in table:
                return None
            places.append((cast("Table", table), name))
            table = cast("Table", table)[name]
        found: object = getattr(table, "unwrap", lambda: table)()
        for place, name in reversed(places):
            del place[name]
            if place:
                break
        _write(path, document)
    return found


def values_in(path: Path) -> Mapping[str, object]:
    """What the file `path` sets, by dotted key; nothing when there is none. Raises `SettingsError`."""
    return dotted(_read(path).unwrap()) if path.exists() else {}


def _table(path: Path, document: tomlkit.TOMLDocument, names: list[str]) -> Table:
    import tomlkit

    table: Table = document
    for at, name in enumerate(names, 1):
        if name not in table:
            # A table that only holds tables has no header of its own.
            table[name] = tomlkit.table(is_super_table=at < len(names))
        below = table[name]
        if not isinstance(below, MutableMapping):
            raise SettingsError(f"{path}: {'.'.join(names[:at])}: should be a table")
        table = cast("Table", below)
    return table


def _read(path: Path) -> tomlkit.TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(path.read_bytes().decode()) if path.exists() else tomlkit.document()
    except UnicodeDecodeError as error:
        raise not_utf_8(path, error) from error
    except (OSError, ValueError, TOMLKitError) as error:
        raise SettingsError(f"{path}: {error}") from error


def _write(path: Path, document: tomlkit.TOMLDocument) -> None:
    import tomlkit

    text = tomlkit.dumps(document)
    # What would not be read again is not written.
    trial = path.with_name(f".{path.name}.check")
    try:
        private_file.write(trial, text)
        load_settings(trial, None, {}, {})
    except SettingsError as error:
        raise SettingsError(str(error).replace(str(trial), str(path))) from error
    finally:
        with suppress(OSError):  # where it could not be written, that is told
            trial.unlink()
    private_file.write(path, text)
