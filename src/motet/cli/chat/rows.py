"""Filling rows with styled text as it comes: broken between words, by cells, with a lead before every row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from motet.cli.wrap import Span, fitting, unbreakable
from motet.visible import visible

_PIECE = re.compile(r"[ \t]+|[^ \t]+")
_LONGEST_WORD = 1_000
"""Characters that are held back at most to see where a word ends."""
_NEVER_FIRST = frozenset("、。，．・：；！？）］｝」』】〉》〕ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々…")
"""Signs that Japanese puts at the start of no row (JIS X 4051, line-start prohibition)."""


class Rows:
    """Lays out source lines one after the other. A word is held back until it is whole, so that none jumps."""

    def __init__(self) -> None:
        self.width: int | None = None
        """Columns of a row; None: lines are not broken."""
        self._out: list[Span] = []
        self._word: list[Span] = []
        self._glue = ""
        """The last character of the word of which a part is drawn already."""
        self._blank = ""
        self._blank_style = ""
        self._column = 0
        self._hang: Sequence[Span] = ()
        self._hang_cells = 0

    def take(self) -> list[Span]:
        """What can be drawn since the last call."""
        out, self._out = self._out, []
        return out

    def begin(self, first: Sequence[Span], hang: Sequence[Span]) -> None:
        """Start a line: `first` stands before it, `hang` before the rows that it goes on in."""
        self._hang, self._hang_cells = hang, sum(cell_len(text) for text, _ in hang)
        if self.width is not None and self._hang_cells > self.width // 2:
            self._hang, self._hang_cells = (), 0
        self._out += first
        self._column = sum(cell_len(text) for text, _ in first)

    def put(self, text: str, style: str = "") -> None:
        """Go on with the line; `text` holds no line end."""
        for piece in _PIECE.findall(text):
            if piece[0] in " \t":
                self._flush()
                self._blank += piece.replace("\t", "    ")
                self._blank_style = style
            else:
                self._add(piece, style)

    def end(self) -> None:
        """End the line."""
        self._flush()
        self._blank = ""
        self._column = 0
        self._out.append(("\n", ""))

    def verbatim(self, spans: Sequence[Span]) -> None:
        """A whole line of code; where it is too long the terminal breaks it."""
        self._out += [(visible(text), style) for text, style in spans]
        self._out.append(("\n", ""))

    def part(self, text: str) -> None:
        """A piece of a line of code."""
        self._out.append((visible(text), ""))

    def _add(self, piece: str, style: str) -> None:
        last = self._word[-1][0][-1] if self._word else self._glue
        if not (piece.isascii() and last.isascii()):
            *whole, piece = _parts(last, piece)
            for part in whole:
                if part:
                    self._word.append((part, style))
                self._flush()
        self._word.append((piece, style))
        if len(piece) > _LONGEST_WORD or len(self._word) > _LONGEST_WORD:
            self._flush()
        elif piece.isascii() and (self._glue or self.width is None or self._is_row_start):
            # No break can come before this word, so its parts need not wait for each other.
            self._flush(is_whole=False)

    @property
    def _is_row_start(self) -> bool:
        return not self._blank and self._column <= self._hang_cells

    def _flush(self, *, is_whole: bool = True) -> None:
        """Draw the word that is held back; unless it `is_whole`, what comes next goes on with it."""
        glue = self._glue
        if self._word:
            word, self._word = _shown(self._word, glue), []
            self._glue = word[-1][0][-1:]
            self._draw_word(word, is_glued=bool(glue))
        if is_whole:
            self._glue = ""

    def _draw_word(self, word: Sequence[Span], *, is_glued: bool) -> None:
        cells = sum(cell_len(text) for text, _ in word)
        width = self.width
        if not is_glued:
            needed = self._column + len(self._blank) + cells
            if width is not None and needed > width and self._column > self._hang_cells:
                self._break()
            self._emit_blank()
        if width is None or self._column + cells <= width:
            self._out += word
            self._column += cells
            return
        for text, style in word:
            self._force(text, style, width)

    def _force(self, text: str, style: str, width: int) -> None:
        """Draw a word that no row can hold."""
        at = 0
        while at < len(text):
            room = width - self._column
            head = fitting(text[at : at + room], room) if room > 0 else ""
            if not head or (cell_len(head) > room and self._column > self._hang_cells):
                self._break()
                continue
            self._out.append((head, style))
            self._column += cell_len(head)
            at += len(head)

    def _emit_blank(self) -> None:
        if self._blank:
            self._out.append((self._blank, self._blank_style))
            self._column += len(self._blank)
            self._blank = ""

    def _break(self) -> None:
        self._blank = ""
        self._out.append(("\n", ""))
        self._out += self._hang
        self._column = self._hang_cells


def _parts(last: str, piece: str) -> list[str]:
    """`piece` where rows may be broken; the first part is empty when a break may stand before it.

    `last` is the character before.
    """
    parts = list(_kept_together(unbreakable(last + piece)))
    if last:
        parts[0] = parts[0][len(last) :]
    return parts


def _kept_together(parts: Iterator[str]) -> Iterator[str]:
    held = next(parts)
    for part in parts:
        if part[0] in _NEVER_FIRST:
            held += part
        else:
            yield held
            held = part
    yield held


def _shown(word: Sequence[Span], before: str) -> list[Span]:
    """`word` as `visible`; what a character joins may stand in the span before, or be drawn already."""
    shown: list[Span] = []
    for text, style in word:
        shown.append((visible(text) if text.isascii() else visible(before + text)[len(visible(before)) :], style))
        before = text[-1]
    return shown
