"""How full the window is and what the chat has cost, in a few cells."""

from __future__ import annotations

from dataclasses import dataclass

BETWEEN = " · "


@dataclass(frozen=True, slots=True)
class Meter:
    """`tokens` of the next request, the model's `window` in tokens, and US dollars so far. None: not known."""

    tokens: int
    window: int | None = None
    cost: float | None = None

    def __str__(self) -> str:
        """As in `12.4k/200k · $0.03`."""
        used = short_count(self.tokens)
        full = f"{used}/{short_count(self.window)}" if self.window else f"{used} tokens"
        return full if self.cost is None else full + BETWEEN + short_cost(self.cost)


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


def short_cost(dollars: float) -> str:
    """US dollars: to the cent from ten cents on, below it with two digits that say something, `$0` for nothing."""
    if dollars <= 0:
        return "$0"
    if dollars < 0.0001:
        return "<$0.0001"
    if dollars < 0.0995:
        return "$" + f"{dollars:.4f}".rstrip("0").ljust(4, "0")
    return f"${dollars:,.2f}"
