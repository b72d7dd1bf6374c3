"""Standard output: data for programs and listings for people. Safe on a terminal, honest when it cannot be written."""

from __future__ import annotations

import codecs
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TextIO

from motet.errors import MotetError
from motet.visible import as_json


class ReaderGone(MotetError):
    """Whoever read standard output has stopped (`| head`): there is nobody to tell, so nothing is said."""

    exit_code = 128 + signal.SIGPIPE


def write_json(value: object, indent: int | None = None) -> None:
    """One JSON text on a line of its own."""
    write_line(as_json(value, indent))


def write_error(error: MotetError, schema: int) -> None:
    """The error that ended a run before it could end by itself, as its last event; `schema`: of the others."""
    write_json({"schema": schema, "event": "error", "message": str(error), "exit_code": error.exit_code})


def write_line(text: str) -> None:
    """One line, as it is. Raises `MotetError` when it cannot be written, `ReaderGone` when nobody reads."""
    with told():
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")
        sys.stdout.buffer.flush()


def events_at_terminal(as_json: bool) -> bool:
    """Whether a run with `--json` writes its events where the talk for people would stand between them."""
    return as_json and sys.stdout.isatty() and sys.stderr.isatty()


@contextmanager
def told() -> Generator[None]:
    """Turn a failure to write into an error that says so."""
    try:
        yield
    except BrokenPipeError as error:
        silence()
        raise ReaderGone from error
    except OSError as error:
        silence()
        raise MotetError(f"standard output: {error.strerror}") from error


def silence(stream: TextIO | None = None) -> None:
    """Write no more to `stream` (standard output), so that the interpreter's last flush has nothing to fail at."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, (stream or sys.stdout).fileno())
    os.close(nowhere)


def release_streams() -> None:
    """Drop what standard output and standard error hold and cannot write: Python's last flush would fail at it, and
    end with code 120 whatever the command came to."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            silence(stream)


def open_all_streams() -> None:
    """See that descriptors 0 to 2 are open: a file that got one of these numbers would take what is printed."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace"))


def take_every_character() -> None:
    """See that no character stops a line. A locale that knows ASCII alone says nothing of the terminal: UTF-8 is
    written there, as data always is; what another encoding does not have is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            unknown = codecs.lookup(stream.encoding).name == "ascii" and "PYTHONIOENCODING" not in os.environ
            stream.reconfigure(encoding="utf-8" if unknown else None, errors="backslashreplace")
