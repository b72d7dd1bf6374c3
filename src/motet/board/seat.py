"""One agent's place on the boards of a project. Whoever holds a seat acts as its agent and as nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from motet.board.boards import Boards
from motet.board.errors import BoardError, BoardMissing, BoardRefused
from motet.board.inbox import Outcome
from motet.board.store import LOOK
from motet.board.values import (
    Agent,
    AgentKind,
    AgentState,
    Board,
    Delivery,
    DeliveryState,
    Draft,
    FileLease,
    NewAgent,
    Post,
    Posted,
    PostKind,
)
from motet.tasks import background

GENERAL = "general"
"""The board of a project that nobody has named."""
_BEAT = 20.0
"""Seconds between two signs of life."""


@dataclass(slots=True)
class Seat:
    """See `take`. `caused` are the deliveries that the turn under way was given: what is posted meanwhile is caused by
    them. `by_human`: a human's own words began that turn. `tokens` are the claims that writes must show, by pattern."""

    boards: Boards
    project: str
    agent: Agent
    caused: tuple[str, ...] = ()
    by_human: bool = False
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    _beating: asyncio.Task[None] | None = None

    @classmethod
    async def take(cls, boards: Boards, project: str, new: NewAgent, *names: str) -> Seat:
        """Register (an agent is registered before its first turn) and join the boards `names`, made where there are
        none. Raises `UsageError`, `BoardRefused`."""
        seat = cls(boards, project, await boards.register(new))
        for name in names or (GENERAL,):
            await seat.join(name)
        if new.kind is not AgentKind.HUMAN:
            seat._beating = background(seat._beat())
        return seat

    @property
    def address(self) -> str:
        """What others write behind `@`."""
        return self.agent.address

    @property
    def names(self) -> tuple[str, ...]:
        """What a call of this agent names: its address, its roles."""
        return (self.address, *(f"role:{role}" for role in self.agent.roles))

    async def leave(self, why: str = "") -> None:
        """Go: what comes is kept until the agent returns; its files are free."""
        if self._beating is not None:
            self._beating.cancel()
            with suppress(asyncio.CancelledError):
                await self._beating
            self._beating = None
        await self.boards.set_state(self.address, AgentState.GONE, why)

    async def set_state(self, state: AgentState, why: str = "") -> None:
        """What the agent does from now on."""
        self.agent = await self.boards.set_state(self.address, state, why)

    async def join(self, name: str) -> Board:
        """Take part on another board of the project."""
        board = await self.boards.open(self.project, name)
        await self.boards.join(board.id, self.address)
        return board

    async def board(self, name: str = GENERAL) -> Board:
        """A board that the agent is on. Raises `BoardRefused` for another, `BoardMissing` for one that is not there."""
        found = await self.boards.find(self.project, name)
        if found.id not in {board.id for board in await self.boards.boards_of(self.address)}:
            error = BoardRefused(f"{self.address} is not on the board {name}; it cannot read it")
            await self.boards.refuse(self.address, f"use the board {name}", error)
        return found

    # --- posts -----------------------------------------------------------------------------------------------------

    async def post(
        self,
        body: str,
        board: str = GENERAL,
        kind: PostKind = PostKind.MESSAGE,
        *,
        key: str = "",
        minutes: float | None = None,
    ) -> Posted:
        """Write on a board; `minutes`: within which a request is to be answered. Raises `UsageError`, `BoardRefused`,
        `BoardMissing`."""
        found = await self.board(board)
        draft = Draft(found.id, self.address, body, kind, key=key, causes=self.caused, by_human=self.by_human)
        if minutes is not None:
            draft = replace(draft, within=minutes * 60)
        return await self.boards.post(draft)

    async def reply(self, to: str, body: str, kind: PostKind = PostKind.MESSAGE, *, key: str = "") -> Posted:
        """Answer a post, named by its id: its author gets the answer, and a delivery of it to this agent is answered
        with it. Raises as `post`."""
        post = await self.boards.get(to)
        if post.board not in {board.id for board in await self.boards.boards_of(self.address)}:
            error = BoardRefused(f"{self.address} is not on the board of that post; it cannot answer there")
            await self.boards.refuse(self.address, f"answer the post {to}", error)
        delivery = await self.boards.delivery_of(post.id, self.address)
        answers = delivery.id if delivery is not None and delivery.state is not DeliveryState.ANSWERED else ""
        draft = Draft(post.board, self.address, body, kind, post.id, key, answers, self.caused, self.by_human)
        return await self.boards.post(draft)

    async def status(self, one: Delivery, body: str) -> Posted:
        """Tell the author of a delivered post what became of it; the delivery stays as it is."""
        key = f"status {one.id} {body}"
        return await self.boards.post(
            Draft(one.post.board, self.address, body, PostKind.STATUS, one.post.id, key, causes=(one.id,))
        )

    async def read(self, board: str = GENERAL, after: int | None = None, limit: int = 50) -> list[Post]:
        """The newest posts of a board, or those behind number `after`; they count as read."""
        found = await self.board(board)
        if after is None:
            posts = await self.boards.last_posts(found.id, limit)
        else:
            posts = await self.boards.posts(found.id, after, limit)
        if posts:
            await self.boards.read_to(found.id, self.address, posts[-1].seq)
        return posts

    async def find(self, board: str, seq: int) -> Post:
        """Post number `seq` of a board. Raises `BoardMissing`."""
        found = await self.board(board)
        posts = await self.boards.posts(found.id, seq - 1, 1)
        if not posts or posts[0].seq != seq:
            raise BoardMissing(f"the board {board} has no post {seq}; its last is {found.last}")
        return posts[0]

    # --- deliveries ------------------------------------------------------------------------------------------------

    async def pull(self, limit: int = 20) -> list[Delivery]:
        """Lease what waits, urgent ones first."""
        return await self.boards.pull(self.address, limit)

    async def wait(self, seconds: float, limit: int = 20) -> list[Delivery]:
        """Lease what waits, or what comes within `seconds`."""
        async with self.boards.watching(self.names) as watch:
            loop = asyncio.get_running_loop()
            deadline = loop.time() + seconds
            while not (found := await self.pull(limit)) and (left := deadline - loop.time()) > 0:
                await watch.next(min(left, 2 * LOOK))
            return found

    async def carried(self, deliveries: Sequence[Delivery], turn: str) -> list[str]:
        """See `Boards.carried`."""
        return await self.boards.carried(self.address, [one.id for one in deliveries], turn)

    async def settle(self, delivery: str, outcome: Outcome) -> Delivery:
        """See `Boards.settle`."""
        return await self.boards.settle(self.address, delivery, outcome)

    # --- files -----------------------------------------------------------------------------------------------------

    async def claim(self, globs: Sequence[str], minutes: float = 30.0, task: str = "") -> list[FileLease]:
        """Claim files, all of `globs` or none. Raises `BoardRefused`."""
        claimed = await self.boards.claim(self.project, self.address, globs, minutes * 60, task)
        self.tokens |= {lease.glob: lease.token for lease in claimed}
        return claimed

    async def release(self, globs: Sequence[str] = ()) -> int:
        """Let go of claims, of all when none is named."""
        released = await self.boards.release(self.project, self.address, globs)
        held = {lease.glob for lease in await self.boards.leases(self.project, self.address)}
        self.tokens = {glob: token for glob, token in self.tokens.items() if glob in held}
        return released

    async def check_write(self, path: str) -> None:
        """Raises `BoardRefused` when this agent may not write `path` (from the root of its work tree) now."""
        from motet.board.globs import matches

        shown = [token for glob, token in self.tokens.items() if matches(glob, path)]
        await self.boards.check_write(self.project, self.address, path, max(shown, default=None))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            with suppress(BoardError):  # a store that is away comes back; who gives no more signs of life is gone
                await self.boards.beat(self.address)
