"""Where people read: stderr, in colour where colour is wanted, with one moving line where it is a terminal.

In a pipe, with `TERM=dumb` or `--quiet` nothing moves: a step is one line, or none. Without colour (`NO_COLOR`, a
pipe, `TERM=dumb`) no escape sequence is written at all.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import groupby
from typing import TextIO

from rich.cells import cell_len

from motet.cli.flow import Flow
from motet.cli.output import told
from motet.cli.wrap import Span, cut, wrap
from motet.visible import one_line

_CODES = {"bold": 1, "dim": 2, "underline": 4, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}
_REDRAW = 0.1
"""Seconds between two drawings of the moving line."""
_DEFAULT_WIDTH = 80


class Terminal:
    """Draws lines, streamed text, questions and the moving line. All text passes through `visible`.

    When nobody reads any more (the terminal is closed, the pipe is broken) it falls silent, after one call of
    `on_lost`; a Terminal on stdout raises what `output.told` says instead.
    """

    def __init__(self, file: TextIO | None = None, *, quiet: bool = False) -> None:
        self._file = file or sys.stderr
        self._is_data = self._file is sys.stdout
        self._is_terminal = self._file.isatty()
        is_dumb = os.environ.get("TERM", "dumb") in ("dumb", "unknown")
        wants_colour = bool(os.environ.get("FORCE_COLOR")) or (self._is_terminal and not is_dumb)
        self._colour = wants_colour and not os.environ.get("NO_COLOR")
        self._quiet = quiet
        self._moves = self._is_terminal and not is_dumb and not quiet
        self._progress = ""
        self._drawn = 0
        self._drawn_at = 0.0
        self._shown = ""
        self._flow: Flow | None = None
        self._question = ""
        self._mid_line = False
        self._lost = False
        self._started = time.monotonic()
        self.on_lost: Callable[[], None] = lambda: None

    @property
    def can_ask(self) -> bool:
        """Whether a human can be asked: both ends are a terminal."""
        return sys.stdin.isatty() and self._is_terminal

    @property
    def width(self) -> int | None:
        """Columns; None where lines are not broken."""
        if not self._is_terminal:
            return None
        try:
            columns = os.get_terminal_size(self._file.fileno()).columns
        except OSError:
            columns = 0
        given = os.environ.get("COLUMNS", "")
        return max(columns or (int(given) if given.isascii() and given.isdecimal() else 0) or _DEFAULT_WIDTH, 20)

    def line(self, text: str = "", style: str = "", *, hang: int = 0, always: bool = False) -> None:
        """One line; left out with `--quiet` unless `always`."""
        self.spans((text, style), hang=hang, always=always)

    def spans(self, *spans: Span, hang: int = 0, always: bool = False) -> None:
        """One line of pieces with a style each, broken between words; what follows a break is indented by `hang`."""
        shown = [(one_line(text), style) for text, style in spans]
        width = self.width
        for row in [shown] if width is None else wrap(shown, width, hang):
            self._row(row, always=always)

    def verbatim(self, *spans: Span, always: bool = False) -> None:
        """One line of code: tabs stay, and where it is too long the terminal breaks it."""
        self._row([(one_line(text).replace("␉", "\t"), style) for text, style in spans], always=always)

    def stream(self, text: str) -> None:
        """The next piece of a text that is still being written: dim, indented, broken between words."""
        if not self._quiet and text:
            self._flow = self._flow or self._begin_stream()
            self._draw_stream(self._flow, self._flow.add(text, self.width))

    def end_stream(self) -> None:
        """The streamed text is over; the next one begins a new block."""
        if self._flow is not None:
            self._draw_stream(self._flow, self._flow.rest(self.width))
            self._flow = None
            self._break()

    def progress(self, text: str) -> None:
        """What is going on now, on the moving line, with the time since the start; empty: nothing."""
        if not self._moves:
            return
        self._progress = one_line(text)
        if not text:
            self._erase()
        elif time.monotonic() - self._drawn_at >= _REDRAW:
            self._redraw()

    def step(self, text: str) -> None:
        """A step that is one line where nothing moves."""
        if not self._moves:
            self.line(text, "dim")

    def restart(self) -> None:
        """Count the time on the moving line from now on."""
        self._started = time.monotonic()

    def tick(self) -> None:
        """Draw the moving line again if it changed. To be called every tenth of a second."""
        self._redraw()

    def ask(self, question: str) -> None:
        """A question; what is typed follows it."""
        self.end_stream()
        self._break()
        self._progress = ""
        self._question = one_line(question)
        self.ask_again()

    def ask_again(self) -> None:
        """Draw the question again: something else has been on the terminal."""
        self._write(self._styled(self._question, "bold blue") + " ")
        self._mid_line = True

    def answered(self, text: str = "") -> None:
        """Show what was typed where the terminal did not, and end the line."""
        self._write(one_line(text) + "\n")
        self._mid_line = False

    def typed(self, text: str) -> None:
        """Show what was typed before the question stood there."""
        line, end, _ = text.partition("\n")
        self._write(one_line(line) + end)

    def line_typed(self) -> None:
        """The human has ended the line that the terminal showed while it was typed."""
        self._mid_line = False

    def close(self) -> None:
        """Leave a clean line behind."""
        self._progress = ""
        self.end_stream()
        self._break()

    def _begin_stream(self) -> Flow:
        self._break()
        return Flow()

    def _draw_stream(self, flow: Flow, drawn: str) -> None:
        if drawn:
            self._erase()
            self._write(self._styled(drawn, "dim"))
            self._mid_line = flow.is_mid_line

    def _row(self, spans: list[Span], *, always: bool) -> None:
        if self._quiet and not always:
            return
        self.end_stream()
        self._break()
        runs = groupby(spans, key=lambda span: span[1])
        self._write("".join(self._styled("".join(text for text, _ in run), style) for style, run in runs) + "\n")

    def _break(self) -> None:
        self._erase()
        if self._mid_line:
            self._write("\n")
            self._mid_line = False

    def _erase(self) -> None:
        if self._drawn:
            # Blanks instead of an escape sequence serve every terminal, with and without colour.
            self._write(f"\r{' ' * self._drawn}\r")
            self._drawn = 0

    def _redraw(self) -> None:
        if not self._moves or not self._progress or self._mid_line:
            return
        text = self._moving_line()
        if self._drawn and text == self._shown:
            return
        rest = max(self._drawn - cell_len(text), 0)
        self._write("\r" + self._styled(text, "dim") + " " * rest + "\b" * rest)
        self._drawn, self._shown, self._drawn_at = cell_len(text), text, time.monotonic()

    def _moving_line(self) -> str:
        elapsed = f"  {time.monotonic() - self._started:.0f} s"
        return cut(self._progress, (self.width or _DEFAULT_WIDTH) - cell_len(elapsed) - 1) + elapsed

    def _styled(self, text: str, style: str) -> str:
        if not self._colour or not style or not text:
            return text
        return f"\x1b[{';'.join(str(_CODES[name]) for name in style.split())}m{text}\x1b[0m"

    def _write(self, text: str) -> None:
        if self._lost:
            return
        with told() if self._is_data else self._silent_when_lost():
            self._file.write(text)
            self._file.flush()

    @contextmanager
    def _silent_when_lost(self) -> Generator[None]:
        try:
            yield
        except OSError:
            self._lost = True
            self.on_lost()
