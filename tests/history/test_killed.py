"""A process that writes chats is killed; what it acknowledged is there, and every chat is valid."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from history.history_kit import CHAT, FORK, asked, run_killed, said, script

from motet.history import ChatMissing, History
from motet.messages import Message, MessageStack

NAMES = [name for name, _ in script(History.open(Path()))]
SEED = int(os.environ.get("MOTET_KILL_SEED", "4"))
EVERY = os.environ.get("MOTET_KILL_ALL") == "1"
"""All steps, for the soak run; otherwise a few."""
STATEMENTS = range(1, 300) if EVERY else sorted(random.Random(SEED).sample(range(1, 250), 12))
BYTES = range(68_000, 900_000, 3_000) if EVERY else sorted(random.Random(SEED).sample(range(68_000, 400_000), 12))

TEXTS = {
    "create": [],
    "ask": ["question q1"],
    "call": ["question q1", "answer a1"],
    "results": ["question q1", "answer a1", "result r1", "result r2"],
    "replace": ["question 1, changed", "answer a1", "result r1", "result r2"],
    "many": ["question 1, changed", "answer a1", "result r1", "result r2", "8 more"],
    "remove": ["answer a1", "result r1", "result r2", "8 more"],
    "last": ["answer a1", "result r1", "result r2", "8 more", "question last"],
}
"""What the chat holds after a step, the repairs of `load` left out; after the others, what it held before."""


def plain(messages: list[Message]) -> list[str]:
    """Texts as `TEXTS` has them."""
    texts = [
        message.text
        for message in messages
        if not (message.result and message.result.is_error) and not message.meta.partial
    ]
    long = [text for text in texts if "long" in text]
    assert long in ([], [asked(f"m{n} {'long ' * 1200}").text for n in range(8)])
    return [*(text for text in texts if "long" not in text and text != "question last"), *["8 more"][: len(long)],
            *(text for text in texts if text == "question last")]  # fmt: skip


async def check(state: Path, acknowledged: list[str], *, killed: bool) -> None:
    """The chat is as after the last acknowledged step, or as after the one that was under way."""
    assert acknowledged == NAMES[: len(acknowledged)]
    assert killed or acknowledged == NAMES
    done = [TEXTS[name] for name in acknowledged if name in TEXTS]
    under_way = [TEXTS[name] for name in NAMES[len(acknowledged) :][:1] if name in TEXTS]
    async with History.open(state) as history:
        try:
            chat = await history.load(CHAT)
        except ChatMissing:
            assert not acknowledged
            return
        assert history.notices == []
        assert not MessageStack(*chat.messages).open_calls
        assert plain(list(chat.messages)) in [*done[-1:], *under_way]
        assert chat.info.messages == len([one for one in chat.messages if one.text in said(chat)]) - len(chat.notes)
        if "draft" in acknowledged:
            assert chat.info.draft == "draft"
        if "rename" in acknowledged:
            assert [hit.message_id for hit in await history.search("two")] == [""]
        if acknowledged[-1:] == ["begin"]:
            assert chat.messages[-1].text == "answer a1"  # under way or, when the next step was done, whole
        if acknowledged[-1:] == ["fork"]:
            assert plain(list((await history.load(FORK)).messages)) == TEXTS["remove"]
        found = {hit.message_id for hit in await history.search("question", limit=100) if hit.chat.id == CHAT}
        assert found == {one.id for one in chat.messages if "question" in one.text}
        await history.append(CHAT, [asked("afterwards")])
        assert said(await history.load(CHAT)) == [*(one.text for one in chat.messages), "question afterwards"]


@pytest.mark.acceptance("T-28")
@pytest.mark.parametrize("number", STATEMENTS)
async def test_killed_before_a_statement_nothing_acknowledged_is_lost(state: Path, number: int) -> None:
    acknowledged, killed = run_killed(state, "statements", number)
    await check(state, acknowledged, killed=killed)


@pytest.mark.acceptance("T-28")
@pytest.mark.parametrize("number", BYTES)
async def test_killed_within_a_write_to_the_disk_nothing_acknowledged_is_lost(state: Path, number: int) -> None:
    acknowledged, killed = run_killed(state, "bytes", number)
    await check(state, acknowledged, killed=killed)


async def test_the_script_comes_to_its_end_when_nothing_kills_it(state: Path) -> None:
    acknowledged, killed = run_killed(state, "statements", 1_000_000)
    assert not killed
    await check(state, acknowledged, killed=False)
