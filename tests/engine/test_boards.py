"""Chats that talk with each other on boards, with real parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from engine.board_chats import is_result, number, says, stage, told

from motet.board import AgentState, PostKind
from motet.chat import End, Ended
from motet.messages import Role, tags
from motet.models.scripted import Answer, ScriptedRequest, Step, call


def replies(text: str):
    """Answers each post with `text`, then ends its turn."""

    def voice(request: ScriptedRequest) -> Step:
        if is_result(request):
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


@pytest.mark.acceptance("S4-001", "S4-002", "S4-006", "S4-044", "S4-045", "S4-088", "S4-089")
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
        assert delivery.budget.tokens < 200_000 - 240  # the reply took the rest, the turn was counted
        assert (await here.boards.chain(delivery.post.chain)).tokens == 2 * 120 + 120


async def test_what_comes_while_a_chat_works_stands_between_two_rounds(tmp_path: Path) -> None:
    """The running call ends as if nothing had come; the next request has the post behind its result."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("one = 1\n")

    def worker(request: ScriptedRequest) -> Step:
        texts = told(request)
        if any("use tabs" in text for text in texts):
            return Answer(text="Tabs it is.")
        return Answer(calls=(call("board_wait", {"seconds": 60}, "c1"),))

    async with stage(tmp_path, {"worker": worker}) as here:
        agent = await here.add("worker", tools=["files"])

        async def works() -> bool:
            return (await here.boards.agent(agent.seat.address)).state is AgentState.WORKING

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


@pytest.mark.acceptance("S4-008", "S4-047")
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


async def test_a_request_whose_agent_ends_without_a_reply_is_told_about(tmp_path: Path) -> None:
    voices = {"one": says("I would rather not.")}
    async with stage(tmp_path, voices) as here:
        await here.add("one")
        await here.say("@one@ please do it", kind=PostKind.REQUEST)
        await here.rest()
        address = here.address("one")
        assert (await here.posts())[1:] == [
            ("one", "status", f"{address} ended its turn without a reply. Its last words:\n\nI would rather not.")
        ]
        assert isinstance(here.events["one"][-1], Ended)
        assert here.events["one"][-1].reason is End.DONE
