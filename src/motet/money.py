"""US dollars as people read them: one form everywhere, and a dash where nobody knows what a model costs."""

from __future__ import annotations

UNKNOWN = "–"


def dollars(amount: float | None) -> str:
    """To the cent from ten cents on, below it with two digits that say something, `$0` for nothing; None: `–`."""
    if amount is None:
        return UNKNOWN
    if amount <= 0:
        return "$0"
    if amount < 0.0001:
        return "<$0.0001"
    if amount < 0.0995:
        return "$" + f"{amount:.4f}".rstrip("0").ljust(4, "0")
    return f"${amount:,.2f}"


def known_cost(cost: float, tokens: int) -> float | None:
    """`cost` as it was summed up for so many `tokens`; None where they seem to cost nothing: no price was known."""
    return cost if cost or not tokens else None
