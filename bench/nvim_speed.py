"""How quick chats in Neovim are, beside the least that any plugin can do.

    python bench/nvim_speed.py [--rounds N] [--json]

A real Neovim with an attached user interface, and a provider in a process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from measure.run import BIN, BenchError
from measure.table import Measured, Result, main, measured, say
from nvimspeed.provider import Provider, provider
from nvimspeed.scenarios import bursts, long_chats, opening, steady, submitting

ABOUT = (
    "A real Neovim with an attached user interface of 160 × 50, a provider in a process of its own, and, in turns, two "
    "floors: a bare appender in Lua (a socket, a timer of 30 ms, a buffer) and the same in a bare Python process; both "
    "highlight as motet does, and neither keeps, checks, or renders anything. *Burst*: 20,000 tokens of four "
    "characters as fast as they are taken, while a request to the editor's main loop goes out every 5 ms; its total ends "
    "when the last token is on the screen. *Steady*: 100 tokens a second. Processor time is of the editor alone, or of "
    "our process alone. p95: 95 % took no longer, in one run; medians are of runs."
)


def measure(rounds: int) -> Result:
    """The table; a part that could not be measured is a missed bar."""
    if not (BIN / "nvim").exists():
        raise BenchError("there is no Neovim in the environment; `make setup` brings one")
    parts: dict[str, Callable[[Provider], list[Measured]]] = {
        "opening": lambda asked: opening(asked, rounds + 2),
        "bursts": lambda asked: bursts(asked, rounds + 2),
        "submitting": lambda asked: submitting(asked, max(1, rounds - 2)),
        "steady": lambda asked: steady(asked, max(1, rounds - 2)),
        "long chats": lambda asked: long_chats(asked, max(1, rounds - 2)),
    }
    rows: list[Measured] = []
    failed: list[str] = []
    for name, part in parts.items():
        say(f"{name} …")
        try:
            with provider() as asked:
                rows += part(asked)
        except BenchError as error:
            failed.append(f"{name}: not measured: {error}")
            say(failed[-1])
    if not rows:
        raise BenchError("; ".join(failed))
    result = measured("Chats in Neovim", f"{ABOUT} {rounds} rounds.", rows)
    result.missed.extend(failed)
    return result


if __name__ == "__main__":
    sys.exit(main(__doc__, {"rounds": 5}, measure))
