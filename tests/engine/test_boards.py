"""Chats that talk with each other on boards, with real parts."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from engine.board_chats import Stage, is_result, number, says, stage, told

from motet.board import AgentState, PostKind, clock
from motet.chat import End, Ended
from motet.messages import Role, tags
from motet.models.scripted import Answer, ScriptedRequest, Step, call
from motet.paths import state_dir


def replies(text: str):
    """Answers each post with `text`, then ends its turn."""

    def voice(request: ScriptedRequest) -> Step:
        if is_result(request) or "\n│ " not in "\n".join(told(request)):
            return Answer(text="Done.")
        return Answer(calls=(call("board_reply", {"post": number(request), "body": text}, "c1"),))

    return voice


def asks(body: str, kind: str = "request"):
    """Posts `body` when its human speaks, says thanks when an answer came, then ends its turn."""

    def voice(request: ScriptedRequest) -> Step:
        if is_result(request) or "answers #" in told(request)[-1]:
            return Answer(text="Good.")
        return Answer(calls=(call("board_post", {"body": body, "kind": kind}, "c1"),))

    return voice


@pytest.mark.acceptance("S4-001", "S4-002", "S4-005", "S4-006", "S4-044", "S4-045", "S4-088", "S4-089", "S4-097")
async def test_one_chat_asks_another_for_a_review_and_reads_its_answer(tmp_path: Path) -> None:
    voices = {
        "backend": asks("@review please look at src/auth/login.ts"),
        "review": replies("Line 3 has a typo."),
        "other": says("?"),
    }
    async with stage(tmp_path, voices) as here:
        for name in voices:
            await here.add(name)
        backend, review = here.address("backend"), here.address("review")
        assert await here.talks["backend"].ask("have it reviewed") == "Good."
        assert await here.settled("review") == [("answered", "mentioned", "")]
        assert await here.settled("backend") == [("acked", "mentioned", "")]
        assert await here.posts() == [
            ("backend", "request", "@review please look at src/auth/login.ts"),
            ("review", "message", "Line 3 has a typo."),
        ]
        (got,) = [one for one in here.chat("review").messages if one.tag == tags.BOARD]
        assert re.sub(r"\d{4}-\d\d-\d\d [\d:]+ UTC", "TIME", got.text).split("\n\n")[1] == (
            f"#1 on general, from {backend} (a chat), request, TIME:\n│ @review please look at src/auth/login.ts"
        )
        assert (got.role, got.visible) == (Role.USER, False)
        assert [one for one in here.chat("other").messages if one.tag == tags.BOARD] == []
        (delivery,) = await here.boards.deliveries(recipient=review)
        assert (delivery.turn, delivery.post.author) == (got.id, backend)
        assert delivery.budget.tokens < 500_000 - 240  # the reply took the rest, the turn was counted
        assert (await here.boards.chain(delivery.post.chain)).tokens == 2 * 120 + 120


@pytest.mark.acceptance("VB-07")
async def test_what_comes_while_a_chat_works_stands_between_two_rounds(tmp_path: Path) -> None:
    """The running call ends as if nothing had come; the next request has the post behind its result."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("one = 1\n")

    asked: list[ScriptedRequest] = []

    def worker(request: ScriptedRequest) -> Step:
        asked.append(request)
        texts = told(request)
        if any("use tabs" in text for text in texts):
            return Answer(text="Tabs it is.")
        return Answer(calls=(call("board_wait", {"seconds": 60}, "c1"),))

    async with stage(tmp_path, {"worker": worker}) as here:
        agent = await here.add("worker", tools=["files"])

        async def works() -> bool:
            is_working = (await here.boards.agent(agent.seat.address)).state is AgentState.WORKING
            return is_working and bool(asked)  # before its first request, the post would go along with that

        asking = asyncio.create_task(here.talks["worker"].ask("reformat a.py"))
        await here.until(works)
        await here.say("@worker@ use tabs please")
        assert await asking == "Tabs it is."
        roles = [(one.role, one.tag) for one in agent.chat.messages[-5:]]
        assert roles == [
            (Role.USER, ""), (Role.ASSISTANT, ""), (Role.TOOL, "tool_output"), (Role.USER, "board"), (Role.ASSISTANT, ""),
        ]  # fmt: skip
        assert agent.chat.messages[-3].text == "A post has come; it follows in the next message."
        assert await here.settled("worker") == [("acked", "joined", "")]


