"""Agents that always answer, and answer everyone: what they come to before a human is asked."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from measure.run import BenchError
from measure.table import Measured

from boardspeed.places import LIMITS, PROJECT, Store, engine
from motet.board import AgentKind, Boards, DeliveryState, Draft, NewAgent, NoticeKind, Outcome, by_rule
from motet.board.sockets import SocketBell

_TOKENS, _COST = 500, 0.001
"""Of a reply."""


async def answering(store: Store, agents: int) -> list[Measured]:
    """One post of a human, until nobody has anything to answer any more."""
    limits = replace(LIMITS, cost=1000.0)
    at = store.place()
    async with Boards(lambda: engine(at), SocketBell(Path(at) / "boards.wake"), limits) as boards:
        board = (await boards.open(PROJECT)).id
        new = [
            NewAgent("mia", AgentKind.HUMAN, "mia"),
            *(NewAgent(f"a{n}", AgentKind.CHAT, f"a{n}") for n in range(agents)),
        ]
        human, *others = [(await boards.register(one)).address for one in new]
        for address in (human, *others):
            await boards.join(board, address)
        begun = (await boards.post(Draft(board, human, "@All begin"))).post
        while any([await _answer(boards, board, address) for address in others]):
            pass
        used = (await boards.chain(begun.id)).tokens
        told = sum(one.kind is NoticeKind.BUDGET for one in await boards.notices())
        replies = (await boards.boards())[0].last - 1
    if not told:
        raise BenchError("no human was told that the budget is used up")
    who = f"{agents} who always answer everyone"
    # What was under way when the last token was used is paid for.
    most = limits.tokens + agents * _TOKENS
    return [
        Measured(f"{who}: replies to one post of a human", "posts", [replies], most // _TOKENS),
        Measured(f"{who}: tokens that they use", "tokens", [used], most),
        Measured(f"{who}: times that the human is told", "", [told], 1),
    ]


async def _answer(boards: Boards, board: str, address: str) -> bool:
    """Answer what waits, as long as the rules let it; whether there was anything."""
    taken = await boards.pull(address, 1000)
    for one in taken:
        await boards.carried(address, [one.id], "turn")
        ruled = by_rule(await boards.facts(one.id), time.time())
        if ruled is not None:
            await boards.settle(address, one.id, Outcome(DeliveryState.DECLINED, ruled.rule, ruled.reason))
            if ruled.spent:
                await boards.spent(one.post.chain, ruled.spent)
            continue
        body = f"@All {address} says to {one.post.seq}: {hash((address, one.post.seq)):x} is what I think"
        await boards.post(Draft(board, address, body, reply_to=one.post.id, answers=one.id))
        await boards.settle(address, one.id, Outcome(DeliveryState.ANSWERED, "always", tokens=_TOKENS, cost=_COST))
    return bool(taken)
