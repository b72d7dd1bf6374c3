"""Who is meant by a name that several have, or had, here or elsewhere; and names that nobody can take."""

from __future__ import annotations

import pytest
from board.board_kit import Page

from motet.board import AgentKind, AgentMissing, AgentState, Boards, NewAgent
from motet.errors import UsageError


async def test_a_name_means_the_one_who_is_there(boards: Boards) -> None:
    page = await Page.of(boards, "boss")
    old = await page.add("coder", identity="old")
    await boards.set_state(old, AgentState.GONE, "its session ended")
    new = await page.add("coder", identity="new")
    assert (await page.post("boss", "@coder look")).recipients == (new,)
    assert (await boards.named("coder")).address == new
    await boards.set_state(new, AgentState.GONE, "its session ended")
    await boards.set_state(old, AgentState.IDLE)
    assert (await page.post("boss", "@coder look again")).recipients == (old,)
    await boards.set_state(new, AgentState.IDLE)
    (told,) = (await page.post("boss", "@coder which?")).unknown
    assert sorted(told.nearest) == sorted([old, new])
    with pytest.raises(AgentMissing, match=rf"several agents are named 'coder': .*{new} \(idle.*by its address"):
        await boards.named("coder")


async def test_the_only_one_is_meant_though_it_is_gone(boards: Boards) -> None:
    page = await Page.of(boards, "boss", "coder")
    await boards.set_state(page["coder"], AgentState.GONE, "left")
    assert (await page.post("boss", "@coder when you are back")).recipients == (page["coder"],)


async def test_a_humans_name_means_the_human(boards: Boards) -> None:
    page = await Page.of(boards, "boss", "mia")
    agent = page["mia"]
    human = await page.add("mia", AgentKind.HUMAN)
    assert agent != human
    assert (await page.post("boss", "@mia look")).recipients == (human,)


@pytest.mark.parametrize("name", ["mia", "MIA", "mіa", "ｍｉａ", "m1a"])
async def test_no_agent_takes_a_humans_name(boards: Boards, name: str) -> None:
    page = await Page.of(boards, human="mia")
    with pytest.raises(UsageError, match="cannot be an agent's name: a human here is called so"):
        await page.add(name)
    assert await page.add(f"{name}-2")


@pytest.mark.parametrize("name", ["human", "Human", "All", "aII", "а11", "ｈｕｍａｎ", "hսman", "role"])
async def test_no_agent_takes_a_word_of_mentions(boards: Boards, name: str) -> None:
    page = await Page.of(boards)
    with pytest.raises(UsageError, match="cannot be a name"):
        await page.add(name)


async def test_names_are_looked_up_in_the_project_first(boards: Boards) -> None:
    found: dict[str, str] = {}
    for project in ("/one", "/two"):
        board = await boards.open(project)
        for name in ("coder", project[1:] + "er"):
            agent = await boards.register(NewAgent(name, AgentKind.CHAT, f"{project}{name}", workspace=project))
            await boards.join(board.id, agent.address)
            found[f"{project}/{name}"] = agent.address
    for project in ("/one", "/two"):
        assert (await boards.named("coder", project)).address == found[f"{project}/coder"]
    assert (await boards.named(found["/two/coder"], "/one")).address == found["/two/coder"]
    with pytest.raises(AgentMissing) as missing:
        await boards.named("twoer", "/one")
    assert str(missing.value) == (
        f"there is no agent 'twoer' on the boards of this project; elsewhere: {found['/two/twoer']} (idle, /two)"
    )
