"""What a benchmark says: a table, and which bars were missed."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from measure.run import BenchError

_DIGITS = {"ms": 1, "s": 2, "MB": 1, "tokens": 0, "posts/s": 0, "posts": 0}


@dataclass(frozen=True)
class Result:
    """One table. `about` is a paragraph of Markdown; `missed` has a line for each bar that does not hold."""

    title: str
    about: str
    head: list[str]
    rows: list[list[str]]
    missed: list[str] = field(default_factory=list)

    @property
    def json(self) -> str:
        """One line, for `run_all.py`."""
        return json.dumps(asdict(self))

    @property
    def markdown(self) -> str:
        """A section of `docs/benchmarks.md`."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        table = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
        missed = "".join(f"\n- **missed**: {line}" for line in self.missed)
        return f"## {self.title}\n\n{self.about}\n\n{table}\n" + (missed and f"{missed}\n")

    @property
    def text(self) -> str:
        """The same for a terminal."""
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows, strict=True)]
        lines = [self.head, ["-" * width for width in widths], *self.rows]
        drawn = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        about = [self.title, "", *textwrap.wrap(self.about.replace("`", ""), 110), ""]
        return "\n".join([*about, *(line.rstrip() for line in drawn), *(f"missed: {line}" for line in self.missed)])


MEASURED = ["what", "median", "least to most", "beside", "its median", "ratio", "bar", "held"]
"""The head of a table whose rows are made by `Measured`."""


@dataclass(frozen=True)
class Measured:
    """One row: `values` in `unit`, alone or beside the values of something else, one by one.

    The ratio is the median of the pairs' ratios: what else the machine does meanwhile hits both of a pair. `at_most`
    is a bar for the ratio when there is something beside it, else for the median; so is `at_least`. None: no bar.
    """

    what: str
    unit: str
    values: Sequence[float]
    at_most: float | None = None
    beside: str = ""
    beside_values: Sequence[float] = ()
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        """The median of the ratios, pair by pair."""
        if not self.beside_values:
            return None
        return statistics.median(one / other for one, other in zip(self.values, self.beside_values, strict=True))

    @property
    def judged(self) -> float:
        """What the bar is held against."""
        return statistics.median(self.values) if self.ratio is None else self.ratio

    @property
    def held(self) -> bool:
        """Whether the bar is kept."""
        return (self.at_most is None or self.judged <= self.at_most) and (
            self.at_least is None or self.judged >= self.at_least
        )

    @property
    def row(self) -> list[str]:
        """The cells under `MEASURED`."""
        bar = held = "–"
        for sign, limit in (("≤", self.at_most), ("≥", self.at_least)):
            if limit is not None:
                held = "yes" if self.held else "no"
                bar = f"{sign} {limit:g} ×" if self.beside_values else f"{sign} {limit:,g} {self.unit}"
        return [
            self.what,
            amount(statistics.median(self.values), self.unit),
            f"{amount(min(self.values), self.unit, bare=True)} to {amount(max(self.values), self.unit)}",
            self.beside or "–",
            amount(statistics.median(self.beside_values), self.unit) if self.beside_values else "–",
            "–" if self.ratio is None else f"{self.ratio:.2f}",
            bar,
            held,
        ]


def measured(title: str, about: str, rows: Sequence[Measured]) -> Result:
    """A table of `rows`, with the bars that they miss."""
    cells = [row.row for row in rows]
    missed = [f"{row.what}: {line[5 if row.beside_values else 1]}, the bar is {line[6]}"
              for row, line in zip(rows, cells, strict=True) if not row.held]  # fmt: skip
    return Result(title, about, MEASURED, cells, missed)


def amount(value: float, unit: str, *, bare: bool = False) -> str:
    """`value` for people; `bare` without the unit."""
    number = f"{value:,.{_DIGITS.get(unit, 2)}f}"
    return number if bare else f"{number} {unit}"


def main(doc: str | None, sizes: dict[str, int], measure: Callable[..., Result]) -> int:
    """The command line of a benchmark: an option for each of `sizes`, and `--json`.

    Exit code 1: a bar is missed; 2: what was to be measured did not happen.
    """
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    for name, default in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    parser.add_argument("--json", action="store_true", help="print the table as one line of JSON")
    options = vars(parser.parse_args())
    as_json = options.pop("json")
    try:
        result = measure(**options)
    except BenchError as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 2
    print(result.json if as_json else result.text, flush=True)
    return 1 if result.missed else 0


def say(text: str) -> None:
    """Progress, for whoever waits."""
    print(f"  {text}", file=sys.stderr, flush=True)
