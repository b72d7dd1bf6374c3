"""A provider in a process of its own, which answers as the last message asks, and says when it did.

A message like `20000 tokens of 4 characters at 100 a second, seed 7` gets that answer; at 0 a second it comes as fast as
it is taken. For each request a line of JSON goes to the standard output: a `Request`.
"""

from __future__ import annotations

import asyncio
import functools
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

_WISH = re.compile(r"(\d+) tokens of (\d+) characters at (\d+) a second, seed (\d+)")
_WRITE = 16 * 2**10
MARK_EVERY = 20
"""Tokens from one mark to the next, in an answer at some rate."""

_WORDS = ["the", "loader", "reads", "settings", "and", "asks", "for", "a", "model", "when", "none", "answers"]


@dataclass(frozen=True)
class Wish:
    """An answer: so many tokens of so many characters, at a rate (tokens a second; 0: at once)."""

    tokens: int
    chars: int
    rate: int
    seed: int

    def __str__(self) -> str:
        return f"{self.tokens} tokens of {self.chars} characters at {self.rate} a second, seed {self.seed}"

    @property
    def end(self) -> str:
        """Its last word, which stands nowhere else."""
        return word(f"end {self.seed}")

    @property
    def pieces(self) -> list[str]:
        """The answer, token by token. At a rate, every twentieth is a word that stands nowhere else, a mark."""
        return list(_pieces(self))


@dataclass(frozen=True)
class Request:
    """When a request was read, when the first and the last token of its answer were handed to the system, and when each
    mark was: nanoseconds of the monotonic clock."""

    asked: int
    first: int
    last: int
    size: int
    marks: list[tuple[str, int]] = field(default_factory=list)


def word(seed: str) -> str:
    """A word that stands nowhere else."""
    chosen = random.Random(seed)
    return "".join(chosen.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(12))


@functools.lru_cache(maxsize=8)
def _pieces(wish: Wish) -> tuple[str, ...]:
    text, chosen = "", random.Random(wish.seed)
    sections = []
    size, number = 0, 0
    while size < wish.tokens * wish.chars:
        sections.append(_section(chosen, number))
        size += len(sections[-1])
        number += 1
    text = "".join(sections)
    pieces = [text[at : at + wish.chars] for at in range(0, wish.tokens * wish.chars, wish.chars)]
    if wish.rate:
        for number, at in enumerate(range(MARK_EVERY, len(pieces), MARK_EVERY)):
            pieces[at] = f" {word(f'{wish.seed} {number}')} "
    return (*pieces, "\n\n", wish.end)


def _section(chosen: random.Random, number: int) -> str:
    def words(least: int, most: int) -> str:
        return " ".join(chosen.choices(_WORDS, k=chosen.randint(least, most)))

    code = "\n".join(f"    {words(1, 1)} = load({words(1, 1)!r}, {chosen.randint(1, 99)})" for _ in range(6))
    items = "\n".join(f"- **{words(1, 2)}**: {words(6, 16)}" for _ in range(4))
    return (
        f"## {words(2, 5)} {number}\n\n{words(30, 60)}. See `{words(1, 1)}`: {words(10, 30)}.\n\n{items}\n\n"
        f"```python\ndef step_{number}(path):\n{code}\n```\n\n> {words(8, 20)}\n\n"
    )


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    size = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    body = await reader.readexactly(size)
    asked = time.monotonic_ns()
    found = _WISH.findall(json.loads(body)["messages"][-1]["content"])
    wish = Wish(*map(int, found[-1]))
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    marks: list[tuple[str, int]] = []
    first = time.monotonic_ns()
    if wish.rate:
        await _slowly(writer, wish, marks)
    else:
        for block in _blocks(wish):
            _chunk(writer, block)
            await writer.drain()
    last = time.monotonic_ns()
    _chunk(writer, _event({}, "stop") + b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    writer.close()
    print(json.dumps(asdict(Request(asked, first, last, size, marks))), flush=True)


async def _slowly(writer: asyncio.StreamWriter, wish: Wish, marks: list[tuple[str, int]]) -> None:
    begin = time.monotonic()
    for number, piece in enumerate(wish.pieces):
        if (early := begin + number / wish.rate - time.monotonic()) > 0:
            await asyncio.sleep(early)
        if number and number % MARK_EVERY == 0 and number < wish.tokens:
            marks.append((piece.strip(), time.monotonic_ns()))
        _chunk(writer, _event({"content": piece}))
        await writer.drain()


@functools.lru_cache(maxsize=8)
def _blocks(wish: Wish) -> tuple[bytes, ...]:
    """The answer in whole events, as much as a server writes at once."""
    blocks, block = [], bytearray()
    for piece in wish.pieces:
        block += _event({"content": piece})
        if len(block) >= _WRITE:
            blocks.append(bytes(block))
            block.clear()
    return (*blocks, bytes(block))


def _event(delta: dict[str, str], end: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": end}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(chunk, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    if data:
        writer.write(b"%x\r\n%b\r\n" % (len(data), data))


class Provider:
    """The process, seen from the benchmark."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None  # it is a pipe
        self._lines = process.stdout
        self.url = f"http://127.0.0.1:{self._lines.readline().strip()}"

    def request(self) -> Request:
        """The next request that was answered; waits for it."""
        told = json.loads(self._lines.readline())
        return Request(**{**told, "marks": [(mark, when) for mark, when in told["marks"]]})


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that runs."""
    argv: Sequence[str] = [sys.executable, __file__]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Provider(process)
        finally:
            process.terminate()


async def _main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=2**26)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
