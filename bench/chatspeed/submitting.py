"""A long chat: going on with it, and saying something in it."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from history_speed import turns
from measure.run import BenchError, Place
from measure.table import Measured

from chatspeed.provider import percentile, settled
from motet.chat import Chat, Ended
from motet.chat.events import End
from motet.engine import Engine, Front
from motet.history import ChatInfo, History
from motet.models.protocol import TextDelta
from motet.paths import state_dir
from motet.tools import AcceptAll
from motet.tools.kit import Nobody

_WINDOW = 4_000_000
"""Tokens: nothing has to be left out or summed up."""


def long_chat(rounds: int, messages: int) -> list[Measured]:
    """Resume and submit in a chat of so many messages, 500 bytes each."""
    with settled("http://127.0.0.1:1", context_tokens=_WINDOW) as (here, cwd):
        script = here.root / "script.json"
        script.write_text(json.dumps({"answers": [{"text": "Noted."}], "repeat": True}))
        with subprocess.Popen(
            [sys.executable, "-m", "motet.models.scripted", "--script", script, "--lenient"],
            stdout=subprocess.PIPE, text=True, env=here.environment,
        ) as server:  # fmt: skip
            assert server.stdout is not None  # asked for above
            url = server.stdout.readline().strip()
            config = Path(here.environment["XDG_CONFIG_HOME"]) / "motet" / "config.toml"
            config.write_text(config.read_text().replace("http://127.0.0.1:1", url))
            try:
                return asyncio.run(_measure(here, cwd, rounds, messages))
            finally:
                server.terminate()


async def _measure(here: Place, cwd: Path, rounds: int, messages: int) -> list[Measured]:
    async with History.open(state_dir(here.environment)) as history:
        stored = await history.create(ChatInfo(title="long", workspace=str(cwd)))
        said = list(turns(random.Random(6), messages))
        await history.append(stored.id, said)
    size = sum(len(message.text.encode()) for message in said)
    resumed: list[float] = []
    for _ in range(rounds + 1):
        gc.collect()
        began = time.perf_counter()
        async with _opened(here, cwd, stored.id):
            resumed.append(1e3 * (time.perf_counter() - began))
    async with _opened(here, cwd, stored.id) as chat:
        submitted = [await _submit(chat, f"What about number {number}?") for number in range(4 * rounds + 2)][2:]
    what = f"a chat of {messages:,} messages, {size / 1e6:.1f} MB"
    return [
        Measured(f"resume {what}", "ms", resumed[1:], 300),
        Measured(f"submit in {what}, processor time", "ms", submitted),
        Measured(f"submit in {what}, processor time at the 95th percentile", "ms", [percentile(submitted, 0.95)], 30),
    ]


@asynccontextmanager
async def _opened(here: Place, cwd: Path, chat: str) -> AsyncGenerator[Chat]:
    engine = Engine(cwd, environ=here.environment)
    model, _ = await engine.choose_model()
    async with engine.chats(Front(AcceptAll(), Nobody())) as chats:
        yield await chats.open(chat, model)


async def _submit(chat: Chat, text: str) -> float:
    """Milliseconds of processor time, of all threads, until the answer begins: the request is written, and stored."""
    began = time.process_time()
    taken = 0.0
    async with aclosing(chat.send(text)) as events:
        async for event in events:
            if isinstance(event, TextDelta) and not taken:
                taken = 1e3 * (time.process_time() - began)
            if isinstance(event, Ended) and event.reason is not End.DONE:
                raise BenchError(f"a turn of the long chat failed: {event.detail}")
    return taken
