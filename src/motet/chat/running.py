"""The turns of one chat, one at a time: a task does the work, its events are told, and however it ends the chat is in
order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from motet.chat.conversation import ChatConversation
from motet.chat.events import ChatEvent, End, Ended, Level, Notice
from motet.chat.happening import Happening
from motet.chat.keeping import Keeping
from motet.chat.naming import give_title, label_of, take_title
from motet.chat.saying import SENDS, Saying
from motet.chat.text_edits import told_of_edits
from motet.errors import MotetError
from motet.models.protocol import TextDelta
from motet.tasks import report
from motet.turn import AnswerStarted, Spending, ToolFinished, TurnEnded, TurnEvent, run_turn, to_the_end

if TYPE_CHECKING:
    from motet.chat.chat import Chat

Prepare = Callable[[], Awaitable[None]]
"""What comes before the model's first round. What it raises before anything is kept changes nothing."""

Rounds = Callable[[], AsyncGenerator[TurnEvent]]
"""What is done in a turn."""

_PATIENCE = 0.15
"""Seconds that whoever reads waits, after a stop, for the turn to be put in order; it goes on behind the scenes. And
that a turn waits for whoever reads before it asks its model again."""
_ENDING = 5.0
"""Seconds that the next turn, or closing, waits for one that was stopped and does not end."""


