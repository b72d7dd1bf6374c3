"""One MCP client on the boards: its seat, its calls, and what it was given.

What a call returns may never arrive: the client may die, or give the call up before it is answered. So what
`board_wait` pulled stays leased, until the client's next call proves that it got the answer; then it counts as read.
What was never sent, or is not proven when the session ends, waits again, and is delivered once more. A cancellation of a
call that was answered proves nothing: some clients send one after each answer that they got, and it may cross an answer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from motet.board import (
    FROM_OTHERS,
    OPEN,
    AgentKind,
    AgentState,
    Boards,
    Delivery,
    DeliveryState,
    NewAgent,
    Outcome,
    Policy,
    Post,
    PostKind,
    Seat,
)
from motet.board.seat import GENERAL
from motet.engine.faults import FaultLog
from motet.errors import MotetError
from motet.mcp.asked import Asked
from motet.mcp.identity import Identity, take_identity
from motet.messages import ToolCall, new_id
from motet.tasks import background
from motet.tools import Toolbox, ToolOutput
from motet.tools.board_tool import BOARD_TOOLS, board_tool
from motet.tools.speaker import ANSWER, MOST_CHARACTERS, Speaker

WAIT = "board_wait"
_QUIET = (WAIT, "board_read")
"""Tools that show what waits; all others say that something does."""
_LATER = "Go on with something else; what comes is kept for you: call `board_wait` again when you have time."


@dataclass(frozen=True, slots=True)
class Place:
    """Where clients come together. `here` names the directory, on this machine where boards are shared by several. `dear`:
    tokens from which on a post to everyone has to be sent twice, None: never."""

    boards: Boards
    project: str
    root: Path
    here: str
    state: Path
    asked: Asked
    dear: int | None = None


@dataclass(slots=True)
class _Call:
    """What one call pulled, and the posts that its answer shows. `is_answered`: with them, and not with an error."""

    speaker: Speaker
    pulled: list[Delivery] = field(default_factory=list[Delivery])
    shown: list[Post] = field(default_factory=list[Post])
    is_answered: bool = False

    async def carry(self, got: Sequence[Delivery]) -> str:
        """As much of `got` as fits into one answer, whole posts; the rest waits again."""
        self.pulled = list(got)
        texts = await self.speaker.listed([one.post for one in got])
        many, size = 0, 0
        for text in texts:
            size += len(text)
            if many and size > MOST_CHARACTERS:
                break
            many += 1
        seat = self.speaker.seat
        if left := self.pulled[many:]:
            await seat.boards.give_back(seat.address, [one.id for one in left])
            self.pulled = self.pulled[:many]
        more = f" {len(left)} more wait: call `board_wait` again." if left else ""
        return "\n\n".join([f"{many} for you.{more} {ANSWER} {FROM_OTHERS}", *texts[:many]])

    def see(self, posts: Sequence[Post]) -> None:
        """An answer shows them."""
        self.shown += posts


class Caller:
    """See the module. `session` names it in the proofs that it leaves."""

    def __init__(self, place: Place, session: str = "") -> None:
        self._place = place
        self._session = session or new_id()
        self._faults = FaultLog(place.state)
        self._identity: Identity | None = None
        self._speaker: Speaker | None = None
        self._sitting = asyncio.Lock()
        self._waiting = asyncio.Lock()
        self._running: dict[str, _Call] = {}
        """By request: those whose answer has not been sent."""
        self._is_closed = False
        self._answers: dict[str, _Call] = {}
        """By request: those of which is not known that they arrived."""
        self._doubted: list[Post] = []
        """Given in answers whose calls were cancelled afterwards."""
        self._unsettled: list[Delivery] = []
        self._aside: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """The agent's; empty before it sits."""
        return "" if self._speaker is None else self._speaker.seat.address

    async def sit(self, client: str) -> Speaker:
        """Become an agent, under the name that the client gives itself; nothing when it is one. Raises `MotetError`."""
        async with self._sitting:
            if self._speaker is None:
                self._speaker = await self._seated(client)
            return self._speaker

    async def _seated(self, client: str) -> Speaker:
        place, asked = self._place, self._place.asked
        identity = self._identity or take_identity(place.state, client, asked.name, place.here)
        self._identity = identity
        new = NewAgent(
            identity.name,
            AgentKind.MCP,
            identity.id,
            asked.roles,
            asked.model,
            str(place.root),
            Policy.MENTIONED,
            self._session,
        )
        seat = await Seat.take(place.boards, place.project, new, *asked.boards)
        # The identity is held: whatever is leased to it was leased by one that has died.
        left = await place.boards.held(seat.address)
        await place.boards.give_back(seat.address, [one.id for one in left])
        home = asked.boards[0] if asked.boards else GENERAL
        return Speaker(seat, home, dear=self._place.dear, patience=asked.patience, later=_LATER)

    # --- requests --------------------------------------------------------------------------------------------------

    async def came(self, request: str) -> None:
        """A call of the client came: it has got all that was answered before."""
        if self._answers:
            await self._told(self._prove(f"mcp:{self._session}:{request}"))

    async def _prove(self, turn: str) -> None:
        seat = self._seat
        answers = dict(self._answers)
        given = {one.id: one for answer in answers.values() for one in answer.pulled}
        read = list(dict.fromkeys(post.id for answer in answers.values() for post in answer.shown))
        if read:
            await seat.boards.waiting(seat.address)  # makes deliveries of posts to everyone
            found = [await seat.boards.delivery_of(post, seat.address) for post in read]
            given |= {one.id: one for one in found if one is not None and one.state in OPEN}
        news = await seat.carried(list(given.values()), turn)
        self._answers = {request: one for request, one in self._answers.items() if request not in answers}
        self._unsettled += [given[id] for id in news]

    @contextmanager
    def answering(self, request: str) -> Generator[None]:
        """Around a request until its answer is sent, which it is not when this is left with an exception."""
        is_sent = False
        try:
            yield
            is_sent = True
        finally:
            call = self._running.pop(request, None)
            if call is not None and not is_sent:
                self._beside(self._take_back())
            elif call is not None and call.is_answered and (call.pulled or call.shown):
                self._answers[request] = call
            if call is not None:
                self._beside(self._rest())

    def cancelled(self, request: str) -> None:
        """A cancellation came; of a request that was answered, it proves nothing. The next answer names what was given,
        should the client have thrown it away."""
        if answer := self._answers.get(request):
            self._doubted += [*(one.post for one in answer.pulled), *answer.shown]

    async def call(self, client: str, name: str, arguments: Mapping[str, object], request: str) -> ToolOutput:
        """What a call of one of the board tools comes to, within `answering`."""
        call = self._running[request] = _Call(await self.sit(client))
        if name != WAIT:
            return await self._call(call, name, arguments)
        async with self._waiting:  # what is leased and not given away belongs to this wait
            await self._give_back()
            await self._settle()
            return await self._call(call, name, arguments)

    async def _call(self, call: _Call, name: str, arguments: Mapping[str, object]) -> ToolOutput:
        speaker = call.speaker
        own = replace(speaker, carry=call.carry, seen=call.see)
        tools = [board_tool(name, lambda: own)] if name in BOARD_TOOLS else []
        toolbox = Toolbox(tools, outputs=self._place.state / "outputs" / "mcp")
        await self._seat.set_state(*_DOING.get(name, (AgentState.WORKING, "")))
        (output,) = await toolbox.run([ToolCall(new_id(), name, json.dumps(arguments))])
        if name not in _QUIET and not output.is_error:
            output = replace(output, text=output.text + await self._more())
        output = replace(output, text=output.text + await self._doubt())
        call.is_answered = not output.is_error
        return output

    async def _rest(self) -> None:
        if not (self._running or self._is_closed):
            await self._seat.set_state(AgentState.IDLE)

    async def _more(self) -> str:
        many = await self._seat.boards.waiting(self._seat.address)
        return f"\n{many} waiting for you: call `board_wait` to get {'it' if many == 1 else 'them'}." if many else ""

    async def _doubt(self) -> str:
        doubted, self._doubted = self._doubted, []
        if not doubted:
            return ""
        names = {one.id: one.name for one in await self._seat.boards.boards_of(self._seat.address)}
        posts = [f"{names.get(post.board, '')}#{post.seq}" for post in doubted]
        which = f"{posts[0]} to {posts[-1]}" if len(posts) > 1 else posts[0]
        return (
            f"\n(You cancelled a call after it had been answered with {which}. If you did not get it: `board_read`.)"
        )

    async def _settle(self) -> None:
        """Whoever asks for more is done with what it had; a request stays open until it is answered or overdue."""
        done, self._unsettled = self._unsettled, []
        for one in done:
            if one.post.kind is PostKind.REQUEST:
                continue
            now = (await self._seat.boards.facts(one.id)).delivery  # it may wait for a human's word, or again
            if now.state is DeliveryState.IN_CONTEXT:
                await self._seat.settle(one.id, Outcome(DeliveryState.ACKED, "read", "the client went on"))

    async def _take_back(self) -> None:
        """What is leased and was never sent waits again: a wait was cancelled just as something came."""
        async with self._waiting:
            await self._give_back()

    async def _give_back(self) -> None:
        seat = self._seat
        calls = (*self._answers.values(), *self._running.values())
        given = {one.id for call in calls for one in call.pulled}
        lost = [one.id for one in await seat.boards.held(seat.address) if one.id not in given]
        await seat.boards.give_back(seat.address, lost)

    def _beside(self, work: Coroutine[object, object, None]) -> None:
        """Do it, also when the call under way is cancelled."""
        task = background(self._told(work))
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _told(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except MotetError as error:
            self._faults.add(error, "mcp")

    @property
    def _seat(self) -> Seat:
        assert self._speaker is not None  # a call sits before anything else
        return self._speaker.seat

    # --- the end ---------------------------------------------------------------------------------------------------

    async def close(self, why: str) -> None:
        """The session ends: what was not proven to be read waits again, files are free, whoever waits for an answer is
        told."""
        while self._aside:
            await asyncio.gather(*self._aside)
        if self._speaker is not None and not self._is_closed:
            self._is_closed = True
            await self._told(self._leave(self._speaker.seat, why))
        if self._identity is not None:
            self._identity.lease.close()
            self._identity = None

    async def _leave(self, seat: Seat, why: str) -> None:
        await seat.boards.give_back(
            seat.address, [one.id for answer in self._answers.values() for one in answer.pulled]
        )
        await seat.boards.stopped(seat.address, why)
        await seat.leave(why)


_DOING = {WAIT: (AgentState.WAITING, "for posts")}
