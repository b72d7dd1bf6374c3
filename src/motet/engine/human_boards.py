"""Boards as the human in front of this process uses them: read along, write, be told. Front ends draw it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from motet.board import (
    Agent,
    AgentKind,
    AgentState,
    Board,
    BoardError,
    BoardRefused,
    Boards,
    Delivery,
    DeliveryState,
    Draft,
    NewAgent,
    Notice,
    NoticeKind,
    Post,
    Posted,
)
from motet.board.addresses import key as folded
from motet.board.following import Following
from motet.board.mentions import Roster
from motet.board.store import LOOK
from motet.context.complete import Completion, Known, Name, completions
from motet.engine.board_drafts import BoardDraft, Typed
from motet.errors import MotetError

_MOST = 1000
"""Notices, deliveries and own posts that are looked at at once."""
_NEWEST = 50
"""Deliveries that are looked at when something is new."""
_REST = 0.2
"""Seconds between two looks at what the human is to know."""
_TOGETHER = 3
"""Calls at once of which each is told; of more the newest is, and how many they are."""


@dataclass(frozen=True, slots=True)
class Alert:
    """What a human is told, and the record of it. `about`: the chain that is to go on or to end. `more`: so many others
    came with it. `waits`: nobody has seen or decided it yet."""

    kind: NoticeKind
    at: float
    board: str
    author: str
    text: str
    seq: int = 0
    about: str = ""
    more: int = 0
    waits: bool = False

    @property
    def line(self) -> str:
        """The author and the first line."""
        return f"[{self.author}] {self.text}" if self.author else self.text


class HumanBoards:
    """The boards of one project. Nothing is opened before the first use; every method may raise `BoardError`."""

    def __init__(self, boards: Boards, project: str, new: NewAgent, state: Path) -> None:
        self.boards = boards
        self.project = project
        self._new = new
        self._drafts = state / "board-drafts"
        self._me: Agent | None = None
        self._told: set[str] = set()
        self._last_notice = 0

    async def me(self) -> Agent:
        """The human, registered; where nothing can be stored as he was, or as he would be."""
        if self._me is None:
            try:
                self._me = await self.boards.register(self._new)
            except BoardError:
                return await self._unregistered()
        return self._me

    async def _unregistered(self) -> Agent:
        new = self._new
        return await self.boards.known(new) or Agent(
            *(new.name, new.name, new.kind, new.identity, new.roles, new.model, new.workspace, new.policy),
            *(AgentState.IDLE, "", False, 0.0, 0.0, new.session),
        )

    async def open(self, name: str) -> HumanBoard:
        """A board of the project, made when there is none; the human takes part. Where nothing can be stored, a board that
        is there is read. Raises `UsageError` for a bad name."""
        only_read = ""
        try:
            board = await self.boards.open(self.project, name)
            me = self._me = await take_part(self.boards, board, self._new)
        except BoardRefused:
            raise
        except BoardError as error:
            try:
                board = await self.boards.find(self.project, name)
            except BoardError:
                raise error from None
            me, only_read = await self._unregistered(), str(error)
        following = Following(self.boards, board, author=me.address)
        draft = BoardDraft(self._drafts, board.id)
        found = HumanBoard(self.boards, board, self._new, me, draft, following, only_read)
        await found.begin()
        return found

    async def agents(self, query: str = "") -> list[Agent]:
        """Who is on a board of the project and fits all words of `query`, humans last."""
        found = dict[str, Agent]()
        for board in await self.boards.boards(self.project):
            found |= {agent.address: agent for agent in await self.boards.agents(board.id)}
        fitting = [agent for agent in found.values() if fits(agent, query)]
        return sorted(fitting, key=lambda agent: (agent.kind is AgentKind.HUMAN, agent.address))

    # --- what the human is told ------------------------------------------------------------------------------------

    async def alerts(self) -> AsyncGenerator[Alert]:
        """What the human is to know from now on, each once; at first how many calls wait, in one."""
        with suppress(BoardError):  # where it cannot be stored, others will
            await self.boards.tend()
        names = await self._names()
        notices = [one async for one in self._notices()]
        self._last_notice = notices[-1].id if notices else 0
        for one in notices:
            if one.kind is NoticeKind.BUDGET and not one.settled and one.board in names:
                yield _of_notice(one, names)
        is_first = True
        async with self.boards.watching() as watch:
            while True:
                names = await self._names()
                called = await self._calls(names, all_new=not is_first)
                if len(called) > (1 if is_first else _TOGETHER):
                    yield _together(called)
                else:
                    for one in called:
                        yield one
                is_first = False
                async for notice in self._notices(self._last_notice):
                    self._last_notice = notice.id
                    if notice.board in names:
                        yield _of_notice(notice, names)
                await asyncio.sleep(_REST)
                await watch.next(2 * LOOK)

    async def _calls(self, names: dict[str, str], *, all_new: bool = False) -> list[Alert]:
        """What calls the human and was not told yet, the oldest first; at first what nobody has seen of it."""
        address = (await self.me()).address
        with suppress(BoardError):
            await self.boards.waiting(address)  # calls of everyone are among them now
        for limit in (_NEWEST, _MOST):
            found = await self.boards.deliveries(recipient=address, limit=limit)
            if any(one.id in self._told for one in found) or len(found) < limit:
                break
        new = [one for one in reversed(found) if one.id not in self._told and one.post.board in names]
        self._told = {one.id for one in found}
        called = [_of_delivery(one, names) for one in new if not one.post.retracted]
        return called if all_new else [one for one in called if one.waits]

    async def _names(self) -> dict[str, str]:
        """The boards of the project that the human is on: name by id."""
        mine = await self.boards.boards_of((await self.me()).address)
        return {board.id: board.name for board in mine if board.project == self.project}

    async def _notices(self, after: int = 0) -> AsyncGenerator[Notice]:
        while found := await self.boards.notices(after, _MOST):
            for one in found:
                yield one
            after = found[-1].id

    async def told(self, query: str = "") -> list[Alert]:
        """All that the human was called for and told, the newest first, with all words of `query`."""
        names = await self._names()
        address = (await self.me()).address
        found = [_of_notice(one, names) async for one in self._notices() if one.board in names]
        calls = await self.boards.deliveries(recipient=address, limit=_MOST)
        found += [_of_delivery(one, names) for one in calls if one.post.board in names]
        words = folded(query).split()
        found = [one for one in found if all(word in folded(f"{one.board} {one.kind} {one.line}") for word in words)]
        return sorted(found, key=lambda one: one.at, reverse=True)

    async def undecided(self) -> list[Alert]:
        """Chains that wait for a human's word, the newest first."""
        return [one for one in await self.told() if one.kind is NoticeKind.BUDGET and one.waits]

    async def decide(self, chain: str, *, go_on: bool) -> int:
        """Grant a chain its budget once more, or end it; returns how many deliveries that is about."""
        return await (self.boards.go_on(chain) if go_on else self.boards.stop(chain))


