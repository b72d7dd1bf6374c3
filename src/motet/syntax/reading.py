"""One look at a text for all that its syntax says."""

from __future__ import annotations

from dataclasses import dataclass

from motet.syntax.definitions import Definition, definitions_below
from motet.syntax.imports import Import, imports_below
from motet.syntax.tree import parse


@dataclass(frozen=True, slots=True)
class FileSyntax:
    """What one text defines and imports, each in the order of its lines."""

    definitions: tuple[Definition, ...]
    imports: tuple[Import, ...]


def read(text: str, language: str | None) -> FileSyntax | None:
    """Definitions and imports of `text` from one parse; None where `parse` has no tree."""
    root = parse(text, language)
    if root is None or language is None:
        return None
    return FileSyntax(tuple(definitions_below(root, language)), tuple(imports_below(root, language)))
