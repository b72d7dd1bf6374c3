"""A program that outlives whoever started it: no terminal, a session of its own, and one word when it is ready."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from motet.cores import as_before
from motet.errors import ProcessError
from motet.process.mark import Mark

_LONGEST = 64 * 1024
"""Bytes that are read of what it says."""


@dataclass(slots=True)
class Detached:
    """A program that was started so. `said` is what it wrote before it was ready, or ended. `lifeline`: it is told that
    this process is gone when that is closed; None when it is not to know."""

    mark: Mark | None
    said: bytes
    lifeline: BinaryIO | None = None

    def let_go(self) -> None:
        """Close the lifeline."""
        if self.lifeline is not None:
            self.lifeline.close()


async def start_detached(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    errors: Path,
    within: float,
    env: Mapping[str, str] | None = None,
    tied: bool = False,
) -> Detached:
    """Start `argv` with the number of a pipe as its last argument, and wait until it has written there and closed it, or
    has ended; at most `within` seconds. Its error stream goes to the file `errors`, anew. With `tied` its standard input
    ends when this process does. Raises `ProcessError` when it cannot be started."""
    reading, writing = os.pipe()
    try:
        child = _start(
            [*argv, str(writing)], cwd, errors, env, writing, subprocess.PIPE if tied else subprocess.DEVNULL
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        os.close(reading)
        raise ProcessError(f"{argv[0]}: cannot be started ({error})") from error
    finally:
        os.close(writing)
    mark = Mark.of(child.pid)
    threading.Thread(target=child.wait, daemon=True).start()  # nobody else asks how it ended
    begun = Detached(mark, b"", cast("BinaryIO | None", child.stdin))
    try:
        begun.said = await _read(reading, within)
    except BaseException:
        begun.let_go()
        if mark is not None:
            mark.signal(signal.SIGKILL)
        raise
    return begun


def _start(
    argv: Sequence[str | Path], cwd: Path, errors: Path, env: Mapping[str, str] | None, handle: int, stdin: int
) -> subprocess.Popen[bytes]:
    with open(errors, "wb", opener=_private) as sink:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            pass_fds=(handle,),
            preexec_fn=as_before,
        )


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


async def _read(handle: int, within: float) -> bytes:
    """What is written there until the other end is closed; what came of it within the time."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(_LONGEST, loop)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader, loop=loop), os.fdopen(handle, "rb", 0)
    )
    said = b""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within):
            while len(said) < _LONGEST and (chunk := await reader.read(_LONGEST)):
                said += chunk
    transport.close()
    return said
