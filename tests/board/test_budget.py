"""What one post may cause, and who is told when that is used up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from board.board_kit import Page
from board.places import Place

from motet.board import (
    AgentKind,
    AgentState,
    BoardMissing,
    BoardRefused,
    Boards,
    ChainState,
    Delivery,
    DeliveryState,
    Draft,
    Limits,
    NoticeKind,
    Outcome,
    Posted,
    PostKind,
    Today,
)  # fmt: skip
from motet.board.database import Tx
from motet.board.members import Members
from motet.board.posting import Posting
from motet.board.sqlite import SqliteDatabase

SMALL = Limits(hops=4, tokens=1000, cost=1.0, agent_posts=None, pair_posts=None, board_posts=None)


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Boards]:
    async with Boards.in_directory(tmp_path / "state", SMALL) as boards:
        yield boards


async def _answer(page: Page, name: str, body: str, **used: float) -> list[Delivery]:
    """Take what waits for `name`, and answer each with `body`."""
    taken = await page.boards.pull(page[name])
    for one in taken:
        await page.boards.carried(page[name], [one.id], f"turn-{one.id}")
        await page.post(name, body, reply_to=one.post.id, answers=one.id)
        await page.boards.settle(page[name], one.id, Outcome(DeliveryState.ANSWERED, **used))  # type: ignore[arg-type]
    return taken


@pytest.mark.acceptance("VB-06")
async def test_two_who_always_answer_end_at_the_hops_and_the_human_is_told_once(small: Boards) -> None:
    page = await Page.of(small, "one", "two", human="mia")
    await page.post("mia", "@one@ begin")
    hops: list[int] = []
    for turn in range(10):
        name = ("one", "two")[turn % 2]
        for one in await small.pull(page[name]):
            hops.append(one.budget.hops)
            await small.carried(page[name], [one.id], f"turn {turn}")
            if one.budget.at_zero(one.at):
                await small.settle(page[name], one.id, Outcome(DeliveryState.DECLINED, "budget", "hops"))
            else:
                text = f"turn {turn}: {'abcdefghij'[turn] * 9} @{('two', 'one')[turn % 2]}@"
                await page.post(name, text, reply_to=one.post.id, answers=one.id)
    assert hops == [4, 3, 2, 1, 0]
    (notice,) = await small.notices()
    assert (notice.kind, notice.text) == (
        NoticeKind.BUDGET,
        f"agents have used up the hops of what began with post {notice.about} (0 tokens, $0): continue or stop?",
    )


@pytest.mark.acceptance("VB-06")
async def test_a_human_lets_it_go_on_or_ends_it(small: Boards) -> None:
    page = await Page.of(small, "one", "two", human="mia")
    first = (await page.post("mia", "@one@ begin")).post.id
    await _answer(page, "one", "@two@ first words", tokens=600)
    (one,) = await small.pull(page["two"])
    assert (one.budget.tokens, one.budget.hops) == (1000, 3)
    await small.carried(page["two"], [one.id], "turn")
    await small.settle(page["two"], one.id, Outcome(DeliveryState.DECLINED, "judge", "no", tokens=400))
    assert ((chain := await small.chain(first)).state, chain.tokens) == (ChainState.SPENT, 1000)
    await page.post("one", "@two@ second words")
    (two,) = await small.pull(page["two"])
    await small.settle(page["two"], two.id, Outcome(DeliveryState.DECLINED, "budget", "tokens"))
    assert await small.go_on(first) == 1
    (again,) = await small.pull(page["two"])
    assert (again.id, again.budget.tokens, again.budget.hops) == (two.id, 1000, 4)
    await small.give_back(page["two"], [again.id])
    assert await small.stop(first) == 1
    assert await small.pull(page["two"]) == []
    assert [(one.kind, one.settled) for one in await small.notices()] == [(NoticeKind.BUDGET, "continue")]


async def test_agents_of_other_programs_that_always_answer_end_at_the_hops_too(place: Place) -> None:
    """Nobody decides for them whether they answer: they are held where they write."""
    async with place.boards(Limits(hops=3, pair_posts=None)) as boards:
        page = await Page.of(boards, human="mia")
        for name in ("one", "two"):
            await page.add(name, AgentKind.MCP)
        begun = (await page.post("mia", "@one@ begin")).post

        async def goes(name: str, other: str, words: str) -> None:
            (one,) = await boards.pull(page[name])
            await boards.carried(page[name], [one.id], "tool")
            await page.post(name, f"@{other}@ {words}", reply_to=one.post.id, answers=one.id)

        async def go_on_until_refused() -> list[str]:
            words = iter(("alpha", "bravo charlie", "delta echo foxtrot", "golf", "hotel india", "juliet kilo lima"))
            with pytest.raises(BoardRefused, match=r"^not posted: the budget of its chain is used up \(post \d"):
                while True:
                    at = len(await boards.posts(page.board))
                    await goes(*(("one", "two") if at % 2 else ("two", "one")), next(words) * 9)
            return [post.author for post in await boards.posts(page.board)]

        assert await go_on_until_refused() == [page["mia"], page["one"], page["two"], page["one"]]
        with pytest.raises(BoardRefused, match=r"^not posted: the budget"):  # nor does it begin anew by not answering
            await page.post("two", "@one@ something else entirely")
        await page.post("two", "@one@ I wait", kind=PostKind.STATUS)
        assert [one.kind for one in await boards.notices()] == [NoticeKind.BUDGET]
        assert await boards.go_on(begun.chain) == 1
        assert [one.state for one in await boards.pull(page["two"])] == [DeliveryState.LEASED]
        await boards.stop(begun.chain)
        with pytest.raises(BoardRefused, match=r"^not posted: a human stopped it"):
            await page.post("one", "@two@ once more, please")


async def test_a_fan_out_splits_tokens_and_money(small: Boards) -> None:
    page = await Page.of(small, "a", "b", "c", "d", human="mia")
    await page.post("mia", "@a@ @b@ work")
    assert [one.budget.tokens for one in await small.pull(page["a"])] == [500]
    await page.post("mia", "@a@ @mia@ work")
    assert [one.budget.tokens for one in await small.pull(page["a"])] == [1000]
    await page.post("mia", "@All work")
    assert [(one.budget.tokens, one.budget.cost) for one in await small.pull(page["c"])] == [(250, 0.25)]


async def test_whoever_is_there_gets_a_part_of_what_others_leave(place: Place) -> None:
    """Of those whom a post to everyone reaches, most are gone; no more is promised than there is."""
    async with place.boards(Limits(tokens=1000, cost=1.0)) as boards:
        page = await Page.of(boards, "a", "b", "c", *(f"gone{at}" for at in range(7)), human="mia")
        for at in range(7):
            await boards.set_state(page[f"gone{at}"], AgentState.GONE)
        await page.post("mia", "@All what do you think?")

        async def begin(name: str) -> Delivery:
            (one,) = await boards.pull(page[name])
            assert (one.budget.tokens, one.budget.cost) == (100, 0.1)
            await boards.carried(page[name], [one.id], "turn")
            return (await boards.facts(one.id)).delivery

        a, b = await begin("a"), await begin("b")
        assert (a.budget.tokens, b.budget.tokens) == (333, 333)
        await boards.settle(page["b"], b.id, Outcome(DeliveryState.ACKED, tokens=33, cost=0.033))
        c = await begin("c")
        assert (c.budget.tokens, round(c.budget.cost, 3)) == (1000 - 333 - 33, round(1 - 0.3333333 - 0.033, 3))


async def test_one_that_needs_more_than_its_share_ends_nobody_elses(small: Boards) -> None:
    page = await Page.of(small, "a", "b", human="mia")
    chain = (await page.post("mia", "@a@ @b@ work")).post.chain
    assert await small.spent(chain, "tokens")
    assert not await small.spent(chain, "tokens")
    assert (await small.chain(chain)).state is ChainState.RUNNING
    (notice,) = await small.notices()
    assert notice.text.startswith("one of several agents has used up its share of the tokens of what began with post")
    await small.pull(page["a"])
    (one,) = await small.pull(page["b"])
    await small.settle(page["b"], one.id, Outcome(DeliveryState.ACKED, tokens=1000))
    assert (await small.chain(chain)).state is ChainState.SPENT
    assert len(await small.notices()) == 1


async def test_a_cap_of_the_day_is_told_once_and_says_what_it_leaves(tmp_path: Path) -> None:
    limits = Limits(agent_tokens_per_day=500, board_cost_per_day=2.0)
    async with Boards.in_directory(tmp_path / "state", limits) as boards:
        page = await Page.of(boards, "one", human="mia")
        for number in range(3):
            await page.post("mia", f"@one@ {number}")
        first, second, third = await boards.pull(page["one"])
        await boards.settle(page["one"], first.id, Outcome(DeliveryState.ACKED, tokens=300, cost=0.5))
        assert (await boards.facts(second.id)).today == Today(200, 1.5)
        for one in (second, third):
            await boards.settle(page["one"], one.id, Outcome(DeliveryState.ACKED, tokens=300, cost=0.5))
        over = f"{page['one']}'s 500 tokens of today are used up"
        assert (await boards.facts(third.id)).today.over == over
        assert [one.text for one in await boards.notices()] == [
            f"{over}: nothing more is answered until midnight (UTC)"
        ]


async def test_what_only_acknowledges_or_repeats_is_not_posted(small: Boards) -> None:
    page = await Page.of(small, "one", "two", human="mia")
    await page.post("mia", "@one@ @two@ begin")
    (one,) = await small.pull(page["one"])
    await small.carried(page["one"], [one.id], "turn")
    for empty in ("Thanks!", f"@{page['two']} ok, got it.", "了解しました。", "👍"):
        with pytest.raises(BoardRefused, match="only acknowledges"):
            await page.post("one", empty)
    await page.post("one", "The tests of the parser fail at line 30.")
    with pytest.raises(BoardRefused, match="you have just said that"):
        await page.post("one", "The tests of the parser fail at line 30!")
    assert (await page.post("one", "Thanks!", kind=PostKind.ACK)).post.seq == 3
    assert (await page.post("mia", "ok")).post.seq == 4


async def test_an_agent_that_does_not_say_what_caused_its_post_gets_no_new_budget(small: Boards) -> None:
    page = await Page.of(small, "one", "two", human="mia")
    await page.post("mia", "@one@ begin")
    (one,) = await small.pull(page["one"])
    await small.carried(page["one"], [one.id], "turn")
    posted = await page.post("one", "something else entirely, to @two@")
    assert (posted.post.chain, posted.post.budget.hops, posted.post.budget.tokens) == (one.post.chain, 3, 500)
    fresh = await page.post("one", "my human asked for it: @two@ hello", by_human=True)
    assert (fresh.post.chain, fresh.post.budget.hops) == (fresh.post.id, 4)


@pytest.mark.acceptance("VB-06")
async def test_rates_hold_agents_back_but_no_status_no_ack_and_no_human(tmp_path: Path) -> None:
    limits = Limits(agent_posts=3, pair_posts=2, board_posts=None, alert=4)
    async with Boards.in_directory(tmp_path / "state", limits) as boards:
        page = await Page.of(boards, "one", "two", human="mia")
        await page.post("one", "@two@ first")
        await page.post("one", "@two@ second")
        with pytest.raises(BoardRefused, match=rf"^not posted: 2 posts from you to {page['two']} in a minute are"):
            await page.post("one", "@two@ third")
        await page.post("one", "to nobody")
        with pytest.raises(BoardRefused, match=r"^not posted: 3 posts of yours in a minute are the limit; wait"):
            await page.post("one", "once more")
        for kind in (PostKind.STATUS, PostKind.ACK):
            await page.post("one", "@two@ still here", kind=kind)
        for number in range(10):
            await page.post("mia", f"@two@ {number}")
        await page.post("two", "I write too")
        assert [notice.text for notice in await boards.notices()] == [
            "agents have written 4 posts on general within a minute"
        ]


async def test_answers_that_name_nobody_count_for_a_pair_too(tmp_path: Path) -> None:
    async with Boards.in_directory(tmp_path / "state", Limits(pair_posts=2)) as boards:
        page = await Page.of(boards, "one", "two")
        for number in range(2):
            asked = await page.post("two", f"{number}?")
            await page.post("one", f"{number}!", reply_to=asked.post.id)
        with pytest.raises(BoardRefused, match=rf"^not posted: 2 posts from you to {page['two']} in a minute are"):
            await page.post("one", "and more", reply_to=asked.post.id)


async def test_a_paused_agent_and_a_paused_board_wait(small: Boards) -> None:
    page = await Page.of(small, "one", "two", human="mia")
    await page.post("mia", "@one@ @two@ begin")
    await small.pause_agent(page["one"])
    await small.pause(page.board)
    assert [await page.inbox(name) for name in ("one", "two")] == [[], []]
    with pytest.raises(BoardRefused, match=rf"^{page['one']} is paused by a human"):
        await page.post("one", "hello")
    with pytest.raises(BoardRefused, match=r"^the board general is paused by a human"):
        await page.post("two", "hello")
    await page.post("mia", "@mia@ nobody")
    await small.pause(page.board, False)
    await small.pause_agent(page["one"], False)
    assert [len(await page.inbox(name)) for name in ("one", "two")] == [1, 1]


async def test_agents_of_the_same_name_keep_their_own_addresses(small: Boards) -> None:
    page = await Page.of(small)
    first = await page.add("twin", identity="a")
    second = await page.add("twin", identity="b")
    assert first != second
    assert [await page.add("twin", identity=identity) for identity in ("b", "a")] == [second, first]
    assert await page.add("mia", AgentKind.HUMAN) != first


async def test_a_refused_post_counts_for_no_cap_of_the_day(tmp_path: Path) -> None:
    state, limits = tmp_path / "state", Limits(agent_posts_per_day=1)
    async with Boards.in_directory(state, limits) as boards:
        page = await Page.of(boards, "one", "two", human="mia")
        await page.post("mia", "@one@ begin")
        (one,) = await boards.pull(page["one"])
    database = SqliteDatabase(state)

    def work(tx: Tx) -> list[object]:
        tx.run("DELETE FROM chains WHERE id = ?", one.post.chain)
        drafts = [
            Draft(page.board, page["one"], "I begin", causes=(one.id,)),
            Draft(page.board, page["two"], "hello"),
        ]
        return [type(outcome) for outcome in Posting(tx, one.post.at, limits, Members()).append(drafts)]

    assert database.write([work], durable=True) == [[BoardMissing, Posted]]
    database.close()
    async with Boards.in_directory(state, limits) as boards:
        assert [notice.text for notice in await boards.notices() if "posts of agents" in notice.text] == [
            f"{page['two']}: the 1 posts of agents of today are used up"
        ]