class Running:
    """Runs the turns of `chat`, which calls it and is asked for its model, limits and title. `reckon` sets the budget
    for the model as it is now, `count` keeps what the chat has cost."""

    def __init__(
        self,
        chat: Chat,
        conversation: ChatConversation,
        keeping: Keeping,
        saying: Saying,
        *,
        reckon: Callable[[], object],
        count: Callable[[], Awaitable[None]],
    ) -> None:
        self._chat = chat
        self._conversation = conversation
        self._keeping = keeping
        self._saying = saying
        self._reckon = reckon
        self._count = count
        self._happening = Happening()
        self._task: asyncio.Task[None] | None = None
        self._is_stopping = False

    @property
    def is_under_way(self) -> bool:
        """Whether a turn is."""
        return self._task is not None and not self._task.done()

    def require_rest(self) -> None:
        """Raises `MotetError` while a turn is under way."""
        if self.is_under_way:
            raise MotetError("a turn is running; what you say joins it with `say`, or stop it first")

    def tell(self, event: ChatEvent) -> None:
        """The next event of the turn."""
        self._happening.tell(event)

    def tell_meanwhile(self, event: ChatEvent) -> None:
        """The same while a turn is under way; at other times nobody reads."""
        if self.is_under_way:
            self.tell(event)

    async def drawn(self) -> None:
        """Return when all that was told is on the screen."""
        await self._happening.drawn()

    async def read(self) -> None:
        """The same, but a reader who takes long is not waited for: a screen that hangs does not stop a turn."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.drawn(), _PATIENCE)

    async def turn(self, prepare: Prepare, rounds: Rounds | None = None) -> AsyncGenerator[ChatEvent]:
        """The events of one turn, the last of which is an `Ended`; of `rounds` where it is not the model that works first.
        Raises `MotetError` while another one is under way that nobody stopped, and for a chat that cannot go on."""
        chat = self._chat
        if not self._is_stopping:
            self.require_rest()
        chat.require_writable()
        chat.options.require_price(chat.model)
        await self._settled()
        happening = self._happening = Happening()
        self._conversation.tell = happening.tell
        chat.spending = Spending(chat.model.price)
        self._is_stopping = self._saying.has_begun = False
        self._task = task = asyncio.create_task(self._run(prepare, happening, rounds or self._events))
        try:
            async with aclosing(happening.events()) as events:
                async for event in events:
                    for notice in await chat.parts.hooks.heard(event) if chat.parts.hooks.event else ():
                        yield notice
                    yield event
            if task.done():
                task.result()
        finally:
            if not task.done() and not self._is_stopping:  # whoever read has gone
                self.stop()
                await asyncio.wait({task}, timeout=_PATIENCE)

    def stop(self) -> None:
        """End the turn; its events end within 200 ms, and the stack is valid."""
        task = self._task
        if task is None or task.done() or self._is_stopping:
            return
        self._is_stopping = True
        task.cancel()
        task.add_done_callback(_heard)
        ended = Ended(End.STOPPED, is_partial=self._keeping.broken_off() is not None)
        task.get_loop().call_later(_PATIENCE, self._happening.close, ended)

    async def ended(self) -> bool:
        """Wait for the end of a turn that was stopped, but not forever; whether there was one."""
        if self._task is None or self._task.done():
            return False
        await asyncio.wait({self._task}, timeout=_ENDING)
        return True

    async def _settled(self) -> None:
        """Wait for the end of a turn that was stopped. Raises `MotetError` when it does not come, or somebody else
        began the next one."""
        if await self.ended() and self.is_under_way:
            raise MotetError("what was stopped has not ended yet; wait a moment, then try again")

    async def _run(self, prepare: Prepare, happening: Happening, rounds: Rounds) -> None:
        """One turn, in a task of its own. What is raised before anything is kept is raised to the caller, and so is a
        defect, when the chat is in order."""
        parts = self._chat.parts
        defect: Exception | None = None
        try:
            await prepare()
            await parts.arrivals.begun()
            async with parts.around_turn(label_of(self._chat.messages)):
                ended = await self._rounds(happening, rounds)
        except asyncio.CancelledError:
            ended = Ended(End.STOPPED)
        except Exception as error:
            if not self._saying.has_begun:
                happening.close()
                raise
            if isinstance(error, MotetError):
                parts.failed(error)
                ended = Ended(End.FAILED, str(error), can_go_on=True, error=error)
            else:
                defect, ended = error, Ended(End.FAILED, f"a defect of motet: {error!r}", can_go_on=True)
        if self._saying.has_begun:
            try:
                ended = await to_the_end(self._put_in_order(happening, ended))
            except asyncio.CancelledError:
                pass  # stopped once more: it is all done
            except Exception as error:  # noqa: BLE001 (it is raised when the last event is told)
                defect = defect or error
            for notice in await parts.hooks.ended(ended):
                happening.tell(notice)
        happening.close(ended)
        if defect is not None:
            raise defect

    async def _rounds(self, happening: Happening, rounds: Rounds) -> Ended:
        """The model's rounds, and further ones for what was said while they ran."""
        chat = self._chat
        while True:
            limit = ""
            async with aclosing(rounds()) as events:
                async for event in events:
                    if self._is_stopping:  # something took the cancellation for its own
                        raise asyncio.CancelledError
                    if isinstance(event, TurnEnded):
                        limit = event.limit
                    self._heed(event)
                    happening.tell(event)
                    if isinstance(event, TurnEnded):
                        for notice in await told_of_edits(event, chat.parts):
                            happening.tell(notice)
            if limit:
                if not any(said.returns for said in self._saying.waiting):
                    await self._saying.join(chat.model.limits, chat.spending)
                return Ended(End.LIMIT, limit, can_go_on=True)
            if not chat.info.title:
                await give_title(chat, happening.tell)
            if not self._saying.waiting:
                return Ended(End.DONE)
            self._reckon()  # the model may be another one now
            rounds = self._events

    def _events(self) -> AsyncGenerator[TurnEvent]:
        chat, parts = self._chat, self._chat.parts
        toolbox = parts.toolbox(chat.options.tool_timeout)
        limits = [*chat.options.limits, *parts.arrivals.limits]
        return run_turn(chat.model, self._conversation, toolbox, parts.gate, limits, chat.spending, sends=SENDS)

    def _heed(self, event: TurnEvent) -> None:
        """Keep what arrives, as it arrives, and know what the model has seen."""
        match event:
            case TextDelta(text):
                self._keeping.hear(text)
            case AnswerStarted():
                self._keeping.begin_answer(self._conversation.stack.cycle, self._chat.model.name)
            case ToolFinished(output=output):
                self._chat.share.saw(output.files)
            case _:
                pass

    async def _put_in_order(self, happening: Happening, ended: Ended) -> Ended:
        """After a turn, however it ended, the stack is valid, and all that was said is kept, if that can be."""
        chat = self._chat
        try:
            ended = replace(ended, is_partial=await self._keep_broken_off(ended))
            if not chat.info.title:
                await take_title(chat, "", happening.tell)
            await self._count()
            for event in await chat.parts.arrivals.ended(ended, chat.spending):
                happening.tell(event)
            if any(not said.returns for said in self._saying.waiting):
                await self._saying.join_plainly()
                ended = replace(ended, can_go_on=True)
        except MotetError as error:
            happening.tell(Notice(f"not all of this is kept: {error}", Level.ERROR))
        return ended

    async def _keep_broken_off(self, ended: Ended) -> bool:
        """Answer the calls that have no result, and keep what has arrived of an answer that broke off, marked; whether
        there was any."""
        answer = self._keeping.broken_off()
        try:
            await self._conversation.settle("it was stopped" if ended.reason is End.STOPPED else ended.detail)
        finally:
            if answer is not None:
                await self._conversation.add(answer)
        return answer is not None


def _heard(task: asyncio.Task[None]) -> None:
    """Whoever stopped the turn wants to hear no more of it, unless it is a defect."""
    if not task.cancelled() and (error := task.exception()) and not isinstance(error, MotetError):
        report(error, task)
