"""One client over standard input and output, which nothing else may write to."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
from collections.abc import AsyncIterator
from typing import Any, cast

from mcp.server.stdio import stdio_server

from motet.errors import UsageError
from motet.mcp.caller import Caller, Place
from motet.mcp.server import serving

LONGEST = 32 * 1024 * 1024
"""Bytes of one message; a client that sends a longer one is not understood any more."""


async def serve_stdio(place: Place) -> None:
    """Serve the client that started this, until it ends. Raises `UsageError` when none did."""
    wire = await _Wire.open()
    caller = Caller(place)
    server = serving(caller)
    try:
        # The library reads and writes lines of whatever can do so; its own reader cannot be cancelled.
        async with stdio_server(cast("Any", wire), cast("Any", wire)) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await caller.close("its session ended")


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)"
)
"""In JSON: a pair that is one character, half of one, any other escape."""


def whole(sent: bytes) -> str:
    """A message as text, with U+FFFD for each half of a character, which clients send that cut a text in the middle of one,
    and for what is no text: the library does not answer a request that holds one."""
    line = sent.decode("utf-8", "replace")
    if "\\u" not in line:
        return line
    return _ESCAPE.sub(lambda found: "\\ufffd" if len(found[0]) == 6 and found[0][2] in "dD" else found[0], line)


class _Wire:
    """Lines from standard input and to standard output."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls) -> _Wire:
        """Take both away from everything else: what a library prints goes where errors go."""
        kind = os.fstat(0).st_mode
        if sys.stdin.isatty() or not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
            raise UsageError(
                "this is started by an MCP client, which talks to it; `motet mcp --help` says how to set it up"
            )
        given, out = (os.fdopen(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb")))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LONGEST)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), given)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, out)
        return cls(reader, asyncio.StreamWriter(transport, protocol, None, loop))

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._reader.readline():
            yield whole(line)

    async def write(self, text: str) -> None:
        """Send it, once there is room."""
        self._writer.write(text.encode("utf-8", "surrogatepass"))

    async def flush(self) -> None:
        """Wait until there is room for more."""
        await self._writer.drain()
