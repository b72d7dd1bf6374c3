"""What is wrong with a table of settings, in the words of `docs/settings.md`; imported only when something is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

import msgspec.inspect as shape
from msgspec import ValidationError, convert

from motet.settings.schema import Settings

_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?$", re.DOTALL)
_STEP = re.compile(r"[^.\[\]]+|\[\.\.\.\]")
_ANY_NAME = "[...]"
_TYPES = {
    "`object`": "a table", "`array`": "a list", "`str`": "text", "`int`": "a whole number", "`float`": "a number",
    "`bool`": "true or false", "`float | null`": "a number", "`int | null`": "a whole number", "`str | null`": "text",
}  # fmt: skip


def fault(table: Mapping[str, object], error: ValidationError) -> str:
    """`fix.rounds: expected a whole number <= 50`: the dotted key in `table`, and what `error` has against its value."""
    found = _WHERE.match(str(error))
    assert found is not None  # every text fits
    what, path = found["what"], _names(table, _STEP.findall(found["path"] or ""))
    if field := re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", what, re.DOTALL):
        said = "there is no such setting" if field[1] == "contains unknown" else "it is missing"
        return f"{'.'.join([*path, field[2]])}: {said}"
    if choices := _choices(path):
        return f"{'.'.join(path)}: expected one of {', '.join(choices)}"
    for name, words in _TYPES.items():
        what = what.replace(name, words)
    return f"{'.'.join(path)}: {what[:1].lower()}{what[1:]}"


def _names(table: Mapping[str, object], steps: list[str]) -> list[str]:
    """`steps` with the names that stand where msgspec only says that there is one: the first that is refused alone."""
    for index, step in enumerate(steps):
        if step == _ANY_NAME:
            above = steps[:index]
            entries = table
            for name in above:
                entries = cast("Mapping[str, object]", entries[name])
            steps[index] = next(name for name, value in entries.items() if _is_refused([*above, name], value))
    return steps


def _is_refused(path: list[str], value: object) -> bool:
    for name in reversed(path):
        value = {name: value}
    try:
        convert(value, Settings, strict=False)
    except ValidationError:
        return True
    return False


def _choices(path: list[str]) -> list[str]:
    """The values that the setting may have, if there is a list of them."""
    kind = shape.type_info(Settings)
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
