"""`git commit`, as the human would run it: with the human's own hooks and settings."""

from __future__ import annotations

import asyncio
import codecs
from pathlib import Path

from motet.cli.terminal import Terminal
from motet.errors import ProcessError
from motet.process import Child, spawn

_CHUNK = 64 * 1024


async def git_commit(cwd: Path, message: str, terminal: Terminal) -> None:
    """Commit what is staged in the repository around `cwd` with `message`; what git and hooks say goes to `terminal`.

    Raises `ProcessError` when nothing was committed. Cancelled, git is asked to end, so that it leaves no lock behind.
    """
    child = await spawn(["git", "commit", "-F", "-"], cwd=cwd, merged=True)
    drawing = asyncio.create_task(_draw(child, terminal))
    try:
        await _give(child, message)
        code = await child.wait()
        await child.terminate()  # what a hook left running may hold the pipe
        await drawing
    finally:
        await child.terminate()
        drawing.cancel()
    if code != 0:
        how = f"exit code {code}" if code > 0 else f"signal {-code}"
        raise ProcessError(f"git commit failed ({how}); nothing is committed, what is staged stays so")


async def _give(child: Child, message: str) -> None:
    try:
        child.stdin.write(f"{message}\n".encode("utf-8", "replace"))
        await child.stdin.drain()
    except ConnectionError:
        return  # a hook has ended it before it read the message
    finally:
        child.stdin.close()


async def _draw(child: Child, terminal: Terminal) -> None:
    decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
    while chunk := await child.stdout.read(_CHUNK):
        *lines, rest = (rest + decoder.decode(chunk)).split("\n")
        for line in lines:
            terminal.verbatim((line.rstrip("\r"), ""))
    if rest:
        terminal.verbatim((rest, ""))
