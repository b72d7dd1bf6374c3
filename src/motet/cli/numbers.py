"""The numbers that options take, with their bounds in words: `at least 1`, `between 1 and 50`."""

from __future__ import annotations

from typing import Any

import click

_ABSURD = 1_000_000
"""An upper bound from here on only keeps absurd numbers out: help does not mention it."""


class Whole(click.IntRange):
    """A whole number from `min` on, up to and with `max`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that was typed. Raises `click.BadParameter` where it is none, or out of bounds."""
        number: int = click.INT.convert(value, param, ctx)
        if not _fits(self, number):
            self.fail(f"{number} is not {_bounds(self)}", param, ctx)
        return number

    def _describe_range(self) -> str:
        return _bounds(self, _ABSURD)


class Amount(click.FloatRange):
    """A number from `min` on, or above it with `min_open`, up to and with `max`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that was typed. Raises `click.BadParameter` where it is none, or out of bounds."""
        number: float = click.FLOAT.convert(value, param, ctx)
        if not _fits(self, number):
            self.fail(f"{number:g} is not {_bounds(self)}", param, ctx)
        return number

    def _describe_range(self) -> str:
        return _bounds(self, _ABSURD)


COUNT = Whole(1, 1_000_000)
"""How many of a listing."""


def _fits(bounds: click.IntRange | click.FloatRange, number: float) -> bool:
    assert bounds.min is not None  # each of our numbers has a lower bound
    above = number > bounds.min if bounds.min_open else number >= bounds.min
    return above and (bounds.max is None or number <= bounds.max)


def _bounds(bounds: click.IntRange | click.FloatRange, absurd: int | None = None) -> str:
    """The bounds in words; an upper one of `absurd` or more is left out."""
    if bounds.max is not None and (absurd is None or bounds.max < absurd):
        return f"between {bounds.min:,} and {bounds.max:,}"
    return f"{'more than' if bounds.min_open else 'at least'} {bounds.min:,}"
