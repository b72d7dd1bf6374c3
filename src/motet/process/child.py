"""One child process: its own session and group, asyncio streams, an end that leaves nobody behind.

asyncio's own subprocess transport is not used: its `wait` also waits for whoever holds the pipes, it reaps the
child before its group can be ended (the number may be another's by then), and a start that is cancelled can
hang.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from motet.cores import as_before
from motet.errors import ProcessError
from motet.process.exit import exit_of
from motet.process.guard import guard
from motet.process.programs import find_program

STREAM_LIMIT = 1024 * 1024
"""Bytes that may wait unread in a stream before the child is made to wait."""
GRACE = 2.0
"""Seconds between TERM and KILL."""

_PR_SET_PDEATHSIG = 1


class Child:
    """A running program and the streams to it. Whoever spawned it ends it with `terminate`."""

    __slots__ = ("_ask_to_end", "_exit", "_popen", "_silent", "_transports", "pid", "stderr", "stdin", "stdout")

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    def __init__(self, popen: subprocess.Popen[bytes], ask_to_end: Callable[[int], None] | None = None) -> None:
        self.pid = popen.pid
        self._ask_to_end = ask_to_end
        self._popen = popen
        self._exit = exit_of(popen.pid)
        self._silent: list[asyncio.Event] = []
        self._transports: list[asyncio.BaseTransport] = []

    async def wait(self) -> int:
        """Wait until the program itself has exited, whoever may still hold its output.

        Returns its exit status, or minus the number of the signal that ended it.
        """
        return await asyncio.shield(self._exit)

    async def terminate(self) -> int:
        """End the whole group: TERM, and KILL for what is left after two seconds; returns as `wait`.

        Needed also after the program has exited: what it left running in its group ends too. When this is
        cancelled, KILL comes at once.
        """
        if self._ask_to_end is None or self._exit.done():
            self._signal(signal.SIGTERM)
        else:
            self._ask_to_end(self.pid)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self.wait()
                    for stream in self._silent:
                        await stream.wait()
            self._signal(signal.SIGKILL)
            return await self.wait()
        finally:
            self.kill()

    def kill(self) -> None:
        """End the whole group now, by KILL: for those who cannot wait for `terminate`."""
        if self._popen.returncode is not None:
            return
        self._signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):  # stuck in the kernel: the guard keeps its number
            self._popen.wait(timeout=1)
            guard.forget(self.pid)
        for transport in self._transports:
            transport.close()

    def kill_group(self) -> None:
        """KILL to the whole group; `terminate` is still due."""
        self._signal(signal.SIGKILL)

    async def connect(self) -> None:
        """Make streams of the pipes. `spawn` calls it; nobody else needs to."""
        loop = asyncio.get_running_loop()
        pipes = self._popen
        assert pipes.stdin and pipes.stdout
        writing, protocol = await loop.connect_write_pipe(lambda: _Incoming(loop), pipes.stdin)
        self._transports.append(writing)
        self.stdin = asyncio.StreamWriter(writing, protocol, None, loop)
        incoming: list[asyncio.StreamReader] = []
        for pipe in filter(None, (pipes.stdout, pipes.stderr)):
            reading, protocol = await loop.connect_read_pipe(lambda: _Incoming(loop), pipe)
            self._transports.append(reading)
            self._silent.append(protocol.silent)
            incoming.append(protocol.reader)
        if len(incoming) == 1:
            incoming.append(asyncio.StreamReader(loop=loop))
            incoming[1].feed_eof()
        self.stdout, self.stderr = incoming

    def _signal(self, number: signal.Signals) -> None:
        if self._popen.returncode is None:  # not reaped: the number is still its own
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)


async def spawn(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    merged: bool = False,
    ask_to_end: Callable[[int], None] | None = None,
) -> Child:
    """Start `argv` in `cwd` in a session of its own; it dies when motet dies.

    With `merged`, what it writes to its error stream comes in `stdout`, in the order it was written. `ask_to_end`
    gets its number instead of the TERM that `terminate` begins with. A name without `/` is looked up on the PATH of `env` (of this process when None), never in `cwd`. Nothing
    but the three streams is inherited. Raises `ProcessError` when it cannot be started.
    """
    name = str(argv[0])
    path = None if env is None else env.get("PATH", "")
    program = name if "/" in name else find_program(name, path=path)
    if program is None:
        raise ProcessError(f"{name}: not found; install it or put it on PATH")
    child = Child(_start([program, *argv[1:]], name, cwd, env, merged), ask_to_end)
    guard.watch(child.pid)
    try:
        await child.connect()
    except BaseException:
        child.kill()
        raise
    return child


def _start(
    argv: Sequence[str | Path], name: str, cwd: Path, env: Mapping[str, str] | None, merged: bool
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
            preexec_fn=_die_with(os.getpid()),
        )
    except FileNotFoundError as error:
        missing = name if cwd.is_dir() else str(cwd)
        raise ProcessError(f"{missing}: not found") from error
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise ProcessError(f"{name}: cannot be started ({error})") from error


class _Incoming(asyncio.StreamReaderProtocol):
    """A stream that says when nobody can write to it any more."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.reader = asyncio.StreamReader(STREAM_LIMIT, loop)
        self.silent = asyncio.Event()
        super().__init__(self.reader, loop=loop)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.silent.set()


def _die_with(parent: int) -> Callable[[], None]:
    """What the child does before it becomes the program: ask the kernel to kill it when `parent` dies."""
    prctl = _prctl()
    if prctl is None:
        return as_before

    def before_exec() -> None:
        as_before()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the kernel was asked
            os._exit(1)

    return before_exec


@functools.cache
def _prctl() -> Callable[[int, int], int] | None:
    if sys.platform != "linux":
        return None
    import ctypes

    # `PyDLL` keeps the interpreter's lock: between fork and exec nobody else may run.
    return cast("Callable[[int, int], int]", ctypes.PyDLL(None).prctl)
