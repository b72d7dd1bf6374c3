"""Who gets a post: exactly those that it calls, once, whatever becomes of its text."""

from __future__ import annotations

import asyncio
import threading
from itertools import count
from pathlib import Path

import pytest
from board.board_kit import PROJECT, Page
from board.places import Place

from motet.board import AgentKind, AgentState, BoardRefused, Boards, DeliveryState, NewAgent, Outcome
from motet.board.addresses import address
from motet.board.database import Tx
from motet.board.sqlite import SqliteDatabase


@pytest.mark.acceptance("S4-036", "VB-02")
async def test_everyone_but_the_sender_gets_a_post_to_all_once_though_its_text_comes_in_200_pieces(
    boards: Boards,
) -> None:
    page = await Page.of(boards, "ann", "ben", "cho", human="mia")
    whole = "@All status? " + "please " * 27
    whole = whole[:200].rstrip() + "."
    post = (await page.post("ann", whole[0])).post
    for end in range(2, len(whole) + 1):
        await boards.edit(post.id, page["ann"], whole[:end])
        if end == 100:
            assert await page.inbox("ben") == [whole[:end].rstrip()]
    assert [await page.inbox(name) for name in ("ann", "ben", "cho", "mia")] == [[], [], [whole], [whole]]
    assert len(await boards.deliveries(board=page.board)) == 3


@pytest.mark.acceptance("S4-010", "S4-037", "S4-087")
@pytest.mark.parametrize(
    ("body", "reached", "unknown"),
    [
        ("@ben@ look", ["ben"], []),
        ("@BEN look", ["ben"], []),
        ("@ben@ and @ben@, and @ben", ["ben"], []),
        ("@ben@ @cho@", ["ben", "cho"], []),
        ("@nobody-12345 look", [], ["@nobody-12345"]),
        ("@nobody-12345 @cho@", ["cho"], ["@nobody-12345"]),
        ("mail to ben@All.example or @Allison", [], ["@Allison"]),
        ("`@ben@` and \\@ben@ and\n> @cho@ said", [], []),
        ("```\n@All\n```", [], []),
        ("確認を@ben@お願いします", ["ben"], []),
        ("@human look", ["mia"], []),
        ("nobody at all", [], []),
    ],
)
async def test_a_mention_reaches_exactly_that_one(
    boards: Boards, body: str, reached: list[str], unknown: list[str]
) -> None:
    page = await Page.of(boards, "ann", "ben", "cho", human="mia")
    posted = await page.post("ann", body)
    assert [told.text for told in posted.unknown] == unknown
    got = [name for name in ("ann", "ben", "cho", "mia") if await page.inbox(name)]
    assert got == reached
    assert (await boards.posts(page.board))[-1] == posted.post


@pytest.mark.acceptance("S4-038")
@pytest.mark.parametrize("body", ["@ann@ me", "@ann me", "@ANN me", "@All me too", "@tester me"])
async def test_a_sender_is_never_its_own_recipient_however_it_is_called(boards: Boards, body: str) -> None:
    page = await Page.of(boards, "ann/tester", "ben")
    await page.post("ann", body)
    assert await page.inbox("ann") == []


@pytest.mark.acceptance("S4-039", "VB-11")
async def test_ids_with_the_same_beginning_have_different_addresses_which_stay(place: Place) -> None:
    alike = [NewAgent("claude", AgentKind.MCP, id) for id in ("abc12-first", "abc12-second", "abc12")]
    alike += [NewAgent("claude", AgentKind.MCP, id) for id in _colliding("claude")]
    async with place.boards() as boards:
        board = await boards.open(PROJECT)
        before = [(await boards.register(new)).address for new in alike]
        for found in before:
            await boards.join(board.id, found)
    assert len(set(before)) == len(alike)
    assert before[4].startswith(before[3])  # the same five characters, and one more
    async with place.boards() as boards:
        assert [(await boards.register(new)).address for new in reversed(alike)] == before[::-1]
        page = Page(boards, board.id)
        page.addresses = {str(n): found for n, found in enumerate(before)}
        for n in range(len(alike)):
            await page.post(str((n + 1) % len(alike)), f"@{n}@ for {n}")
            got = [await page.inbox(str(m)) for m in range(len(alike))]
            assert [bool(one) for one in got] == [m == n for m in range(len(alike))]


def _colliding(name: str) -> tuple[str, str]:
    """Two ids of which `name` would get one address."""
    seen: dict[str, str] = {}
    for number in count():
        id = f"session-{number}"
        found = address(name, id, lambda _: False)
        if found in seen:
            return seen[found], id
        seen[found] = id
    raise AssertionError


