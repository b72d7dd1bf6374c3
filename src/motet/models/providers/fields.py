"""Reading JSON from a provider: whatever is missing or of the wrong type becomes empty, never an exception."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast


def parse_object(data: str | bytes) -> Mapping[str, object] | None:
    """The JSON object in `data`, or None when there is none."""
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def as_object(value: object) -> Mapping[str, object]:
    """`value` when it is an object, else an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """`value` when it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """`value` when it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int:
    """`value` when it is a whole number from 0 up, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
