"""A program that runs while others watch: its output is handed on as it comes, and it can be waited for or ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from motet.process.child import Child, spawn
from motet.tasks import background

_CHUNK = 64 * 1024
_MARK = "MOTET_COMMAND"
"""Variable by which what a program started is known, wherever it went."""


class Running:
    """A program without input. Whoever started it calls `end` or, when there is no time to wait, `abandon`."""

    def __init__(self, child: Child, mark: str, on_output: Callable[[bytes], None], max_bytes: int) -> None:
        """See `start`."""
        self._child = child
        self._mark = mark
        self._on_output = on_output
        self._room = max_bytes
        self._reading = asyncio.create_task(self._read())
        self.flooded = False
        self.code: int | None = None

    @classmethod
    async def start(
        cls,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        on_output: Callable[[bytes], None],
        max_bytes: int,
        ask_to_end: Callable[[int], None] | None = None,
    ) -> Running:
        """Start `argv`; `on_output` gets both of its streams as one, in pieces. One that writes more than `max_bytes`
        is ended: `flooded`. `ask_to_end` as for `spawn`. Raises `ProcessError` when it cannot be started."""
        mark = secrets.token_hex(8)
        child = await spawn(argv, cwd=cwd, env={**env, _MARK: mark}, merged=True, ask_to_end=ask_to_end)
        child.stdin.close()
        return cls(child, mark, on_output, max_bytes)

    async def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the program itself to exit; whether it has."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._child.wait()
                return True
        return False

    async def end(self) -> int:
        """End what is left of it, TERM first, and hand on the rest of its output; returns the exit status, or minus
        the number of the signal that ended it."""
        self.code = await self._end_all()
        # A process that nothing reaches may hold the pipe: what it says comes too late.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.shield(self._reading)
        self._reading.cancel()
        return self.code

    def abandon(self) -> asyncio.Task[int]:
        """End it without waiting: TERM now, KILL for what is left in two seconds, or when the loop ends. The task is
        done when it has ended."""
        ending = background(self._end_all())
        self._reading.cancel()
        return ending

    async def _end_all(self) -> int:
        code = await self._child.terminate()
        await asyncio.to_thread(_end_strays, f"{_MARK}={self._mark}".encode())
        return code

    async def _read(self) -> None:
        while chunk := await self._child.stdout.read(_CHUNK):
            if self.flooded:
                continue
            self._on_output(chunk[: self._room])
            self._room -= len(chunk)
            if self._room < 0:
                self.flooded = True
                self._child.kill_group()


def _end_strays(mark: bytes) -> None:
    """KILL what has left the group (`setsid`, daemons), where the system shows the environment of processes."""
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in place.read_bytes().split(b"\0"):
                os.kill(int(place.parent.name), signal.SIGKILL)
