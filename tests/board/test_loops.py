"""Agents of other programs that answer whatever they see, by any road, come to an end; a human lets them go on."""

from __future__ import annotations

import pytest
from board.places import Place

from motet.board import AgentKind, BoardRefused, Boards, Limits, NewAgent, NoticeKind, PostKind, Seat

FAST = Limits(agent_posts=None, pair_posts=None, board_posts=None, alert=10**6)
WORDS = [
    "alpha",
    "bravo",
    "carol",
    "delta",
    "eagle",
    "fairy",
    "gamma",
    "hotel",
    "india",
    "julia",
    "kilos",
    "limas",
    "mango",
    "nancy",
    "oscar",
    "papas",
]


async def seats(boards: Boards, many: int, kind: AgentKind = AgentKind.MCP) -> tuple[Seat, list[Seat]]:
    """A human, and agents."""
    human = await Seat.take(boards, "/p", NewAgent("mia", AgentKind.HUMAN, "mia"))
    return human, [await Seat.take(boards, "/p", NewAgent(f"v{at}", kind, f"v{at}")) for at in range(many)]


def say(number: int) -> str:
    """Something new each time."""
    return " ".join(WORDS[number // 16**power % 16] * 3 for power in range(4))


async def rounds(agents: list[Seat], many: int, begin: int = 0) -> int:
    """Each reads the board and answers what others wrote; how many answers were stored."""
    posted, last = 0, dict.fromkeys((one.address for one in agents), 0)
    for at in range(begin, begin + many):
        agent = agents[at % len(agents)]
        seen = [one for one in await agent.read(after=last[agent.address]) if one.author != agent.address]
        if not seen:
            continue
        last[agent.address] = seen[-1].seq
        try:
            await agent.post(say(at))
            posted += 1
        except BoardRefused as refusal:
            assert "the budget of its chain is used up" in str(refusal)
    return posted


@pytest.mark.acceptance("VB-06", "T-29", "S4-013", "S4-054", "S4-082")
async def test_agents_that_only_read_and_post_end_at_the_hops(place: Place) -> None:
    async with place.boards(FAST) as boards:
        human, agents = await seats(boards, 3)
        await human.post("@All go")
        assert await rounds(agents, 60) == FAST.hops
        (notice,) = await boards.notices()
        assert (notice.kind, notice.text.partition(":")[0].startswith("agents have used up the hops")) == (
            NoticeKind.BUDGET,
            True,
        )
        assert await boards.go_on(notice.about) > 0
        assert 0 < await rounds(agents, 60, 100) <= 3 * FAST.hops
        await human.post("And now the other file.")
        assert await rounds(agents, 60, 200) == FAST.hops
        for one in agents:
            await one.leave()


async def test_what_was_read_is_the_cause_though_a_humans_post_was_given(place: Place) -> None:
    async with place.boards(FAST) as boards:
        human, agents = await seats(boards, 2)
        await human.post("@All go")
        for one in agents:
            await one.carried(await one.pull(), "turn")
        assert await rounds(agents, 40) == FAST.hops
        for one in agents:
            await one.leave()


async def test_what_was_read_keeps_nobody_from_an_answer(place: Place) -> None:
    async with place.boards(FAST) as boards:
        human, agents = await seats(boards, 2)
        await human.post("@v0 go")
        await rounds(agents, 40)
        asked = (await human.post("@v0 what is left?")).post
        await agents[0].carried(await agents[0].pull(), "turn")
        assert (await agents[0].reply(asked.id, "Two files.")).post.budget.hops == FAST.hops - 1
        await agents[0].post("still at it", kind=PostKind.STATUS)
        for one in agents:
            await one.leave()


@pytest.mark.parametrize("how", ["write", "continue"])
async def test_agents_alone_write_so_much_until_a_human_does(place: Place, how: str) -> None:
    async with place.boards(Limits(alone=3, agent_posts=None)) as boards:
        human, (agent, other) = await seats(boards, 2)
        first = (await human.post("go")).post

        async def write(begin: int) -> None:
            for at in range(begin, begin + 3):
                await (agent, other)[at % 2].post(say(at))
            with pytest.raises(BoardRefused, match="agents have written 3 posts on this board since a human did"):
                await other.post(say(begin + 3))
            await other.post("still here", kind=PostKind.STATUS)

        await write(0)
        (notice,) = await boards.notices()
        assert (notice.kind, notice.text) == (
            NoticeKind.STOPPED,
            "general: agents have written 3 posts since a human did, and are held; write there, or continue one of them",
        )
        if how == "write":
            await human.post("go on")
        else:
            await boards.go_on(first.chain)
        await write(10)
        assert len(await boards.notices()) == 2
        for one in (agent, other):
            await one.leave()


@pytest.mark.parametrize("kind", [AgentKind.MCP, AgentKind.CHAT])
async def test_a_day_has_an_end_for_every_agent_and_board(place: Place, kind: AgentKind) -> None:
    limits = Limits(agent_posts_per_day=2, board_posts_per_day=3, agent_posts=None)
    async with place.boards(limits) as boards:
        _, (agent, other) = await seats(boards, 2, kind)
        await agent.post(say(1))
        await agent.post(say(2))
        with pytest.raises(BoardRefused, match="2 posts of yours are the limit of a day"):
            await agent.post(say(3))
        await other.post(say(4))
        with pytest.raises(BoardRefused, match="3 posts of agents on this board are the limit of a day"):
            await other.post(say(5))
        assert [one.text for one in await boards.notices()] == [
            f"{agent.address}: the 2 posts of agents of today are used up",
            "general: the 3 posts of agents of today are used up",
        ]
        for one in (agent, other):
            await one.leave()
