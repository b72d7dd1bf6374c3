"""A process with one chat on a board, which kills itself at a given step of a delivery.

Run as a program: STATE-INDEPENDENT arguments are the workspace, the chat's id or `-` for a new one, and the step or `-`.
It prints the chat's id, and ends when nothing waits for the chat any more.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import motet
from motet.board import OPEN, Boards, Seat
from motet.engine.board_agent import BoardAgent
from motet.history import History

STEPS = {
    "pulled": (BoardAgent, "_message"),
    "decided": (History, "append"),
    "stored": (Seat, "carried"),
    "carried": (BoardAgent, "begun"),
    "replied": (BoardAgent, "ended"),
    "settled": (Boards, "settle"),
}
"""By name what is never reached: before it the process is killed."""


def _die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


async def main(root: str, chat_id: str, step: str) -> None:
    async with motet.open(Path(root), allow=["send"]) as m:
        talk = m.chat(resume="" if chat_id == "-" else chat_id)
        chat = await talk.ready()
        agent = await talk.join("general", "ann")
        print(chat.id, agent.seat.address, flush=True)
        if chat_id == "-":
            await talk.ask("hello")
            return
        if step != "-":
            where, name = STEPS[step]
            setattr(where, name, _die)
        serving = asyncio.create_task(agent.serve())
        async with agent.seat.boards.watching() as watch:
            while True:
                found = await agent.seat.boards.deliveries(recipient=agent.seat.address)
                if all(one.state not in OPEN for one in found) and not chat.is_running:
                    break
                await watch.next(0.2)
        serving.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
