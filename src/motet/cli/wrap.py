"""Breaking text into lines of a terminal: by cells, between words, and between characters that are two cells wide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from motet.visible import one_line

Span = tuple[str, str]
"""A piece of text and the style it is drawn in."""

_WORD = re.compile(r"\s+|\S+")
_MEASURED = 1_000
_JOINER = "\u200d"
_MODIFIERS = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")


def wrap(spans: Sequence[Span], width: int, hang: int = 0) -> list[list[Span]]:
    """`spans` as lines of at most `width` cells; all but the first are indented by `hang` cells.

    A word that no line can hold is cut. White space at a break is dropped.
    """
    hang = min(hang, most_hang(width))
    lines: list[list[Span]] = [[]]
    room = width
    for text, style in spans:
        for piece in _pieces(text):
            size = cell_len(piece)
            if size > room and lines[-1]:
                lines.append([(" " * hang, "")])
                room = width - hang
                if piece.isspace():
                    continue
            *heads, piece = cut_in_rows(piece, room, width - hang)
            for head in heads:
                lines[-1].append((head, style))
                lines.append([(" " * hang, "")])
            if heads:
                room, size = width - hang, cell_len(piece)
            at_break = len(lines) > 1 and len(lines[-1]) == 1
            if not (piece.isspace() and at_break):
                lines[-1].append((piece, style))
                room -= size
    trimmed = [_trimmed(line) for line in lines]
    return trimmed[:1] + [line for line in trimmed[1:] if line]


def most_hang(width: int) -> int:
    """Cells by which a line of `width` cells may be indented."""
    return width * 3 // 5


def cut(text: str, width: int) -> str:
    """`text`, if it is wider than `width` cells with `…` for its end."""
    return text if cell_len(text) <= width else fitting(text, max(width - 1, 0)) + "…"


def rows_of(text: str, width: int) -> list[str]:
    """`text` as a terminal shows what is typed: its own rows, filled with characters to at most `width` cells."""
    rows: list[str] = []
    for line in map(one_line, text.split("\n")):
        rows.append(fitting(line, width))
        at = len(rows[-1])
        while at < len(line):
            rows.append(fitting(line[at : at + max(width, 1)], width))
            at += len(rows[-1])
    return rows


def cut_in_rows(text: str, room: int, width: int) -> Iterator[str]:
    """The parts of `text` that fit, the first into `room` cells and each other one into `width`."""
    at, size = 0, cell_len(text)
    while size > room:
        head = fitting(text[at : at + max(room, 1)], room)
        yield head
        at, room = at + len(head), width
        # What joins makes the sum of parts another than the whole; of a short rest all is measured.
        size = cell_len(text[at:]) if len(text) - at <= _MEASURED else size - cell_len(head)
    yield text[at:]


def unbreakable(word: str) -> Iterator[str]:
    """The parts of `word` that must stay together: all of it, unless it holds wide characters."""
    start = 0
    for at in range(1, 1 if word.isascii() else len(word)):
        if _may_break(word[at - 1], word[at]):
            yield word[start:at]
            start = at
    if word:
        yield word[start:]


def fitting(text: str, width: int) -> str:
    """The longest start of `text` that fits; one character at least, so that there is an end."""
    end = min(len(text), max(width, 1))
    while end > 1 and cell_len(text[:end]) > width:
        end -= 1
    return text[:end]


def _pieces(text: str) -> Iterator[str]:
    """What must stay on one line: words, the white space between them, single wide characters."""
    for found in _WORD.finditer(text):
        yield from unbreakable(found[0])


def _may_break(before: str, after: str) -> bool:
    if before == _JOINER or after in _MODIFIERS or cell_len(after) == 0:
        return False
    return cell_len(before) == 2 or cell_len(after) == 2


def _trimmed(line: list[Span]) -> list[Span]:
    while line and line[-1][0].isspace():
        line = line[:-1]
    return line
