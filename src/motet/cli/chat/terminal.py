"""A terminal on which styled text is drawn while it is still being written."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TextIO

from rich.cells import cell_len

from motet.cli.terminal import Terminal
from motet.cli.wrap import Span

_MORE_CODES = {"italic": 3, "strike": 9, "magenta": 35}
_CODES = {"bold": 1, "dim": 2, "underline": 4, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}
_DEFAULT_HEIGHT = 24
_ALL_CODES = {name: str(code) for name, code in (_CODES | _MORE_CODES).items()}


class ChatTerminal(Terminal):
    """A `Terminal` with a few more styles, text that has its lines already, and rows that stay below all that is drawn.

    Only with these rows are there sequences that move the cursor; it stands at their end.
    """

    def __init__(self, file: TextIO | None = None, *, quiet: bool = False) -> None:
        super().__init__(file, quiet=quiet)
        self._below: list[list[Span]] = []
        self._drawn_below: list[list[Span]] = []
        self._column = 0
        """Cells of the line that has begun, as far as it stands on the row of the terminal where it ends."""
        self._held: list[str] | None = None

    @property
    def colour(self) -> bool:
        """Whether styles are drawn."""
        return self._colour

    @property
    def is_mid_line(self) -> bool:
        """Whether what was drawn last does not end a line."""
        return self._mid_line

    @property
    def moves(self) -> bool:
        """Whether there is a moving line."""
        return self._moves

    @property
    def height(self) -> int:
        """Rows."""
        try:
            rows = os.get_terminal_size(self._file.fileno()).lines
        except (OSError, ValueError):
            rows = 0
        return rows or _DEFAULT_HEIGHT

    def draw(self, spans: Sequence[Span]) -> None:
        """Text that has its line ends and went through `visible`; the next `draw` goes on where it ends."""
        if self._quiet or not spans:
            return
        with self._above():
            plain = "".join(piece for piece, _ in spans)
            if self._mid_line and self._column >= (self.width or 0) > 0 and not plain.startswith("\n"):
                self._write("\n")  # the terminal would break the line here
            if self._colour:
                runs = groupby(spans, key=lambda span: span[1])
                self._write("".join(self._styled("".join(piece for piece, _ in run), style) for style, run in runs))
            else:
                self._write(plain)
            self._count(plain)
            self._mid_line = not plain.endswith("\n")

    def below(self, rows: Sequence[Sequence[Span]]) -> None:
        """Keep these rows, each shorter than the terminal is wide, below all that is drawn; none: nothing is there."""
        if self._moves:
            self._below = [list(row) for row in rows]
            with self._at_once():
                if not self._below:
                    self._erase()
                self._redraw()

    def control(self, sequence: str) -> None:
        """One of our own sequences that draws nothing, where there is a terminal that knows them."""
        if self._moves:
            self._write(sequence)

    def fresh_line(self) -> None:
        """End the line that has begun, if there is one, and take the moving line away."""
        self._break()

    def close(self) -> None:
        """See `Terminal`."""
        self.below(())
        super().close()

    @contextmanager
    def _above(self) -> Generator[None]:
        """Draw above the rows that stay below."""
        with self._at_once():
            self._erase()
            yield
            if self._below:
                self._redraw()

    @contextmanager
    def _at_once(self) -> Generator[None]:
        """Write all of it in one piece, so that nobody sees the half of it."""
        if self._held is not None:
            yield
            return
        self._held = []
        try:
            yield
        finally:
            text, self._held = "".join(self._held), None
            if text:
                self._write(text)

    def _write(self, text: str) -> None:
        if self._held is not None:
            self._held.append(text)
        else:
            super()._write(text)

    def _row(self, spans: list[Span], *, always: bool) -> None:
        with self._above():
            super()._row(spans, always=always)

    def _break(self) -> None:
        super()._break()
        self._column = 0

    def _erase(self) -> None:
        if not self._drawn_below:
            super()._erase()
            return
        up = len(self._drawn_below) - 1 + self._mid_line
        right = min(self._column, (self.width or 1) - 1) if self._mid_line else 0
        self._drawn_below = []
        self._write("\r" + (f"\x1b[{up}A" if up else "") + (f"\x1b[{right}C" if right else "") + "\x1b[J")

    def _redraw(self) -> None:
        if not self._below:
            super()._redraw()
            return
        rows = self._below
        if self._progress and not self._mid_line:
            rows = [[(self._moving_line(), "dim")], *rows]
        if rows == self._drawn_below:
            return
        with self._at_once():
            self._erase()
            texts = ["".join(self._styled(text, style) for text, style in row) for row in rows]
            self._write(("\n" if self._mid_line else "") + "\n".join(texts))
            self._drawn_below = rows

    def _count(self, drawn: str) -> None:
        """Know in which column the terminal is."""
        _, end, line = drawn.rpartition("\n")
        column, width = 0 if end else self._column, self.width or 0
        if column + cell_len(line) <= width and "\t" not in line:
            self._column = column + cell_len(line)
            return
        for character in line:
            cells = 8 - column % 8 if character == "\t" else cell_len(character)
            column = column + cells if column + cells <= width else cells
        self._column = column

    def _styled(self, text: str, style: str) -> str:
        if not self._colour or not style or not text:
            return text
        return f"\x1b[{';'.join(_ALL_CODES[name] for name in style.split())}m{text}\x1b[0m"
