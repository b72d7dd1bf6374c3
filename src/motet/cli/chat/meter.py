"""How full the window is and what the chat has cost, in a few cells; and the line that stands below the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from motet.cli.wrap import cut
from motet.visible import one_line

_BETWEEN = " · "
_LEAST_MODEL = 12
"""Cells of a model's name that stay when the line is too long."""


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
        return full if self.cost is None else full + _BETWEEN + short_cost(self.cost)


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


def status_line(model: str, meter: Meter | str, state: Sequence[str], width: int) -> str:
    """Model, meter and what else is to be known, in at most `width` cells.

    What does not fit is left out from the end; the meter goes before the model's name is cut.
    """
    name = one_line(model)
    parts = [str(meter), *(one_line(text) for text in state if text)]
    while parts and cell_len(_BETWEEN.join([cut(name, _LEAST_MODEL), *parts])) > width:
        parts.pop()
    rest = "".join(_BETWEEN + part for part in parts)
    return cut(cut(name, max(width - cell_len(rest), 1)) + rest, width)
