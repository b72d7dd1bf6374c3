"""Posts on their way into the store: what waits together is stored together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from motet.board import clock
from motet.board.database import Tx
from motet.board.limits import Limits
from motet.board.members import Members
from motet.board.posting import Posting
from motet.board.values import Draft, Posted
from motet.board.watch import Hint
from motet.errors import MotetError
from motet.storage.worker import Kind, Worker
from motet.tasks import background

_AT_ONCE = 256
"""Posts of one transaction."""


class Outbox:
    """Stores drafts in the order in which they came. `told` hears what is new after each commit."""

    def __init__(
        self, worker: Worker[Tx], members: Members, limits: Limits, told: Callable[[Sequence[Hint]], None]
    ) -> None:
        self._worker = worker
        self._members = members
        self._limits = limits
        self._told = told
        self._waiting: list[tuple[Draft, asyncio.Future[Posted]]] = []
        self._task: asyncio.Task[None] | None = None

    async def post(self, draft: Draft) -> Posted:
        """What became of it, once that is on the disk. Raises `MotetError` when it cannot be posted.

        A caller that is cancelled takes nothing back; with a `key` it can ask again.
        """
        answer: asyncio.Future[Posted] = asyncio.get_running_loop().create_future()
        self._waiting.append((draft, answer))
        if self._task is None or self._task.done():
            self._task = background(self._store())
        return await asyncio.shield(answer)

    async def close(self) -> None:
        """Wait until all is stored."""
        if self._task is not None:
            await self._task

    async def _store(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            drafts = [draft for draft, _ in some]

            def store(tx: Tx, now: float, drafts: Sequence[Draft] = drafts) -> list[Posted | MotetError]:
                return Posting(tx, now, self._limits, self._members).append(drafts)

            try:
                outcomes = await self._worker.do(Kind.DURABLE, clock.timed(store))
            except MotetError as error:
                outcomes = [error] * len(some)
            except BaseException:
                for _, answer in some:
                    answer.cancel()
                raise
            for (_, answer), outcome in zip(some, outcomes, strict=True):
                if answer.done():
                    continue
                if isinstance(outcome, Posted):
                    answer.set_result(outcome)
                else:
                    answer.set_exception(outcome)
            self._told(hints_of(outcomes))


def hints_of(outcomes: Iterable[Posted | MotetError]) -> list[Hint]:
    """What is told of posts that were stored, board by board."""
    told: dict[str, Hint] = {}
    for outcome in outcomes:
        if isinstance(outcome, Posted) and outcome.was_new:
            post = outcome.post
            hint = Hint(post.board, post.seq, first=post.seq, whom=None if outcome.everyone else outcome.recipients)
            told[post.board] = told[post.board].and_also(hint) if post.board in told else hint
    return list(told.values())
