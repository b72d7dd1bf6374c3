"""No core dump of this process: the keys of providers are in its memory. The user's own commands dump as they did."""

from __future__ import annotations

import resource
import sys

_REFUSED = 1 if sys.platform == "linux" else 0
"""Bytes. Linux hands a core of any other limit to the program in `core_pattern`, also of 0, and writes none so small."""
_before: list[tuple[int, int]] = []


def leave_no_core() -> None:
    """From now on this process, and what it starts without `as_before`, leaves no core."""
    if not _before:
        soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(
            resource.RLIMIT_CORE, (_REFUSED if hard == resource.RLIM_INFINITY else min(_REFUSED, hard), hard)
        )
        _before.append((soft, hard))


def as_before() -> None:
    """In a child, before it becomes a program of the user's: the limit that motet was started with."""
    if _before:
        resource.setrlimit(resource.RLIMIT_CORE, _before[0])