async def take_part(boards: Boards, board: Board, new: NewAgent) -> Agent:
    """Register the human, and have him on a board."""
    me = await boards.register(new)
    await boards.join(board.id, me.address)
    return me


@dataclass(slots=True)
class HumanBoard:
    """One board with the human on it. `following` holds the posts that are shown, and what became of the human's.
    `only_read`: why nothing of the human's can be stored, so that he may not be on it; empty where it can."""

    boards: Boards
    board: Board
    new: NewAgent
    me: Agent
    draft: BoardDraft
    following: Following
    only_read: str = ""
    people: list[Agent] = field(default_factory=list[Agent])
    roster: Roster = field(default_factory=lambda: Roster(()))
    read_to: int = 0
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def begin(self) -> None:
        """Read the newest posts, who is there and what was typed."""
        await asyncio.to_thread(self.draft.adopt)
        await self.following.begin()
        self.read_to = await self.boards.read_to(self.board.id, self.me.address)
        await self.look_around()

    async def look_around(self) -> None:
        """Read anew who is there."""
        self.people = await self.boards.agents(self.board.id)
        self.roster = await self.boards.roster(self.board.id)

    @property
    def unread(self) -> int:
        """How many posts nobody has seen here, of those that are known."""
        return max(self.following.last - self.read_to, 0)

    async def seen(self, to: int) -> None:
        """The human has seen the board up to post `to`: what was delivered of that waits no more, where it can be stored."""
        if to <= self.read_to:
            return
        self.read_to = to
        try:
            await self._note_seen(to)
        except BoardError as error:
            self.only_read = str(error)

    async def _note_seen(self, to: int) -> None:
        await self._take_part()
        waiting = list[Delivery]()
        if await self.boards.waiting(self.me.address):
            waiting = await self.boards.deliveries(
                recipient=self.me.address, board=self.board.id, state=DeliveryState.QUEUED, limit=_MOST
            )
        seen = [one.post.seq for one in waiting if one.post.seq <= to]
        await self.boards.shown(self.me.address, self.board.id, seen, to)

    async def _take_part(self) -> None:
        """See to it that the human is on the board, where that could not be stored before."""
        if self.only_read:
            self.me = await take_part(self.boards, self.board, self.new)
            self.following.author, self.only_read = self.me.address, ""

    async def keep(self, typed: Typed) -> None:
        """Keep what is typed and not sent."""
        async with self._writing:
            await asyncio.to_thread(self.draft.type, typed)

    async def post(self, typed: Typed) -> Posted:
        """Post a text, or give an own post its new one. It is kept until it is stored; on an error it is what is
        typed. Raises `MotetError`."""
        async with self._writing:
            await asyncio.to_thread(self.draft.send, typed)
        try:
            await self._take_part()
            if typed.edits:
                posted = await self.boards.edit(typed.edits, self.me.address, typed.text)
            else:
                key = f"{typed.key} {sha256(typed.text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
                posted = await self.boards.post(Draft(self.board.id, self.me.address, typed.text, key=key))
        except MotetError:
            async with self._writing:
                await asyncio.to_thread(self.draft.returned, typed)
            raise
        async with self._writing:
            await asyncio.to_thread(self.draft.posted, typed.key)
        return posted

    async def close(self) -> None:
        """Let others have what is typed."""
        async with self._writing:
            self.draft.close()

    async def last_own(self) -> Post:
        """The newest post of the human's own that was not taken back. Raises `BoardRefused` when there is none near."""
        before: int | None = None
        for _ in range(10):
            posts = await self.boards.last_posts(self.board.id, _MOST, before=before)
            for post in reversed(posts):
                if post.author == self.me.address and not post.retracted:
                    return post
            if not posts or posts[0].seq == 1:
                break
            before = posts[0].seq
        raise BoardRefused(f"none of the newest posts on {self.board.name} is yours; write one")

    async def retract(self) -> Post:
        """Take the human's last post back. Raises `BoardRefused`."""
        return await self.boards.retract((await self.last_own()).id, self.me.address)

    def completions(self, text: str) -> list[Completion]:
        """What can stand at the end of `text`, the draft up to the cursor."""
        names = [Name(one.address, _about(one)) for one in self.people if one.address != self.me.address]
        called: dict[str, list[Agent]] = {}
        for one in self.people:
            called.setdefault(one.name, []).append(one)
        names += [
            Name(name, ones[0].address) for name, ones in called.items() if ones[0] != self.me and len(ones) == 1
        ]
        roles = sorted({role for one in self.people for role in one.roles})
        names += [Name(f"role:{role}", "one with this role") for role in roles]
        names += [Name("All", "everyone"), Name("human", "the humans")]
        return completions(text, len(text), Known(tools=names))


