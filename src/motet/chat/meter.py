"""How full the window is and what the chat has cost, in a few cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from motet.money import UNKNOWN, dollars

if TYPE_CHECKING:
    from motet.chat.chat import Chat

BETWEEN = " · "


@dataclass(frozen=True, slots=True)
class Meter:
    """`tokens` of the next request, the model's `window` in tokens (None: not known), and what was spent so far; empty:
    nothing can be."""

    tokens: int
    window: int | None = None
    cost: str = ""

    def __str__(self) -> str:
        """As in `12.4k/200k · $0.03`."""
        used = short_count(self.tokens)
        full = f"{used}/{short_count(self.window)}" if self.window else f"{used} tokens"
        return full + BETWEEN + self.cost if self.cost else full


def spent(chat: Chat) -> float | None:
    """US dollars that a chat has cost; None where nobody knows what its model costs."""
    return chat.info.cost if chat.model.price is not None else None


def meter_of(chat: Chat, tokens: int) -> Meter:
    """The meter of a chat whose next request has so many `tokens`."""
    model, cost = chat.model, chat.info.cost
    if not model.destination.remote:
        shown = ""
    elif cost and model.price is None:  # another model's
        shown = f"{dollars(cost)} + {UNKNOWN}"
    else:
        shown = dollars(spent(chat))
    return Meter(tokens, model.limits.context_tokens, shown)


def short_count(number: int) -> str:
    """`number` with at most three digits and one decimal: `999`, `12.4k`, `200k`, `1.2M`."""
    if number < 1_000:
        return str(max(number, 0))
    for unit, name in ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "G")):
        value = number / unit
        if value < 999.5:
            text = f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
            return text.removesuffix(".0") + name
    return f"{number / 1e9:.0f}G"
