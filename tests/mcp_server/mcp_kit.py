"""MCP clients of `motet mcp`: those of the official Python library."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from motet.board import AgentState, Boards

MOTET = Path(sys.executable).with_name("motet")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC")


@dataclass(slots=True)
class Talk:
    """One client that talks with the server."""

    client: Client

    @property
    def address(self) -> str:
        """Of the agent that the client is, as it was told."""
        found = re.match(r"You are `([^`]+)`, on the boards of ", self.client.instructions or "")
        assert found, self.client.instructions
        return found[1]

    async def call(self, tool: str, **arguments: object) -> tuple[bool, str]:
        """Whether a call of `board_<tool>` failed, and its text; times are left out."""
        result = await self.client.call_tool(f"board_{tool}", arguments)
        (content,) = result.content
        return bool(result.is_error), TIME.sub("TIME", content.text)

    async def text(self, tool: str, **arguments: object) -> str:
        """The text of a call that succeeds."""
        failed, text = await self.call(tool, **arguments)
        assert not failed, text
        return text

    async def bodies(self, seconds: float = 20) -> list[str]:
        """What comes for the agent: the bodies, line by line."""
        text = await self.text("wait", seconds=seconds)
        return [line.removeprefix("│ ") for line in text.splitlines() if line.startswith("│ ")]


async def becomes(boards: Boards, address: str, state: AgentState) -> None:
    """Wait until an agent does that."""
    async with asyncio.timeout(60), boards.watching() as watch:
        while (await boards.agent(address)).state is not state:
            await watch.next(1)


@asynccontextmanager
async def stdio(place: Path, *options: str, name: str = "ann", mode: str = "auto") -> AsyncGenerator[Talk]:
    """A client called `name` that starts the server in the directory `place`."""
    server = StdioServerParameters(command=str(MOTET), args=["mcp", *options], cwd=place, env=dict(os.environ))
    about = Implementation(name=name, version="1")
    async with Client(stdio_client(server), client_info=about, mode=mode) as client:
        yield Talk(client)


@asynccontextmanager
async def over_http(door: Door, name: str = "ann", mode: str = "auto") -> AsyncGenerator[Talk]:
    """A client called `name` of a server that runs."""
    about = Implementation(name=name, version="1")
    async with (
        door.http() as http,
        Client(streamable_http_client(door.url, http_client=http), client_info=about, mode=mode) as client,
    ):
        yield Talk(client)


@dataclass(slots=True)
class Raw:
    """A client that writes its messages itself, over standard input and output."""

    process: asyncio.subprocess.Process
    asked: int = 0

    async def write(self, line: str) -> None:
        """One line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        await self.process.stdin.drain()

    async def send(self, method: str, params: Mapping[str, object], **more: object) -> None:
        await self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params} | more))

    async def next(self) -> dict[str, Any]:
        """The next message of the server."""
        assert self.process.stdout is not None
        return json.loads(await asyncio.wait_for(self.process.stdout.readline(), 60))

    async def ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """The answer to a request."""
        self.asked += 1
        await self.send(method, params, id=self.asked)
        answer = await self.next()
        assert answer["id"] == self.asked, answer
        return answer

    async def cancel(self) -> None:
        """Cancel the last request, which is answered; returns when the server knows."""
        await self.send("notifications/cancelled", {"requestId": self.asked, "reason": "AbortError"})
        assert (await self.ask("ping", {}))["result"] == {}

    async def call(self, tool: str, **arguments: object) -> str:
        """The text of an answer of `board_<tool>`."""
        answer = await self.ask("tools/call", {"name": f"board_{tool}", "arguments": arguments})
        (content,) = answer["result"]["content"]
        return content["text"]


@asynccontextmanager
async def raw(
    place: Path, *, name: str = "ann", command: Sequence[str | Path] = (MOTET, "mcp")
) -> AsyncGenerator[Raw]:
    """A client called `name` that starts the server in the directory `place`."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=place, stdin=pipe, stdout=pipe)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    client = Raw(process)
    try:
        await client.ask("initialize", about)
        await client.send("notifications/initialized", {})
        yield client
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 60)


@dataclass(slots=True)
class Door:
    """Where a server listens."""

    process: subprocess.Popen[str]
    url: str
    socket: Path | None = None
    token: str = ""
    file: Path | None = None

    def http(self) -> httpx2.AsyncClient:
        """What can talk to it."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        transport = httpx2.AsyncHTTPTransport(uds=str(self.socket)) if self.socket else None
        return httpx2.AsyncClient(headers=headers, transport=transport, timeout=60, trust_env=False)


@contextmanager
def serving(place: Path, *options: str) -> Generator[Door]:
    """A server in the directory `place`, on a socket or a port."""
    command = [str(MOTET), "mcp", *options]
    process = subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        if found := re.search(r" at (http://\S+); its token is in (\S+)$", said):
            yield Door(process, found[1], None, Path(found[2]).read_text(), Path(found[2]))
        else:
            found = re.search(r" on the socket (\S+), path (/\S+)$", said)
            assert found, said
            yield Door(process, f"http://localhost{found[2]}", Path(found[1]))
    finally:
        process.terminate()
        rest = process.communicate(timeout=60)[1]
    assert (process.returncode, rest) == (0, ""), rest


# A client in a process of its own, to be killed: calls one tool, prints what came, and stays.
DOOMED = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from mcp_server.mcp_kit import Door, over_http, stdio

async def main():
    where = json.loads(sys.argv[2])
    opened = stdio(Path(where["place"])) if "place" in where else over_http(
        Door(None, where["url"], where["socket"] and Path(where["socket"]), where["token"]))
    async with opened as talk:
        print(json.dumps([talk.address]), flush=True)
        print(json.dumps(await talk.bodies()), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


class Doomed:
    """See `DOOMED`."""

    def __init__(self, where: dict[str, str | None]) -> None:
        tests = str(Path(__file__).resolve().parents[1])
        self.process = subprocess.Popen(
            [sys.executable, "-c", DOOMED, tests, json.dumps(where)], stdout=subprocess.PIPE, text=True
        )

    async def line(self) -> list[str]:
        """What it says next."""
        assert self.process.stdout is not None
        return json.loads(await asyncio.to_thread(self.process.stdout.readline))

    def kill(self) -> None:
        """With -9."""
        self.process.kill()
        self.process.wait(30)
