"""The floor of `floor_process.lua`: asyncio, msgpack, and the least that reads a stream. It does one thing, for one server."""

import asyncio
import json
import os
import sys

import msgpack

FRAME = 0.03


class Floor:
    """Appends what it reads, every 30 ms."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
        self.out, _ = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(os.dup(1), "wb"))
        self.tell("floor_ready()")
        unpacker = msgpack.Unpacker()
        while data := await reader.read(1 << 18):
            unpacker.feed(data)
            for message in unpacker:
                if message[0] == 2:
                    self.task = asyncio.create_task(self.stream(*message[2]))

    def tell(self, code: str, *arguments: object) -> None:
        self.out.write(msgpack.packb([2, "nvim_exec_lua", [code, arguments]]))

    def flush(self) -> None:
        self.timer = None
        if self.waiting:
            self.tell("floor_hear(...)", "".join(self.waiting))
            self.waiting.clear()

    async def stream(self, url: str, body: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 20)
        data = body.encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        rest = b""
        while data := await reader.read(1 << 18):
            # Whole events come in each chunk: what stands between them begins in another way.
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.startswith(b"data: {"):
                    self.waiting.append(json.loads(line[6:])["choices"][0]["delta"].get("content", ""))
            if self.waiting and self.timer is None:
                self.timer = asyncio.get_running_loop().call_later(FRAME, self.flush)
        if self.timer:
            self.timer.cancel()
        self.flush()
        self.tell("floor_ended()")
        writer.close()


asyncio.run(Floor().run())
