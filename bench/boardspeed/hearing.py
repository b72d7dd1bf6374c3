"""How soon a recipient has what calls it, what that costs the others, and what it costs to wait for nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from chatspeed.provider import percentile
from measure.run import BenchError
from measure.table import Measured

from boardspeed.places import Store, counting, joined, opened
from motet.board import Draft, Hint
from motet.board.following import Following
from motet.board.store import LOOK

_PAUSE = 0.05
"""Seconds between two posts."""
_KNOWN = 1_000
"""Hints that say nothing new."""


async def notified(store: Store, agents: int, processes: int, posts: int) -> list[Measured]:
    """From the call that posts to the recipient's having the post, with so many agents that wait, in processes of their
    own; each post calls one of them, and wakes nobody else."""
    at = store.place()
    names = [f"a{n}" for n in range(agents)]
    async with opened(at) as boards:
        board, addresses = await joined(boards, "writer", *names)
    files = Path(os.environ.get("TMPDIR", "/tmp")) / f"motet-bench-heard-{os.getpid()}"
    files.mkdir()
    per = agents // processes
    children = [
        apart(lambda n=n: _wait_for_posts(at, addresses[1 + n * per : 1 + (n + 1) * per], files / str(n)))
        for n in range(processes)
    ]
    try:
        sent: dict[str, float] = {}
        async with opened(at) as boards:
            until = time.monotonic() + 120
            while len(list(files.glob("*.ready"))) < processes:
                if time.monotonic() > until:
                    raise BenchError("the agents did not come")
                await asyncio.sleep(0.05)
            for number in range(posts + 20):
                whom = addresses[1 + number * 37 % agents]
                sent[str(number)] = time.monotonic()
                await boards.post(Draft(board, addresses[0], f"@{whom} {number}", by_human=True))
                await asyncio.sleep(_PAUSE)
            await asyncio.sleep(1)
    finally:
        end(children)
    heard = dict(line.split() for file in files.glob("*[0-9]") for line in file.read_text().splitlines())
    for file in files.iterdir():
        file.unlink()
    files.rmdir()
    taken = sorted((float(heard[number]) - sent[number]) * 1e3 for number in sent if number in heard)
    if len(taken) < len(sent):
        raise BenchError(f"{len(sent) - len(taken)} of {len(sent)} posts did not arrive")
    taken = [(float(heard[n]) - sent[n]) * 1e3 for n in sent if int(n) >= 20]  # the first ones warm up
    where = f"{processes} processes" if processes > 1 else "one process"
    what = f"{store.engine}: a post is with its recipient, {agents} agents in {where}"
    return [Measured(what, "ms", taken), Measured(f"{what}, p99", "ms", [percentile(taken, 0.99)], 50)]


def end(children: Sequence[int]) -> None:
    """End processes that `apart` has begun."""
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


async def _wait_for_posts(at: str, addresses: list[str], file: Path) -> None:
    with file.open("a", buffering=1) as heard:
        async with opened(at) as boards:

            async def one(address: str) -> None:
                async with boards.watching([address]) as watch:
                    while True:
                        for delivery in await boards.pull(address):
                            now = time.monotonic()
                            heard.write(f"{delivery.post.body.rpartition(' ')[2]} {now}\n")
                            await boards.carried(address, [delivery.id], "turn")
                        await watch.next(2 * LOOK)

            waiting = [asyncio.create_task(one(address)) for address in addresses]
            await asyncio.sleep(0.5)
            file.with_suffix(".ready").touch()
            await asyncio.gather(*waiting)


def apart(work: Callable[[], Awaitable[None]]) -> int:
    """Run `work` in a process of its own, which has all modules already; its id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    try:
        asyncio.run(work())  # type: ignore[arg-type]
        os._exit(0)
    except BaseException:  # noqa: BLE001 (it is all that this process does)
        traceback.print_exc()
    finally:
        os._exit(1)


async def idle(store: Store, seconds: int) -> list[Measured]:
    """What a process that reads along on a quiet board costs, and how often it asks when it is woken for nothing."""
    at = store.place()
    boards, counted, _ = counting(at)
    other, _, bell = counting(at)
    async with boards, other:
        board, (writer,) = await joined(boards, "writer")
        await boards.post(Draft(board, writer, "the only one"))
        following = Following(boards, (await boards.boards())[0])
        await following.begin()
        reading = asyncio.create_task(_read(following))
        await other.boards()
        await asyncio.sleep(0.5)
        began, used = time.monotonic(), time.process_time()
        await asyncio.sleep(seconds)
        share = (time.process_time() - used) / (time.monotonic() - began) * 100
        asked: list[float] = []
        for _ in range(3):  # in one of them nobody looks by itself
            before = counted.many
            for _ in range(_KNOWN):
                bell.ring([Hint(board, 1)])
            await asyncio.sleep(0.5)
            asked.append(counted.many - before)
        reading.cancel()
    return [
        Measured(f"{store.engine}: processor time of who reads along on a quiet board", "%", [share], 0.3),
        Measured(f"{store.engine}: questions to the store in {_KNOWN:,} wake-ups for nothing", "", [min(asked)], 0),
    ]


async def _read(following: Following) -> None:
    async for _ in following.news():
        pass
