"""What front ends show of boards: read in few steps, and nothing left out."""

from __future__ import annotations

import pytest
from board.board_kit import PROJECT, Page

from motet.board import (
    AgentKind,
    AgentMissing,
    BoardRefused,
    Boards,
    DeliveryState,
    Draft,
    NewAgent,
    Outcome,
    Rights,
    Sought,
)


async def test_boards_at_a_glance_say_what_one_has_not_read(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    await boards.open(PROJECT, "other")
    await boards.open("/elsewhere", "third")
    for body in ("a", "b"):
        last = await page.post("one", body)
    await boards.read_to(page.board, page["two"], 1)
    found = await boards.glances(PROJECT, page["two"])
    assert [(one.board.name, one.board.last, one.members, one.newest, one.unread) for one in found] == [
        ("general", 2, 2, last.post.at, 1),
        ("other", 0, 0, None, None),
    ]
    assert [one.unread for one in await boards.glances(PROJECT, page["one"])] == [0, None]
    assert [one.board.name for one in await boards.glances(None)] == ["third", "general", "other"]


async def test_an_agent_is_found_by_its_identity_address_or_only_name(boards: Boards) -> None:
    page = await Page.of(boards, "ann", "ben")
    second = await page.add("ben", identity="another")
    first = next(one for one in await boards.agents() if one.name == "ben" and one.address != second)
    assert (await boards.named("@ANN")).address == page["ann"] == (await boards.named(page["ann"])).address
    with pytest.raises(AgentMissing) as caught:
        await boards.named("ben")
    both = ", ".join(f"{one} (idle)" for one in sorted((first.address, second)))
    assert str(caught.value) == f"several agents are named 'ben': {both}; say which by its address"
    with pytest.raises(AgentMissing) as caught:
        await boards.named("anne")
    assert str(caught.value) == f"there is no agent 'anne'; did you mean {page['ann']}?"
    known = await boards.known(NewAgent("ann", AgentKind.CHAT, "chat-ann"))
    assert known is not None and known.address == page["ann"]
    assert await boards.known(NewAgent("ann", AgentKind.HUMAN, "chat-ann")) is None


async def test_agents_are_listed_with_what_waits_and_what_they_used_today(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two", human="mia")
    await page.post("mia", "@All status?")
    await page.post("mia", "@two@ and you?")
    (first, _) = await boards.pull(page["two"])
    await boards.settle(page["two"], first.id, Outcome(DeliveryState.ACKED, tokens=1200, cost=0.25))
    found = {one.name: (one.unread, one.tokens, one.cost) for one in await boards.agents()}
    assert found == {"one": (1, 0, 0.0), "two": (1, 1200, 0.25), "mia": (0, 0, 0.0)}
    assert {one.name: one.unread for one in await boards.agents(page.board)}["one"] == 1


async def test_the_whole_of_a_post_is_its_texts_deliveries_and_chain(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    post = (await page.post("one", "@two@ first")).post
    await boards.edit(post.id, page["one"], f"@{page['two']} second")
    await boards.retract(post.id, page["one"])
    await page.post("one", "@All hello")
    first, second = await boards.whole(page.board)
    assert (first.post.body, first.post.retracted) == (f"@{page['two']} second", True)
    assert [body for _, body in first.versions] == [f"@{page['two']} first"]
    assert [(one.recipient, one.state) for one in first.deliveries] == [(page["two"], DeliveryState.WITHDRAWN)]
    assert first.chain is not None and first.chain.id == post.id
    assert (first.everyone, second.everyone, second.versions, second.deliveries) == (False, True, (), ())
    assert [one.post.seq for one in await boards.whole(page.board, after=1, limit=1)] == [2]
    assert await boards.numbers([post.id, "", "nothing"]) == {post.id: 1}


async def test_what_a_human_was_shown_waits_no_more(boards: Boards) -> None:
    page = await Page.of(boards, "one", human="mia")
    for body in ("@mia@ look", "@All look", "nothing", "@human later"):
        await page.post("one", body)
    assert await boards.calling(page["mia"], page.board, [1, 2, 3]) == [1, 2]
    assert await boards.shown(page["mia"], page.board, [1, 2, 3], to=3) == 2
    assert await boards.calling(page["mia"], page.board, [1, 2, 3, 4]) == [4]
    assert await boards.read_to(page.board, page["mia"]) == 3
    found = await boards.deliveries(recipient=page["mia"])
    assert sorted((one.post.seq, one.state, one.rule) for one in found) == [
        (1, DeliveryState.ACKED, "shown"),
        (2, DeliveryState.ACKED, "shown"),
        (4, DeliveryState.QUEUED, ""),
    ]


async def test_deliveries_are_found_by_all_that_is_known_of_them(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two", "three")
    bodies = ["@two@ the login is done", "@two@ @three@ 東京で会議", "@three@ lunch?"]
    posts = [(await page.post("one", body)).post for body in bodies]

    async def seqs(limit: int = 100, **more: object) -> list[tuple[int, str]]:
        found = await boards.sought(Sought(**more), limit)  # type: ignore[arg-type]
        return sorted((one.post.seq, one.recipient) for one in found)

    two, three = page["two"], page["three"]
    assert await seqs(words="login") == [(1, two)]
    assert await seqs(words="会議") == [(2, three), (2, two)]
    assert await seqs(words="会議", recipient=three) == [(2, three)]
    assert await seqs(words="?!") == []
    assert await seqs(recipient=two, limit=1) == [(2, two)]
    assert await seqs(recipient=three, author=page["one"], boards=(page.board,)) == [(2, three), (3, three)]
    assert await seqs(before=posts[0].at) == []
    assert await seqs(after=posts[2].at + 1) == []
    assert await seqs(boards=("another",)) == []


async def test_refusals_are_kept_the_newest_last(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    post = (await page.post("one", "mine")).post
    for author in ("two", "two"):
        with pytest.raises(BoardRefused, match="only its author"):
            await boards.retract(post.id, page[author])
    found = await boards.refusals(1)
    assert [(one.actor, one.what, one.why) for one in found] == [
        (page["two"], "take back a post", f"post 1 is {page['one']}'s; only its author changes it or takes it back")
    ]
    assert len(await boards.refusals()) == 2


async def test_an_agent_that_may_read_no_more_leaves_the_board(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two/reviewer", human="mia")
    await boards.set_rights(page.board, Rights(read=("role:reviewer",)))
    assert [one.name for one in await boards.agents(page.board)] == ["mia", "two"]
    with pytest.raises(BoardRefused, match="is not on the board"):
        await boards.post(Draft(page.board, page["one"], "still here?"))
    await page.post("mia", "@All secrets")
    assert await page.inbox("one") == []
    assert await page.inbox("two") == ["@All secrets"]
