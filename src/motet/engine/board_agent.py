"""A chat that takes part on boards: what comes for it opens a turn, or joins the one that runs between two rounds.

A post stands in the conversation, stored, before the board is told so (`carried`): whoever is killed in between looks
into the conversation when it comes back, so that every post is read once, and none is lost.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress

from motet.board import (
    AgentState,
    AskHuman,
    BoardError,
    Decision,
    Delivery,
    DeliveryState,
    Judge,
    Outcome,
    Policy,
    PostKind,
    Seat,
    by_rule,
    decide,
)
from motet.board.store import LOOK
from motet.board.watch import Hint, Watch
from motet.chat import Chat, ChatEvent, End, Ended, Level, NothingToSend, Notice
from motet.engine.board_turn import BoardTurn, Carried, TurnLimit, outcome_of, why_not
from motet.engine.delivered import delivered_in, is_finished, message_of, news_of, opens_its_cycle
from motet.errors import MotetError
from motet.messages import Message, Role, tags
from motet.tasks import background
from motet.tools.speaker import Speaker
from motet.turn import Limit, Spending, to_the_end
from motet.visible import one_line

_TEND = 60.0
"""Seconds between two looks for agents that died."""
_MANY = 20
"""Posts that an agent may have missed without being told of them when it is back."""
_REFUSALS = 5
"""In one turn, of which those are told whose posts it deals with."""


class BoardAgent:
    """See the module; what a chat calls is `motet.chat.parts.Arrivals`.

    `ready` is set when something is to open a turn: whoever draws the chat then runs `turn`, once nothing else runs.
    `on_notice` hears what the human is told between turns.
    """

    def __init__(
        self,
        chat: Chat,
        seat: Seat,
        home: str,
        *,
        judge: Judge | None = None,
        ask: AskHuman | None = None,
        dear: int | None = None,
    ) -> None:
        self.chat = chat
        self.seat = seat
        self.speaker = Speaker(seat, home, lambda: chat.tokens, dear, self._hand_in)
        self.ready = asyncio.Event()
        self.on_notice: Callable[[Notice], None] = lambda _: None
        self.limits: Sequence[Limit] = (TurnLimit(lambda: self._turn),)
        self._judge = judge
        self._ask = ask
        self._new: dict[str, Delivery] = {}  # leased, nobody has decided about them
        self._to_ask: dict[str, Delivery] = {}  # the human decides, when the next turn may begin
        self._wanted: dict[str, tuple[Delivery, Decision]] = {}  # to open the next turn
        self._coming: dict[str, tuple[Delivery, Decision | None]] = {}  # on their way into the conversation
        self._broken: list[Delivery] = []  # read in a turn that broke off and is to go on
        self._turn: BoardTurn | None = None
        self._finishing = ""
        self._is_back = True  # nothing was opened by others yet
        self._listener: asyncio.Task[None] | None = None
        self._watch: Watch | None = None

    # --- life ------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Look what was under way when this chat was last open, and listen from now on. Raises `BoardError`."""
        boards, address = self.seat.boards, self.seat.address
        known = delivered_in(self.chat.messages)
        for one in await boards.held(address):
            if one.id in known:
                await boards.carried(address, [one.id], known[one.id].id)
            else:
                await boards.give_back(address, [one.id])
        ended: list[Delivery] = []
        for one in await boards.deliveries(recipient=address, state=DeliveryState.IN_CONTEXT):
            message = known.get(one.id)
            if message is None or is_finished(self.chat.messages, message):
                ended.append(one)
            elif opens_its_cycle(self.chat.messages, message):
                self._broken.append(one)
        await self._settle_ended(ended, known)
        self._listener = background(self._listen())

    async def _settle_ended(self, ended: Sequence[Delivery], known: Mapping[str, Message]) -> None:
        """What was read in a turn that had come to its end; the last words of the last one may not have been posted."""
        if not ended:
            return
        messages, address, turn = self.chat.messages, self.seat.address, BoardTurn(by_human=False)
        answered = await self.seat.boards.deliveries(recipient=address, state=DeliveryState.ANSWERED)
        for one in (*answered, *ended):
            message = known.get(one.id)
            if message and message.meta.cycle == messages[-1].meta.cycle and opens_its_cycle(messages, message):
                turn.add(Carried(one), Spending())
        await turn.answer_in_text(self.speaker, self._last_words())
        for one in ended:
            answer = turn.answers.get(one.id, "")
            state = DeliveryState.ANSWERED if answer else DeliveryState.ACKED
            await self.seat.settle(one.id, Outcome(state, "resumed", "read before the chat was left", answer=answer))

    def finish(self, why: str) -> None:
        """End at the next place where nothing breaks: after the tool call or the answer that is under way, also when that
        is stopped. The turn goes on when the agent is back."""
        self._finishing = why
        self.ready.set()
        if self._turn is not None:
            self._turn.rule, self._turn.why = "paused", why

    async def leave(self, why: str = "left") -> None:
        """Listen no more; what was not read waits for the agent to come back. Who waits for an answer is told."""
        if self._listener is not None:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener
        await self.seat.boards.give_back(self.seat.address, [*self._new, *self._to_ask, *self._wanted])
        for one in self._broken:
            await self._tell_why(one, f"{self.seat.address} left before it was done; it goes on when it is back.")
        await self.seat.leave(self._finishing or why)

    async def turn(self) -> AsyncGenerator[ChatEvent]:
        """The turn that what has come opens. Raises as `Chat.send`; `NothingToSend` when there is nothing any more."""
        if not self._finishing:
            self.ready.clear()
        try:
            await self._ask_human()
            async with aclosing(self.chat.receive()) as events:
                async for event in events:
                    yield event
        except NothingToSend:
            raise
        except MotetError as error:
            await self._could_not_begin(error)
            raise
        finally:
            self._nudge()

    async def serve(self, on_event: Callable[[ChatEvent], None] = lambda _: None) -> None:
        """Deal with what comes, turn after turn, where nobody else runs turns; until cancelled, or told to `finish`."""
        while True:
            await self.ready.wait()
            if self._finishing:
                return
            try:
                async with aclosing(self.turn()) as events:
                    async for event in events:
                        on_event(event)
            except NothingToSend:
                continue
            except MotetError as error:
                on_event(Notice(str(error), Level.ERROR))

    async def _listen(self) -> None:
        async with self.seat.boards.watching(self.seat.names) as watch:
            self._watch = watch
            tend_at = 0.0
            while True:
                try:
                    if time.monotonic() >= tend_at:
                        tend_at = time.monotonic() + _TEND
                        await self.seat.boards.tend()
                    if not self.chat.is_running:
                        await self._sort_out()
                except MotetError as error:
                    self.on_notice(Notice(f"boards: {error}", Level.WARNING))
                await watch.next(LOOK)

    def _nudge(self) -> None:
        if self._watch is not None:
            self._watch.tell([Hint("", what="turn")])

    # --- while no turn runs ------------------------------------------------------------------------------------------

    async def _sort_out(self) -> None:
        """Lease what waits, and decide about it."""
        await to_the_end(self._pull())
        for one in list(self._new.values()):
            facts = await self.seat.boards.facts(one.id)
            if facts.agent.policy is Policy.ASK and by_rule(facts) is None:
                if self._new.pop(one.id, None) is not None:
                    self._to_ask[one.id] = one
                continue
            try:
                decision = await decide(facts, self._judge, None)
            except MotetError as error:
                decision = Decision(False, str(facts.agent.policy), f"that could not be decided: {error}")
            if self._new.pop(one.id, None) is None:
                continue  # a turn that began meanwhile has read it
            if decision.answered:
                self._wanted[one.id] = (one, decision)
            else:
                await to_the_end(self._not_answered(one, decision))
        goes_on = bool(self._broken) and not (await self._why_held(self._broken))[1]
        if (self._wanted or self._to_ask or goes_on) and not self.chat.is_running:
            self.ready.set()

    async def _ask_human(self) -> None:
        """Have the human say which posts are answered."""
        for one in list(self._to_ask.values()):
            decision = await decide(await self.seat.boards.facts(one.id), None, self._ask)
            if self._to_ask.pop(one.id, None) is None:
                continue
            if decision.answered:
                self._wanted[one.id] = (one, decision)
            else:
                await to_the_end(self._not_answered(one, decision))

    async def _pull(self) -> None:
        for one in await self.seat.pull():
            message = delivered_in(self.chat.messages).get(one.id)
            if message is None:
                self._new[one.id] = one
                continue
            await self.seat.carried([one], message.id)
            if all(each.id != one.id for each in self._broken):  # a human let its chain go on
                self._broken.append(one)

    async def _not_answered(self, one: Delivery, decision: Decision) -> None:
        """It is read, but where a human has to say first that its chain goes on; why is stored with it."""
        if decision.rule == "paused":
            await self.seat.boards.give_back(self.seat.address, [one.id])
            return
        if decision.spent:
            await self.seat.boards.spent(one.post.chain, decision.spent)
        if not decision.waits:
            if self.chat.is_running:
                self._new[one.id] = one
                return
            self._coming[one.id] = (one, decision)
            await self.chat.take_in([await self._message(one)])
        await self.seat.settle(one.id, outcome_of(decision))
        if decision.rule not in ("withdrawn", "retracted"):
            await self._tell_why(one, why_not(self.seat.address, decision))

    async def _could_not_begin(self, error: MotetError) -> None:
        """The turn failed before anything was kept: who asked is told why."""
        failed, self._turn = [one for one, _ in self._coming.values()], None
        self._coming.clear()
        for one in failed:
            await self._tell_why(one, f"{self.seat.address} cannot deal with this: {one_line(str(error))[:300]}")
            await self.seat.settle(one.id, Outcome(DeliveryState.DECLINED, "failed", str(error)))

    # --- what a chat calls -------------------------------------------------------------------------------------------

    async def opening(self) -> Sequence[Message] | None:
        """See `Arrivals`."""
        if self._broken and not (await self._why_held(self._broken))[1]:
            self._turn = BoardTurn(by_human=False)
            await self._take_up(self._turn)
            return []
        urgent_first = sorted(self._wanted.values(), key=lambda one: (not one[0].high, one[0].at))
        messages = [message for message in [await self._let_in(one.id) for one, _ in urgent_first] if message]
        if not messages:
            return None
        self._turn = BoardTurn(by_human=False)
        is_back, self._is_back = self._is_back, False
        news = await self.speaker.news(_MANY) if is_back else ""
        return [news_of(news), *messages] if news else messages

    async def begun(self) -> None:
        """See `Arrivals`."""
        if self._turn is None:
            self._turn = BoardTurn(by_human=True)
            await self._take_up(self._turn)
        for message in self.chat.messages:
            if message.tag == tags.BOARD and not message.meta.sent:
                self._taint(message)
        if self._finishing:
            self._turn.rule, self._turn.why = "paused", self._finishing
        self.speaker.begin_turn()
        self._set_causes()
        with self._telling():
            await self.seat.set_state(AgentState.WORKING)

    async def joining(self, spending: Spending) -> Sequence[Message]:
        """See `Arrivals`."""
        if self._turn is None:
            return ()
        self._turn.spending = spending
        messages: list[Message | None] = []
        with self._telling():
            await to_the_end(self._pull())
            messages = [await self._let_in(one) for one in [*self._wanted, *self._to_ask, *self._new]]
        await self.held()
        return [message for message in messages if message is not None]

    async def _let_in(self, delivery: str) -> Message | None:
        """The message of a delivery that may be read now; what may not is put aside for good."""
        one, decision = self._wanted.pop(delivery, None) or (
            self._to_ask.pop(delivery, None) or self._new.pop(delivery, None),
            None,
        )
        if one is None:
            return None
        ruled = by_rule(await self.seat.boards.facts(one.id))
        if ruled is not None and ruled.waits:
            await self._not_answered(one, ruled)
            return None
        self._coming[one.id] = (one, ruled or decision)
        return await self._message(one)

    async def kept(self, messages: Sequence[Message]) -> Sequence[ChatEvent]:
        """See `Arrivals`."""
        events: list[Notice] = []
        for message in messages:
            one, decision = self._coming.pop(message.meta.source.partition(" ")[0], (None, None))
            if one is None:
                continue
            await self.seat.carried([one], message.id)
            if self._turn is not None:
                self._taint(message)
                await self._add(self._turn, one, decision, self._turn.spending)
            first = one.post.body.strip().partition("\n")[0]
            events.append(Notice(f"#{one.post.seq} from {one.post.author}: {one_line(first)[:120]}"))
        self._set_causes()
        if self._turn is None:
            for event in events:
                self.on_notice(event)
            return ()
        return events

    async def held(self) -> str:
        """See `Arrivals`."""
        turn = self._turn
        if turn is None:
            return ""
        try:
            turn.rule, turn.why = await self._why_held([one.delivery for one in turn.carried], by_human=turn.by_human)
        except BoardError as error:
            return "" if turn.by_human else str(error)
        return turn.why

    async def ended(self, ended: Ended, spending: Spending) -> Sequence[ChatEvent]:
        """See `Arrivals`."""
        turn, self._turn = self._turn, None
        if turn is None:
            return ()
        turn.spending = spending
        if ended.reason is End.DONE and not (turn.by_human or turn.rule or turn.over or turn.cap):
            with self._telling():
                await turn.answer_in_text(self.speaker, self._last_words())
        for one in turn.carried:
            await self._settle(turn, one, ended)
        self.seat.caused, self.seat.by_human = (), False
        await self.seat.set_state(AgentState.IDLE, "" if ended.reason is End.DONE else one_line(ended.detail)[:100])
        self._nudge()
        return ()

    @asynccontextmanager
    async def asking(self, what: str) -> AsyncGenerator[None]:
        """Around a question to the human: the others see that the agent waits, and for what."""
        turn = self._turn
        if turn is None:
            yield
            return
        await self.seat.set_state(AgentState.WAITING, what)
        if not turn.has_told:
            turn.has_told = True
            for one in turn.carried:
                await self._tell_why(one.delivery, f"{self.seat.address} waits for its human: {what}.")
        try:
            yield
        finally:
            if self._turn is turn:
                await self.seat.set_state(AgentState.WORKING)

    async def refused(self, what: str) -> None:
        """Nobody could be asked for `what`, so it was refused: those whose posts this turn deals with are told, once."""
        turn = self._turn
        if turn is None or what in turn.refused or len(turn.refused) >= _REFUSALS:
            return
        turn.refused.append(what)
        for one in turn.carried:
            with suppress(MotetError):  # the model is told in any case
                await self.seat.status(
                    one.delivery, f"{self.seat.address} was refused, as nobody can be asked: {what}"
                )

    async def _take_up(self, turn: BoardTurn) -> None:
        """What was read in a turn that broke off is this one's."""
        for one in self._broken:
            await self._add(turn, one, None, Spending())
        self._broken = []

    async def _add(self, turn: BoardTurn, one: Delivery, decision: Decision | None, spent: Spending) -> None:
        """With what it may use by now."""
        facts = await self.seat.boards.facts(one.id)
        ends = time.monotonic() + facts.delivery.budget.until - facts.now
        turn.add(Carried(facts.delivery, decision, ends=ends), spent)
        turn.today = turn.today.least(facts.today)

    # --- one delivery ------------------------------------------------------------------------------------------------

    async def _settle(self, turn: BoardTurn, carried: Carried, ended: Ended) -> None:
        """What became of a delivery, and what its part of the turn cost."""
        one = carried.delivery
        tokens, cost = turn.share(carried)
        outcome = carried.outcome(ended, turn)
        if turn.rule == "paused" and outcome.state is DeliveryState.IN_CONTEXT and not turn.by_human:
            self._broken.append(one)
        answer = turn.answers.get(one.id, "")
        state = DeliveryState.ANSWERED if answer else outcome.state
        settled = await self.seat.settle(
            one.id, Outcome(state, outcome.rule, outcome.reason, tokens, round(cost, 6), answer)
        )
        if outcome.rule == "budget":
            await self.seat.boards.spent(one.post.chain, turn.over or "tokens")
        if settled.state is not DeliveryState.ANSWERED:
            not_meant = carried.decision if carried.decision and not carried.decision.answered else None
            address, unposted = self.seat.address, turn.unanswered.get(one.id)
            ended_so = turn.why_ended(address, ended, self._last_words(), unposted or "")
            why = why_not(address, not_meant) if not_meant else ended_so
            await self._tell_why(one, why, waits=unposted is not None)

    def _last_words(self) -> str:
        """What the model has said, behind all its calls."""
        last = next((one for one in reversed(self.chat.messages) if one.role is Role.ASSISTANT), None)
        return "" if last is None or last.calls else last.text.strip()

    async def _tell_why(self, one: Delivery, why: str, *, waits: bool = False) -> None:
        """Tell the author of a request, or one who `waits`, what became of it."""
        if waits or one.post.kind is PostKind.REQUEST:
            with suppress(MotetError):  # the turn's own end does not fail with it
                await self.seat.status(one, why)

    async def _why_held(self, deliveries: Sequence[Delivery], *, by_human: bool = False) -> tuple[str, str]:
        """Which rule holds a turn with these deliveries, and why in words; both empty when it may go on."""
        boards = self.seat.boards
        if self._finishing:
            return "paused", self._finishing
        if (await boards.agent(self.seat.address)).paused:
            return "paused", f"{self.seat.address} is paused by a human"
        for one in () if by_human else deliveries:
            ruled = by_rule(await boards.facts(one.id))
            if ruled is not None and ruled.rule in ("paused", "stopped"):
                return ruled.rule, ruled.reason
        return "", ""

    async def _hand_in(self, deliveries: Sequence[Delivery]) -> str:
        """What `board_wait` got comes with the next request, as everything does that comes."""
        for one in deliveries:
            self._new[one.id] = one
        many = (
            f"{len(deliveries)} posts have come; they follow"
            if len(deliveries) > 1
            else "A post has come; it follows"
        )
        return f"{many} in the next message."

    async def _message(self, one: Delivery) -> Message:
        (text,) = await self.speaker.listed([one.post])
        return message_of(one, text)

    def _taint(self, message: Message) -> None:
        author = message.meta.source.partition(" ")[2]
        if author:
            self.chat.parts.gate.taint(f"post of {author}")

    @contextmanager
    def _telling(self) -> Generator[None]:
        """A turn does not end because boards cannot be reached; the human is told."""
        try:
            yield
        except BoardError as error:
            self.chat.parts.tell(Notice(f"boards: {error}", Level.WARNING))

    def _set_causes(self) -> None:
        turn = self._turn
        self.seat.caused = tuple(one.delivery.id for one in turn.carried) if turn is not None else ()
        self.seat.by_human = turn is not None and turn.by_human
