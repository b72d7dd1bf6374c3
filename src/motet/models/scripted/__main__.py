"""`python -m motet.models.scripted --script FILE [--port N] [--log FILE] [--lenient]`: a scripted provider for the shell.

Prints its address, then serves until it is interrupted or terminated. The log gets one JSON line a request;
keys are left out of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from motet.errors import MotetError, UsageError
from motet.models.scripted.answers import Script, ScriptedRequest
from motet.models.scripted.script_file import script_from_json
from motet.models.scripted.server import ScriptedServer

_SECRET_HEADERS = frozenset({"authorization", "x-api-key", "proxy-authorization", "cookie"})


def main(arguments: list[str] | None = None) -> int:
    """Run the server; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m motet.models.scripted", description="a scripted model provider")
    parser.add_argument("--script", type=Path, required=True, help="JSON file with the answers")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0: a free one")
    parser.add_argument("--log", type=Path, help="file that gets one JSON line a request")
    parser.add_argument("--lenient", action="store_true", help="also answer what real providers refuse")
    options = parser.parse_args(arguments)
    try:
        asyncio.run(_serve(_read(options.script), options.port, options.log, strict=not options.lenient))
    except (MotetError, OSError) as error:
        print(error, file=sys.stderr)
        return UsageError.exit_code
    return 0


def _read(path: Path) -> Script:
    try:
        return script_from_json(path.read_text("utf-8"))
    except (UsageError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error


async def _serve(script: Script, port: int, log: Path | None, *, strict: bool) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)

    def note(request: ScriptedRequest) -> None:
        headers = {name: "***" if name in _SECRET_HEADERS else value for name, value in request.headers.items()}
        entry = {"target": request.target, "headers": headers, "body": request.body}
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    async with ScriptedServer(script, port=port, listener=note, strict=strict) as server:
        print(server.url, flush=True)
        await stop.wait()


if __name__ == "__main__":
    sys.exit(main())
