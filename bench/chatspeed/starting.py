"""From the start of `motet ask` to the request on the wire, and from a token that arrives to the token that is shown."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import threading
import time
from pathlib import Path

from measure.run import MOTET, BenchError, Place
from measure.table import Measured

from chatspeed.provider import HTTPX2, PATIENCE, Tokens, cpu_of, run, served, settled
from motet.models.scripted import Answer, ScriptedServer

_TOKEN = "zyzzyva"


def starting(rounds: int) -> list[Measured]:
    """`motet ask`, beside an interpreter that only imports the library it sends requests with; in turns."""
    walls: list[float] = []
    ours: list[float] = []
    theirs: list[float] = []
    running: list[int] = []
    heard: list[tuple[float, float]] = []
    begun = threading.Event()

    def arrived(_: object) -> None:
        now = time.perf_counter()
        begun.wait(PATIENCE)
        heard.append((now, cpu_of(running[-1])))

    server = ScriptedServer([Answer("Well.")], repeat=True, listener=arrived)
    with served(server) as url, settled(url) as (here, cwd):
        for _ in range(rounds + 2):
            begun.clear()
            heard.clear()
            began = time.perf_counter()
            argv = [MOTET, "ask", "hello"]
            with subprocess.Popen(
                argv, cwd=cwd, env=here.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as process:  # fmt: skip
                running.append(process.pid)
                begun.set()
                _, complained = process.communicate(timeout=PATIENCE)
            if process.returncode or not heard:
                raise BenchError(f"motet ask: {complained.decode(errors='replace').strip()[-500:]}")
            walls.append(1e3 * (heard[0][0] - began))
            ours.append(1e3 * heard[0][1])
            theirs.append(1e3 * run(HTTPX2, cwd, here.environment).cpu)
    what = "`motet ask` to the request on the wire"
    return [
        Measured(what, "ms", walls[2:], 400),
        Measured(f"{what}, processor time", "ms", ours[2:], 3, "`import httpx2`", theirs[2:]),
    ]


def first_token(rounds: int) -> list[Measured]:
    """What passes between a token's way onto the wire and its way onto the screen."""
    in_pipe: list[float] = []
    on_terminal: list[float] = []
    tokens = Tokens([_TOKEN, "\n\n", "The end.\n"], pause=0.2)
    with served(tokens) as url, settled(url) as (here, cwd):
        for _ in range(rounds + 1):
            in_pipe.append(1e3 * (_shown_in_pipe(here, cwd) - tokens.wrote[0]))
            on_terminal.append(1e3 * (_shown_on_terminal(here, cwd) - tokens.wrote[0]))
    return [
        Measured("first token in `ask`, from the wire to the pipe", "ms", in_pipe[1:], 30),
        Measured("first token in `chat`, from the wire to the terminal", "ms", on_terminal[1:], 30),
    ]


def _shown_in_pipe(here: Place, cwd: Path) -> float:
    with subprocess.Popen(
        [MOTET, "ask", "-q", "hello"], cwd=cwd, env=here.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None  # asked for above
        seen = _seen(process.stdout.fileno())
        process.communicate(timeout=PATIENCE)
    return seen


def _shown_on_terminal(here: Place, cwd: Path) -> float:
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [MOTET, "chat", "hello"], cwd=cwd, env=here.environment, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        seen = _seen(ours)
        process.terminate()
        _drain(ours)
        process.wait(PATIENCE)
    finally:
        os.close(ours)
    return seen


def _seen(descriptor: int) -> float:
    """When the token could be read."""
    said = b""
    while _TOKEN.encode() not in said:
        ready, _, _ = select.select([descriptor], [], [], PATIENCE)
        piece = os.read(descriptor, 65536) if ready else b""
        if not piece:
            raise BenchError(f"the token was never shown: {said[-500:].decode(errors='replace')}")
        said += piece
    return time.perf_counter()


def _drain(descriptor: int) -> None:
    try:
        while os.read(descriptor, 65536):
            pass
    except OSError:
        return  # the program has ended
