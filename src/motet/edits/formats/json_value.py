"""JSON values, and what a reader says about them while they arrive."""

from __future__ import annotations

import re
from dataclasses import dataclass

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
KeyPath = tuple[str | int, ...]

_LONGEST_TOKEN = 400
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LITERALS: dict[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}


@dataclass(slots=True)
class JsonText:
    """More characters, decoded, of the string that stands at `path`."""

    path: KeyPath
    text: str


@dataclass(slots=True)
class JsonDone:
    """The value at `path` (keys and 0-based indexes from the outermost object) is complete. `line`: 1-based, where
    it begins."""

    path: KeyPath
    value: Json
    line: int


JsonEvent = JsonText | JsonDone


def read_scalar(token: str) -> Json:
    """The number or literal that `token` is; `ValueError` when it is none."""
    if token in _LITERALS:
        return _LITERALS[token]
    found = _NUMBER.fullmatch(token)
    if found is None or len(token) > _LONGEST_TOKEN:
        raise ValueError(token)
    return float(token) if found[1] or found[2] else int(token)
