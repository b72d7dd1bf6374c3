"""Text that arrives piece by piece, laid out as it comes: indented, broken between words, no two blank lines."""

from __future__ import annotations

import re

from rich.cells import cell_len

from motet.cli.wrap import cut_in_rows, unbreakable
from motet.visible import visible

_INDENT = 2
_PIECE = re.compile(r"\n|[ \t]+|[^ \t\n]+")
_BULLET = re.compile(r"[-*•]|\d{1,2}[.)]")
_LONGEST_WORD = 1_000
"""Characters that are held back at most to see where a word ends."""


class Flow:
    """Lays out one text. A word is held back until it is whole, so that no word jumps to the next line."""

    def __init__(self) -> None:
        self._word = ""
        self._blank = ""
        self._column = 0
        self._hang = _INDENT
        self._gap = False
        self._began = False

    @property
    def is_mid_line(self) -> bool:
        """Whether what was drawn so far does not end a line."""
        return self._column > 0

    def add(self, text: str, width: int | None) -> str:
        """What can be drawn now that `text` has arrived. `width` is in columns; None: lines are not broken."""
        drawn: list[str] = []
        for piece in _PIECE.findall(text):
            if piece == "\n":
                drawn += [self.rest(width), self._end_line()]
            elif piece.isspace():
                drawn.append(self.rest(width))
                self._blank += piece.expandtabs(4)
            else:
                drawn.append(self._whole_parts(piece, width))
        return "".join(drawn)

    def rest(self, width: int | None) -> str:
        """What is held back."""
        word, self._word = self._word, ""
        return "".join(self._put(part, width) for part in unbreakable(word))

    def _whole_parts(self, piece: str, width: int | None) -> str:
        # Whether a break may stand between two characters is up to these two: what is held back has none.
        *whole, last = unbreakable(self._word[-1:] + piece)
        if whole:
            whole[0] = self._word[:-1] + whole[0]
        else:
            last = self._word[:-1] + last
        self._word = "" if len(last) > _LONGEST_WORD else last
        return "".join(self._put(part, width) for part in (whole if self._word else [*whole, last]))

    def _end_line(self) -> str:
        self._blank = ""
        if self._column:
            self._column = 0
            return "\n"
        self._gap = self._began
        return ""

    def _put(self, part: str, width: int | None) -> str:
        part = visible(part)
        drawn = self._lead(part, width)
        if width is not None:
            *heads, part = cut_in_rows(part, width - self._column, width - self._hang)
            drawn += "".join(head + self._break() for head in heads)
        self._column += cell_len(part)
        return drawn + part

    def _lead(self, part: str, width: int | None) -> str:
        """What goes before `part`: the indentation of its line, blanks, or a line break."""
        blank, self._blank = self._blank, ""
        if not self._column:
            gap, self._gap, self._began = "\n" if self._gap else "", False, True
            self._column = _INDENT + len(blank)
            bullet = len(part) + 1 if _BULLET.fullmatch(part) else 0
            self._hang = min(self._column + bullet, width // 2 if width else self._column)
            return gap + " " * self._column
        if width is not None and self._column + len(blank) + cell_len(part) > width and self._column > self._hang:
            return self._break()
        self._column += len(blank)
        return blank

    def _break(self) -> str:
        self._column = self._hang
        return "\n" + " " * self._hang
