"""Boards: the async face of the room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from motet.board import (
    agents,
    chains,
    clock,
    directory,
    editing,
    finding,
    inbox,
    leases,
    notices,
    overview,
    reading,
    tending,
)
from motet.board import digest as digests
from motet.board.database import Database, Tx
from motet.board.deciding import Facts
from motet.board.errors import BoardError, BoardRefused
from motet.board.limits import Limits
from motet.board.mentions import Called, Roster
from motet.board.outbox import hints_of
from motet.board.server_bell import ServerBell
from motet.board.sockets import SocketBell
from motet.board.store import BoardStore
from motet.board.values import (
    Agent,
    AgentState,
    Board,
    Delivery,
    Draft,
    Fate,
    FileLease,
    NewAgent,
    Notice,
    Post,
    Posted,
    Rights,
)
from motet.board.watch import Hint
from motet.storage.worker import Kind

T = TypeVar("T")


class Boards(BoardStore):
    """All boards of a store. Every method may raise `BoardError`: the store cannot be opened, read or written. What
    writes is on the disk when it returns. Nothing is opened or made before the first use.

    Whoever calls says who it is (`author`, `address`): front ends hand an agent a `Seat`, which says it for it.
    """

    @classmethod
    def in_directory(cls, state: Path, limits: Limits | None = None) -> Boards:
        """The boards in a file of the directory `state`: SQLite."""

        def open_database() -> Database:
            from motet.board.sqlite import SqliteDatabase

            return SqliteDatabase(state)

        return cls(open_database, SocketBell(state / "boards.wake"), limits)

    @classmethod
    def on_server(cls, url: str, limits: Limits | None = None, password: Callable[[], str] | None = None) -> Boards:
        """The boards on a server, `postgresql://…`. `password` is asked, in a thread, when a connection is made."""

        def open_database() -> Database:
            try:
                from motet.board.postgres import PostgresDatabase
            except ImportError as error:
                raise BoardError(f"boards on a server need a driver ({error}): pip install 'motet[team]'") from error

            return PostgresDatabase(url, password)

        bell = ServerBell(url, password)
        boards = cls(open_database, bell, limits)
        bell.through(boards._worker)
        return boards

    # --- boards and who is on them ---------------------------------------------------------------------------------

    async def open(self, project: str, name: str = "general") -> Board:
        """The board of that name, made when there is none. Raises `UsageError` for a name that cannot be."""
        board, was_made = await self._write(clock.timed(partial(directory.open_board, project=project, name=name)))
        if was_made:
            self._ring([Hint(board.id, what="people", whom=())])
        return board

    async def find(self, project: str, name: str) -> Board:
        """Raises `BoardMissing`."""
        return await self._read(partial(directory.find_board, project=project, name=name))

    async def boards(self, project: str | None = None) -> list[Board]:
        """The boards of a project, or all, by name."""
        return await self._read(partial(directory.boards, project=project))

    async def pause(self, board: str, paused: bool = True) -> Board:
        """Agents' posts wait, or no more; humans go on as they like."""
        found = await self._write(partial(directory.set_paused, board=board, paused=paused))
        self._ring([Hint(board, what="people")])
        return found

    async def set_rights(self, board: str, rights: Rights) -> Board:
        """Who may read, post, and write to everyone."""
        return await self._write(partial(directory.set_rights, board=board, rights=rights))

    async def register(self, new: NewAgent) -> Agent:
        """The agent with this identity, at its address. Raises `UsageError` for a name that cannot be."""
        agent = await self._write(clock.timed(partial(agents.register, new=new)))
        self._observed.own.add(agent.address)
        self._ring([Hint("", what="people", whom=())])
        return agent

    async def join(self, board: str, address: str) -> bool:
        """Take part from now on. Returns whether it was not there yet. Raises `BoardRefused`."""
        joined = await self._write(partial(directory.join, board=board, address=address))
        if joined:
            self._ring([Hint(board, what="people", whom=(address,))])
        return joined

    async def leave(self, board: str, address: str) -> None:
        """Take part no more."""
        await self._write(partial(directory.leave, board=board, address=address))
        self._ring([Hint(board, what="people", whom=())])

    async def agent(self, address: str) -> Agent:
        """Raises `AgentMissing`."""
        return await self._read(partial(agents.agent_of, found=address))

    async def agents(self, board: str = "", *, with_closed: bool = False) -> list[Agent]:
        """All agents, or those on a board."""
        return await self._read(clock.timed(partial(agents.agents, board=board, with_closed=with_closed)))

    async def boards_of(self, address: str) -> list[Board]:
        """The boards that an agent is on."""
        return await self._read(partial(directory.boards_of, address=address))

    async def set_state(self, address: str, state: AgentState, why: str = "") -> Agent:
        """What an agent does. One that is closed lets go of its files."""

        def work(tx: Tx, now: float) -> Agent:
            if state in (AgentState.CLOSED, AgentState.GONE):
                leases.expire(tx, address)
            return agents.set_state(tx, address, state, why, now)

        agent = await self._write(clock.timed(work))
        self._ring([Hint("", what="people", whom=(agent.address,))])
        return agent

    async def pause_agent(self, address: str, paused: bool = True) -> Agent:
        """Deliveries wait for it and its own posts are refused, or no more."""
        agent = await self._write(partial(agents.set_agent_paused, address=address, paused=paused))
        self._ring([Hint("", what="people", whom=(agent.address,))])
        return agent

    async def beat(self, address: str) -> None:
        """A sign of life: what the agent holds, posts and files, it holds on."""

        def work(tx: Tx, now: float) -> None:
            agents.beat(tx, address, now)
            leases.end(tx, address, now)
            inbox.renew(tx, address, now)

        await self._worker.do(Kind.WRITE, clock.timed(work))

    async def tend(self) -> tending.Tended:
        """Mark who gave no sign of life as gone, free what it held, close who has been gone for long, let requests expire,
        and say so. Whoever waits (`watching`) does it from time to time: it takes some looks to see that time passes."""
        observed = self._observed
        look = partial(tending.look, own=observed.own, days=self.limits.forget_days)
        if not observed.look(await self._read(clock.timed(look)), clock.monotonic()):
            return tending.Tended()
        work = partial(tending.tend, members=self._members, limits=self.limits, observed=observed)
        tended = await self._write(clock.timed(work))
        self._told(tended.reports)
        return tended

    async def clean(self, days: float | None = None) -> tending.Tended:
        """Close who has been gone for `days` (None: what the limits say), now, because a human says so."""
        days = self.limits.forget_days if days is None else days
        work = partial(tending.clean, days=days, members=self._members, limits=self.limits)
        tended = await self._write(clock.timed(work))
        self._told(tended.reports)
        return tended

    async def stopped(self, address: str, why: str) -> Sequence[Posted]:
        """An agent stops, finished or not: whoever has asked it something is told why."""
        work = partial(tending.stopped, address=address, why=why, members=self._members)
        return self._told(await self._write(clock.timed(partial(work, limits=self.limits))))

    def _told(self, posted: Sequence[Posted]) -> Sequence[Posted]:
        self._ring(hints_of(posted))
        return posted

    # --- posts -----------------------------------------------------------------------------------------------------

    async def post(self, draft: Draft) -> Posted:
        """Store a post and deliver it. Raises `UsageError`, `BoardRefused`, `BoardMissing`.

        A caller that is cancelled takes nothing back; with a `key` it can ask again.
        """
        return await self._outbox.post(draft)

    async def called(self, board: str, author: str, body: str) -> Called:
        """Whom a post would call. Nothing is stored."""
        return await self._read(lambda tx: self._members.of(tx, board).called(body, author))

    async def roster(self, board: str) -> Roster:
        """All who can be called on a board, as of now."""
        return await self._read(lambda tx: self._members.of(tx, board).roster)

    async def edit(self, post: str, author: str, body: str) -> Posted:
        """Give one's own post another text. Raises `BoardRefused`, `BoardMissing`, `UsageError`."""
        work = partial(editing.change, post_id=post, author=author, body=body, members=self._members)
        changed = await self._refusing(author, "edit a post", clock.timed(partial(work, limits=self.limits)))
        self._ring([Hint(changed.post.board, what="changes", whom=None if changed.everyone else changed.recipients)])
        return changed

    async def retract(self, post: str, author: str) -> Post:
        """Take one's own post back; it stays in the log. Raises `BoardRefused`, `BoardMissing`."""
        work = clock.timed(partial(editing.retract, post_id=post, author=author))
        taken = await self._refusing(author, "take back a post", work)
        self._ring([Hint(taken.board, what="changes", whom=())])
        return taken

    async def posts(self, board: str, after: int = 0, limit: int = 200) -> list[Post]:
        """The posts behind number `after`, the oldest first."""
        return await self._read(partial(reading.posts, board=board, after=after, limit=limit))

    async def last_posts(self, board: str, limit: int = 50, before: int | None = None) -> list[Post]:
        """The newest posts, or those before number `before`, the oldest of them first."""
        return await self._read(partial(reading.last_posts, board=board, limit=limit, before=before))

    async def altered(self, board: str, first: int) -> dict[int, tuple[int, bool]]:
        """The posts from number `first` on that were changed or taken back: their version, and whether they were taken
        back."""
        return await self._read(partial(reading.altered, board=board, first=first))

    async def get(self, post: str) -> Post:
        """Raises `BoardMissing`."""
        return await self._read(partial(editing.get, post=post))

    async def versions(self, post: str) -> list[tuple[float, str]]:
        """The earlier texts of a post, and when each was replaced."""
        return await self._read(partial(editing.versions, post_id=post))

    async def search(self, query: finding.Query, boards: Sequence[str], limit: int = 50) -> list[Post]:
        """The newest posts that match."""
        return await self._read(partial(finding.search, query=query, boards=boards, limit=limit))

    async def digest(self, board: str, address: str) -> digests.Digest:
        """What an agent has not read, in bounded space."""
        return await self._read(partial(digests.digest, board=board, address=address))

    async def read_to(self, board: str, address: str, seq: int | None = None) -> int:
        """The last post that an agent has read; with `seq`, it has read up to there."""

        def work(tx: Tx) -> int:
            if seq is not None:
                directory.set_read(tx, board, address, seq)
            return directory.read_to(tx, board, address)

        return await (self._read(work) if seq is None else self._write(work))

    # --- deliveries ------------------------------------------------------------------------------------------------

    async def pull(self, address: str, limit: int = 20) -> list[Delivery]:
        """Lease what waits for an agent, urgent ones first."""
        if not await self._looks.is_due(address):
            return []
        # A lease that a power cut takes back waits again: what was read of it stands in the conversation.
        found = await self._worker.do(Kind.WRITE, clock.timed(partial(inbox.pull, address=address, limit=limit)))
        self._moved(found)
        return found

    def _moved(self, deliveries: Sequence[object]) -> None:
        """These have another state now: whoever shows that looks."""
        if deliveries:
            self._ring([Hint("", what="changes", whom=())])

    async def waiting(self, address: str) -> int:
        """How many deliveries wait for an agent."""
        return await self._write(clock.timed(partial(inbox.waiting, address=address)))

    async def at_rest(self, addresses: Sequence[str]) -> bool:
        """Whether none of these works, and nothing is open for one of them or waits for its roles, at one moment."""
        return await self._read(partial(inbox.at_rest, addresses=addresses))

    async def held(self, address: str) -> list[Delivery]:
        """What an agent leased and has not carried."""
        return await self._read(partial(inbox.held, address=address))

    async def carried(self, address: str, deliveries: Sequence[str], turn: str) -> list[str]:
        """They stand in the stored message `turn` of the recipient's conversation; returns those that is news of."""
        work = partial(inbox.carried, address=address, deliveries=deliveries, turn=turn)
        news = await self._write(clock.timed(work))
        self._moved(news)
        return news

    async def delivery_of(self, post: str, address: str) -> Delivery | None:
        """The delivery of a post to an agent, if there is one."""
        return await self._read(partial(inbox.delivery_of_post, post=post, address=address))

    async def give_back(self, address: str, deliveries: Sequence[str]) -> None:
        """They were not carried after all."""
        await self._write(clock.timed(partial(inbox.give_back, address=address, deliveries=deliveries)))
        self._moved(deliveries)

    async def settle(self, address: str, delivery: str, outcome: inbox.Outcome) -> Delivery:
        """What became of it, for good."""
        work = partial(inbox.settle, address=address, delivery=delivery, outcome=outcome, limits=self.limits)
        settled = await self._write(clock.timed(work))
        self._ring([Hint(settled.post.board, what="changes", whom=())])
        return settled

    async def facts(self, delivery: str) -> Facts:
        """What is to be known for the decision whether it is answered. Raises `BoardMissing`."""
        return await self._read(clock.timed(partial(inbox.facts, delivery=delivery, limits=self.limits)))

    async def spent(self, chain: str, what: str) -> bool:
        """A chain's budget, or the share of it that somebody had, is used up: the humans are told, once. Returns whether
        that was now."""
        return await self._write(clock.timed(partial(chains.spent, chain=chain, what=what)))

    async def deliveries(
        self, *, recipient: str = "", board: str = "", author: str = "", state: str = "", limit: int = 100
    ) -> list[Delivery]:
        """Past and present deliveries, the newest first."""
        return await self.sought(inbox.Sought(recipient, board, author, state), limit)

    async def sought(self, sought: inbox.Sought, limit: int = 100) -> list[Delivery]:
        """Past and present deliveries that match, the newest first."""
        return await self._read(partial(inbox.deliveries, sought=sought, limit=limit))

    async def calling(self, address: str, board: str, seqs: Sequence[int]) -> list[int]:
        """Which of these posts wait for an agent."""
        return await self._read(partial(overview.calling, address=address, board=board, seqs=seqs))

    async def shown(self, address: str, board: str, seqs: Sequence[int], to: int | None = None) -> int:
        """A human has seen these posts, and with `to` the board up to there; returns how many deliveries were settled
        with that."""
        work = partial(overview.shown, address=address, board=board, seqs=seqs, to=to)
        settled = await self._write(clock.timed(work))
        if settled:
            self._ring([Hint(board, what="changes", whom=())])
        return settled

    # --- what front ends show --------------------------------------------------------------------------------------

    async def known(self, new: NewAgent) -> Agent | None:
        """The agent with this identity, if it was ever registered."""
        return await self._read(partial(overview.known, new=new))

    async def named(self, text: str, project: str = "") -> Agent:
        """The agent with this address, or the one of this name on the boards of `project` (empty: anywhere). Raises
        `AgentMissing`."""
        return await self._read(partial(overview.named, text=text, project=project))

    async def glances(self, project: str | None, address: str = "") -> list[overview.Glance]:
        """The boards of a project, or all, as one agent sees them."""
        return await self._read(partial(overview.glances, project=project, address=address))

    async def whole(self, board: str, after: int = 0, limit: int = 200) -> list[overview.Whole]:
        """The posts behind number `after` with all that is kept of them, the oldest first."""
        return await self._read(partial(overview.whole, board=board, after=after, limit=limit))

    async def numbers(self, posts: Iterable[str]) -> dict[str, int]:
        """The number of each post, by its id, on its board."""
        return await self._read(partial(overview.numbers, ids=tuple(posts)))

    async def fates(self, posts: Iterable[str]) -> dict[str, tuple[Fate, ...]]:
        """What became of each post, by its id; nothing for one that is for nobody."""
        return await self._read(partial(overview.fates, ids=tuple(posts)))

    async def notices(self, after: int = 0, limit: int = 100) -> list[Notice]:
        """What humans were told behind number `after`."""
        return await self._read(partial(notices.notices, after=after, limit=limit))

    async def last_notice(self) -> int:
        """The number of the newest notice."""
        return await self._read(notices.last)

    async def chain(self, chain: str) -> chains.Chain:
        """What a post caused has used. Raises `BoardMissing`."""
        return await self._read(partial(chains.get, chain=chain))

    async def go_on(self, chain: str) -> int:
        """A human grants a chain its budget once more; returns how many deliveries wait again."""
        again = await self._write(clock.timed(partial(chains.go_on, chain=chain, limits=self.limits)))
        self._ring([Hint((await self.chain(chain)).board, what="changes")])
        return again

    async def stop(self, chain: str) -> int:
        """A human ends a chain; returns how many deliveries were waiting."""
        work = partial(tending.chain_stopped, chain=chain, members=self._members, limits=self.limits)
        stopped, told = await self._write(clock.timed(work))
        self._told(told)
        self._ring([Hint((await self.chain(chain)).board, what="changes", whom=())])
        return stopped

    # --- files -----------------------------------------------------------------------------------------------------

    async def claim(
        self, project: str, owner: str, globs: Sequence[str], seconds: float = 1800.0, task: str = ""
    ) -> list[FileLease]:
        """Claim all of `globs`, or none. Raises `BoardRefused`."""
        work = partial(leases.claim, project=project, owner=owner, globs=globs, seconds=seconds, task=task)
        return await self._refusing(owner, f"claim {', '.join(globs)}", clock.timed(work))

    async def renew(
        self, project: str, owner: str, tokens: Sequence[int], seconds: float = 1800.0
    ) -> list[FileLease]:
        """Hold claims longer. Raises `BoardRefused`."""
        work = partial(leases.renew, project=project, owner=owner, tokens=tokens, seconds=seconds)
        return await self._refusing(owner, "renew claims", clock.timed(work))

    async def release(self, project: str, owner: str, globs: Sequence[str] = ()) -> int:
        """Let go of claims, of all when none is named."""
        return await self._write(partial(leases.release, project=project, owner=owner, globs=globs))

    async def revoke(self, project: str, by: str, owner: str, globs: Sequence[str] = ()) -> list[str]:
        """A human, `by`, takes claims of an agent away, all when none is named; the agent is told by a status on its board.
        Returns which. Raises `BoardRefused`."""
        work = partial(tending.revoke, project=project, by=by, owner=owner, globs=globs, members=self._members)
        revoked, told = await self._refusing(
            by, f"take claims of {owner}", clock.timed(partial(work, limits=self.limits))
        )
        self._told(told)
        return revoked

    async def leases(self, project: str, owner: str = "") -> list[FileLease]:
        """The claims that hold."""
        return await self._read(clock.timed(partial(leases.leases, project=project, owner=owner)))

    async def check_write(self, project: str, owner: str, path: str, token: int | None = None) -> None:
        """Raises `BoardRefused` when `owner` may not write `path` now."""
        work = clock.timed(partial(leases.check, project=project, owner=owner, path=path, token=token))
        try:
            await self._read(work)
        except BoardRefused as error:
            await self._log(owner, f"write {path}", str(error))
            raise
