"""One turn of a chat on boards: which deliveries it carries, what it may use for them, and what became of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf

from motet.board import (
    AgentKind,
    Decision,
    Delivery,
    DeliveryState,
    Outcome,
    Policy,
    PostKind,
    Seat,
    Today,
    only_acknowledges,
)
from motet.chat import End, Ended
from motet.errors import MotetError
from motet.models.protocol import Usage
from motet.money import dollars
from motet.tools.speaker import Speaker
from motet.turn import Spending, TurnState
from motet.visible import one_line

_EXCERPT = 1_000
"""Characters of an agent's last words that its status tells."""
_REASON = 300
"""Characters of a reason that it tells."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A delivery that stands in the conversation. `decision`: by which it came, with what deciding used. `tokens` and
    `cost` were used by its turn before it came; `ends`: when its time is over (`time.monotonic`)."""

    delivery: Delivery
    decision: Decision | None = None
    tokens: int = 0
    cost: float = 0.0
    ends: float = inf

    def outcome(self, ended: Ended, turn: BoardTurn) -> Outcome:
        """What became of it, when its turn is over. An answer that was posted stays one."""
        rule, reason = (self.decision.rule, self.decision.reason) if self.decision else ("joined", "")
        if self.decision is not None and not self.decision.answered:
            return Outcome(DeliveryState.ACKED, rule, reason)
        if turn.rule == "paused":
            return Outcome(DeliveryState.IN_CONTEXT, "paused", turn.why)
        if turn.rule:
            return Outcome(DeliveryState.DECLINED, turn.rule, turn.why)
        if turn.over:
            return Outcome(DeliveryState.DECLINED, "budget", f"no {turn.over} left")
        if turn.cap:
            return Outcome(DeliveryState.DECLINED, "cap", turn.cap)
        if ended.reason is End.DONE:
            return Outcome(DeliveryState.ACKED, rule, reason)
        return Outcome(DeliveryState.DECLINED, str(ended.reason), ended.detail)


