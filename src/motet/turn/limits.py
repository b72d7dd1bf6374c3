"""Limits of a turn. Each looks at the state before a request and says in one line why to stop, or nothing.

No model can raise them: they come from the settings and the command line.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from motet.errors import UsageError
from motet.messages import ToolCall
from motet.models.protocol import Model, Price, Usage
from motet.money import dollars
from motet.tools.tool import ToolOutput


@dataclass(slots=True)
class Spending:
    """What a whole run has used so far; turns share it. `cost` is in US dollars, at `price` where it is known."""

    price: Price | None = None
    usage: Usage = field(default_factory=Usage)
    requests: int = 0

    def add(self, usage: Usage) -> None:
        """Count one finished request."""
        self.usage += usage
        self.requests += 1

    @property
    def cost(self) -> float:
        """US dollars so far; 0 when the price is unknown."""
        return self.usage.cost(self.price) if self.price else 0.0


@dataclass(slots=True)
class TurnState:
    """What limits may look at: requests of this turn so far, calls by name and arguments, the run's spending, the
    estimated tokens of the next request, `fruitless` answers in a row (all their calls failed, or told what was told in
    this turn before), and when the turn began, as `time.monotonic` has it."""

    spending: Spending
    requests: int = 0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    next_tokens: int = 0
    fruitless: int = 0
    began: float = field(default_factory=time.monotonic)
    _told: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def hear(self, outputs: Sequence[tuple[ToolCall, ToolOutput]]) -> None:
        """What the calls of one answer came to."""
        self.calls.update((call.name, call.arguments) for call, _ in outputs)
        new = {(call.name, output.text) for call, output in outputs if not output.is_error} - self._told
        self._told |= new
        self.fruitless = 0 if new else self.fruitless + 1


class Limit(Protocol):
    """One limit."""

    def verdict(self, state: TurnState) -> str:
        """Why the turn must stop now; empty when it may go on."""
        ...


@dataclass(frozen=True, slots=True)
class RoundLimit:
    """At most `rounds` requests in a turn."""

    rounds: int

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        return f"{self.rounds} answers in one turn" if state.requests >= self.rounds else ""


_LEAST_ANSWER = 1_000
"""Tokens without which an answer is not worth asking for; an eighth of a window that is smaller than eight such."""


@dataclass(frozen=True, slots=True)
class WindowLimit:
    """A turn may not grow out of the model's window of `tokens`: each request leaves room for an answer.

    The first request of a turn passes: it is as small as its caller could make it, and the provider has the word.
    """

    tokens: int

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        if not state.requests or self.room(state.next_tokens):
            return ""
        return f"the model's window of {self.tokens:,} tokens is full"

    def room(self, tokens: int) -> int:
        """Tokens left for the answer to a request of `tokens`; 0 when they are too few to be of use."""
        left = self.tokens - tokens
        return left if left >= min(_LEAST_ANSWER, self.tokens // 8) else 0


@dataclass(frozen=True, slots=True)
class TokenLimit:
    """At most `tokens` in the whole run, counting the next request before it goes out."""

    tokens: int

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        used = state.spending.usage.total
        if used + state.next_tokens <= self.tokens:
            return ""
        return f"budget of {self.tokens:,} tokens (used {used:,}, the next request needs about {state.next_tokens:,})"


@dataclass(frozen=True, slots=True)
class CostLimit:
    """At most `dollars` in the whole run, counting the input of the next request before it goes out."""

    dollars: float

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        price = state.spending.price
        ahead = Usage(input=state.next_tokens).cost(price) if price else 0.0
        if state.spending.cost + ahead <= self.dollars:
            return ""
        return f"budget of {dollars(self.dollars)} (used {dollars(state.spending.cost)})"


def require_price(model: Model, cap: str, instead: str) -> None:
    """A cap in dollars is none where nobody knows what a request costs: raises `UsageError`, which names the settings
    `cap` and `instead`, a cap in tokens. A model in this process costs nothing."""
    if model.price is None and model.destination.remote:
        raise UsageError(
            f"{cap} is a cap in dollars, and the price of {model.name} is not known; set "
            f"providers.{model.destination.provider}.input_price and output_price, or use {instead}"
        )


@dataclass(frozen=True, slots=True)
class ProgressLimit:
    """At most `answers` in a row whose calls lead to nothing new."""

    answers: int = 8

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        if state.fruitless < self.answers:
            return ""
        return f"the calls of the model's last {state.fruitless} answers failed or told nothing new"


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """A turn begins no answer when it has gone on for `minutes`."""

    minutes: int

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        if time.monotonic() - state.began < self.minutes * 60:
            return ""
        return f"{self.minutes} minute{'s' if self.minutes > 1 else ''} for one turn"


@dataclass(frozen=True, slots=True)
class RepeatLimit:
    """The same call with the same arguments at most `times` in a turn."""

    times: int = 3

    def verdict(self, state: TurnState) -> str:
        """See `Limit`."""
        worst = state.calls.most_common(1)
        if not worst or worst[0][1] < self.times:
            return ""
        return f"the model repeated the same {worst[0][0][0]} call {worst[0][1]} times"