@pytest.mark.acceptance("S4-003", "S4-004", "S4-008", "S4-047")
async def test_everyone_but_its_author_answers_a_call_to_all(tmp_path: Path) -> None:
    voices = {"one": says("."), "two": replies("two is writing tests"), "three": replies("three is done")}
    async with stage(tmp_path, voices) as here:
        for name in voices:
            await here.add(name)
        await here.say("@All status?")
        await here.rest()
        found = await here.posts()
        assert sorted(found[1:]) == [
            ("three", "message", "three is done"), ("two", "message", "two is writing tests"),
        ]  # fmt: skip
        assert await here.settled("one") == [("acked", "mentioned", "")]


@pytest.mark.acceptance("S4-007")
async def test_progress_is_for_all_to_read_and_wakes_nobody(tmp_path: Path) -> None:
    voices = {"one": asks("[進捗] the parser is done", "message"), "two": says(".")}
    async with stage(tmp_path, voices) as here:
        for name in voices:
            await here.add(name)
        await here.talks["one"].ask("go")
        await here.rest()
        assert await here.posts() == [("one", "progress", "[進捗] the parser is done")]
        assert [one.visible for one in here.chat("two").messages] == [False, False, False, False]


async def test_a_request_whose_agent_ends_without_an_answer_is_told_about(tmp_path: Path) -> None:
    voices = {"one": says("Understood.")}
    async with stage(tmp_path, voices) as here:
        await here.add("one")
        await here.say("@one@ please do it", kind=PostKind.REQUEST)
        await here.rest()
        address = here.address("one")
        assert (await here.posts())[1:] == [
            ("one", "status", f"{address} ended its turn without an answer. Its last words:\n\nUnderstood.")
        ]
        assert isinstance(here.events["one"][-1], Ended)
        assert here.events["one"][-1].reason is End.DONE


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("reply = 'never'", "the agent answers nothing by itself"),
        ("hops = 0", "no hops left; a human was asked whether it goes on"),
    ],
)
async def test_who_asked_is_told_which_rule_keeps_a_request_from_an_answer(
    tmp_path: Path, settings: str, why: str
) -> None:
    async with stage(tmp_path, {"one": says(".")}, board=settings) as here:
        await here.add("one")
        await here.say("@one@ please do it", kind=PostKind.REQUEST)
        await here.rest_of("one")
        await here.until(lambda: _has_posts(here, 2))
        assert (await here.posts())[1:] == [("one", "status", f"{here.address('one')} does not answer: {why}.")]


async def _has_posts(here: Stage, many: int) -> bool:
    return len(await here.posts()) >= many


@pytest.mark.acceptance("VB-12", "S4-096", "S4-099")
async def test_roles_priorities_and_topics_reach_whom_they_mean(tmp_path: Path) -> None:
    voices = {"ann": replies("fine"), "ben": replies("seen"), "cem": replies("who, me?")}
    async with stage(tmp_path, voices) as here:
        await here.add("ann", "api", roles=["reviewer"])
        ben = await here.add("ben", "api", serves=False)
        await here.add("cem", "ui", roles=["reviewer"])
        await here.human.join("api")
        await here.say("@role:reviewer please look", "api")
        await here.say("@ben@ when you like", "api")
        await here.say("@ben@! now", "api")
        await here.rest_of("ann")
        assert [author for author, *_ in await here.posts("api")] == ["human", "human", "human", "ann"]
        assert await here.posts("ui") == []
        await here.until(lambda: _is(ben.ready.is_set()))
        async for _ in ben.turn():
            pass
        got = [one.text.split("│ ")[-1] for one in ben.chat.messages if one.tag == tags.BOARD]
        address = here.address("ben")
        assert got == [f"@{address}! now", f"@{address} when you like"]


async def _is(holds: bool) -> bool:
    return holds


@pytest.mark.acceptance("VB-07")
async def test_posts_to_a_chat_that_is_closed_or_unknown(tmp_path: Path) -> None:
    """Kept for who comes back; the sender of a mention that nobody answers to is told at once."""
    async with stage(tmp_path, {"one": replies("here I am")}) as here:
        agent = await here.add("one", serves=False)
        await here.talks["one"].ask("hello")
        address, chat = agent.seat.address, agent.chat.id
        await here.place.m._opened.let_go(agent.chat)
        assert (await here.boards.agent(address)).state is AgentState.GONE
        posted = await here.human.post(f"@{address} are you there? @onee too")
        assert (posted.recipients, [told.text for told in posted.unknown]) == ((address,), ["@onee"])
        talk = here.place.m.chat(resume=chat)
        again = here.place.m._opened.board_agent(await talk.ready())
        assert again is not None
        assert again.seat.address == address
        await here.until(lambda: _is(again.ready.is_set()))
        async for _ in again.turn():
            pass
        (delivery,) = await here.boards.deliveries(recipient=address)
        assert str(delivery.state) == "answered"