def fits(agent: Agent, query: str) -> bool:
    """Whether all words of `query` stand in an agent's address, name, roles, model, kind or state."""
    said = folded(" ".join((agent.address, agent.name, *agent.roles, agent.model, agent.kind, agent.state)))
    return all(word in said for word in folded(query).split())


def _about(agent: Agent) -> str:
    parts = (", ".join(agent.roles), agent.model, "paused" if agent.paused else str(agent.state))
    return " · ".join(part for part in parts if part)


def _of_notice(one: Notice, names: dict[str, str]) -> Alert:
    board = names.get(one.board, "")
    return Alert(one.kind, one.at, board, "", one.text, about=one.about, waits=not one.settled)


def _of_delivery(one: Delivery, names: dict[str, str]) -> Alert:
    line = "(taken back)" if one.post.retracted else one.post.body.partition("\n")[0]
    waits = one.state is DeliveryState.QUEUED
    name = names.get(one.post.board, "")
    return Alert(NoticeKind.MENTION, one.post.at, name, one.post.author, line, one.post.seq, waits=waits)


def _together(alerts: Sequence[Alert]) -> Alert:
    """One alert for several."""
    last = alerts[-1]
    return Alert(last.kind, last.at, last.board, last.author, last.text, last.seq, more=len(alerts) - 1, waits=True)
