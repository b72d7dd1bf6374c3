"""What the tools about symbols have in common: the definitions of a file, in words."""

from __future__ import annotations

from collections.abc import Sequence

from motet.syntax import OUTLINE_KINDS, Definition, definitions, enclosing, language_of
from motet.text import TextFile

MOST_PARSED = 8_000_000
"""Characters that one call parses, over all files: about two seconds."""
_MOST_DEFINED = 200
"""Definitions of one name that are looked at: a stranger's file may hold any number of them."""


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


def is_called(full: str, name: str) -> bool:
    """Whether `name`, which may have some of what is around it before it, is a name of what is called `full`."""
    return full == name or full.endswith(f".{name}")


Where = tuple[TextFile, Definition]
"""A definition and the file it stands in."""


def real_first(found: Sequence[Where]) -> list[Where]:
    """Each place once, as it is told last; definitions before mere declarations and variables."""
    each_once = {(file.path, one.name, one.first_line, one.last_line): (file, one) for file, one in found}
    return sorted(each_once.values(), key=lambda each: each[1].kind not in OUTLINE_KINDS)


def defined(files: Sequence[TextFile], name: str) -> tuple[list[Where], list[str]]:
    """The definitions of `name`, and the full names of those that only end like it."""
    last = name.rpartition(".")[2]
    found: list[Where] = []
    others: list[str] = []
    left = MOST_PARSED
    for file in files:
        left -= len(file.text)
        if left < 0:
            break
        all_here = definitions_of(file)
        for one in all_here:
            if one.name == last and len(found) + len(others) < _MOST_DEFINED:
                full = qualified(all_here, one)
                if is_called(full, name):
                    found.append((file, one))
                else:
                    others.append(full)
    return found, list(dict.fromkeys(others))