async def test_who_comes_back_to_a_thousand_posts_gets_them_in_short_once(tmp_path: Path) -> None:
    async with stage(tmp_path, {"one": replies("here I am")}) as here:
        agent = await here.add("one", serves=False)
        await here.talks["one"].ask("hello")
        address, chat = agent.seat.address, agent.chat.id
        await here.place.m._opened.let_go(agent.chat)
        await asyncio.gather(*(here.human.post(f"step {at}: {'words ' * 100}") for at in range(1000)))
        await here.human.post(f"@{address} what do you say?")
        talk = here.place.m.chat(resume=chat)
        again = here.place.m._opened.board_agent(await talk.ready())
        assert again is not None
        await here.until(lambda: _is(again.ready.is_set()))
        async for _ in again.turn():
            pass
        news, call = [one for one in again.chat.messages if one.tag == tags.BOARD]
        assert f"1,001 new on general, #1 to #1001: {here.human.address} 1001." in news.text
        assert f"│ For you:\n│ #1001 {here.human.address}: @{address} what do you say?" in news.text
        assert (news.visible, len(news.text) < 3_000) == (False, True)
        assert call.text.endswith(f"@{address} what do you say?")
        assert "new on general" not in await again.speaker.read(limit=5)
        await asyncio.gather(*(here.human.post(f"more {at}") for at in range(6)))
        assert "│ 6 new on general" in await again.speaker.read(limit=5)


async def test_who_asked_is_told_when_an_agent_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count(step=45)
    async with stage(tmp_path, {"one": says(".")}) as here:
        agent = await here.add("one", serves=False)
        posted = await here.say("@one@ please", kind=PostKind.REQUEST)
        address = agent.seat.address
        await agent.leave()
        await here.boards.set_state(address, AgentState.WORKING)
        (delivery,) = await here.boards.pull(address)
        await here.boards.carried(address, [delivery.id], "m1")
        await here.boards._write(lambda tx: tx.run("UPDATE agents SET seen = 0 WHERE address = ?", address))
        monkeypatch.setattr(clock, "monotonic", lambda: float(next(seconds)))
        for _ in range(3):
            assert (await here.boards.tend()).closed == ()
        (told_why,) = [one for one in await here.boards.posts(posted.board) if one.author == address]
        assert (told_why.kind, told_why.reply_to, told_why.body) == (
            PostKind.STATUS,
            posted.id,
            "Stopped, without an answer: gave no sign of life.",
        )


async def test_a_human_is_asked_whether_to_answer_before_the_turn(tmp_path: Path) -> None:
    async with stage(tmp_path, {"one": replies("yes")}, board="reply = 'ask'") as here:
        await here.add("one")
        await here.say("@one@ well?")
        assert await here.settled("one") == [("declined", "ask", "no human was there to be asked")]
        assert len(here.place.server.requests) == 0


async def test_a_fork_is_on_no_board_and_leaving_takes_the_tools_away(tmp_path: Path) -> None:
    async with stage(tmp_path, {"one": says("hello")}) as here:
        agent = await here.add("one", serves=False)
        await here.talks["one"].ask("hi")
        chats = here.place.m._opened
        forked = await chats.fork(agent.chat)
        assert chats.board_agent(forked) is None
        await chats.let_go(forked)
        again = await chats.open(forked.id, agent.chat.bare_model)
        assert chats.board_agent(again) is None
        assert await chats.house.boarding.forget(agent.chat) == ["general"]
        assert (chats.board_agent(agent.chat), agent.chat.parts.tools.handed_over()) == (None, [])


@pytest.mark.acceptance("S4-094")
def test_nothing_of_boards_is_imported_or_made_before_one_is_joined(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys, motet\n"
        "async def main():\n"
        "    async with motet.open('.') as m:\n"
        "        await m.chat(model='offline', tools=['files']).ask('hello')\n"
        "    print(sorted(name for name in sys.modules if name.startswith('motet.board')))\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
    assert not list(state_dir(os.environ).glob("boards*"))
