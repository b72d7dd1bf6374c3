"""Chats that answer each other for ever end where their budget ends, and a human is told once."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from engine.board_chats import Stage, Voice, is_result, number, stage, told

from motet.board import ChainState, DeliveryState, NoticeKind, PostKind
from motet.models.protocol import Usage
from motet.models.scripted import Answer, ScriptedRequest, Step, call

LOOSE = (
    "agent_posts = 100000\npair_posts = 100000\nboard_posts = 100000\nalert_posts = 100000\nalone_posts = 100000\n"
    "board_tokens_per_day = 1000000000\nmax_tokens = 50000000\n"
)
START = "start it"


def _words(number: int) -> str:
    """Words that are unlike those of other numbers."""
    return " ".join(f"{number * prime % 99991:x}" for prime in (7919, 104729, 1299709, 15485863))


def always(say: Callable[[ScriptedRequest, str], tuple[str, dict[str, object]]]) -> Voice:
    """A model that answers whatever comes with a call, and always says something new; it never ends a chain itself."""
    said = itertools.count(1)

    def voice(request: ScriptedRequest) -> Step:
        if is_result(request):
            return Answer(text="Done.")
        tool, arguments = say(request, _words(next(said)))
        return Answer(calls=(call(tool, arguments, "c1"),))

    return voice


def to(other: str, board: str = "general") -> Voice:
    """Writes to `other` at the start, and replies to whatever comes."""

    def say(request: ScriptedRequest, words: str) -> tuple[str, dict[str, object]]:
        if told(request)[-1] == START:
            return "board_post", {"body": f"@{other} {words}", "board": board}
        return "board_reply", {"post": number(request), "body": words}

    return always(say)


def on_to(other: str, board: str) -> Voice:
    """Writes to `other`, on another board, whatever comes."""
    return always(lambda _, words: ("board_post", {"body": f"@{other} {words}", "board": board}))


async def _alerts(here: Stage) -> list[str]:
    return [one.about for one in await here.boards.notices() if one.kind is NoticeKind.BUDGET]


@pytest.mark.acceptance("S4-013", "S4-054", "S4-055", "S4-082", "S4-057", "VB-06", "T-29")
async def test_two_that_always_answer_end_after_so_many_replies_and_go_on_when_a_human_says_so(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, {"one": to("two"), "two": to("one")}, board=f"hops = 4\n{LOOSE}") as here:
        for name in ("one", "two"):
            await here.add(name)
        await here.talks["one"].ask(START)
        await here.rest()
        authors = [author for author, *_ in await here.posts()]
        assert authors == ["one", "two", "one", "two", "one"]
        (chain,) = await _alerts(here)
        assert (await here.boards.chain(chain)).state is ChainState.SPENT
        assert (await here.settled("two", 3))[-1] == ("declined", "budget", "the budget of its chain is used up")
        assert await here.boards.go_on(chain) == 1
        await here.rest()
        assert [author for author, *_ in await here.posts()] == [*authors, "two", "one", "two", "one"]
        assert await _alerts(here) == [chain, chain]
        assert await here.boards.stop(chain) == 0
        assert (await here.boards.chain(chain)).state is ChainState.STOPPED


async def test_a_ring_of_three_over_three_boards_ends_as_well(tmp_path: Path) -> None:
    voices = {"one": on_to("two", "ab"), "two": on_to("three", "bc"), "three": on_to("one", "ca")}
    async with stage(tmp_path, voices, board=f"hops = 5\n{LOOSE}") as here:
        await here.add("one", "ca", "ab")
        await here.add("two", "ab", "bc")
        await here.add("three", "bc", "ca")
        await here.talks["one"].ask(START)
        await here.rest()
        found = {board: [author for author, *_ in await here.posts(board)] for board in ("ab", "bc", "ca")}
        assert found == {"ab": ["one", "one"], "bc": ["two", "two"], "ca": ["three", "three"]}
        assert len(await _alerts(here)) == 1


@pytest.mark.acceptance("VB-06", "T-29")
async def test_the_tokens_of_a_chain_end_it_and_a_turn_uses_no_more_than_its_post_has(tmp_path: Path) -> None:
    async with stage(tmp_path, {"one": to("two"), "two": to("one")}, board="max_tokens = 3000\nhops = 1000") as here:
        for name in ("one", "two"):
            await here.add(name)
        await here.talks["one"].ask(START)
        await here.rest()
        assert [author for author, *_ in await here.posts()] == ["one"]
        assert await here.settled("two") == [("declined", "budget", "no tokens left")]
        (chain,) = await _alerts(here)
        assert (await here.boards.chain(chain)).tokens == 0  # nothing was sent to the model


async def test_ten_that_look_first_all_answer_a_call_to_everyone(tmp_path: Path) -> None:
    """With the settings that nobody changed: each reads a file, replies, and ends its turn."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "app.py").write_text("def parse(line): return line.split()\n" * 100)

    def voice(request: ScriptedRequest) -> Step:
        if not is_result(request):
            return Answer(calls=(call("read_file", {"path": "app.py"}, "c1"),), usage=Usage(7_000, 300))
        if "def parse" in told(request)[-1]:
            body = f"My view of it: {_words(next(said))}"
            reply = call("board_reply", {"post": number(request), "body": body}, "c2")
            return Answer(calls=(reply,), usage=Usage(8_500, 300))
        return Answer(text="Done.", usage=Usage(9_000, 20))

    said = itertools.count(1)
    names = [f"n{at}" for at in range(10)]
    async with stage(tmp_path, dict.fromkeys(names, voice)) as here:
        for name in names:
            await here.add(name, tools=["readonly"])
        await here.say("@All what would you change in app.py?")
        await here.rest()
        assert sorted(author for author, *_ in await here.posts()) == ["human", *sorted(names)]
        assert await _alerts(here) == []


