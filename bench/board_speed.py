"""How quick boards are, in a file and on a server: posts stored, heard of, read, and waited for.

    python bench/board_speed.py [--rounds N] [--posts N] [--agents N] [--seconds N] [--json]

PostgreSQL is left out where none can be started.
"""

from __future__ import annotations

import asyncio
import os
import sys

from boardspeed.hearing import idle, notified
from boardspeed.loops import answering
from boardspeed.places import stores
from boardspeed.reading import filled, read, watched
from boardspeed.writing import rates
from measure.table import Measured, Result, main, measured, say

ABOUT = (
    "Both engines on the disk of the temporary directory; the server runs on the same machine. A post counts when its "
    "sender has been told that it is on the disk. *With its recipient*: from the call that posts to the recipient's "
    "having leased it; 20 posts a second, each for one of the agents. *For nothing*: told of a post "
    "that is known. Opening, searching and digests are in processor time for SQLite, which does all in the process, and on "
    "the clock for the server. Memory is the peak resident size."
)


def measure(rounds: int, posts: int, agents: int, seconds: int) -> Result:
    """The table."""
    rows: list[Measured] = []
    with stores() as found:
        say("those who always answer …")
        for many in (2, agents):
            rows += asyncio.run(answering(found[0], many))
        for store in found:
            say(f"{store.engine}: posts in a second …")
            rows += asyncio.run(rates(store, rounds, max(posts // 25, 64)))
            say(f"{store.engine}: notified …")
            for processes in (1, min(agents, 20)):
                rows += asyncio.run(notified(store, agents, processes, min(posts // 100, 300)))
            say(f"{store.engine}: idle …")
            rows += asyncio.run(idle(store, seconds))
            say(f"{store.engine}: {posts:,} posts …")
            at, addresses = asyncio.run(filled(store, posts))
            rows += asyncio.run(read(store, at, addresses, posts, rounds))
    say("a watcher …")
    rows += watched(posts)
    left_out = "" if len(found) > 1 else " PostgreSQL is left out: none can be started here."
    return measured("Boards", f"{ABOUT} {rounds} rounds, after one that does not count. {load()}{left_out}", rows)


def load() -> str:
    """How much else the machine did, which is in all times on the clock."""
    return f"Load average of the machine in these 15 minutes: {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores."


if __name__ == "__main__":
    sys.exit(main(__doc__, {"rounds": 5, "posts": 100_000, "agents": 100, "seconds": 30}, measure))
