"""A team: its agents started together and ended together, and what it would cost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from motet.board import Boards, Posted, Seat
from motet.board.mentions import Called, Known, Roster, called, find_mentions
from motet.board.store import LOOK
from motet.engine.agent_spec import AgentSpec
from motet.engine.background import Background, Started, Stopped
from motet.engine.chats import Front
from motet.engine.engine import Engine
from motet.engine.team_file import Team
from motet.errors import MotetError, UsageError
from motet.messages import Message, tags
from motet.messages.tokens import estimate_tokens
from motet.models.protocol import Usage
from motet.tools import ProposeOnly
from motet.tools.kit import Nobody
from motet.turn import to_the_end

_AT_ONCE = 4
"""Agents that begin at the same time."""
_PATIENCE, _FIRMLY = 0.4, 0.6
"""Seconds that a tool call under way has when a team ends, and that an agent has then: all are gone within two."""
_FRAME = 150
"""Tokens around a post that a model is given."""
ANSWER_TOKENS = 500
"""What an answer is taken to have."""


@dataclass(slots=True)
class TeamRun:
    """One run of a team in this process: with it the agents end. Methods raise `MotetError`."""

    team: Team
    background: Background
    boards: Boards
    seat: Seat
    started: dict[str, Started] = field(default_factory=dict[str, Started])

    async def start(self) -> AsyncGenerator[Started]:
        """Start all; each as it is there. Raises `UsageError` before any is started when one runs already."""
        running = self.background.running()
        if there := [one.name for one in self.team.agents if one.name in running]:
            raise UsageError(
                f"{', '.join(there)} run{'s' if len(there) == 1 else ''} already; `motet agents stop NAME` ends one"
            )
        few = asyncio.Semaphore(_AT_ONCE)
        tasks = [asyncio.create_task(self._start(spec, few)) for spec in self.team.agents]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _start(self, spec: AgentSpec, few: asyncio.Semaphore) -> Started:
        async with few:
            started = self.started[spec.name] = await self.background.start(spec, tied=True)
            return started

    async def post_task(self, again: str = "") -> Posted | None:
        """Post the task, once however often the team is run; anew with another word `again`. None: there is no task."""
        if not self.team.task:
            return None
        return await self.seat.post(self.team.task, self.team.board, key=f"{self.team.task_key}{again}")

    async def lost(self) -> AsyncGenerator[Started]:
        """Those that end while nobody told them to, as they do."""
        waiting = {asyncio.create_task(_end_of(one)): one for one in self.started.values()}
        try:
            while waiting:
                done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    await self.background.mourn(self.boards)
                    yield waiting.pop(task)
        finally:
            for task in waiting:
                task.cancel()

    async def done(self) -> None:
        """Wait until all rest and nothing waits for one of them."""
        async with self.boards.watching() as watch:
            while not await self._rest():
                await watch.next(LOOK)

    async def _rest(self) -> bool:
        addresses = sorted(one.running.address for one in self.started.values())
        if not await self.boards.at_rest(addresses):
            return False
        for address in addresses:  # posts to everyone, which nobody has looked at, are deliveries from then on
            if await self.boards.waiting(address):
                return False
        return await self.boards.at_rest(addresses)

    async def stop(self) -> list[Stopped]:
        """End all, at once; also when this is cancelled."""
        return await to_the_end(self._stop())

    async def _stop(self) -> list[Stopped]:
        stops = [
            self.background.stop(name, self.boards, _PATIENCE, "its team was stopped", firmly=_FIRMLY)
            for name in self.started
        ]
        stopped = list(await asyncio.gather(*stops))
        for one in self.started.values():
            if one.tied is not None:
                one.tied.let_go()
        return stopped


async def _end_of(one: Started) -> None:
    while not await one.running.mark.ended(3600):
        pass


# --- what it would cost ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Share:
    """What one agent would use at most. `context`: tokens of its first request. `turns`: answers that it may give.
    `cost` in dollars; None: nobody knows what the model costs. `problem`: why it could not begin."""

    name: str
    model: str = ""
    context: int = 0
    turns: int = 0
    tokens: int = 0
    cost: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a team would use for its task at most: each recipient answers once in each round of replies. `max_tokens` and
    `max_cost` are where its budget ends it."""

    shares: tuple[Share, ...]
    hops: int
    max_tokens: int
    max_cost: float

    @property
    def tokens(self) -> int:
        """Of all, within the budget."""
        return min(sum(one.tokens for one in self.shares), self.max_tokens)

    @property
    def cost(self) -> float | None:
        """Of all, within the budget; None where one of those who answer has an unknown price."""
        costs = [one.cost for one in self.shares if one.turns]
        known = [cost for cost in costs if cost is not None]
        return min(sum(known), self.max_cost) if len(known) == len(costs) else None


async def predict(team: Team, engine: Engine) -> Prediction:
    """What the task would cause. `engine` has the settings of the team's budget. Nothing is sent, started or kept."""
    board = engine.loaded.settings.board
    recipients = _recipients(team)
    shares: list[Share] = []
    async with engine.chats(Front(ProposeOnly(), Nobody()), keep=False) as chats:
        for spec in team.agents:
            try:
                model, _ = await engine.choose_model(spec.model or None, work="chat")
                chat = chats.new(model, tools=spec.tools)
                await chat.hand_over("board")
                await chat.remember([Message.system(spec.prompt, tags.FROM_CUSTOM_PROMPT)])
            except MotetError as error:
                shares.append(Share(spec.name, spec.model, problem=str(error)))
                continue
            context = chat.tokens + estimate_tokens(team.task) + _FRAME
            turns = board.hops if spec.name in recipients else 0
            used = Usage(input=context * turns, output=ANSWER_TOKENS * turns)
            cost = used.cost(model.price) if model.price is not None else None
            cost = 0.0 if not model.destination.remote else cost
            shares.append(Share(spec.name, model.name, context, turns, used.total, cost))
    return Prediction(tuple(shares), board.hops, board.max_tokens, board.max_cost)


def _recipients(team: Team) -> Sequence[str]:
    """The names of those who may answer the task."""
    roster = Roster([Known(one.name, one.name, one.roles) for one in team.agents])
    found: Called = called(find_mentions(team.task, roster), roster, "")
    if found.everyone:
        return [one.name for one in team.agents]
    names = [one.address for one in found.recipients]
    for role in found.roles:  # one of them answers, nobody knows which
        names += role.members
    return names
