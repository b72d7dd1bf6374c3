"""What a model says at the end of its turn, without `board_reply`, is its answer: to each who waits for one, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine.board_chats import Stage, Voice, is_result, number, says, stage, told

from motet.board import PostKind
from motet.models.scripted import Answer, ScriptedRequest, Step, call

TEXT = "Line 1 adds a tab; the rest is fine."


def calls_first(tool: str, arguments: dict[str, object], text: str) -> Voice:
    """One call of a tool, then `text`."""

    def voice(request: ScriptedRequest) -> Step:
        if is_result(request):
            return Answer(text=text)
        given = {"post": number(request)} if tool == "board_reply" else {}
        return Answer(calls=(call(tool, given | arguments, "c1"),))

    return voice


@pytest.mark.acceptance("S4-061")
@pytest.mark.parametrize("kind", [PostKind.MESSAGE, PostKind.REQUEST])
async def test_an_answer_in_plain_text_is_posted(tmp_path: Path, kind: PostKind) -> None:
    async with stage(tmp_path, {"one": says(TEXT)}) as here:
        await here.add("one")
        asked = await here.say("@one@ what is wrong in line 1?", kind=kind)
        assert await here.settled("one") == [("answered", "mentioned", "")]
        (answer,) = (await here.boards.posts(asked.board))[1:]
        assert (answer.author, answer.kind, answer.body) == (here.address("one"), "message", TEXT)
        assert (answer.reply_to, answer.chain) == (asked.id, asked.id)
        (given,) = await here.boards.deliveries(recipient=here.address("one"))
        assert given.answer == answer.id
        assert [one.post.id for one in await here.boards.deliveries(recipient=here.human.address)] == [answer.id]


@pytest.mark.parametrize("kind", [PostKind.MESSAGE, PostKind.REQUEST])
async def test_who_waits_is_told_of_a_turn_without_a_word(tmp_path: Path, kind: PostKind) -> None:
    voice = calls_first("board_agents", {}, "")
    async with stage(tmp_path, {"one": voice}) as here:
        await here.add("one")
        await here.say("@one@ please do it", kind=kind)
        await here.rest()
        told_so = f"{here.address('one')} ended its turn without an answer."
        assert (await here.posts())[1:] == [("one", "status", told_so)]


@pytest.mark.parametrize("tool", ["board_reply", "board_post"])
async def test_who_has_answered_by_a_tool_says_it_once(tmp_path: Path, tool: str) -> None:
    voice = calls_first(tool, {"body": "@human It is line 1."}, "I have told them about the first line.")
    async with stage(tmp_path, {"one": voice}) as here:
        await here.add("one")
        await here.say("@one@ which line?")
        await here.rest()
        assert (await here.posts())[1:] == [("one", "message", "@human It is line 1.")]


async def test_one_text_answers_all_that_a_turn_was_given(tmp_path: Path) -> None:
    voices = {"one": says(TEXT), "two": calls_first("board_post", {"body": "@one and line 2?"}, "Asked.")}
    async with stage(tmp_path, voices) as here:
        one = await here.add("one", serves=False)
        await here.add("two")
        await here.talks["two"].ask("ask them")
        for line in (3, 4):
            await here.say(f"@one@ and line {line}?")
        await here.until(lambda: _waiting_none(here, "one", 3))
        async for _ in one.turn():
            pass
        found = (await here.posts())[3:]
        assert found == [("one", "message", f"@{here.address('two')}\n\n{TEXT}")]
        assert await here.settled("one", 3) == [("answered", "mentioned", "")] * 3
        (answer,) = {given.answer for given in await here.boards.deliveries(recipient=here.address("one"))}
        whom = {given.recipient for given in await here.boards.deliveries() if given.post.id == answer}
        assert whom == {here.human.address, here.address("two")}


async def _waiting_none(here: Stage, name: str, many: int) -> bool:
    found = await here.boards.deliveries(recipient=here.address(name), state="leased")
    return len(found) == many and here.agents[name].ready.is_set()


async def test_one_reply_by_tool_leaves_the_rest_unposted(tmp_path: Path) -> None:
    voice = calls_first("board_reply", {"body": "It is line 4."}, "I have told them about one of the lines.")
    async with stage(tmp_path, {"one": voice}) as here:
        one = await here.add("one", serves=False)
        await here.say("@one@ line 3?", kind=PostKind.REQUEST)
        await here.say("@one@ line 4?")
        await here.until(lambda: _waiting_none(here, "one", 2))
        async for _ in one.turn():
            pass
        assert (await here.posts())[2:] == [
            ("one", "message", "It is line 4."),
            (
                "one",
                "status",
                f"{here.address('one')} ended its turn without an answer. Its last words:\n\n"
                "I have told them about one of the lines.",
            ),
        ]


async def test_two_that_only_talk_end_with_one_answer(tmp_path: Path) -> None:
    def one(request: ScriptedRequest) -> Step:
        if is_result(request) or "answers #" in told(request)[-1]:
            return Answer(text="So it is a tab, and now I go on with the next file.")
        return Answer(calls=(call("board_post", {"body": "@two what is wrong?"}, "c1"),))

    async with stage(tmp_path, {"one": one, "two": says(TEXT)}) as here:
        for name in ("one", "two"):
            await here.add(name)
        await here.talks["one"].ask("ask them")
        await here.settled("one")
        await here.rest()
        assert (await here.posts())[1:] == [("two", "message", TEXT)]
        assert await here.boards.notices() == []


async def test_assent_alone_is_no_answer(tmp_path: Path) -> None:
    async with stage(tmp_path, {"one": says("OK, thanks!")}) as here:
        await here.add("one")
        await here.say("@one@ the tests are green")
        assert await here.settled("one") == [("acked", "mentioned", "")]
        assert len(await here.posts()) == 1


async def test_who_waits_is_told_why_last_words_are_not_posted(tmp_path: Path) -> None:
    async with stage(tmp_path, {"one": says(TEXT)}) as here:
        await here.add("one")
        for at in (1, 2):
            await here.say(f"@one@ {at}")
            await here.settled("one", at)
        await here.until(lambda: _has(here, 4))
        author, kind, body = (await here.posts())[-1]
        assert (author, kind) == ("one", "status")
        assert body.startswith(
            f"{here.address('one')} ended its turn without an answer (not posted: you have just said that;"
        )
        assert body.endswith(TEXT)


async def _has(here: Stage, many: int) -> bool:
    return len(await here.posts()) >= many


async def test_what_a_human_asked_in_the_chat_stays_there(tmp_path: Path) -> None:
    async with stage(tmp_path, {"one": says(TEXT)}) as here:
        agent = await here.add("one", serves=False)
        await here.say("@one@ which line?")
        await here.until(lambda: _waiting_none(here, "one", 1))
        assert await here.talks["one"].ask("and you, what do you think?") == TEXT
        assert not agent.chat.is_running
        assert len(await here.posts()) == 1
