"""A terminal of a given size inside the test: what is written to it is seen as a screen."""

from __future__ import annotations

import io
import os
import random
import signal
import time
from collections.abc import Sequence

import pyte
import pytest
from cli.kit import DEADLINE, Human

from motet.cli.chat.markdown_stream import MarkdownStream
from motet.cli.chat.terminal import ChatTerminal
from motet.cli.wrap import Span


class Emulator(io.TextIOBase):
    """A terminal to write to. `raw` is all that came."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.raw = ""
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000, ratio=0.5)
        self._stream = pyte.Stream(self.screen)

    def isatty(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        self.raw += text
        self._stream.feed(text.replace("\n", "\r\n"))  # as the terminal driver does
        return len(text)

    @property
    def lines(self) -> list[str]:
        """All lines, those that were scrolled away too."""
        above = ["".join(row[at].data for at in range(self.screen.columns)) for row in self.screen.history.top]
        lines = [line.rstrip() for line in [*above, *self.screen.display]]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def terminal(
    patch: pytest.MonkeyPatch, columns: int = 80, rows: int = 24, *, colour: bool = True
) -> tuple[ChatTerminal, Emulator]:
    """A terminal and its screen."""
    patch.setenv("TERM", "xterm-256color")
    patch.setenv("COLUMNS", str(columns))
    if colour:
        patch.delenv("NO_COLOR", raising=False)
    else:
        patch.setenv("NO_COLOR", "1")
    emulator = Emulator(columns, rows)
    return ChatTerminal(emulator), emulator


def streamed(text: str, width: int | None = 80, *, styled: bool = True, seed: int | None = None) -> list[Span]:
    """`text` drawn whole, or in pieces of one to seven characters."""
    stream = MarkdownStream(styled=styled)
    spans: list[Span] = []
    for piece in pieces(text, seed):
        spans += stream.add(piece, width)
    return spans + stream.end(width)


def pieces(text: str, seed: int | None) -> list[str]:
    """`text` in pieces of random size; whole without a seed."""
    if seed is None:
        return [text]
    source, at, found = random.Random(seed), 0, list[str]()
    while at < len(text):
        size = source.randint(1, 7)
        found.append(text[at : at + size])
        at += size
    return found


def plain(spans: Sequence[Span]) -> str:
    return "".join(text for text, _ in spans)


def styles(spans: Sequence[Span]) -> list[tuple[str, str]]:
    """The pieces with a style, neighbours of one style joined."""
    joined: list[tuple[str, str]] = []
    for text, style in spans:
        look = " ".join(style.split())
        if joined and joined[-1][1] == look:
            joined[-1] = (joined[-1][0] + text, look)
        elif text:
            joined.append((text, look))
    return [(text, style) for text, style in joined if style]


class Typist(Human):
    """A human at a program that reads with `EditorLine`."""

    def shows(self, *lines: str) -> None:
        """Wait until the screen ends with these lines, blank ones at its end left out."""
        end = time.monotonic() + DEADLINE
        while self.lines[-len(lines) :] != list(lines):
            assert time.monotonic() < end and self._read(end), f"the screen is\n{self.text}"

    def is_ready(self) -> None:
        """Wait for a prompt: what is typed from now on is read by it."""
        self.sees("\x1b[?2004h")
        self.sees("›")

    def pastes(self, text: str) -> None:
        """Paste, as a terminal does it that marks pasted text."""
        self.presses("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")

    def gets(self, columns: int, rows: int) -> None:
        """Change the size of the window."""
        self.child.setwinsize(rows, columns)
        self._screen.resize(rows, columns)

    def signals(self, number: signal.Signals) -> None:
        os.kill(self.child.pid, number)

    @property
    def modes(self) -> set[int]:
        """The modes of the terminal that are set."""
        return set(self._screen.mode)
