"""How long stored chats take: messages appended, a long chat loaded, and words searched for.

    python bench/history_speed.py [--rounds N] [--stored N] [--messages N] [--json]

Time on the clock, on the disk of the temporary directory, through the asynchronous face.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from measure.run import BenchError
from measure.table import Measured, Result, main, measured, say

from motet.history import ChatInfo, History
from motet.messages import Message, MessageStack, Meta, Role, Text, ToolCall, ToolResult, tags

ABOUT = (
    "In time on the clock. Each append waits for the disk; *beside* it is a write of as many bytes and an `fsync`. "
    "The long chat has hidden files and tool rounds in it. What is searched is half English, half Japanese, made up by "
    "seed; the words are rare and common ones, of one character and more."
)
ENGLISH = [
    *("the", "of", "and", "in", "so", "that", "is", "it", "before", "anything", "chat", "stores", "each", "message"),
    *("sent", "no", "crash", "loses", "search", "finds", "words", "titles", "editor", "waits", "nothing", "index"),
    *(
        "small",
        "terms",
        "test",
        "fails",
        "when",
        "file",
        "lines",
        "change",
        "after",
        "getUserName",
        "returns",
        "null",
    ),
]
JAPANESE = [
    *(
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
        "読み込み",
        "書き込み",
    ),
    *(
        "ファイル",
        "メッセージ",
        "エディタ",
        "を",
        "の",
        "に",
        "は",
        "が",
        "から",
        "ため",
        "して",
        "できる",
        "です",
        "型",
        "値",
    ),
]
SEARCHES = {
    "a common word": "message",
    "two common words": "search words",
    "a rare word": "zyzzyva",
    "a rare and a common word": "zyzzyva message",
    "part of an identifier": "user name",
    "the beginning of a word": "mess",
    "the beginning of 50,000 words": "val",
    "a longer beginning of 50,000 words": "value",
    "one Japanese character": "検",
    "two Japanese characters": "履歴",
    "a rare Japanese word": "麒麟",
    "a Japanese phrase": "ファイルメッセージ",
    "nothing": "xenomorph",
    "every text": "e",
}


def measure(rounds: int, stored: int, messages: int) -> Result:
    """The table."""
    rows = asyncio.run(_measure(rounds, stored, messages))
    return measured("Stored chats", f"{ABOUT} {rounds} rounds, after one that does not count.", rows)


async def _measure(rounds: int, stored: int, messages: int) -> list[Measured]:
    rows: list[Measured] = []
    with tempfile.TemporaryDirectory() as directory:
        state = Path(directory) / "state"
        say(f"storing {stored:,} messages …")
        began = time.perf_counter()
        async with History.open(state) as history:
            await _fill(history, stored)
            say(f"stored in {time.perf_counter() - began:.1f} s")
            rows += await _appends(history, max(rounds, 20), Path(directory) / "beside", stored)
            rows += await _draft(history, max(rounds, 20))
            long = await _long(history, messages)
        rows.append(await _load(state, long, rounds, messages))
        async with History.open(state) as history:
            for name, query in SEARCHES.items():
                say(f"{name} …")
                milliseconds = await _times(rounds, lambda query=query: history.search(query))
                rows.append(Measured(f"search of {stored:,} messages: {name}", "ms", milliseconds, 50))
            milliseconds = await _times(rounds, lambda: history.search("message", workspace="/work/7"))
            rows.append(Measured("the same in one workspace of ten: a common word", "ms", milliseconds, 50))
            rows.append(Measured("list of the last 50 chats", "ms", await _times(rounds, history.list), 50))
        say(f"{(state / 'history.db').stat().st_size / 1e6:.0f} MB")
    return rows


async def _times(rounds: int, work: Callable[[], Awaitable[object]]) -> list[float]:
    taken: list[float] = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - began) * 1e3)
    return taken[1:]


async def _fill(history: History, stored: int) -> None:
    seed = random.Random(4)
    each = 500
    for number in range(-(-stored // each)):
        chat = await history.create(ChatInfo(title=_words(seed, 4), workspace=f"/work/{number % 10}"))
        count = min(each, stored - number * each)
        await history.append(chat.id, [_said(seed, at) for at in range(count)])
    rare = await history.create(ChatInfo(title="rare", workspace="/work/7"))
    await history.append(rare.id, [Message.user("the zyzzyva message"), Message.user("麒麟のメッセージ")])


def _words(seed: random.Random, count: int) -> str:
    if seed.random() < 0.5:
        return " ".join(seed.choices(ENGLISH, k=count))
    return "".join(seed.choices(JAPANESE, k=count)) + "。"


def _said(seed: random.Random, at: int) -> Message:
    text = "\n".join([*(_words(seed, 12) for _ in range(seed.randint(1, 8))), f"value{seed.randint(1, 50_000)}"])
    return Message(Role.ASSISTANT if at % 2 else Role.USER, (Text(text),), meta=Meta(cycle=at // 2 + 1))


async def _appends(history: History, rounds: int, file: Path, stored: int) -> list[Measured]:
    seed = random.Random(5)
    chat = await history.create(ChatInfo(title="appends", workspace="/work/1"))
    ours: list[float] = []
    theirs: list[float] = []
    with file.open("wb", buffering=0) as beside:
        for at in range(rounds + 1):
            message = _said(seed, at)
            began = time.perf_counter()
            await history.append(chat.id, [message])
            middle = time.perf_counter()
            beside.write(message.text.encode())
            _sync(beside.fileno())
            ours.append((middle - began) * 1e3)
            theirs.append((time.perf_counter() - middle) * 1e3)
    what = f"append of a message to {stored:,}"
    return [Measured(what, "ms", ours[1:], 8, "write and fsync of its text", theirs[1:])]


def _sync(handle: int) -> None:
    import os

    os.fsync(handle)


async def _draft(history: History, rounds: int) -> list[Measured]:
    chat = (await history.list(limit=1))[0].id
    drafts = await _times(rounds, lambda: history.set_draft(chat, "draft " * 200))
    answer = Message(Role.ASSISTANT, (Text("answer " * 3_000),))
    partials = await _times(rounds, lambda: history.partial(chat, answer))
    await history.settle(chat)
    return [
        Measured("a draft of 1 kB", "ms", drafts, 10),
        Measured("an answer under way, 20 kB", "ms", partials, 10),
    ]


async def _long(history: History, count: int) -> str:
    chat = await history.create(ChatInfo(title="long", workspace="/work/1"))
    await history.append(chat.id, list(turns(random.Random(6), count)))
    return chat.id


def turns(seed: random.Random, count: int) -> Iterator[Message]:
    """Turns of four messages, 500 bytes each."""
    for at in range(count // 4):
        meta = {"cycle": at + 1, "estimated_tokens": 160, "sent": True}
        call = ToolCall(f"call_{at}", "read_file", '{"path": "src/a.py"}')
        yield Message(Role.USER, (Text(_words(seed, 90)[:500]),), meta=Meta(**meta))
        yield Message(Role.ASSISTANT, (Text(_words(seed, 90)[:500]),), calls=(call,), meta=Meta(**meta))
        result = ToolResult(call.id, call.name)
        yield Message(
            Role.TOOL, (Text("x = 1\n" * 80),), result=result, visible=False, meta=Meta(tag=tags.TOOL_OUTPUT, **meta)
        )
        yield Message(Role.ASSISTANT, (Text(_words(seed, 90)[:500]),), meta=Meta(**meta))


async def _load(state: Path, chat: str, rounds: int, messages: int) -> Measured:
    taken: list[float] = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        async with History.open(state) as history:
            stored = await history.load(chat)
            MessageStack(*stored.messages)
            taken.append((time.perf_counter() - began) * 1e3)
        if len(stored.messages) != messages // 4 * 4 or stored.notes:
            raise BenchError("the long chat is not what was stored")
    size = sum(len(message.text.encode()) for message in stored.messages)
    return Measured(f"open and load a chat of {messages:,} messages, {size / 1e6:.1f} MB", "ms", taken[1:], 100)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"rounds": 9, "stored": 100_000, "messages": 2_000}, measure))