@dataclass(slots=True)
class BoardTurn:
    """`by_human`: a human's own words began it. `rule` and `why`: what holds it. `over`: what of the deliveries' budget
    it has used up; `cap`: which cap of the day it met. `today`: what these left when the deliveries came. `has_told`:
    who asked knows that it waits for its human; `refused`: what it was not allowed. `answers`: by delivery, the post
    with the model's last words; `unanswered`: by delivery, why they were not posted, empty: there were none."""

    by_human: bool
    carried: list[Carried] = field(default_factory=list[Carried])
    spending: Spending = field(default_factory=Spending)
    rule: str = ""
    why: str = ""
    over: str = ""
    cap: str = ""
    today: Today = field(default_factory=Today)
    has_told: bool = False
    refused: list[str] = field(default_factory=list[str])
    answers: dict[str, str] = field(default_factory=dict[str, str])
    unanswered: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, one: Carried, spent: Spending) -> None:
        """One more; what the turn has `spent` so far was not for it."""
        if all(one.delivery.id != other.delivery.id for other in self.carried):
            self.carried.append(replace(one, tokens=spent.usage.total, cost=spent.cost))

    def share(self, one: Carried) -> tuple[int, float]:
        """Tokens and US dollars that count for one of them: an equal part of what was used since it came, and what
        deciding about it cost."""
        many = len(self.carried)
        decided = (one.decision.tokens, one.decision.cost) if one.decision else (0, 0.0)
        tokens = -(-(self.spending.usage.total - one.tokens) // many)
        return tokens + decided[0], (self.spending.cost - one.cost) / many + decided[1]

    async def answer_in_text(self, speaker: Speaker, last_words: str) -> None:
        """Post what the model said at the end of its turn as its answer, when it has answered nothing by a tool."""
        seat = speaker.seat
        now = [(await seat.boards.facts(one.delivery.id)).delivery for one in self.carried]
        if any(one.state is DeliveryState.ANSWERED for one in now):
            return
        waits = [one.delivery for one in self.carried if await _wants_answer(seat, one)]
        waits = [one for one in waits if speaker.reached.isdisjoint((one.post.author, "@All"))]
        if not last_words:
            self.unanswered = {one.id: "" for one in waits}
        if not last_words or only_acknowledges(last_words):
            return
        for board in dict.fromkeys(one.post.board for one in waits):
            these = [one for one in waits if one.post.board == board]
            try:
                post = await speaker.answer([one.post for one in these], last_words, f"answer:{these[-1].id}")
                self.answers |= {one.id: post.id for one in these}
            except MotetError as error:
                self.unanswered |= {one.id: one_line(str(error))[:_REASON] for one in these}

    def why_ended(self, address: str, ended: Ended, last_words: str, unposted: str = "") -> str:
        """What whoever asked is told when the turn of `address` is over and nothing was answered."""
        detail = one_line(self.why or ended.detail)[:_REASON]
        match ended.reason:
            case End.DONE:
                words = f" Its last words:\n\n{last_words[:_EXCERPT]}" if last_words and not self.by_human else ""
                why = f" ({unposted})" if unposted else ""
                return f"{address} ended its turn without an answer{why}.{words}"
            case End.LIMIT:
                return f"{address} stopped at a limit: {detail}."
            case End.STOPPED:
                return f"{address} was stopped by its human."
            case End.FAILED:
                return f"{address} failed: {detail}"

    def over_today(self, tokens: int, cost: float) -> str:
        """Which cap of the day so much would go over, in words; empty: none."""
        if self.today.tokens is not None and tokens > self.today.tokens:
            self.cap = f"the {self.today.tokens:,} tokens that are left of today"
        elif self.today.cost is not None and cost > self.today.cost:
            self.cap = f"the {dollars(self.today.cost)} that are left of today"
        return self.cap


async def _wants_answer(seat: Seat, carried: Carried) -> bool:
    """Whether its author waits for what the agent says last: not for what informs, nor for what an agent has answered to
    this one; two that answer in text would never end."""
    post, decision = carried.delivery.post, carried.decision
    if post.kind not in (PostKind.MESSAGE, PostKind.REQUEST):
        return False
    if not decision.answered if decision else seat.agent.policy is Policy.NEVER:
        return False
    if post.kind is PostKind.REQUEST or not post.reply_to:
        return True
    if (await seat.boards.get(post.reply_to)).author != seat.address:
        return True
    return (await seat.boards.agent(post.author)).kind is AgentKind.HUMAN


@dataclass(frozen=True, slots=True)
class TurnLimit:
    """A turn that others' posts began uses no more than these have left; and none goes on that is held."""

    turn: Callable[[], BoardTurn | None]

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        turn = self.turn()
        if turn is None:
            return ""
        if turn.why:
            return turn.why
        if turn.by_human or not turn.carried:
            return ""
        price = state.spending.price
        ahead = Usage(input=state.next_tokens).cost(price) if price else 0.0
        will_be, will_cost = state.spending.usage.total + state.next_tokens, state.spending.cost + ahead
        if cap := turn.over_today(will_be, will_cost):
            return cap
        budgets = [one.delivery.budget for one in turn.carried]
        tokens, cost = sum(one.tokens for one in budgets), sum(one.cost for one in budgets)
        if will_be > tokens:
            turn.over = "tokens"
            return f"the {tokens:,} tokens that the post has left"
        if will_cost > cost:
            turn.over = "money"
            return f"the {dollars(cost)} that the post has left"
        if time.monotonic() >= max(one.ends for one in turn.carried):
            turn.over = "time"
            return "the time that the post has left"
        return ""


def outcome_of(decision: Decision) -> Outcome:
    """What becomes of a delivery that is not answered."""
    state = DeliveryState.ACKED if decision.rule == "kind" else DeliveryState.DECLINED
    return Outcome(state, decision.rule, decision.reason, decision.tokens, decision.cost)


def why_not(address: str, decision: Decision) -> str:
    """What whoever asked is told of it."""
    human = "; a human was asked whether it goes on" if decision.rule == "budget" else ""
    return f"{address} does not answer: {one_line(decision.reason)[:_REASON] or decision.rule}{human}."
