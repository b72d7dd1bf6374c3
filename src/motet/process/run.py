"""Run a program to its end, within a limit of time and of bytes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.errors import ProcessError
from motet.process.child import Child, spawn
from motet.tasks import background

_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Output:
    """What a program said. `code` is its exit status, or minus the number of the signal that ended it.

    `truncated`: one of the streams was longer than the limit; its head is here, the rest was read and dropped.
    """

    code: int
    stdout: bytes
    stderr: bytes
    truncated: bool


async def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    timeout: float,
    env: Mapping[str, str] | None = None,
    max_bytes: int = 8 * 2**20,
    stdin: bytes = b"",
) -> Output:
    """Run `argv` in `cwd` for at most `timeout` seconds and return what it said, any exit status included.

    At most `max_bytes` of each stream are kept. What it leaves running in its group ends with it. Raises
    `ProcessError` when it cannot be started or runs too long; its whole group has ended then. Cancellation
    returns at once, and the group ends in the background.
    """
    child = await spawn(argv, cwd=cwd, env=env)
    out, err = _Capped(max_bytes), _Capped(max_bytes)
    talk = [
        asyncio.create_task(_feed(child, stdin)),
        asyncio.create_task(out.read(child.stdout)),
        asyncio.create_task(err.read(child.stderr)),
    ]
    try:
        async with asyncio.timeout(timeout):
            await child.wait()
        code = await child.terminate()
        await asyncio.gather(*talk)
    except TimeoutError as error:
        await child.terminate()
        raise ProcessError(f"{argv[0]}: no end after {timeout:g} s; stopped") from error
    except asyncio.CancelledError:
        background(child.terminate())  # at the end of the loop this becomes `kill`
        raise
    finally:
        for task in talk:
            task.cancel()
    return Output(code, bytes(out.kept), bytes(err.kept), out.truncated or err.truncated)


async def _feed(child: Child, data: bytes) -> None:
    # A program may exit, or close its input, before it has read everything.
    with contextlib.suppress(ConnectionError):
        child.stdin.write(data)
        await child.stdin.drain()
    child.stdin.close()


class _Capped:
    """The head of a stream; the tail is read all the same, so that the writer never waits."""

    def __init__(self, limit: int) -> None:
        self.kept = bytearray()
        self.truncated = False
        self._limit = limit

    async def read(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(_CHUNK):
            room = self._limit - len(self.kept)
            self.kept += chunk[:room]
            self.truncated = self.truncated or len(chunk) > room
