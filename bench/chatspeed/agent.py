"""A thousand turns of an agent that reads files, with a model inside this process."""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import time
import tracemalloc
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from measure.run import BenchError, Place
from measure.table import Measured

from chatspeed.provider import settled
from motet.chat import Chat, Ended
from motet.chat.events import End
from motet.engine import Engine, Front
from motet.messages import ToolCall
from motet.models.protocol import (
    Completed,
    Destination,
    Limits,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ToolCallDelta,
    Usage,
)
from motet.models.providers.openai_compatible import ChatCompletions
from motet.tools import AcceptAll
from motet.tools.kit import Nobody

_FILE = "".join(f"value_{number} = {number}  # the number that stands in line {number}\n" for number in range(60))
_ANSWER = "It holds sixty values, one a line; nothing in it calls anything else. " * 10


@dataclass(frozen=True)
class Size:
    """Megabytes: all memory of Python, and of it the texts of a chat, which it holds with one, two or four bytes for a
    character; and these texts in UTF-8."""

    memory: float = 0.0
    held: float = 0.0
    utf8: float = 0.0

    def above(self, other: Size) -> Size:
        """What it is more than `other`."""
        return Size(self.memory - other.memory, self.held - other.held, self.utf8 - other.utf8)


class Reading:
    """Reads a file in each turn, then says something about it. Keeps the last request only. See `Model`."""

    name = "reading"
    limits = Limits(1_000_000_000, 8_000, tools=True)
    price = None
    destination = Destination("scripted", "in this process", remote=False)

    def __init__(self) -> None:
        self.request: ModelRequest | None = None
        self._count = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `Model`."""
        self.request = request
        self._count += 1
        if self._count % 2:
            call = ToolCall(f"call_{self._count}", "read_file", json.dumps({"path": "values.py"}))
            yield ToolCallDelta(0, call.arguments, call.id, call.name)
            yield Completed("tool_calls", (call,), (), Usage(100, 20))
            return
        for first in range(0, len(_ANSWER), 40):
            yield TextDelta(_ANSWER[first : first + 40])
        yield Completed("stop", (), (), Usage(100, 200))


def agent(turns: int) -> list[Measured]:
    """Processor time and memory of a long run. The provider's own part is what its dialect makes of the last request."""
    with settled("http://127.0.0.1:1") as (here, cwd):
        (cwd / "values.py").write_text(_FILE)
        model, taken, _ = asyncio.run(_run(here, cwd, turns, traced=False))
        _, _, grown = asyncio.run(_run(here, cwd, turns, traced=True))
    assert model.request is not None  # it was asked
    tenth = max(turns // 10, 1)
    early, late = statistics.median(taken[tenth : 2 * tenth]), statistics.median(taken[-tenth:])
    encoded = _encoding(model.request)
    return [
        Measured(f"a turn of an agent, after {turns // 10:,}, processor time", "ms", taken[tenth : 2 * tenth]),
        Measured(f"a turn of an agent, after {turns:,}, processor time", "ms", taken[-tenth:]),
        Measured(
            "what a turn takes longer at the end", "ms", [max(late - early, 0.0)], 1,
            "encoding its two requests for a provider", [2 * encoded],
        ),
        Measured(f"memory that {turns:,} turns of an agent take", "MB", [grown.memory], 2, "their text, as Python holds it", [grown.held]),
        Measured("the same", "MB", [grown.memory], None, "their text in UTF-8", [grown.utf8]),
    ]  # fmt: skip


async def _run(here: Place, cwd: Path, turns: int, *, traced: bool) -> tuple[Reading, list[float], Size]:
    """The model, milliseconds for each turn, and by how much memory and text have grown after the first tenth."""
    taken: list[float] = []
    model = Reading()
    if traced:
        tracemalloc.start()
    async with Engine(cwd, environ=here.environment).chats(Front(AcceptAll(), Nobody())) as chats:
        chat = chats.new(model, tools=["read_file"])
        before = Size()
        for number in range(turns):
            if number == turns // 10:
                before = _size(chat)
            began = time.process_time()
            await _turn(chat, number)
            taken.append(1e3 * (time.process_time() - began))
        after = _size(chat)
    tracemalloc.stop()
    return model, taken, after.above(before)


async def _turn(chat: Chat, number: int) -> None:
    async with aclosing(chat.send(f"Look at values.py again, for the {number}th time.")) as events:
        async for event in events:
            if isinstance(event, Ended) and event.reason is not End.DONE:
                raise BenchError(f"turn {number} of the agent ended: {event.reason} {event.detail}")


def _size(chat: Chat) -> Size:
    gc.collect()
    texts = [
        text for message in chat.messages for text in (message.text, *(call.arguments for call in message.calls))
    ]
    return Size(
        tracemalloc.get_traced_memory()[0] / 1e6,
        sum(map(sys.getsizeof, texts)) / 1e6,
        sum(len(text.encode()) for text in texts) / 1e6,
    )


def _encoding(request: ModelRequest) -> float:
    """Milliseconds of processor time that the dialect and JSON take for `request`."""
    dialect = ChatCompletions("own", "scripted")
    taken: list[float] = []
    for _ in range(5):
        began = time.process_time()
        json.dumps(dialect.body(request)).encode()
        taken.append(1e3 * (time.process_time() - began))
    return statistics.median(taken)
