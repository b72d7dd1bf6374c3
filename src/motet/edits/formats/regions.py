"""The parts of a mixed answer: each is one edit, or a patch of several, in one format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from motet.edits.formats.fences import Fence, opening_fence
from motet.edits.formats.paths import path_on_line
from motet.edits.formats.reader import Piece, Reader
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError

NumberedLine = tuple[str, int]


class Region(Protocol):
    """Takes the lines of one part, its first one included, until it is `done`. `tail`: the last lines, with their
    1-based numbers, that turned out to be no part of it."""

    @property
    def done(self) -> bool: ...

    @property
    def tail(self) -> Sequence[NumberedLine]: ...

    def line(self, text: str, number: int) -> list[Piece]: ...

    def end(self) -> list[Piece]: ...


def shifted(pieces: list[Piece], by: int) -> list[Piece]:
    """`pieces` of a part before which the answer had `by` edits."""
    if not by:
        return pieces
    return [replace(piece, number=piece.number + by) if isinstance(piece, EditPreview) else piece for piece in pieces]


class EndingReader(Reader, Protocol):
    """A reader that knows when what it reads is over."""

    @property
    def is_done(self) -> bool: ...


class LooseRegion:
    """What has no end of its own: diffs and anchored edits. It is over with the fence around it, or else with the
    first line that its reader did not take; then the fences and, with `names_files`, the paths that stood before that
    line are no part of it either. `line`: 1-based, where it begins."""

    def __init__(
        self, reader: EndingReader, after: int, *, line: int, fence: Fence | None = None, names_files: bool = False
    ) -> None:
        self.done = False
        self.tail: list[NumberedLine] = []
        self._reader = reader
        self._fence = fence
        self._names_files = names_files
        self._after = after
        self._first = line
        self._trail: list[NumberedLine] = []

    def line(self, text: str, number: int) -> list[Piece]:
        pieces = self._reader.line(text, number)
        if self._reader.is_done:
            self.done, self.tail = True, [*self._trail, (text, number)]
        elif self._fence is not None and self._fence.is_closed_by(text):
            pieces += self._end()
            self.done, self.tail = True, [(text, number)]
        elif not text.strip() or opening_fence(text) or (self._names_files and path_on_line(text)):
            self._trail.append((text, number))
        else:
            self._trail.clear()
        return shifted(pieces, self._after)

    def end(self) -> list[Piece]:
        return shifted(self._end(), self._after)

    def _end(self) -> list[Piece]:
        try:
            return self._reader.end()
        except EditFormatError as error:
            if error.line == 1 < self._first:  # its reader had nothing to name but the first line
                raise EditFormatError(
                    f"line {self._first}: {str(error).removeprefix('line 1: ')}", self._first
                ) from None
            raise


class ReaderRegion:
    """What ends with a line of its own: a patch with `*** End Patch`, an edit in tags with its closing tag."""

    tail: Sequence[NumberedLine] = ()

    def __init__(self, reader: EndingReader, after: int) -> None:
        self._reader = reader
        self._after = after

    @property
    def done(self) -> bool:
        return self._reader.is_done

    def line(self, text: str, number: int) -> list[Piece]:
        return shifted(self._reader.line(text, number), self._after)

    def end(self) -> list[Piece]:
        return shifted(self._reader.end(), self._after)
