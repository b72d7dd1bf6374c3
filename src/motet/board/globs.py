"""Whether two patterns of paths can mean the same file: `*` and `?` within a name, `**` over any number of names."""

from __future__ import annotations

import re
from functools import lru_cache

_CLASS = re.compile(r"\[[^\]/]+\]")


def normal(glob: str) -> str:
    """The pattern as it is compared: no `./`, no doubled slash; a directory means all that is in it."""
    parts = [part for part in glob.replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join([*parts, "**"] if glob.endswith("/") else parts)


@lru_cache(maxsize=4096)
def overlap(one: str, other: str) -> bool:
    """Whether there can be a path that both match. A name without any pattern is also a directory, with all in it."""
    return _paths(_split(one), _split(other))


def matches(glob: str, path: str) -> bool:
    """Whether the file `path` is one of those that `glob` means."""
    return _paths(_split(glob), tuple(normal(path).split("/")))


def _split(glob: str) -> tuple[str, ...]:
    parts = normal(glob).split("/")
    return tuple(parts if parts[-1] == "**" else [*parts, "**"])


def _paths(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """All pairs of positions that a common path can reach, from the front."""
    reached = {(0, 0)}
    todo = [(0, 0)]
    while todo:
        at, to = todo.pop()
        if at == len(one) and to == len(other):
            return True
        for step in _steps(one, other, at, to):
            if step not in reached:
                reached.add(step)
                todo.append(step)
    return False


def _steps(one: tuple[str, ...], other: tuple[str, ...], at: int, to: int) -> list[tuple[int, int]]:
    left = one[at] if at < len(one) else None
    right = other[to] if to < len(other) else None
    steps: list[tuple[int, int]] = []
    if left == "**":
        steps.append((at + 1, to))
        if right is not None:
            steps.append((at, to + 1))
    if right == "**":
        steps.append((at, to + 1))
        if left is not None:
            steps.append((at + 1, to))
    if left not in (None, "**") and right not in (None, "**") and _names(left or "", right or ""):
        steps.append((at + 1, to + 1))
    return steps


def _names(one: str, other: str) -> bool:
    """Whether one name can match both patterns; a class of characters counts as any character."""
    one, other = _CLASS.sub("?", one), _CLASS.sub("?", other)
    reached = {(0, 0)}
    todo = [(0, 0)]
    while todo:
        at, to = todo.pop()
        if at == len(one) and to == len(other):
            return True
        left, right = one[at : at + 1], other[to : to + 1]
        steps = [(at + 1, to), (at, to + 1)] if left == "*" and right == "*" else []
        if left == "*" != right:
            steps += [(at + 1, to), *([(at, to + 1)] if right else [])]
        if right == "*" != left:
            steps += [(at, to + 1), *([(at + 1, to)] if left else [])]
        if left and right and "*" not in (left, right) and (left == right or "?" in (left, right)):
            steps.append((at + 1, to + 1))
        for step in steps:
            if step not in reached:
                reached.add(step)
                todo.append(step)
    return False
