"""Single keys and lines from the terminal, without blocking the loop; the terminal is restored whatever happens."""

from __future__ import annotations

import asyncio
import codecs
import os
import sys
import termios
import tty
from collections.abc import Generator
from contextlib import contextmanager


class EndOfInput(Exception):
    """The terminal is gone: nobody will answer."""


async def read_key() -> str:
    """The next key. Ctrl-C stays a signal. Raises `EndOfInput` when the terminal is closed or Ctrl-D is typed."""
    descriptor = sys.stdin.fileno()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with _single_keys(descriptor):
        while True:
            data = await _read(descriptor)
            if not data or data == b"\x04":
                raise EndOfInput
            text = decoder.decode(data[:1] if data[0] < 0x80 else data)
            if data[0] == 0x1B:
                continue  # a function or arrow key: none has a meaning here
            if text:
                return text[0]


async def read_line() -> str:
    """The next line, without its end; the terminal's own line editing applies."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = ""
    while not text.endswith("\n"):
        data = await _read(sys.stdin.fileno())
        if not data:
            raise EndOfInput
        text += decoder.decode(data)
    return text.rstrip("\r\n")


async def _read(descriptor: int) -> bytes:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(descriptor, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, 1024)


@contextmanager
def _single_keys(descriptor: int) -> Generator[None]:
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
