"""What the human says becomes part of the conversation: at the beginning of a turn, and while one runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from motet.chat.conversation import ChatConversation
from motet.chat.errors import NothingToSend
from motet.chat.events import ChatEvent, Level, Notice, Said, Sent
from motet.chat.parts import ChatParts, Tools
from motet.chat.share import Prepared, Share, newest
from motet.errors import MotetError
from motet.messages import Message
from motet.models.protocol import Limits, Model
from motet.turn import Spending, ask_to_send, to_the_end

SENDS = "your messages, what you share in them, and what tools find"
"""What leaves for a provider, in the words of the question about it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text that was said while a turn runs, and has not joined yet. `returns`: where it cannot join before the turn
    ends, it is not kept in the conversation: whoever said it takes it back."""

    text: str
    returns: bool = False


@dataclass(slots=True)
class Saying:
    """The human's side of one chat. `waiting`: what was said while a turn runs, in order.
    `has_begun`: what opens the turn is kept; until then a failure changes nothing."""

    parts: ChatParts
    conversation: ChatConversation
    share: Share
    tell: Callable[[ChatEvent], None]
    waiting: list[Waiting] = field(default_factory=list[Waiting])
    has_begun: bool = False

    async def submit(
        self, text: str, given: str, model: Model, reckon: Callable[[Tools], object], tag: str = ""
    ) -> None:
        """Open a turn with `text`, and `given` behind it as it is, both of them said under `tag`; `reckon` sets the
        budget for a set of tools.

        Raises before anything is kept: `Cancelled`, `NothingToSend`, `TooLong`, `PermissionDenied`.
        """
        if text.strip():
            text = await self.parts.hooks.submitted(text)
        gate = self.parts.gate
        before = gate.untrusted
        gate.untaint()
        try:
            for page in self.share.pages_that_wait:
                gate.taint(f"page {page}")
            prepared = await self.share.prepare(text, self.conversation.stack.cycle + 1, model.limits, given, tag)
            if not f"{text}{given}".strip() and not prepared.shared:
                raise NothingToSend("nothing was typed and nothing is attached; nothing was sent")
            reckon(prepared.tools)
            told = await self.conversation.fitting(prepared.messages)
            await ask_to_send(model, gate, SENDS)
            await to_the_end(self._open(prepared, self.conversation.budget.tokens(told)))
        except BaseException:
            if not self.has_begun:  # the human has not spoken
                for origin in before:
                    gate.taint(origin)
            raise

    def go_on(self) -> None:
        """Open a turn without a new text. Raises `NothingToSend` where nothing was said yet."""
        if not self.conversation.stack.cycle:
            raise NothingToSend("nothing was said yet; nothing was sent")
        self.has_begun = True

    async def receive(self, model: Model, reckon: Callable[[], object]) -> None:
        """Open a turn with what others sent, or let one of theirs go on. Raises `NothingToSend`, `TooLong`,
        `PermissionDenied` before anything is kept."""
        arrivals = self.parts.arrivals
        messages = await arrivals.opening()
        if messages is None:
            raise NothingToSend("nothing has come; nothing was sent")
        reckon()
        if not messages:
            self.go_on()
            return
        cycle = self.conversation.stack.cycle + 1
        messages = [message.with_meta(cycle=cycle).estimated() for message in messages]
        told = await self.conversation.fitting(messages)
        await ask_to_send(model, self.parts.gate, SENDS)
        await to_the_end(self._take_in(messages))
        self.tell(Sent(messages[-1].id, cycle, self.conversation.budget.tokens(told)))

    async def take_in(self, messages: Sequence[Message]) -> None:
        """Others' messages become part of the conversation while no turn runs."""
        cycle = self.conversation.stack.cycle
        await to_the_end(self._take_in([message.with_meta(cycle=cycle).estimated() for message in messages]))

    async def _take_in(self, messages: Sequence[Message]) -> None:
        await self.conversation.add_all(messages)
        self.has_begun = True
        for event in await self.parts.arrivals.kept(messages):
            self.tell(event)

    async def join(self, limits: Limits, spending: Spending) -> None:
        """What was said and sent while the turn ran becomes part of the conversation, with what it shares; and so do the
        rules for files that the model has come by."""
        await self._join_said(limits)
        if arrived := await self.parts.arrivals.joining(spending):
            await self.take_in(arrived)
        try:
            rules, events = await self.share.rules_for_seen(self.conversation.stack.cycle)
        except MotetError as error:
            self.tell(Notice(f"rules for what the model reads: {error}", Level.WARNING))
            return
        if rules:
            await to_the_end(self.conversation.add_all(rules))
        for event in events:
            self.tell(event)

    async def _join_said(self, limits: Limits) -> None:
        while self.waiting:
            said = self.waiting[0]
            try:
                prepared = await self.share.prepare(said.text, self.conversation.stack.cycle, limits)
            except MotetError as error:
                self.tell(Notice(f"nothing is shared with what you said: {error}", Level.WARNING))
                prepared = None
            await to_the_end(self._join(said, prepared))

    async def join_plainly(self) -> None:
        """The same where nothing can be shared or asked any more: the texts as they are, but for what returns."""
        while said := next((one for one in self.waiting if not one.returns), None):
            await self._join(said, None)

    async def _open(self, prepared: Prepared, tokens: int) -> None:
        """What the human said becomes part of the conversation, all of it or nothing."""
        await self.join_plainly()
        await self.conversation.add_all(prepared.messages)
        self.has_begun = True
        self.share.sent(prepared)
        for event in prepared.events:
            self.tell(event)
        own = newest(prepared.messages)
        self.tell(Sent(own.id, own.meta.cycle, tokens))

    async def _join(self, said: Waiting, prepared: Prepared | None) -> None:
        """`said` joins with what it shares, or, where nothing is `prepared`, as it is; unless it was taken back. From
        here on nobody can do that; it waits again where it cannot be kept."""
        if said not in self.waiting:
            return
        at = self.waiting.index(said)
        self.waiting.pop(at)
        try:
            if prepared is not None:
                await self.conversation.add_all(prepared.messages)
            else:
                cycle = self.conversation.stack.cycle
                await self.conversation.add_all([Message.user(said.text).with_meta(cycle=cycle).estimated()])
        except BaseException:
            self.waiting.insert(at, said)
            raise
        if prepared is not None:
            self.share.sent(prepared)
        for event in (*(prepared.events if prepared is not None else ()), Said(said.text)):
            self.tell(event)
