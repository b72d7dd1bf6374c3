"""Where people read: stderr, with colour when it is wanted, and one moving line when it is a terminal.

In a pipe, with `TERM=dumb` or `--quiet` nothing moves: a step is one line, or none.
"""

from __future__ import annotations

import os
import sys
import time

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from motet.cli.visible import visible


class Terminal:
    """Draws lines, streamed text and the moving progress line. All text passes through `visible`."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._quiet = quiet
        self._moves = self._console.is_terminal and os.environ.get("TERM") != "dumb" and not quiet
        self._progress = ""
        self._drawn = False
        self._mid_line = False
        self._started = time.monotonic()

    @property
    def can_ask(self) -> bool:
        """Whether a human can be asked: both ends are a terminal."""
        return sys.stdin.isatty() and self._console.is_terminal

    @property
    def width(self) -> int:
        """Columns."""
        return self._console.width

    def line(self, text: str = "", style: str = "", *, always: bool = False) -> None:
        """One line; left out with `--quiet` unless `always`."""
        self.spans((text, style), always=always)

    def spans(self, *spans: tuple[str, str], always: bool = False) -> None:
        """One line of pieces with a style each."""
        if self._quiet and not always:
            return
        self._break()
        line = Text()
        for text, style in spans:
            line.append(visible(text), style)
        self._console.print(line)
        self._redraw()

    def stream(self, text: str, style: str = "dim") -> None:
        """The next piece of a text that is still being written."""
        if self._quiet or not text:
            return
        self._erase()
        self._console.print(Text(visible(text), style), end="")
        self._mid_line = not text.endswith("\n")

    def progress(self, text: str, *, step: bool = False) -> None:
        """What is going on now, with the time since the start. Where nothing moves, only a `step` is a line."""
        if self._moves:
            self._progress = visible(text)
            self._redraw()
        elif step:
            self.line(text, "dim")

    def tick(self) -> None:
        """Draw the time again."""
        self._redraw()

    def prompt(self, text: str) -> None:
        """A question; what is typed follows it."""
        self._break()
        self._progress = ""
        self._console.print(Text(visible(text), "bold blue"), end="")
        self._mid_line = True

    def answered(self, text: str) -> None:
        """Show what was typed, and end the line."""
        self._console.print(Text(visible(text)))
        self._mid_line = False

    def close(self) -> None:
        """Leave a clean line behind."""
        self._break()
        self._progress = ""

    def _break(self) -> None:
        self._erase()
        if self._mid_line:
            self._console.print()
            self._mid_line = False

    def _erase(self) -> None:
        if self._drawn:
            self._console.file.write("\r\x1b[K")
            self._console.file.flush()
            self._drawn = False

    def _redraw(self) -> None:
        if not self._moves or not self._progress or self._mid_line:
            return
        elapsed = f" {time.monotonic() - self._started:.0f} s"
        room = max(self.width - len(elapsed) - 1, 10)
        text = self._progress if cell_len(self._progress) <= room else set_cell_size(self._progress, room - 1) + "…"
        self._console.file.write(f"\r\x1b[K\x1b[2m{text}{elapsed}\x1b[0m")
        self._console.file.flush()
        self._drawn = True
