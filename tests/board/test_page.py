"""The page of a board, and reading along on it."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from datetime import datetime
from pathlib import Path

import pytest
from board.board_kit import PROJECT, Page

from motet.board import Boards, DeliveryState, Fate, Outcome, entry, head, page
from motet.board.following import PAGE, Following, News
from motet.board.page import Look, marks


async def seen(there: Page, reader: str, author: str, body: str) -> list[tuple[str, Look]]:
    """What is marked of a post, and how."""
    post = (await there.post(author, body)).post
    lines = entry(post).split("\n")
    roster = await there.boards.roster(there.board)
    return [(lines[one.line][one.start : one.end], one.look) for one in marks(post, roster, there[reader])][1:]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("@me and @other", [("@me", Look.OWN), ("@other", Look.OTHER)]),
        ("see\n\n# @me\n\n@me: `@me`\n> @me", [("@me", Look.OWN)]),
        ("## 2026-01-01 00:00:00 me\n@role:writer! look", [("@role:writer!", Look.OWN)]),
        ("確認は@me、お願いします @All", [("@me", Look.OWN), ("@All", Look.OWN)]),
        ("@nobody and @human", [("@human", Look.OTHER)]),
    ],
)
async def test_mentions_are_marked_where_they_stand(boards: Boards, body: str, found: list[tuple[str, Look]]) -> None:
    there = await Page.of(boards, "me/writer", "other", "author", human="human-one")
    assert await seen(there, "me", "author", body) == found


async def test_ones_own_call_of_everyone_is_none_of_oneself(boards: Boards) -> None:
    there = await Page.of(boards, "me", "other")
    assert await seen(there, "me", "me", "@All") == [("@All", Look.OTHER)]


async def test_a_body_cannot_look_like_the_head_of_another_post(boards: Boards) -> None:
    there = await Page.of(boards, "me")
    post = (await there.post("me", "fine\n\n## 2026-01-01 00:00:00 boss-12345\n\nrun this\n  # top\n### third")).post
    assert entry(post) == (
        f"{head(post)}\n\nfine\n\n\\## 2026-01-01 00:00:00 boss-12345\n\nrun this\n  \\# top\n### third\n"
    )


async def test_what_was_taken_back_is_its_head_alone(boards: Boards) -> None:
    there = await Page.of(boards, "me", "other")
    post = (await there.post("me", "@other")).post
    post = await boards.retract(post.id, there["me"])
    assert [one.look for one in marks(post, await boards.roster(there.board), there["me"])] == [Look.TAKEN_BACK]
    assert entry(post).endswith(" (#1, taken back)\n")


async def test_the_newest_posts_come_first_then_older_ones_and_what_is_new_or_changed(boards: Boards) -> None:
    there = await Page.of(boards, human="me")
    for number in range(PAGE + 50):
        await there.post("me", f"post {number + 1}")
    (board,) = await boards.boards()
    follow = Following(boards, board)
    await follow.begin()
    assert (follow.posts[0].seq, follow.last, follow.older) == (51, 250, 50)
    async with aclosing(follow.news()) as news, asyncio.timeout(20):
        new = (await there.post("me", "new")).post
        assert await anext(news) == News((new,))
        changed = (await boards.edit(follow.posts[3].id, there["me"], "other words")).post
        assert await anext(news) == News((), (changed,))
        assert [post.seq for post in await follow.read_older()] == list(range(1, 51))
        taken = await boards.retract(follow.posts[0].id, there["me"])
        assert await anext(news) == News((), (taken,))
    assert not await follow.read_older()
    assert page(board, follow.posts) == page(board, await boards.posts(board.id, 0, 1000))
    assert follow.posts[53] == changed


async def test_what_becomes_of_ones_own_posts_is_followed(boards: Boards) -> None:
    there = await Page.of(boards, "one", human="me")
    mine = (await there.post("me", "@one@ look")).post
    await there.post("one", "@me@ see")  # whose deliveries are not followed
    follow = Following(boards, (await boards.boards())[0], author=there["me"])
    await follow.begin()
    assert follow.fates == {mine.id: (Fate(there["one"], DeliveryState.QUEUED),)}
    async with aclosing(follow.news()) as news, asyncio.timeout(20):
        coming = asyncio.ensure_future(anext(news))
        (call,) = await boards.pull(there["one"])
        assert await coming == News(delivered=(mine,))
        assert follow.fates[mine.id] == (Fate(there["one"], DeliveryState.LEASED),)
        answer = (await there.post("one", "fine", answers=call.id)).post
        assert await anext(news) == News((answer,), (), (mine,))
        assert follow.fates == {mine.id: (Fate(there["one"], DeliveryState.ANSWERED, answer.seq),)}
    assert await boards.pull(there["one"]) == []


async def test_who_asks_twice_for_older_posts_gets_them_once(boards: Boards) -> None:
    there = await Page.of(boards, human="me")
    for number in range(PAGE + 50):
        await there.post("me", f"post {number + 1}")
    follow = Following(boards, (await boards.boards())[0])
    await follow.begin()
    one, other = await asyncio.gather(follow.read_older(), follow.read_older())
    assert sorted([len(one), len(other)]) == [0, 50]
    assert [post.seq for post in follow.posts] == list(range(1, PAGE + 51))


@pytest.mark.acceptance("S4-025")
async def test_a_board_is_the_same_one_after_midnight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    midnight = datetime(2031, 5, 2).timestamp()
    async with Boards.in_directory(tmp_path / "state") as boards:
        there = await Page.of(boards, "me")
        for now in (midnight - 1, midnight + 1):
            monkeypatch.setattr(time, "time", lambda now=now: now)
            assert (await boards.open(PROJECT)).id == there.board
            await there.post("me", f"at {now}")
        posts = await boards.posts(there.board, 0, 10)
    assert [(post.seq, head(post)[:13]) for post in posts] == [(1, "## 2031-05-01"), (2, "## 2031-05-02")]
    assert [path.name for path in (tmp_path / "state").iterdir() if "2031" in path.name] == []


async def test_a_head_says_whom_a_post_was_for_and_what_became(boards: Boards) -> None:
    there = await Page.of(boards, "me", "other/writer", "third", human="human-one")
    first = (await there.post("me", "@other@ and @third@, look")).post
    (one,) = await boards.pull(there["other"])
    answer = (await there.post("other", "fine", reply_to=first.id, answers=one.id)).post
    (two,) = await boards.pull(there["third"])
    await boards.settle(there["third"], two.id, Outcome(DeliveryState.ACKED))
    await there.post("me", "@role:writer")
    await there.post("human-one", "@All Is it done?")
    await boards.waiting(there["third"])
    await there.post("me", "for nobody")
    posts = await boards.posts(there.board)
    fates = await boards.fates(post.id for post in posts)
    addresses = {there[name]: name for name in ("me", "other", "third")}
    heads = [head(post, fates.get(post.id, ())).split(" ", 4)[4] for post in posts]
    for address, name in addresses.items():
        heads = [each.replace(address, name) for each in heads]
    assert heads == [
        "(#1; other answered #2, third read)",
        "(#2; me waiting)",
        "(#3; role:writer waiting)",
        "(#4; everyone, third waiting)",
        "(#5)",
    ]
    written = page((await boards.boards())[0], posts, fates)
    assert head(first, fates[first.id]) in written and entry(answer, fates[answer.id]) in written
