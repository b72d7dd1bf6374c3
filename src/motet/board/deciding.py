"""Whether an agent answers a delivery by itself: rules first, then what its policy says. Pure: it stores nothing.

A delivery that is not answered is still delivered, except where a human has to say first that its chain goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from motet.board.chains import Chain, ChainState
from motet.board.limits import Today
from motet.board.values import Agent, Delivery, DeliveryState, Policy, PostKind

_QUIET = frozenset({PostKind.STATUS, PostKind.ACK})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is decided on. `now`: what time it is for the budget of its chain. `today`: what the caps of the day leave. `paused`: what is, of the agent and the board."""

    delivery: Delivery
    agent: Agent
    chain: Chain
    today: Today = field(default_factory=Today)
    paused: str = ""
    now: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a delivery is `answered`, by which `rule` and why, and what deciding has used. `waits`: it is not read
    either, until a human lets its chain go on. `spent`: what of a budget is used up, of which a human is to be told."""

    answered: bool
    rule: str
    reason: str = ""
    tokens: int = 0
    cost: float = 0.0
    waits: bool = False
    spent: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says, and what asking it has used."""

    answer: bool
    reason: str = ""
    tokens: int = 0
    cost: float = 0.0


Judge = Callable[[Delivery], Awaitable[Judgement]]
"""Says whether a post wants an answer: a question to a cheap model. May raise `MotetError`."""
AskHuman = Callable[[Delivery], Awaitable[bool | None]]
"""Asks the agent's human whether to answer; None: nobody is there."""


def by_rule(facts: Facts) -> Decision | None:
    """What holds whatever the agent wants; None: nothing speaks against an answer."""
    delivery, post = facts.delivery, facts.delivery.post
    if delivery.state is DeliveryState.WITHDRAWN:
        return Decision(False, "withdrawn", "its author took it back, or changed it", waits=True)
    if post.kind in _QUIET:
        return Decision(False, "kind", f"nothing answers a {post.kind}")
    if facts.chain.state is ChainState.STOPPED:
        return Decision(False, "stopped", "a human stopped it", waits=True)
    if post.retracted:
        return Decision(False, "retracted", "its author took it back")
    if facts.paused:
        return Decision(False, "paused", f"{facts.paused} is paused by a human", waits=True)
    if facts.chain.state is ChainState.SPENT:
        return Decision(False, "budget", "the budget of its chain is used up", waits=True)
    if what := facts.chain.over or delivery.budget.at_zero(facts.now):
        return Decision(False, "budget", f"no {what} left", waits=True, spent=what)
    if facts.today.over:
        return Decision(False, "cap", facts.today.over)
    return None


async def decide(facts: Facts, judge: Judge | None, ask: AskHuman | None) -> Decision:
    """Whether an idle agent answers. Raises what `judge` and `ask` raise."""
    if (ruled := by_rule(facts)) is not None:
        return ruled
    delivery = facts.delivery
    match facts.agent.policy:
        case Policy.NEVER:
            return Decision(False, "never", "the agent answers nothing by itself")
        case Policy.MENTIONED:
            return Decision(delivery.mentioned, "mentioned", "" if delivery.mentioned else "it was not called")
        case Policy.ASK:
            said = None if ask is None else await ask(delivery)
            if said is None:
                return Decision(False, "ask", "no human was there to be asked")
            return Decision(said, "ask", f"the human said {'yes' if said else 'no'}")
        case Policy.DECIDE if delivery.high:
            return Decision(True, "urgent")
        case Policy.DECIDE:
            if judge is None:
                return Decision(False, "decide", "there is no model to decide")
            found = await judge(delivery)
            return Decision(found.answer, "decide", found.reason, found.tokens, found.cost)
