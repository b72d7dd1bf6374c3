"""Bedrock and Gemini as pydantic-ai meets them over HTTP: what came in, and answers in their own forms."""

from __future__ import annotations

import asyncio
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

Json = dict[str, object]


@dataclass(frozen=True)
class Said:
    """One response. With `held` it is not ended: the connection stays open until the client goes."""

    body: bytes
    status: int = 200
    kind: str = "application/json"
    held: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Came:
    """One request; names of headers are in lower case. `left`: the client went before the end."""

    target: str
    headers: dict[str, str]
    body: Json
    left: asyncio.Event = field(default_factory=asyncio.Event)


class Vendor:
    """A server that gives one of `answers` to each request, in order; `came` holds the requests."""

    def __init__(self, answers: Sequence[Said]) -> None:
        self.came: list[Came] = []
        self._answers = list(answers)
        self._open: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
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
        assert task
        self._open.add(task)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
        asked = await reader.readexactly(int(headers.get("content-length", 0)))
        came = Came(first.split()[1], headers, json.loads(asked))
        self.came.append(came)
        said = self._answers.pop(0)
        length = {"Transfer-Encoding": "chunked"} if said.held else {"Content-Length": str(len(said.body))}
        body = b"%x\r\n%b\r\n" % (len(said.body), said.body) if said.held else said.body
        own = {"Content-Type": said.kind, "Connection": "close", **length, **said.headers}
        named = "".join(f"{name}: {value}\r\n" for name, value in own.items())
        writer.write(f"HTTP/1.1 {said.status} Said\r\n{named}\r\n".encode() + body)
        try:
            await writer.drain()
            if said.held:
                while await reader.read(4_096):
                    pass
                came.left.set()
        except ConnectionError:
            came.left.set()
        writer.close()


def bedrock(*events: tuple[str, Json], held: bool = False) -> Said:
    """An answer of `ConverseStream`: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html."""
    return Said(b"".join(map(_frame, events)), kind="application/vnd.amazon.eventstream", held=held)


def _frame(event: tuple[str, Json]) -> bytes:
    """One message of an event stream: https://smithy.io/2.0/aws/amazon-eventstream.html."""
    names = {":event-type": event[0], ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in names.items()
    )
    payload = json.dumps(event[1]).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


def bedrock_error(status: int, code: str, message: str) -> Said:
    """What Bedrock says instead of an answer."""
    return Said(json.dumps({"message": message}).encode(), status, headers={"x-amzn-ErrorType": code})


def gemini(*chunks: Json, held: bool = False) -> Said:
    """An answer of `streamGenerateContent`: https://ai.google.dev/api/generate-content."""
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return Said(body.encode(), kind="text/event-stream", held=held)


def gemini_says(*parts: Json, **more: object) -> Json:
    """A chunk of an answer."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}]}


def gemini_error(status: int, message: str, reason: str, *details: Json) -> Said:
    """What Gemini says instead of an answer."""
    error = {"code": status, "message": message, "status": reason, "details": list(details)}
    return Said(json.dumps({"error": error}).encode(), status)
