"""What every format is: a reader that is given an answer line by line, so that it works while text streams."""

from __future__ import annotations

from typing import Protocol

from motet.edits.edit import Edit
from motet.edits.preview import EditPreview

Piece = EditPreview | Edit


class Reader(Protocol):
    """Reads one format. Raises `EditFormatError`, naming the 1-based line, for what cannot be understood, and
    nothing else whatever it is given. Time and memory grow with the text."""

    def line(self, text: str, number: int) -> list[Piece]:
        """What the line `text` (without its end, LF or CR LF), 1-based `number` in the answer, completes."""
        ...

    def end(self) -> list[Piece]:
        """What the end of the answer completes."""
        ...


def read(reader: Reader, answer: str) -> list[Edit]:
    """All edits of `answer`, without previews."""
    lines = answer.split("\n")
    if not lines[-1]:
        lines.pop()
    edits: list[Edit] = []
    for number, line in enumerate(lines, 1):
        edits += edits_of(reader.line(line.removesuffix("\r"), number))
    return edits + edits_of(reader.end())


def edits_of(pieces: list[Piece]) -> list[Edit]:
    """The edits among `pieces`."""
    return [piece for piece in pieces if not isinstance(piece, EditPreview)]
