"""What the tools about symbols have in common: the definitions of a file, in words."""

from __future__ import annotations

from collections.abc import Sequence

from motet.syntax import OUTLINE_KINDS, Definition, definitions, enclosing, language_of
from motet.text import TextFile

MOST_PARSED = 8_000_000
"""Characters that one call parses, over all files: about two seconds."""


def definitions_of(file: TextFile) -> list[Definition]:
    """The definitions of `file` in the order of their lines; none where there is no grammar for it."""
    return definitions(file.text, language_of(file.path))


def around(found: Sequence[Definition], line: int) -> str:
    """The definitions around 1-based `line`, outermost first, as in `class Area > method size`; may be empty."""
    return " > ".join(f"{each.kind} {each.name}" for each in reversed(enclosing(found, line)))


def qualified(found: Sequence[Definition], one: Definition) -> str:
    """The name of `one` with those of the definitions around it, as in `Area.size`."""
    outer = [each for each in enclosing(found, one.first_line) if each.depth < one.depth and each is not one]
    return ".".join([*(each.name for each in reversed(outer)), one.name])


def is_outlined(one: Definition) -> bool:
    """Whether an outline lists it: classes, functions, types, and what stands at the top of a file."""
    return one.kind in OUTLINE_KINDS or one.depth == 0
