"""Path patterns as models write them: `*.py`, `src/**/*.{ts,tsx}`, `docs/`.

Matching takes time in proportion to pattern times path, whatever the two are: both may come from a stranger.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import translate
from functools import cache

from motet.errors import UsageError

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_ALTERNATIVES = 64
_WILD = re.compile(r"[*?\[{]")


def is_glob(text: str) -> bool:
    """Whether `text` holds a wildcard."""
    return _WILD.search(text) is not None


def path_filter(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a path fits one of `patterns`; without patterns every path does. Raises `UsageError`.

    A pattern without `/` speaks about the last part of a path, another one about the whole path; `**` stands for any
    number of parts, `{a,b}` for either. A name without wildcards stands for that file or for all below that
    directory.
    """
    alternatives = [_parts(one) for pattern in patterns for one in _expanded(_normal(pattern))]
    return lambda path: not alternatives or any(_fits(parts, path.split("/")) for parts in alternatives)


def _normal(pattern: str) -> str:
    pattern = pattern.strip().removeprefix("./")
    if pattern.startswith(("/", "../")) or pattern == "..":
        raise UsageError(f"{pattern}: name paths relative to the workspace")
    return pattern if pattern not in ("", ".") else "**"


def _expanded(pattern: str) -> Iterator[str]:
    """`pattern` with each choice of its braces."""
    waiting, number = [pattern], 0
    while waiting:
        one = waiting.pop()
        found = _BRACES.search(one)
        number += 1
        if number > _MOST_ALTERNATIVES:
            raise UsageError(f"{pattern}: too many alternatives; use fewer braces")
        if found is None:
            yield one
        else:
            waiting += [one[: found.start()] + each + one[found.end() :] for each in found[1].split(",")]


def _parts(pattern: str) -> tuple[str, ...]:
    is_directory = pattern.endswith("/")
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if is_directory or not is_glob(pattern):
        parts = [*parts, "**"]  # also fits the path itself
    elif len(parts) == 1:
        parts = ["**", *parts]
    return tuple(part for at, part in enumerate(parts) if part != "**" or at == 0 or parts[at - 1] != "**")


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Whether the parts of `path` fit: all ends that the pattern so far can have are carried along."""
    ends = {0}
    for part in pattern:
        if part == "**":
            ends = set(range(min(ends), len(path) + 1))
        else:
            fits = _part(part)
            ends = {end + 1 for end in ends if end < len(path) and fits(path[end])}
        if not ends:
            return False
    return len(path) in ends


@cache
def _part(pattern: str) -> Callable[[str], object]:
    # The standard library's translation never goes back over a `*` (atomic groups), so it takes no exponential time.
    return re.compile(translate(pattern)).match
