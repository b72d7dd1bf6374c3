"""Looking into JSON that somebody else wrote: a value of another kind counts as absent."""

from __future__ import annotations

from typing import cast


def object_of(value: object) -> dict[str, object]:
    """`value` when it is an object, else an empty one."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    """`value` when it is an array, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def text_of(value: object) -> str:
    """`value` when it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def integer_of(value: object) -> int | None:
    """`value` when it is a whole number, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def merged(tree: dict[str, object], other: dict[str, object]) -> dict[str, object]:
    """`tree` with what `other` says; objects are merged, anything else is replaced."""
    result = dict(tree)
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(object_of(result[key]), object_of(cast("object", value)))
        else:
            result[key] = value
    return result