@pytest.mark.acceptance("S4-035")
async def test_who_is_closed_gets_nothing_more_and_its_address_stays_its_own(boards: Boards) -> None:
    page = await Page.of(boards, "ann", "ben", "cho")
    await boards.claim(PROJECT, page["ben"], ["src/**"])
    await boards.set_state(page["ben"], AgentState.CLOSED, "the human has ended it")
    posted = await page.post("ann", "@ben@ @All are you there?")
    assert [told.text for told in posted.unknown] == [f"@{page['ben']}"]
    assert (await page.inbox("ben"), len(await page.inbox("cho"))) == ([], 1)
    assert await boards.leases(PROJECT) == []
    with pytest.raises(BoardRefused, match=r" is closed; it posts nothing more$"):
        await page.post("ben", "I am")
    assert (await boards.register(NewAgent("ben", AgentKind.CHAT, "another"))).address != page["ben"]


@pytest.mark.acceptance("S4-011", "S4-087")
async def test_a_delivery_is_taken_carried_and_settled_once(boards: Boards) -> None:
    page = await Page.of(boards, "ann", "ben", "cho")
    await page.post("ann", "@ben@ first")
    await page.post("ann", "@ben@! urgent")
    urgent, first = await boards.pull(page["ben"])
    assert [urgent.post.seq, first.post.seq] == [2, 1]
    assert await boards.pull(page["ben"]) == []
    await boards.give_back(page["ben"], [first.id])
    assert await boards.carried(page["cho"], [urgent.id], "turn") == []
    assert await boards.carried(page["ben"], [urgent.id], "turn") == [urgent.id]
    assert await boards.carried(page["ben"], [urgent.id], "turn") == []
    settled = await boards.settle(page["ben"], urgent.id, Outcome(DeliveryState.ACKED, "rule", "reason"))
    assert (settled.state, settled.turn, settled.rule, settled.reason) == (
        DeliveryState.ACKED,
        "turn",
        "rule",
        "reason",
    )
    assert await page.inbox("ben") == [f"@{page['ben']} first"]


async def test_looking_for_nothing_waits_for_no_writer(place: Place, boards: Boards) -> None:
    page = await Page.of(boards, "ann", "ben", "cho/reviewer")
    await page.post("ann", "@ben@ look")
    writes, done = threading.Event(), threading.Event()

    def work(tx: Tx) -> None:
        writes.set()
        done.wait(60)

    database = place.database()
    writer = threading.Thread(target=lambda: database.write([work], durable=True))
    writer.start()
    try:
        await asyncio.to_thread(writes.wait, 30)
        async with asyncio.timeout(8):
            assert await page.inbox("cho") == []
    finally:
        done.set()
        await asyncio.to_thread(writer.join)
        database.close()
    assert await page.inbox("ben") == ["@ben@ look".replace("@ben@", f"@{page['ben']}")]
    await page.post("ann", "@reviewer please")
    await page.post("ann", "@All listen")
    assert await page.inbox("cho") == ["@reviewer please", "@All listen"]


async def test_looking_costs_the_same_where_much_was_delivered(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path)
    for asked in (
        "SELECT 1 FROM deliveries WHERE state = 'leased' AND leased_until < 1.0",
        "SELECT 1 FROM deliveries WHERE state = 'leased' AND leased_until > 1.0",
        "SELECT 1 FROM deliveries WHERE recipient IN ('a', 'b') AND state IN ('in_context', 'acked', 'answered') "
        "AND changed > 1.0",
    ):
        plan = str(database.read(lambda tx, asked=asked: tx.all(f"EXPLAIN QUERY PLAN {asked}")))
        assert "SCAN" not in plan
        assert any(f"{index}?" in plan for index in ("leased_until<", "leased_until>", "changed>"))
    database.close()


async def test_agents_rest_when_none_works_and_nothing_is_open_for_one_or_waits_for_its_role(boards: Boards) -> None:
    page = await Page.of(boards, "ann", "ben/review", "cho")
    team = [page["ann"], page["ben"]]
    assert await boards.at_rest(team) and await boards.at_rest([])
    await boards.set_state(page["ann"], AgentState.WORKING)
    assert not await boards.at_rest(team)
    await page.post("ann", "@role:review please look")  # for no one yet
    await boards.set_state(page["ann"], AgentState.IDLE)
    assert [await boards.at_rest(some) for some in (team, [page["ann"], page["cho"]])] == [False, True]
    (asked,) = await boards.pull(page["ben"])
    assert not await boards.at_rest(team)
    await boards.carried(page["ben"], [asked.id], "turn")
    assert not await boards.at_rest(team)
    await boards.settle(page["ben"], asked.id, Outcome(DeliveryState.ACKED))
    assert await boards.at_rest(team)
    await page.post("cho", "@ann@ it is done")
    assert [await boards.at_rest(some) for some in (team, [page["ben"], page["cho"]])] == [False, True]
