"""Providers on this machine, served by a thread of their own, and programs that ask them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from measure.run import BIN, BenchError, Place, place

from motet.models.scripted import ScriptedServer

PATIENCE = 60.0
"""Seconds after which a program that says nothing is given up."""

HTTPX2 = [BIN / "python", "-c", "import httpx2"]


@dataclass(frozen=True)
class Ended:
    """One run: seconds of processor time of all its threads, and what it wrote."""

    cpu: float
    out: bytes


@dataclass
class Tokens:
    """A provider whose answer is tokens that come one by one: `wrote` says when each was handed to the system, for
    who asked last."""

    texts: Sequence[str]
    pause: float = 0.05
    url: str = ""
    wrote: list[float] = field(default_factory=list)
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Tokens:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # asyncio runs each connection in one
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        await reader.readexactly(length)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        wrote = self.wrote = list[float]()  # who left may still be written to
        with contextlib.suppress(ConnectionError):  # who has seen the token may leave
            for text in self.texts:
                await asyncio.sleep(self.pause)
                wrote.append(time.perf_counter())
                _event(writer, {"content": text})
                await writer.drain()
            _event(writer, {}, "stop")
            writer.write(b"data: [DONE]\n\n")
            await writer.drain()
        writer.close()


def _event(writer: asyncio.StreamWriter, delta: dict[str, str], end: str | None = None) -> None:
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    writer.write(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")


@contextmanager
def served(server: ScriptedServer | Tokens) -> Iterator[str]:
    """The address of `server`, which runs in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(PATIENCE)
        yield server.url
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(PATIENCE)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def settled(url: str, **settings: object) -> Iterator[tuple[Place, Path]]:
    """A place whose settings name the provider at `url`, which may be asked, and a workspace in it."""
    with place() as here:
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        here.settings(
            "\n".join(
                [
                    'model = "own"',
                    *("[permissions]", 'allow = ["send"]', "[chat]", "titles = false", "[providers.own]"),
                    f'base_url = "{url}/v1"',
                    *('dialect = "openai"', 'model = "scripted"', *lines),
                ]
            )
        )
        here.environment["TERM"] = "xterm-256color"
        yield here, here.directory("work")


def run(argv: Sequence[str | Path], cwd: Path, environment: dict[str, str]) -> Ended:
    """Run `argv` to its end. Raises `BenchError` when it fails."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said, complained = (os.pread(file.fileno(), 1 << 28, 0) for file in (out, err))
    if process.returncode:
        raise BenchError(f"{argv[-1]}: exit code {process.returncode}: {complained[-500:].decode(errors='replace')}")
    return Ended(used.ru_utime + used.ru_stime, said)


def cpu_of(pid: int) -> float:
    """Seconds of processor time that the threads of `pid` have used so far. Raises `BenchError` where Linux does not
    say."""
    try:
        files = [task / "schedstat" for task in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int(file.read_text().split()[0]) for file in files) / 1e9
    except (OSError, ValueError, IndexError) as error:
        raise BenchError(f"the processor time of a process that runs is not known here: {error}") from error


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]
