"""From what a server says to motet's values: places, severities, edits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from cattrs.errors import BaseValidationError
from lsprotocol import converters, types

from motet.diagnostics.client import severity_of
from motet.errors import ServerError
from motet.text import Diagnostic, LineIndex, Position, PositionEncoding, Range, TextEdit, bounded_message

_REMARKS = (" (fix available)", " (fixes available)")
T = TypeVar("T")
_CONVERTER = converters.get_converter()
_HELP = "\n\nhelp: "


def structured(value: object, kind: type[T]) -> T:
    """`value` as lsprotocol's `kind`. Raises `ServerError` when it is not one."""
    try:
        return _CONVERTER.structure(value, kind)
    except (BaseValidationError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ServerError(f"it sent what is not a {kind.__name__}: {str(value)[:100]}") from error


class Translator:
    """Translates between one text and the columns of one server."""

    def __init__(self, path: str, text: str, encoding: PositionEncoding) -> None:
        self.path = path
        self.index = LineIndex(text)
        self._encoding = encoding

    def diagnostic(self, raw: object, server: str) -> Diagnostic:
        """`raw` without its fixes. Raises `ServerError`."""
        said = structured(raw, types.Diagnostic)
        source = (said.source or server).lower()
        message = said.message
        if source == "ruff":
            message = message.partition(_HELP)[0]
        for remark in _REMARKS:
            message = message.removesuffix(remark)
        return Diagnostic(
            self.path,
            self.range(said.range),
            severity_of(raw),
            bounded_message(message),
            source,
            "" if said.code is None else str(said.code),
        )

    def range(self, said: types.Range) -> Range:
        """`said` in characters."""
        start, end = self._position(said.start), self._position(said.end)
        return Range(min(start, end), max(start, end))

    def edits(self, said: Iterable[types.TextEdit]) -> tuple[TextEdit, ...]:
        """`said` in characters, in the order of the text; none at all when two of them overlap."""
        edits = sorted((TextEdit(self.range(edit.range), edit.new_text) for edit in said), key=_start)
        return () if _overlap(edits) else tuple(edits)

    def place(self, position: Position) -> dict[str, object]:
        """`position` as this server counts."""
        line, character = self.index.to_units(position, self._encoding)
        return {"line": line, "character": character}

    def _position(self, said: types.Position) -> Position:
        return self.index.from_units(max(said.line, 0), said.character, self._encoding)


def _start(edit: TextEdit) -> Position:
    return edit.range.start


def _overlap(edits: Sequence[TextEdit]) -> bool:
    return any(second.range.start < first.range.end for first, second in pairwise(edits))
