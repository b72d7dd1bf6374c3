"""A terminal on which styled text is drawn while it is still being written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from motet.cli.terminal import Terminal
from motet.cli.wrap import Span

_MORE_CODES = {"italic": 3, "strike": 9, "magenta": 35}
_CODES = {"bold": 1, "dim": 2, "underline": 4, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}
_ALL_CODES = {name: str(code) for name, code in (_CODES | _MORE_CODES).items()}


class ChatTerminal(Terminal):
    """A `Terminal` with a few more styles, and text that has its lines already."""

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

    def draw(self, spans: Sequence[Span]) -> None:
        """Text that has its line ends and went through `visible`; the next `draw` goes on where it ends."""
        if self._quiet or not spans:
            return
        self._erase()
        if self._colour:
            runs = groupby(spans, key=lambda span: span[1])
            text = "".join(self._styled("".join(piece for piece, _ in run), style) for style, run in runs)
        else:
            text = "".join(piece for piece, _ in spans)
        self._write(text)
        self._mid_line = not spans[-1][0].endswith("\n")

    def control(self, sequence: str) -> None:
        """One of our own sequences that draws nothing, where there is a terminal that knows them."""
        if self._moves:
            self._write(sequence)

    def fresh_line(self) -> None:
        """End the line that has begun, if there is one, and take the moving line away."""
        self._break()

    def _styled(self, text: str, style: str) -> str:
        if not self._colour or not style or not text:
            return text
        return f"\x1b[{';'.join(_ALL_CODES[name] for name in style.split())}m{text}\x1b[0m"
