"""What is wrong with a table of settings, in the words of `docs/settings.md`; imported only when something is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
import msgspec.inspect as shape
from msgspec import ValidationError, convert

from motet.settings.schema import Settings

_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?$", re.DOTALL)
_STEP = re.compile(r"[^.\[\]]+|\[\.\.\.\]")
_ANY_NAME = "[...]"
_TYPES = {
    "`object`": "a table", "`array`": "a list", "`str`": "text", "`int`": "a whole number", "`float`": "a number",
    "`bool`": "true or false", "`array | null`": "a list", "`bool | null`": "true or false", "`date`": "a date",
    "`time`": "a time", "`datetime`": "a date with a time", "`float | null`": "a number", "`int | null`": "a whole number", "`str | null`": "text",
}  # fmt: skip


def fault(
    table: Mapping[str, object], error: ValidationError, *, strict: bool, kind: type[msgspec.Struct] = Settings
) -> str:
    """`fix.rounds: expected a whole number <= 50`: the dotted key in `table`, and what `error` has against its value.
    `strict`: as it was when the error was raised; `kind`: what the table was to be."""
    where, what = found_fault(table, error, strict=strict, kind=kind)
    return f"{dotted_key(where)}: {what}"


def found_fault(
    table: Mapping[str, object], error: ValidationError, *, strict: bool, kind: type[msgspec.Struct]
) -> tuple[list[str], str]:
    """The same in two: the names down to the value, and what is wrong with it."""
    found = _WHERE.match(str(error))
    assert found is not None  # every text fits
    what, path = found["what"], _names(table, _STEP.findall(found["path"] or ""), strict=strict, kind=kind)
    if field := re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", what, re.DOTALL):
        said = "there is no such setting" if field[1] == "contains unknown" else "it is missing"
        return [*path, field[2]], said
    if choices := _choices(path, kind):
        return path, f"expected one of {', '.join(choices)}"
    for name, words in _TYPES.items():
        what = what.replace(name, words)
    return path, f"{what[:1].lower()}{what[1:]}"


def dotted_key(parts: Sequence[str]) -> str:
    """The key as it could be written in the file: names with anything but letters, digits, `-` and `_` in quotes."""
    return ".".join(part if re.fullmatch(r"[\w-]+", part) else json.dumps(part, ensure_ascii=False) for part in parts)


def _names(table: Mapping[str, object], steps: list[str], *, strict: bool, kind: type[msgspec.Struct]) -> list[str]:
    """`steps` with the names that stand where msgspec only says that there is one: the first that is refused alone."""
    for index, step in enumerate(steps):
        if step == _ANY_NAME:
            above = steps[:index]
            entries = table
            for name in above:
                entries = cast("Mapping[str, object]", entries[name])
            refused = (name for name, value in entries.items() if _is_refused([*above, name], value, strict, kind))
            steps[index] = next(refused, _ANY_NAME)
            if steps[index] == _ANY_NAME:
                break
    return steps


def _is_refused(path: list[str], value: object, strict: bool, kind: type[msgspec.Struct]) -> bool:
    for name in reversed(path):
        value = {name: value}
    try:
        convert(value, kind, strict=strict)
    except ValidationError:
        return True
    return False


def _choices(path: list[str], whole: type[msgspec.Struct]) -> list[str]:
    """The values that the setting may have, if there is a list of them."""
    kind = shape.type_info(whole)
    for step in path:
        kind = _below(kind, step)
    return [str(value) for value in kind.values] if isinstance(kind, shape.LiteralType) else []


def _below(kind: shape.Type, step: str) -> shape.Type:
    """The type of what is called `step` in a value of type `kind`."""
    match _bare(kind):
        case shape.StructType(fields=fields):
            return _bare(next(field.type for field in fields if field.name == step))
        case shape.DictType(value_type=inner):
            return _bare(inner)
        case shape.ListType(item_type=inner):
            return _bare(inner)
        case other:
            return other


def _bare(kind: shape.Type) -> shape.Type:
    """`kind` without what is said about it, and without the `None` that stands for *not set*."""
    while isinstance(kind, shape.Metadata):
        kind = kind.type
    if isinstance(kind, shape.UnionType):
        return _bare(next(each for each in kind.types if not isinstance(each, shape.NoneType)))
    return kind
