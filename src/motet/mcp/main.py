"""`motet mcp`: serve until the client is gone, or a signal comes."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from pathlib import Path

from motet.engine import load
from motet.engine.boards import open_boards, project_of
from motet.engine.faults import FaultLog
from motet.errors import ExitCode, UsageError
from motet.mcp.asked import Asked
from motet.mcp.caller import Place
from motet.paths import state_dir
from motet.workspace import find_workspace

_ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(asked: Asked, start: Path) -> int:
    """Serve the boards of the project around `start`. Raises `MotetError`."""
    if asked.socket is not None and asked.port is not None:
        raise UsageError("--socket and --port: take one of them")
    return asyncio.run(_serve(asked, start))


async def _serve(asked: Asked, start: Path) -> int:
    root = find_workspace(start)
    loaded = load(start, {})
    for notice in loaded.notices:
        print(f"motet: {notice}", file=sys.stderr)
    settings, state = loaded.settings.board, state_dir()
    here = f"{socket.gethostname()}:{root}" if settings.url else str(root)
    FaultLog(state).catch("mcp", lambda line: print(f"motet: {line}", file=sys.stderr))
    ended: list[int] = []
    async with open_boards(settings, state) as boards:
        place = Place(boards, project_of(settings, root), root, here, state, asked, settings.all_tokens)
        serving = asyncio.create_task(_door(place))

        def end(number: int) -> None:
            ended.append(number)
            serving.cancel()

        loop = asyncio.get_running_loop()
        for number in _ENDINGS:
            loop.add_signal_handler(number, end, number)
        try:
            await serving
        except asyncio.CancelledError:
            if not ended:
                raise
    return ExitCode.INTERRUPTED if signal.SIGINT in ended else ExitCode.DONE


async def _door(place: Place) -> None:
    if place.asked.socket is None and place.asked.port is None:
        from motet.mcp.stdio import serve_stdio

        return await serve_stdio(place)
    from motet.mcp.http import serve_http

    return await serve_http(place)
