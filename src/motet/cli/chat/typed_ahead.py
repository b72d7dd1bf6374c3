"""What is typed while the model works: kept for the next draft, or said at once with Enter.

The terminal shows none of it by itself, so that it cannot stand in the middle of an answer; whoever draws the rows
below the answer gets it. Keys are those that every line knows: Backspace, Ctrl-W, Ctrl-U, Alt-Enter and Ctrl-J for a
new row. A pasted text keeps its rows and is never said by itself. Ctrl-C stays a signal. Loads a part of prompt_toolkit.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
import signal
import sys
import termios
import tty
from collections.abc import Callable, Generator
from contextlib import contextmanager

from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from motet.cli.keys import typed_so_far

_PASTES_MARKED, _PASTES_UNMARKED = "\x1b[?2004h", "\x1b[?2004l"
_ESCAPE_WAIT = 0.05
"""Seconds in which the rest of a key's bytes must come."""
_LAST_SIGN = re.compile(r".(?:[\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|(?<=\u200d).)*\Z", re.DOTALL)
_LAST_WORD = re.compile(r"\S*\s*\Z")


class TypedAhead:
    """`say` gets a text when Enter is pressed, `shown` everything that is typed and not said whenever it changes, and
    None while somebody else reads; `write` writes to the terminal. Where stdin is no terminal nothing is read."""

    def __init__(
        self, say: Callable[[str], None], shown: Callable[[str | None], None], write: Callable[[str], object]
    ) -> None:
        self._say = say
        self._shown = shown
        self._write = write
        self._text = ""
        self._after_escape = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._parser = Vt100Parser(self._key)
        self._flush: asyncio.TimerHandle | None = None
        self._modes: list[int | list[bytes | int]] | None = None

    @property
    def text(self) -> str:
        """What is typed and was not said."""
        return self._text

    def take(self) -> str:
        """What is typed and was not said; it is forgotten here."""
        text, self._text = self._text, ""
        return text

    def put_before(self, *texts: str) -> None:
        """Let `texts` be typed before what is, each on rows of its own."""
        self._text = "\n".join(text for text in (*texts, self._text) if text)

    def feed(self, keys: str) -> None:
        """What was typed while nobody read."""
        self._parser.feed(keys)
        self._parser.flush()

    @contextmanager
    def listening(self) -> Generator[None]:
        """Read what is typed; the terminal's modes are put back whatever happens."""
        if not self._begin():
            yield
            return
        try:
            yield
        finally:
            self._end()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Somebody else reads the terminal now: a question, an editor."""
        was_listening = self._modes is not None
        self._end()
        try:
            yield
        finally:
            if was_listening:
                self._begin()

    def _begin(self) -> bool:
        try:
            descriptor = sys.stdin.fileno()
            self._modes = termios.tcgetattr(descriptor)
            self._set_modes()
        except (termios.error, OSError, ValueError):
            self._modes = None
            return False
        loop = asyncio.get_running_loop()
        loop.add_reader(descriptor, self._read, descriptor)
        loop.add_signal_handler(signal.SIGCONT, self._set_modes)
        self._write(_PASTES_MARKED)
        self._shown(self._text)
        return True

    def _end(self) -> None:
        if self._modes is None:
            return
        descriptor = sys.stdin.fileno()
        loop = asyncio.get_running_loop()
        loop.remove_reader(descriptor)
        loop.remove_signal_handler(signal.SIGCONT)
        self._parser.feed(self._decoder.decode(typed_so_far(descriptor)))
        self._flush_escape()
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, self._modes)
        self._modes = None
        self._shown(None)
        self._write(_PASTES_UNMARKED)

    def _set_modes(self) -> None:
        descriptor = sys.stdin.fileno()
        tty.setcbreak(descriptor, termios.TCSANOW)
        modes = termios.tcgetattr(descriptor)
        modes[0] &= ~termios.ICRNL  # Enter and Ctrl-J are two keys
        modes[3] |= termios.NOFLSH  # Ctrl-C drops nothing of what is typed
        termios.tcsetattr(descriptor, termios.TCSANOW, modes)

    def _read(self, descriptor: int) -> None:
        try:
            data = os.read(descriptor, 4096)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(descriptor)  # the terminal is gone; a signal says so
            return
        before = self._text
        self._parser.feed(self._decoder.decode(data))
        if self._flush is not None:
            self._flush.cancel()
        self._flush = asyncio.get_running_loop().call_later(_ESCAPE_WAIT, self._flush_escape)
        if self._text != before:
            self._shown(self._text)

    def _flush_escape(self) -> None:
        """An escape that nothing follows was the key of that name."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        self._parser.flush()

    def _key(self, press: KeyPress) -> None:
        after_escape, self._after_escape = self._after_escape, False
        match press.key:
            case Keys.BracketedPaste:
                self._text += press.data.replace("\r\n", "\n").replace("\r", "\n")
            case Keys.ControlM if not after_escape:
                if self._text.strip():
                    self._say(self.take())
            case Keys.ControlM | Keys.ControlJ:
                self._text += "\n"
            case Keys.ControlH:
                self._text = _LAST_SIGN.sub("", self._text)
            case Keys.ControlW:
                self._text = _LAST_WORD.sub("", self._text)
            case Keys.ControlU:
                self._text = self._text[: self._text.rfind("\n") + 1]
            case Keys.Escape:
                self._after_escape = True
            case str() as key if len(key) == 1 and not isinstance(key, Keys):
                self._text += key
            case _:
                pass
