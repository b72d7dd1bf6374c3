"""The line that stands below the input: model, meter, and what else is to be known."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from motet.chat.meter import BETWEEN, Meter
from motet.cli.wrap import cut
from motet.visible import one_line

_LEAST_MODEL = 12
"""Cells of a model's name that stay when the line is too long."""


def status_line(model: str, meter: Meter | str, state: Sequence[str], width: int) -> str:
    """Model, meter and what else is to be known, in at most `width` cells.

    What does not fit is left out from the end; the meter goes before the model's name is cut.
    """
    name = one_line(model)
    parts = [str(meter), *(one_line(text) for text in state if text)]
    while parts and cell_len(BETWEEN.join([cut(name, _LEAST_MODEL), *parts])) > width:
        parts.pop()
    rest = "".join(BETWEEN + part for part in parts)
    return cut(cut(name, max(width - cell_len(rest), 1)) + rest, width)
