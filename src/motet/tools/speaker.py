"""What a model does on boards, said and answered in text: the same for the tools of a chat and for other programs.

Whoever speaks is the agent of the seat; no argument can say otherwise. Refusals are raised as `MotetError`, whose line
is what the model reads.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from motet.board import (
    FROM_OTHERS,
    GENERAL,
    Agent,
    AgentKind,
    AgentState,
    Board,
    BoardRefused,
    Delivery,
    Policy,
    Post,
    Posted,
    PostKind,
    Query,
    Seat,
    barred,
    framed,
)
from motet.errors import UsageError
from motet.visible import one_line

MOST_CHARACTERS = 18_000
"""Of posts in one answer; older ones are left out, and that is said."""
LONGEST_WAIT = 300.0
"""Seconds."""
_CONTEXT = 8_000
"""Tokens that a turn of another agent is taken to read, where nothing better is known."""
_REFERENCE = re.compile(r"\s*(?:([0-7][0-9A-HJKMNP-TV-Z]{25})|(?:post\s*)?([\w-]*?)\s*#?\s*(\d{1,12}))\s*")

Carry = Callable[[Sequence[Delivery]], Awaitable[str]]
"""Takes what a wait has leased into the conversation, and says where the model finds it."""


@dataclass(slots=True)
class Speaker:
    """See the module. `home`: the board that is meant when none is named. `context`: tokens that one turn of an agent
    is taken to read. `dear`: from so many tokens on a post to everyone has to be sent twice, None: never. `carry`: who
    takes what `wait` gets; None: the text of its answer is the conversation. `seen`: who is told which posts an answer
    shows. `patience`: seconds that one wait lasts at most. `later`: said when nothing came."""

    seat: Seat
    home: str = GENERAL
    context: Callable[[], int] = lambda: _CONTEXT
    dear: int | None = None
    carry: Carry | None = None
    seen: Callable[[Sequence[Post]], None] | None = None
    patience: float = LONGEST_WAIT
    later: str = "Go on with something else, or end your turn: it will reach you."
    reached: set[str] = field(default_factory=set[str])
    """Whom the posts of this turn called; `@All` for everyone."""
    _warned: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def begin_turn(self) -> None:
        """What was warned of before is warned of again; nobody was called yet."""
        self._warned.clear()
        self.reached.clear()

    # --- posts ---------------------------------------------------------------------------------------------------

    async def post(
        self, body: str, board: str = "", kind: str = PostKind.MESSAGE, minutes: float | None = None
    ) -> str:
        """Write on a board. `minutes`: until when a request is to be answered."""
        name = board.strip() or self.home
        await self._warn_of_price(name, body)
        return self._told(await self.seat.post(body, name, PostKind(kind), minutes=minutes), name)

    async def reply(self, to: str, body: str, board: str = "", kind: str = PostKind.MESSAGE) -> str:
        """Answer the post `to` (`#12`, or its long id)."""
        post = await self._find(to, board)
        name = {one.id: one.name for one in await self.seat.boards.boards_of(self.seat.address)}.get(post.board, "")
        if name:  # else the seat refuses
            await self._warn_of_price(name, body)
        return self._told(await self.seat.reply(post.id, body, PostKind(kind)), name)

    async def answer(self, posts: Sequence[Post], body: str, key: str) -> Post:
        """Answer posts of one board with one text: the newest of them, and its author; the authors of the others are called."""
        newest = max(posts, key=lambda post: post.seq)
        others = dict.fromkeys(post.author for post in posts if post.author != newest.author)
        text = "\n\n".join([*([" ".join(f"@{one}" for one in others)] if others else []), body])
        names = {one.id: one.name for one in await self.seat.boards.boards_of(self.seat.address)}
        await self._warn_of_price(names.get(newest.board, self.home), text)
        return (await self.seat.reply(newest.id, text, key=key)).post

    async def read(self, board: str = "", after: int | None = None, words: str = "", limit: int = 20) -> str:
        """The newest posts of a board, those behind number `after`, or those with these `words`."""
        name = board.strip() or self.home
        found = await self.seat.board(name)
        missed = await self._missed(found, limit) if after is None and not words.strip() else ""
        if words.strip():
            posts = list(reversed(await self.seat.boards.search(Query(words), [found.id], limit)))
            what = f"posts on {name} with {one_line(words)!r}"
        else:
            posts = await self.seat.read(name, after, limit)
            what = f"posts on {name}"
        if not posts:
            return f"No {what}{f' behind #{after}' if after is not None else ''}; its last is #{found.last}."
        head = f"{len(posts)} {what}, oldest first; its last is #{found.last}."
        return await self._listed(posts, head, missed)

    async def news(self, more_than: int) -> str:
        """What was written while the agent was away, in bounded space, on each board where it has not read `more_than`
        posts and more; they count as read. Empty: nothing like that."""
        boards = self.seat.boards
        missed = [
            text for one in await boards.boards_of(self.seat.address) if (text := await self._missed(one, more_than))
        ]
        return (
            "\n\n".join([f"What was written while you were away, in short. {FROM_OTHERS}", *missed]) if missed else ""
        )

    async def _missed(self, board: Board, more_than: int) -> str:
        """In short what the agent has not read, when that is more than so many posts; they count as read."""
        boards, address = self.seat.boards, self.seat.address
        found = await boards.digest(board.id, address)
        if found.new <= more_than:
            return ""
        await boards.read_to(board.id, address, found.last)
        return barred(found.text(board.name))

    async def wait(self, seconds: float = 60.0) -> str:
        """What comes for the agent within `seconds`."""
        seconds = min(max(seconds, 0.0), self.patience)
        got = await self.seat.wait(seconds)
        if not got:
            return f"Nothing came within {seconds:g} s. {self.later}"
        if self.carry is not None:
            return await self.carry(got)
        await self.seat.carried(got, "tool")
        return await self._listed([one.post for one in got], f"{len(got)} for you. {ANSWER}")

    # --- files and people ------------------------------------------------------------------------------------------

    async def claim(self, paths: Sequence[str], minutes: float = 30.0, task: str = "") -> str:
        """Claim files, all or none."""
        claimed = await self.seat.claim(paths, minutes, task)
        names = ", ".join(one_line(lease.glob) for lease in claimed)
        return f"Yours for {minutes:g} min: {names}. Others are refused there. Release them when you are done."

    async def release(self, paths: Sequence[str] = ()) -> str:
        """Let go of claims, of all when none is named."""
        many = await self.seat.release(paths)
        return f"Released: {many} claim{'s' if many != 1 else ''}." if many else "You held no such claim."

    async def agents(self, board: str = "") -> str:
        """Who is on a board, and which files are claimed."""
        name = board.strip() or self.home
        found = await self.seat.board(name)
        agents = await self.seat.boards.agents(found.id)
        lines = [self._person(agent) for agent in agents]
        claims = await self.seat.boards.leases(self.seat.project)
        lines += ["", "Claimed files:"] if claims else []
        lines += [
            f"- {one_line(lease.glob)} by {lease.owner}{f' for {one_line(lease.task)!r}' if lease.task else ''}"
            for lease in claims
        ]
        boards = ", ".join(one.name for one in await self.seat.boards.boards_of(self.seat.address))
        return "\n".join([f"You are {self.seat.address}. Your boards: {boards}. On {name}:", *lines])

    def _person(self, agent: Agent) -> str:
        what = [str(agent.kind), *(f"role {one_line(role)}" for role in agent.roles)]
        what += [one_line(agent.model)] if agent.model else []
        state = "paused" if agent.paused else str(agent.state)
        why = f": {one_line(agent.why)}" if agent.why else ""
        you = " (you)" if agent.address == self.seat.address else ""
        return f"- @{agent.address}{you}, {', '.join(what)}, {state}{why}"

    # --- in words --------------------------------------------------------------------------------------------------

    async def listed(self, posts: Sequence[Post]) -> list[str]:
        """Each post as a model reads it."""
        boards = {one.id: one.name for one in await self.seat.boards.boards_of(self.seat.address)}
        people = {one.address: one for one in await self.seat.boards.agents(with_closed=True)}
        numbers = {post.id: post.seq for post in posts}
        texts: list[str] = []
        for post in posts:
            if post.reply_to and post.reply_to not in numbers:
                numbers[post.reply_to] = (await self.seat.boards.get(post.reply_to)).seq
            author = people.get(post.author)
            known = "" if author is None else ", ".join([f"a {author.kind}", *author.roles])
            known = "the human" if author is not None and author.kind is AgentKind.HUMAN else known
            known = "you" if post.author == self.seat.address else known
            name = boards.get(post.board, "a board that you have left")
            texts.append(framed(post, name, answers=numbers.get(post.reply_to), author=known))
        return texts

    async def _listed(self, posts: Sequence[Post], head: str, missed: str = "") -> str:
        texts = await self.listed(posts)
        kept: list[str] = []
        size = 0
        for text in reversed(texts):
            size += len(text)
            if kept and size > MOST_CHARACTERS:
                break
            kept.insert(0, text)
        left = len(texts) - len(kept)
        if self.seen is not None:
            self.seen(posts[left:])
        more = f" The {left} oldest of them are left out: read them with `after` and a small `limit`." if left else ""
        return "\n\n".join([f"{head}{more} {FROM_OTHERS}", *([missed] if missed else []), *kept])

    def _told(self, posted: Posted, board: str) -> str:
        """What became of a post, for its author."""
        whom = [f"@{one}" for one in posted.recipients]
        whom = ["everyone", *whom] if posted.everyone else whom
        self.reached |= {*posted.recipients, *(("@All",) if posted.everyone else ())}
        reach = f"It reaches {', '.join(whom)}." if whom else "It calls nobody; whoever reads the board sees it."
        missed = [
            f" {one_line(told.text)} reached nobody: {told.why}"
            + (f"; nearest: {', '.join(f'@{one}' for one in told.nearest)}." if told.nearest else ".")
            for told in posted.unknown
        ]
        return f"Posted as #{posted.post.seq} on {board}. {reach}{''.join(missed)}"

    async def _find(self, reference: str, board: str) -> Post:
        found = _REFERENCE.fullmatch(reference)
        if found is None:
            raise UsageError(f"{one_line(reference)[:60]!r} names no post; give its number as in #12")
        long_id, name, number = found.groups()
        if long_id:
            return await self.seat.boards.get(long_id)
        return await self.seat.find(name or board.strip() or self.home, int(number))

    async def _warn_of_price(self, board: str, body: str) -> None:
        """Raises `BoardRefused` for a dear post to everyone that is sent for the first time."""
        if self.dear is None or (board, body) in self._warned:
            return
        found = await self.seat.board(board)
        if not (await self.seat.boards.called(found.id, self.seat.address, body)).everyone:
            return
        agents = [one for one in await self.seat.boards.agents(found.id) if self._would_read(one)]
        tokens = len(agents) * self.context()
        if tokens < self.dear:
            return
        self._warned.add((board, body))
        raise BoardRefused(
            f"not posted yet: @All is {len(agents)} agents here, about {tokens:,} tokens when each reads it. Name those "
            "who have to know; if it really is for all, send exactly the same again"
        )

    def _would_read(self, agent: Agent) -> bool:
        if agent.address == self.seat.address or agent.kind is AgentKind.HUMAN or agent.paused:
            return False
        return agent.policy is not Policy.NEVER and agent.state not in (AgentState.GONE, AgentState.CLOSED)


ANSWER = (
    "Answer with `board_reply` where an answer helps its author; where none is needed, write nothing on the board."
)
"""Said with what has come for an agent."""
