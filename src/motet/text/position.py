"""Places in a text, and their translation from what language servers count in.

Inside motet a place is a 1-based line and a 1-based column in characters (code points), as compilers print
them. The Language Server Protocol counts from 0, and columns in UTF-8, UTF-16 or UTF-32 code units
(LSP 3.17, "PositionEncodingKind"). A line ends at LF, CR LF or CR, as in the same specification.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

_LINE_END = re.compile(r"\r\n|\n|\r")


class PositionEncoding(StrEnum):
    """The unit in which a language server counts columns."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters: 1-based line, 1-based column in characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position

    @classmethod
    def at(cls, line: int, column: int = 1) -> Range:
        """An empty range: what a compiler that names only a place gives."""
        place = Position(line, column)
        return cls(place, place)


class LineIndex:
    """Line starts of one text, for translation between offsets, positions and server columns.

    Places outside the text are moved to the nearest place inside: servers do send them.
    """

    __slots__ = ("_ends", "_is_ascii", "_starts", "_units", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        self._ends: list[int] = []
        for match in _LINE_END.finditer(text):
            self._ends.append(match.start())
            self._starts.append(match.end())
        self._ends.append(len(text))
        self._is_ascii = text.isascii()
        self._units: tuple[int, PositionEncoding, list[int]] = (0, PositionEncoding.UTF32, [])

    @property
    def line_count(self) -> int:
        """Number of lines; a final line end opens one more, empty line."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """The text of 1-based line `number` without its line end; empty outside the text."""
        if not 1 <= number <= len(self._starts):
            return ""
        return self.text[self._starts[number - 1] : self._ends[number - 1]]

    def offset(self, position: Position) -> int:
        """Character offset of `position`."""
        line = min(max(position.line, 1), len(self._starts))
        if line < position.line:
            return len(self.text)
        start = self._starts[line - 1]
        return min(start + max(position.column - 1, 0), self._ends[line - 1])

    def position(self, offset: int) -> Position:
        """Position of the character at `offset`."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def slice(self, range_: Range) -> str:
        """The text inside `range_`."""
        return self.text[self.offset(range_.start) : self.offset(range_.end)]

    def from_units(self, line: int, units: int, encoding: PositionEncoding) -> Position:
        """Position of 0-based server `line` and `units` columns in `encoding`.

        A column inside a character (a server counted wrongly) is moved to that character's start.
        """
        if line >= len(self._starts):
            return self.position(len(self.text))
        sums = self._sums(line + 1, encoding)
        if sums is None:
            return Position(line + 1, min(max(units, 0), self._ends[line] - self._starts[line]) + 1)
        return Position(line + 1, bisect_right(sums, max(units, 0)))

    def to_units(self, position: Position, encoding: PositionEncoding) -> tuple[int, int]:
        """0-based server line and column units of `position` in `encoding`."""
        place = self.position(self.offset(position))
        sums = self._sums(place.line, encoding)
        return place.line - 1, place.column - 1 if sums is None else sums[place.column - 1]

    def _sums(self, number: int, encoding: PositionEncoding) -> list[int] | None:
        """The units before each character of line `number`, and behind the last one; None where a character is a unit.
        Those of one line are kept: a long one may have a problem in each of its columns."""
        if encoding is PositionEncoding.UTF32 or self._is_ascii:
            return None
        if self._units[:2] != (number, encoding):
            text = self.line(number)
            sums = [] if text.isascii() else [*accumulate((_width(each, encoding) for each in text), initial=0)]
            self._units = number, encoding, sums
        return self._units[2] or None


def _width(character: str, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF16:
        return 2 if ord(character) > 0xFFFF else 1
    return len(character.encode("utf-8", "surrogatepass"))
