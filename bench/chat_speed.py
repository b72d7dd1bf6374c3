"""How quick chats are: to start, to show what arrives, to send, and to stay so in long ones.

    python bench/chat_speed.py [--rounds N] [--tokens N] [--messages N] [--turns N] [--json]

Programs run in places of their own and ask a provider that another thread serves on this machine.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from chatspeed.agent import agent
from chatspeed.starting import first_token, starting
from chatspeed.streaming import in_ask, in_chat
from chatspeed.submitting import long_chat
from measure.run import BenchError
from measure.table import Measured, Result, main, measured, say

from motet.__main__ import COLLECTED_AFTER
from motet.errors import MotetError

ABOUT = (
    "Start-up ends when the provider has read the request; it is told in time on the clock and in processor time, "
    "beside an interpreter that imports the HTTP library and does no more. A token is shown when it can be read from the "
    "pipe or the terminal. The cost of a token in `ask` is the processor time of the whole process with a long answer "
    "above that with an answer of one token, less the same difference for a bare program that reads the events of the "
    "same stream with the same HTTP library; in `chat` it is that of drawing. Submitting ends with the first piece of "
    "the answer: what is shared is worked out, the message is stored, and the request is written with all that was said "
    "before. The agent reads a file in each turn."
)


def measure(rounds: int, tokens: int, messages: int, turns: int) -> Result:
    """The table; a part that could not be measured is a missed bar."""
    gc.set_threshold(COLLECTED_AFTER)  # for what runs in this process, as motet does for itself
    parts: dict[str, Callable[[], list[Measured]]] = {
        "start-up": lambda: starting(rounds),
        "first token": lambda: first_token(rounds),
        "tokens in ask": lambda: in_ask(max(1, rounds // 3), tokens),
        "tokens in chat": lambda: in_chat(max(1, rounds // 3), tokens),
        "a long chat": lambda: long_chat(rounds, messages),
        "an agent": lambda: agent(turns),
    }
    rows: list[Measured] = []
    failed: list[str] = []
    for name, part in parts.items():
        say(f"{name} …")
        try:
            rows += part()
        except (BenchError, MotetError, OSError) as error:
            failed.append(f"{name}: not measured: {error}")
            say(failed[-1])
    if not rows:
        raise BenchError("; ".join(failed))
    result = measured("Chats", f"{ABOUT} {rounds} rounds, after one or two that do not count.", rows)
    result.missed.extend(failed)
    return result


if __name__ == "__main__":
    sys.exit(main(__doc__, {"rounds": 11, "tokens": 20_000, "messages": 2_000, "turns": 1_000}, measure))
