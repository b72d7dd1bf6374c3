"""Reading a board of 100,000 posts: opened, searched, digested, watched."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from measure.run import MOTET, BenchError, place
from measure.table import Measured, say

from boardspeed.places import PROJECT, Store, joined, opened
from motet.board import Boards, Draft, PostKind, Query
from motet.board.following import Following

_WORDS = [
    "the",
    "login",
    "test",
    "fails",
    "when",
    "a",
    "file",
    "of",
    "lines",
    "changes",
    "after",
    "review",
    "so",
    "that",
    "nothing",
    "returns",
    "before",
    "the",
    "lock",
]
_JAPANESE = [
    "検索",
    "履歴",
    "関数",
    "変数",
    "編集",
    "保存",
    "確認",
    "実行",
    "修正",
    "追加",
    "削除",
    "設定",
    "を",
    "の",
    "に",
    "は",
    "が",
    "から",
    "ため",
    "して",
]
SEARCHES = {
    "a common word": Query("login"),
    "a rare word": Query("zyzzyva"),
    "the beginning of 5,000 words": Query("val"),
    "one Japanese character": Query("検"),
    "a rare Japanese word": Query("麒麟"),
    "two words in a row": Query('"login test"'),
    "an author": Query(author="a3"),
    "who is mentioned": Query(mention="a8"),
    "a rare word of an author": Query("zyzzyva", author="a0"),
    "decisions": Query(kind=PostKind.DECISION),
    "a path": Query(path="src/part_2/file_42.py"),
    "what nobody wrote": Query("xenomorph"),
    "a state": Query(state="answered"),
}
NOTHING = {"what nobody wrote", "a state"}
_AGENTS = 10


async def filled(store: Store, posts: int) -> tuple[str, list[str]]:
    """A place with a board of so many posts, and the addresses of its agents."""
    at = store.place()
    async with opened(at) as boards:
        board, addresses = await joined(boards, *(f"a{n}" for n in range(_AGENTS)))
        await fill(boards, board, addresses, posts)
    return at, addresses


async def fill(boards: Boards, board: str, addresses: list[str], posts: int) -> None:
    """The same posts for the same number."""
    chance = random.Random(7)
    for first in range(0, posts, 2000):
        some = (_draft(chance, board, addresses, n) for n in range(first, min(first + 2000, posts)))
        await asyncio.gather(*map(boards.post, some))


def _draft(chance: random.Random, board: str, addresses: list[str], number: int) -> Draft:
    words = chance.choices(_WORDS if chance.random() < 0.5 else _JAPANESE, k=12)
    if number % 9_000 == 4_500:
        words += ["zyzzyva", "麒麟"]
    where = f"src/part_{number % 40}/file_{number % 1000}.py value{number % 5000}"
    whom = f"@{addresses[(number * 7 + 3) % _AGENTS]} " if number % 5 == 0 else ""
    kind = PostKind.DECISION if number % 5_000 == 0 else PostKind.MESSAGE
    return Draft(board, addresses[number % _AGENTS], f"{whom}{' '.join(words)} {where}", kind, by_human=True)


async def read(store: Store, at: str, addresses: list[str], posts: int, rounds: int) -> list[Measured]:
    """Opening, searching, and the digest of the last tenth."""
    name, rows = store.engine, list[Measured]()
    rows.append(
        Measured(
            f"{name}: open a board of {posts:,} posts", "ms", await _times(store, rounds, lambda: _open(at)), 100
        )
    )
    async with opened(at) as boards:
        board = (await boards.find(PROJECT, "general")).id
        who = {f"a{n}": address for n, address in enumerate(addresses)}
        for what, query in SEARCHES.items():
            asked = Query(
                **{
                    field: who.get(value, value) if field in ("author", "mention") else value
                    for field, value in ((f, getattr(query, f)) for f in query.__slots__)
                }
            )
            if not await boards.search(asked, [board]) and what not in NOTHING:
                raise BenchError(f"the search for {what} finds nothing")
            taken = await _times(store, rounds, lambda asked=asked: boards.search(asked, [board]))
            rows.append(Measured(f"{name}: search of {posts:,} posts: {what}", "ms", taken, 50))
        unread = posts // 10
        await boards.read_to(board, addresses[0], posts - unread)
        taken = await _times(store, rounds, lambda: boards.digest(board, addresses[0]))
        rows.append(Measured(f"{name}: digest of {unread:,} unread posts", "ms", taken, 50))
    return rows


async def _open(at: str) -> None:
    async with opened(at) as boards:
        following = Following(boards, await boards.find(PROJECT, "general"))
        await following.begin()
        if len(following.posts) != 200:
            raise BenchError("the board is not what was stored")


async def _times(store: Store, rounds: int, work: Callable[[], Awaitable[object]]) -> list[float]:
    """Milliseconds: of processor time where all is done in this process, which others' work does not change."""
    clock = time.process_time if store.engine == "SQLite" else time.perf_counter
    taken: list[float] = []
    for _ in range(rounds + 1):
        began = clock()
        await work()
        taken.append((clock() - began) * 1e3)
    return taken[1:]


def watched(posts: int) -> list[Measured]:
    """Peak memory of `motet board watch` that draws the last tenth of a board, and all of it."""
    with place() as here:
        project, state = here.directory("project"), Path(here.environment["XDG_STATE_HOME"]) / "motet"

        async def store() -> None:
            async with opened(str(state)) as boards:
                board = (await boards.open(str(project))).id
                names = [f"a{n}" for n in range(_AGENTS)]
                addresses = [await _member(boards, board, name) for name in names]
                await fill(boards, board, addresses, posts)

        state.mkdir(parents=True)
        asyncio.run(store())
        peaks = [_peak(here.environment, project, after, posts) for after in (posts // 2, 0)]
    return [
        Measured(f"memory of a watcher of {posts:,} posts", "MB", [peaks[1]], 1.1, f"of {posts // 2:,}", [peaks[0]])
    ]


async def _member(boards: Boards, board: str, name: str) -> str:
    from motet.board import AgentKind, NewAgent

    agent = await boards.register(NewAgent(name, AgentKind.CHAT, name))
    await boards.join(board, agent.address)
    return agent.address


def _peak(environment: dict[str, str], project: Path, after: int, last: int) -> float:
    """Megabytes, at most, until the last post stands there."""
    argv = [MOTET, "board", "watch", "--after", str(after), "--json"]
    with subprocess.Popen(argv, cwd=project, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seq = 0
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "post":
                seq = event["seq"]
            if seq == last:
                break
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.send_signal(signal.SIGINT)
        process.stdout.close()
    if seq != last:
        raise BenchError(f"the watcher ended at post {seq} of {last}")
    say(f"watched from {after:,} on")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1000
