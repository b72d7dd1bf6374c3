"""What gets copied with a text although it is no part of it: line numbers, gutters, fences, entities, escapes.

A decoration is taken off only when every line of the search text wears it. The new text loses it too when every line
of it wears it; when only some do, nobody knows what they mean, and nothing is taken off.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

Lines = tuple[str, ...]

_NUMBER = re.compile(r"^[ \t]*(\d{1,7})(?::[0-9A-Za-z]{2,3})?(?:[ \t]?[|│┃:]|[ ]?→|\t|$)")
_BARRED = re.compile(r"^[ \t]*\d{1,7}(?::[0-9A-Za-z]{2,3})?[ \t]?[|│┃→]")
_GUTTER = re.compile(r"^[ \t]*[│┃]")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*([\w+.#-]*)[ \t]*$")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#x27|#34|nbsp);")
_ESCAPED = re.compile(r"\\([\"'`\\])")
_ESCAPED_LINES = re.compile(r"\\([nt\"'`\\])")
_FEWEST_WORN = 2
"""Lines of new text of which fewer could look like that by chance."""


def undecorated(search: Lines, replace: Lines) -> Iterator[tuple[Lines, Lines]]:
    """Search text and new text with one more decoration taken off each time; nothing when they wear none."""
    others = (_numbers, _gutters, _entities, _escapes, _escaped_lines)
    for take_offs in (others, (_fences, *others)):  # a fence may be text
        bare = search, replace
        for take_off in take_offs:
            barer = take_off(*bare)
            if barer is not None and barer[0] != bare[0]:
                bare = barer
                yield bare


def wears_alone(search: Lines, replace: Lines) -> bool:
    """Whether the new text wears line numbers, or a fence, or the `+` of a diff in every line, and the search text
    none: somebody copied it from where it was shown."""
    if len(replace) < _FEWEST_WORN or _are_numbered(search) or any(map(_FENCE.match, search)):
        return False
    numbered = all(map(_BARRED.match, replace)) and _are_numbered(replace)
    plus = all(line.startswith("+") for line in replace) and not any(line.startswith("+") for line in search)
    return plus or numbered or _inside_fence(replace) is not None


def _are_numbered(lines: Lines) -> bool:
    found = [each for line in lines if (each := _NUMBER.match(line))]
    if len(found) < len(lines) or all(each.end() == len(line) for each, line in zip(found, lines, strict=True)):
        return False  # numbers alone are text
    numbers = [int(each[1]) for each in found]
    is_certain = len(lines) > 1 or found[0][0][-1] != ":"
    return is_certain and numbers == list(range(numbers[0], numbers[0] + len(lines)))


def _numbers(search: Lines, replace: Lines) -> tuple[Lines, Lines] | None:
    """Consecutive line numbers, as listings show them: `12 | text`, `12:a3│ text`, `12→text`."""
    if not _are_numbered(search):
        return None
    return _prefixes(_NUMBER, search, replace)


def _gutters(search: Lines, replace: Lines) -> tuple[Lines, Lines] | None:
    return _prefixes(_GUTTER, search, replace) if all(map(_GUTTER.match, search)) else None


def _prefixes(prefix: re.Pattern[str], search: Lines, replace: Lines) -> tuple[Lines, Lines] | None:
    worn = [bool(prefix.match(line)) for line in replace if line.strip()]
    if any(worn) and not all(worn):
        return None
    bare, new = (tuple(prefix.sub("", line, count=1) for line in lines) for lines in (search, replace))
    spaced = all(line.startswith(" ") for line in bare if line.strip())  # as in `12:a3│ text`
    if spaced:
        bare, new = (tuple(line.removeprefix(" ") for line in lines) for lines in (bare, new))
    return bare, new if any(worn) else replace


def _fences(search: Lines, replace: Lines) -> tuple[Lines, Lines] | None:
    """A fence around the whole text; not when other fences in it would be left without their counterpart."""
    bare, new = _inside_fence(search), _inside_fence(replace)
    if (
        bare is None
        or sum(map(bool, map(_FENCE.match, bare))) % 2
        or (new is None and any(map(_FENCE.match, replace)))
    ):
        return None
    return bare, replace if new is None else new


def is_fence(line: str) -> bool:
    """Whether a line opens or closes a fence."""
    return _FENCE.match(line) is not None


def is_fenced(lines: Lines) -> bool:
    """Whether a fence stands around the whole text."""
    return _inside_fence(lines) is not None


def _inside_fence(lines: Lines) -> Lines | None:
    if len(lines) < 3 or not _FENCE.match(lines[0]):
        return None
    closing = _FENCE.match(lines[-1])
    return lines[1:-1] if closing and not closing[1] else None


def _entities(search: Lines, replace: Lines) -> tuple[Lines, Lines]:
    """Characters written as HTML entities; only those that a careless encoder makes."""
    return _each(search, replace, lambda line: _ENTITY.sub(lambda found: html.unescape(found[0]), line))


def _escapes(search: Lines, replace: Lines) -> tuple[Lines, Lines]:
    """Quotes and backslashes escaped once too often."""
    return _each(search, replace, lambda line: _ESCAPED.sub(r"\1", line))


def _escaped_lines(search: Lines, replace: Lines) -> tuple[Lines, Lines] | None:
    """Line ends and tabs written as `\\n` and `\\t`: a text that was encoded twice is one long line."""
    if len(search) != 1 or len(replace) > 1 or "\\n" not in search[0]:
        return None
    return _decoded(search[0]), _decoded(replace[0]) if replace else replace


def _decoded(line: str) -> Lines:
    real = {"n": "\n", "t": "\t"}
    lines = _ESCAPED_LINES.sub(lambda found: real.get(found[1], found[1]), line).split("\n")
    return tuple(lines if lines[-1] else lines[:-1])


def _each(search: Lines, replace: Lines, change: Callable[[str], str]) -> tuple[Lines, Lines]:
    return tuple(map(change, search)), tuple(map(change, replace))
