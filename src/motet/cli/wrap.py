"""Breaking text into lines of a terminal: by cells, between words, and between characters that are two cells wide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len

Span = tuple[str, str]
"""A piece of text and the style it is drawn in."""

_WORD = re.compile(r"\s+|\S+")
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
            while size > room:
                head = fitting(piece, room)
                lines[-1].append((head, style))
                lines.append([(" " * hang, "")])
                piece, room = piece[len(head) :], width - hang
                size = cell_len(piece)
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
