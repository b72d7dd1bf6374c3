"""How quick a key is on the screen when a board is open in Neovim and others write on it.

    python bench/board_keys.py [--rounds N] [--keys N] [--json]

A real Neovim with an attached user interface.
"""

from __future__ import annotations

import sys

from boardspeed.keys import typing
from measure.run import BIN, BenchError
from measure.table import Result, main, measured

ABOUT = (
    "A real Neovim with an attached user interface of 160 × 50; keys are typed into the draft below the page of a board. "
    "The agents are in another process, and post through the store. p95: 95 % took no longer, in one run; medians are of "
    "runs. What else the machine does shows in the empty buffer, too."
)


def measure(rounds: int, keys: int) -> Result:
    """The table."""
    if not (BIN / "nvim").exists():
        raise BenchError("there is no Neovim in the environment; `make setup` brings one")
    return measured("Boards in Neovim", f"{ABOUT} {rounds} rounds of {keys} keys.", typing(rounds, keys))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"rounds": 3, "keys": 100}, measure))
