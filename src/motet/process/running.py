"""A program that runs while others watch: its output is handed on as it comes, and it can be waited for or ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from motet.process.child import Child, spawn

_CHUNK = 64 * 1024
_ending: set[asyncio.Task[int]] = set()


class Running:
    """A program without input. Whoever started it calls `end` or, when there is no time to wait, `abandon`."""

    def __init__(self, child: Child, on_output: Callable[[bytes], None], max_bytes: int) -> None:
        """See `start`."""
        self._child = child
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
        child = await spawn(argv, cwd=cwd, env=env, merged=True, ask_to_end=ask_to_end)
        child.stdin.close()
        return cls(child, on_output, max_bytes)

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
        self.code = await self._child.terminate()
        # A process that has left the group may hold the pipe: what it says comes too late.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.shield(self._reading)
        self._reading.cancel()
        return self.code

    def abandon(self) -> None:
        """End it without waiting: TERM now, KILL for what is left in two seconds, or when the loop ends."""
        ending = asyncio.create_task(self._child.terminate())
        _ending.add(ending)
        ending.add_done_callback(_ending.discard)
        self._reading.cancel()

    async def _read(self) -> None:
        while chunk := await self._child.stdout.read(_CHUNK):
            if self.flooded:
                continue
            self._on_output(chunk[: self._room])
            self._room -= len(chunk)
            if self._room < 0:
                self.flooded = True
                self._child.kill_group()
