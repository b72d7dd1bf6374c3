"""How long `motet --version` takes, beside an interpreter that does nothing.

    python bench/startup.py [--pairs N] [--json]

Both run in the same environment, one after the other, in turns.
"""

from __future__ import annotations

import sys

from measure.run import BIN, MOTET, place, timed
from measure.table import Measured, Result, main, measured

BAR = 3.0


def measure(pairs: int) -> Result:
    """`pairs` pairs, after two that do not count."""
    version: list[float] = []
    bare: list[float] = []
    with place() as here:
        cwd = here.directory("cwd")
        runs = [(version, [MOTET, "--version"]), (bare, [BIN / "python", "-c", "pass"])]
        for turn in range(pairs + 2):
            for values, argv in runs if turn % 2 else reversed(runs):
                values.append(1000 * timed(argv, cwd, here.environment).wall)
    row = Measured("`motet --version`", "ms", version[2:], BAR, "`python -c pass`", bare[2:])
    about = f"{pairs} pairs in turns, both of one environment."
    return measured("Start-up", about, [row])


if __name__ == "__main__":
    sys.exit(main(__doc__, {"pairs": 31}, measure))
