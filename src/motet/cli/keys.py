"""Single keys and lines from the terminal, without blocking the loop; its modes are restored whatever happens."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable, Generator
from contextlib import contextmanager

_ESCAPE_WAIT = 0.05
"""Seconds in which the rest of an arrow key's bytes must come."""
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O])?")
_ARROWS = {"A": "k", "B": "j"}
_END = "\x04"


@contextmanager
def typed_unseen() -> Generator[str]:
    """Between two readers of the terminal: what is typed is kept, key by key, for whoever reads next, and the terminal
    shows none of it. Ctrl-C stays a signal, and drops nothing. Gives what was typed before, as keys."""
    try:
        descriptor = sys.stdin.fileno()
        modes = termios.tcgetattr(descriptor)
    except (termios.error, OSError, ValueError):
        yield ""  # no terminal
        return
    quiet = list(modes)
    quiet[0] &= ~termios.ICRNL  # Enter and Ctrl-J are two keys
    quiet[3] = quiet[3] & ~(termios.ECHO | termios.ICANON) | termios.NOFLSH
    termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    try:
        yield typed_so_far(descriptor).replace(b"\n", b"\r").decode("utf-8", "replace")
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, modes)


def typed_so_far(descriptor: int) -> bytes:
    """What was typed and nobody has read, without waiting for more."""
    typed = b""
    while select.select([descriptor], [], [], 0)[0]:
        try:
            data = os.read(descriptor, 4096)
        except OSError:
            break  # the terminal is gone; a signal says so
        if not data:
            break
        typed += data
    return typed


class EndOfInput(Exception):
    """Ctrl-D: the human answers nothing more."""


class Keyboard:
    """Reads the terminal on stdin. What was typed ahead of a key or line is kept for the next one.

    Ctrl-C stays a signal. When the terminal is closed, waiting ends like an interruption: by `CancelledError`.
    """

    def __init__(self) -> None:
        self._waiting = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def forget(self) -> None:
        """Drop what was typed ahead: a question that comes unexpectedly is not to be answered by it."""
        self._waiting = ""
        with contextlib.suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)

    async def key(self, on_return: Callable[[], None] = lambda: None) -> str:
        """The next key; up and down are `k` and `j`, Enter and blanks are passed over. Raises `EndOfInput`.

        `on_return` is called when the program was stopped (Ctrl-Z) and goes on.
        """
        with _single_keys(on_return):
            while True:
                key = self._take_key()
                if key == _END:
                    raise EndOfInput
                if key:
                    return key
                if not self._waiting:
                    self._waiting = await self._read()
                elif not await self._read_more():
                    self._waiting = ""  # an escape that nothing follows

    async def line(self, echo: Callable[[str], None] = lambda _: None) -> str:
        """The next line, without its end; the terminal's own line editing applies. Raises `EndOfInput`.

        `echo` gets what was typed ahead, which the terminal has not shown.
        """
        text, self._waiting = self._waiting.replace("\r", "\n"), ""
        echo(text)
        with _line_editing():
            while "\n" not in text:
                text += await self._read()
        line, _, self._waiting = text.partition("\n")
        return line.rstrip("\r")

    def _take_key(self) -> str:
        """The first key of what waits; empty when there is none, or only the beginning of one."""
        while self._waiting:
            if self._waiting[0] == "\x1b":
                sequence = _SEQUENCE.match(self._waiting)
                if sequence is None or sequence[0] == "\x1b":
                    return ""
                self._waiting = self._waiting[sequence.end() :]
                if sequence[0][-1] in _ARROWS and len(sequence[0]) == 3:
                    return _ARROWS[sequence[0][-1]]
                continue
            key, self._waiting = self._waiting[0], self._waiting[1:]
            if not key.isspace():
                return key
        return ""

    async def _read_more(self) -> bool:
        try:
            async with asyncio.timeout(_ESCAPE_WAIT):
                self._waiting += await self._read()
        except TimeoutError:
            return False
        return True

    async def _read(self) -> str:
        """What was typed; empty when it is only the beginning of a character."""
        descriptor = sys.stdin.fileno()
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
        try:
            data = os.read(descriptor, 4096)
        except OSError as error:
            raise asyncio.CancelledError from error  # the terminal is gone
        if not data:
            raise EndOfInput if _is_open(descriptor) else asyncio.CancelledError
        return self._decoder.decode(data)


def _is_open(descriptor: int) -> bool:
    try:
        termios.tcgetattr(descriptor)
    except termios.error:
        return False
    return True


@contextmanager
def _line_editing() -> Generator[None]:
    """The terminal shows and edits what is typed, also where it is `typed_unseen` at other times."""
    descriptor = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error:
        yield  # a pipe, or the terminal is gone
        return
    edited = list(before)
    edited[0] |= termios.ICRNL
    edited[3] |= termios.ECHO | termios.ICANON
    termios.tcsetattr(descriptor, termios.TCSANOW, edited)
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, before)


@contextmanager
def _single_keys(on_return: Callable[[], None]) -> Generator[None]:
    descriptor = sys.stdin.fileno()
    loop = asyncio.get_running_loop()

    def again() -> None:
        tty.setcbreak(descriptor, termios.TCSANOW)
        on_return()

    try:
        before = termios.tcgetattr(descriptor)
        tty.setcbreak(descriptor, termios.TCSANOW)
    except termios.error as error:
        raise asyncio.CancelledError from error  # the terminal is gone
    loop.add_signal_handler(signal.SIGCONT, again)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGCONT)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