async def test_a_turn_uses_no_more_than_the_day_leaves(tmp_path: Path) -> None:
    def voice(request: ScriptedRequest) -> Step:
        return Answer(calls=(call("board_read", {"after": next(turns), "limit": 3}, "c1"),), usage=Usage(4_000, 100))

    turns = itertools.count()
    async with stage(tmp_path, {"one": voice}, board="agent_tokens_per_day = 20000") as here:
        await here.add("one")
        for at in range(20):
            await here.say(_words(at) * 20)
        asked = await here.say("@one@ read everything", kind=PostKind.REQUEST)
        await here.rest()
        ((state, rule, reason),) = await here.settled("one")
        assert (state, rule) == ("declined", "cap")
        assert reason.endswith("tokens that are left of today")
        (agent,) = [one for one in await here.boards.agents() if one.address == here.address("one")]
        assert 10_000 < agent.tokens <= 20_000
        assert [(kind, body.partition(":")[0]) for _, kind, body in (await here.posts())[21:]] == [
            ("status", f"{agent.address} stopped at a limit")
        ]
        assert (await here.boards.chain(asked.chain)).state is ChainState.RUNNING


@pytest.mark.acceptance("VB-06", "T-29")
async def test_a_hundred_that_always_answer_end_and_a_busy_board_beside_them_is_not_touched(tmp_path: Path) -> None:
    names = [f"n{at}" for at in range(100)]

    def next_to(at: int) -> Voice:
        other = names[(at + 1) % len(names)]
        return always(lambda request, words: ("board_reply", {"post": number(request), "body": f"@{other} {words}"}))

    voices = {name: next_to(at) for at, name in enumerate(names)}
    voices |= {"helper": to("nobody")}
    async with stage(tmp_path, voices, board=f"hops = 2\n{LOOSE}") as here:
        for name in names:
            await here.add(name)
        await here.add("helper", "calm")
        await here.human.join("calm")
        loud = await here.say("@All discuss")
        asked = [asyncio.create_task(here.say(f"@helper@ question {at}", "calm")) for at in range(5)]
        await asyncio.gather(*asked)
        await here.rest()
        assert await _alerts(here) == [loud.chain]
        assert (await here.boards.chain(loud.chain)).state is ChainState.SPENT
        posts = await here.posts()
        assert 100 < len(posts) <= 1 + 100 + 200
        found = await here.boards.deliveries(limit=100_000)
        assert {one.state for one in found} <= {
            DeliveryState.ANSWERED,
            DeliveryState.ACKED,
            DeliveryState.DECLINED,
            DeliveryState.QUEUED,
        }
        calm = await here.posts("calm")
        assert [author for author, *_ in calm].count("helper") >= 1
        helped = await here.settled("helper", 5)
        assert {state for state, *_ in helped} <= {"answered", "acked"}
