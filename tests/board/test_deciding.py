"""Whether an agent answers: rules first, then its policy; pure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from motet.board import (
    Agent,
    AgentKind,
    AgentState,
    Budget,
    Chain,
    ChainState,
    Decision,
    Delivery,
    DeliveryState,
    Facts,
    Judgement,
    Policy,
    Post,
    PostKind,
    Today,
    decide,
)

NOW = 1_000.0
BUDGET = Budget(3, 1_000, 1.0, NOW + 60)
POST = Post("p1", "b1", 1, NOW, "ann-1", PostKind.MESSAGE, "@ben hi", "", "p1", BUDGET)
DELIVERY = Delivery("d1", POST, "ben-1", DeliveryState.LEASED, False, True, NOW, NOW, BUDGET)
AGENT = Agent(
    "ben-1", "ben", AgentKind.CHAT, "1", (), "", "", Policy.MENTIONED, AgentState.IDLE, "", False, NOW, NOW, ""
)
FACTS = Facts(DELIVERY, AGENT, Chain("p1", "b1", ChainState.RUNNING, 0, 0.0, 1_000, 1.0), now=NOW)


def of_kind(kind: PostKind) -> Facts:
    return replace(FACTS, delivery=replace(DELIVERY, post=replace(POST, kind=kind)))


def with_budget(budget: Budget) -> Facts:
    return replace(FACTS, delivery=replace(DELIVERY, budget=budget))


@pytest.mark.parametrize(
    ("facts", "decision"),
    [
        (FACTS, Decision(True, "mentioned")),
        (of_kind(PostKind.STATUS), Decision(False, "kind", "nothing answers a status")),
        (of_kind(PostKind.ACK), Decision(False, "kind", "nothing answers a ack")),
        (
            replace(FACTS, chain=replace(FACTS.chain, state=ChainState.STOPPED)),
            Decision(False, "stopped", "a human stopped it", waits=True),
        ),
        (
            replace(FACTS, chain=replace(FACTS.chain, state=ChainState.SPENT)),
            Decision(False, "budget", "the budget of its chain is used up", waits=True),
        ),
        (
            replace(FACTS, chain=replace(FACTS.chain, tokens=1_000)),
            Decision(False, "budget", "no tokens left", waits=True, spent="tokens"),
        ),
        (with_budget(replace(BUDGET, hops=0)), Decision(False, "budget", "no hops left", waits=True, spent="hops")),
        (with_budget(replace(BUDGET, cost=0.0)), Decision(False, "budget", "no money left", waits=True, spent="money")),
        (with_budget(replace(BUDGET, until=NOW)), Decision(False, "budget", "no time left", waits=True, spent="time")),
        (replace(FACTS, today=Today(0, None, "ben-1's 5 tokens of today are used up")), Decision(False, "cap", "ben-1's 5 tokens of today are used up")),
        (replace(FACTS, paused="ben-1"), Decision(False, "paused", "ben-1 is paused by a human", waits=True)),
        (
            replace(FACTS, agent=replace(AGENT, policy=Policy.NEVER)),
            Decision(False, "never", "the agent answers nothing by itself"),
        ),
    ],
)  # fmt: skip
async def test_what_a_rule_or_the_policy_says(facts: Facts, decision: Decision) -> None:
    assert await decide(facts, None, None) == decision


@pytest.mark.parametrize("said", [True, False, None])
async def test_the_human_is_asked_where_the_policy_says_so(said: bool | None) -> None:
    async def ask(_: Delivery) -> bool | None:
        return said

    facts = replace(FACTS, agent=replace(AGENT, policy=Policy.ASK))
    reason = {True: "the human said yes", False: "the human said no", None: "no human was there to be asked"}[said]
    assert await decide(facts, None, ask) == Decision(said is True, "ask", reason)


async def test_the_judge_is_asked_where_the_policy_says_so_and_no_rule_decides() -> None:
    asked: list[str] = []

    async def judge(delivery: Delivery) -> Judgement:
        asked.append(delivery.id)
        return Judgement(False, "it only informs", 120, 0.01)

    facts = replace(FACTS, agent=replace(AGENT, policy=Policy.DECIDE))
    assert await decide(facts, judge, None) == Decision(False, "decide", "it only informs", 120, 0.01)
    spent = replace(facts, chain=replace(facts.chain, state=ChainState.SPENT))
    assert (await decide(spent, judge, None)).rule == "budget"
    urgent = replace(facts, delivery=replace(DELIVERY, high=True))
    assert await decide(urgent, judge, None) == Decision(True, "urgent")
    assert asked == ["d1"]
