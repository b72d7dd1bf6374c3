"""A chat in the terminal: read what the human writes, draw the turn, do the commands, until the human leaves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext

from motet.chat import Chat, ChatEvent, End, Ended, NothingToSend, Said, Sent
from motet.chat.meter import meter_of
from motet.cli.chat.editor_line import EditorLine
from motet.cli.chat.input_history import InputHistory, history_file
from motet.cli.chat.meter import status_line
from motet.cli.chat.plain_line import PlainLine, is_plain
from motet.cli.chat.reading import TerminalReader
from motet.cli.chat.screen import ChatScreen
from motet.cli.chat.terminal import ChatTerminal
from motet.cli.chat.typed_ahead import TypedAhead
from motet.cli.front import Front, tell_notes
from motet.cli.keys import EndOfInput
from motet.context import CommandCall
from motet.context.commands import ChatCommand
from motet.context.complete import Known
from motet.edits import Proposal
from motet.engine import Chats, Engine
from motet.engine.acts import Act, Acts, Next
from motet.engine.names import known_names
from motet.errors import MotetError
from motet.messages import Role, tags
from motet.models.protocol import Completed, TextDelta
from motet.permissions import Action, Answer, Denial
from motet.tasks import background
from motet.tools.kit import Question

_TWICE = 2.0
"""Seconds in which a second Ctrl-C leaves."""
_SHOWN_AGAIN = 2
"""Turns that are shown of a chat that goes on."""


class Alone:
    """Who decides and answers, while what is typed is for them alone. See `motet.engine.Front`."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self.ahead: TypedAhead | None = None

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        with self._paused():
            return await self._front.reviewer().review(proposals)

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        """See `Human`."""
        with self._paused():
            return await self._front.human.answer(questions)

    async def ask(self, action: Action) -> Answer | Denial:
        """See `Ask`."""
        ask = self._front.ask
        assert ask is not None  # there is a terminal
        with self._paused():
            return await ask(action)

    def _paused(self) -> AbstractContextManager[None]:
        return self.ahead.paused() if self.ahead is not None else nullcontext()


class TerminalChat:
    """One human at one terminal, with one chat at a time."""

    def __init__(self, engine: Engine, chats: Chats, front: Front, alone: Alone, chat: Chat, early: str = "") -> None:
        """`early`: keys that were pressed before anything could read them."""
        assert isinstance(front.terminal, ChatTerminal)
        self._engine = engine
        self._chats = chats
        self._front = front
        self._terminal = front.terminal
        self._screen = ChatScreen(front.terminal, chat.model.name)
        self._ahead = TypedAhead(self._speak, self._show_typed, front.terminal.control)
        alone.ahead = self._ahead
        self._files: list[str] | None = None
        self._names: tuple[object, Known] | None = None
        self._interrupted_at = float("-inf")
        self._leaves = False
        self._drafting: asyncio.Task[None] | None = None
        self._draft = ""
        self._sending = ""  # until it is a message
        self._later: list[str] = []  # what was said and waits for the end of the turn
        self._was_typed = asyncio.Event()
        self._tokens = 0
        self._take_up(chat)
        self._draw_newest()
        self._ahead.put_before(chat.info.draft)
        self._ahead.feed(early)

    async def run(self, first: str = "") -> None:
        """Talk until the human leaves. `first` is said at once."""
        self._front.interrupts.on_interrupt = self._interrupt
        line = self._line()
        listing = background(self._list_files())
        try:
            while not self._leaves:
                self._tokens = self._chat.tokens  # not for each key: there may be thousands of messages
                text, first = await self._next_text(line, first), ""
                if not text:
                    await self._board_turn()
                    continue
                self._sending = text
                coming = await self._acts.of(text)
                self._screen.model = self._chat.model.name
                self._leaves = coming.leaves
                if not coming.send:
                    self._sending = ""  # a command is no draft
                if coming.chat is not None:
                    self._drafted("")  # what is not sent yet goes along
                    await self._keep_draft()
                    await self._chats.leave_boards(self._chat)
                    self._take_up(coming.chat)
                if coming.failed:
                    self._give_back(self._later)
                self._ahead.put_before(coming.draft)
                self._show_queue()
                if coming.begins_turn:
                    await self._turn(coming)
        except EndOfInput:
            return
        finally:
            listing.cancel()
            if self._sending or self._later or self._chat.waiting or self._ahead.text:
                self._draft_unsent()
            if self._drafting is not None:
                await asyncio.wait({self._drafting})  # it may be in the middle of an older one
            await self._keep_draft()

    async def _next_text(self, line: EditorLine | PlainLine, first: str) -> str:
        """What the human says next: `first`, what was said before anybody could hear it, or what is typed now; empty
        when others have sent something for the chat first."""
        if text := first or (self._later.pop(0) if self._later else ""):
            self._screen.said(text)
            self._show_queue()
            return text
        return await self._typed_or_sent(line, self._ahead.take())

    async def _typed_or_sent(self, line: EditorLine | PlainLine, draft: str) -> str:
        """What the human types; empty when others have sent something for the chat first, and nothing is typed."""
        agent = self._chats.board_agent(self._chat)
        if agent is None:
            return await line.read(draft)
        if isinstance(line, PlainLine):  # what is typed there cannot be taken back
            return "" if agent.ready.is_set() and not draft else await line.read(draft)
        reading = asyncio.create_task(line.read(draft))
        try:
            while not reading.done():
                ready = asyncio.create_task(agent.ready.wait())
                await asyncio.wait({reading, ready}, return_when=asyncio.FIRST_COMPLETED)
                ready.cancel()
                if not reading.done() and line.is_empty:
                    return ""
                if not reading.done():  # a turn of others waits until what is typed is sent, or gone
                    self._was_typed.clear()
                    typed = asyncio.create_task(self._was_typed.wait())
                    await asyncio.wait({reading, typed}, return_when=asyncio.FIRST_COMPLETED)
                    typed.cancel()
            return reading.result()
        finally:
            reading.cancel()
            await asyncio.wait({reading})

    async def _board_turn(self) -> None:
        """A turn that others' posts open."""
        agent = self._chats.board_agent(self._chat)
        if agent is None:
            return
        self._terminal.restart()
        ended = Ended(End.FAILED)
        try:
            with self._ahead.listening():
                ended = await self._drawn(agent.turn())
        except NothingToSend:
            ended = Ended(End.DONE)
        except MotetError as error:
            self._terminal.line(str(error), "red", hang=2, always=True)
        self._take_back(ended)

    async def _turn(self, coming: Next) -> None:
        """One turn, drawn. What was refused, or said and not heard, is in the line afterwards."""
        self._terminal.restart()
        self._screen.line_sent()
        turn = coming.turn(self._chat)
        ended = Ended(End.FAILED)
        try:
            with self._ahead.listening():
                ended = await self._drawn(turn)
        except NothingToSend as error:
            self._terminal.line(str(error), "yellow", hang=2, always=True)
            self._sending = ""
        except MotetError as error:
            self._terminal.line(str(error), "red", hang=2, always=True)
        self._take_back(ended)
        if ended.can_go_on or ended.is_partial:
            goes_on = "lets it go on" if ended.reason is End.LIMIT or ended.is_partial else "asks again"
            self._terminal.line(f"/retry {goes_on}.", "dim")

    def _take_back(self, ended: Ended) -> None:
        """What was said and did not join the turn that `ended` is said next, where it ended well; otherwise, and before
        it what was stopped before anything was kept, it is in the line again."""
        said = [*self._chat.take_back(), *self._later]
        if ended.reason is End.DONE and not self._sending:
            self._later = said
        else:
            self._give_back(said)
        self._show_queue()

    def _give_back(self, said: Sequence[str]) -> None:
        """Put into the line what waits to be sent, and before it what is not sent."""
        self._ahead.put_before(self._sending, *said)
        self._sending, self._later = "", []

    async def _drawn(self, turn: AsyncGenerator[ChatEvent]) -> Ended:
        ended = Ended(End.FAILED)
        async with aclosing(turn) as events:
            async for event in events:
                self._screen(event)
                match event:
                    case Sent():
                        self._sending = ""  # it is a message now
                        self._draft_unsent()
                    case Said():
                        self._show_queue()
                    case Ended():
                        ended = event
                    case _:
                        pass
        return ended

    def _speak(self, text: str) -> None:
        """What is said while the model works: it joins the turn, but for a command, which waits for its end."""
        if self._later or not self._chat.is_running or self._acts.is_command(text):
            self._later.append(text)
        else:
            self._chat.say(text, returns=True)
        self._show_queue()

    def _show_queue(self) -> None:
        self._screen.queued((*self._chat.waiting, *self._later))
        self._draft_unsent()

    def _show_typed(self, text: str | None) -> None:
        self._screen.typed(text)
        if text is not None:
            self._draft_unsent()

    def _draft_unsent(self) -> None:
        """Keep, as the draft, all that was written and is no message yet."""
        unsent = (self._sending, *self._chat.waiting, *self._later, self._ahead.text)
        self._drafted("\n".join(text for text in unsent if text))

    def _interrupt(self) -> None:
        """Ctrl-C: once stops the turn, twice leaves."""
        again, self._interrupted_at = self._was_interrupted(), time.monotonic()
        self._leaves = self._leaves or again
        if self._chat.is_running:
            self._chat.stop()
        elif again:
            self._front.interrupts.stop()

    def _was_interrupted(self) -> bool:
        return time.monotonic() - self._interrupted_at < _TWICE

    def _take_up(self, chat: Chat) -> None:
        """Go on with this chat."""
        self._chat = chat
        self._screen.model = chat.model.name
        reader = TerminalReader(self._terminal, self._screen, self._front.interrupts.held)
        self._acts = Acts(chat, self._chats, self._engine, reader, self._own_commands())
        self._names = None
        tell_notes(chat, self._terminal)
        if not chat.is_writable:
            self._terminal.line(
                "Another motet holds this chat: read it here, /fork goes on with a copy.", "yellow", hang=2
            )

    def _own_commands(self) -> dict[ChatCommand, Act]:
        """Commands that only a terminal needs."""

        async def show(call: CommandCall) -> Next:
            if not self._screen.show(call.number(1)):
                self._terminal.line("There is nothing to show.", "dim", hang=2)
            return Next()

        async def leave(call: CommandCall) -> Next:
            return Next(leaves=True)

        return {
            ChatCommand("show", "show the last folded output, or the last N, in full", "[N]"): show,
            ChatCommand("exit", "leave; `motet chat -c` goes on here"): leave,
        }

    def _draw_newest(self) -> None:
        """Show where a chat stands that goes on."""
        shown = [
            message
            for message in self._chat.messages
            if message.visible and message.role is not Role.TOOL and message.tag != tags.TOOL_OUTPUT
        ]
        newest = max((message.meta.cycle for message in shown), default=0)
        for message in shown:
            if message.meta.cycle > newest - _SHOWN_AGAIN:
                if message.role is Role.USER:
                    self._screen.said(message.shown)
                else:
                    self._screen(TextDelta(message.text))
                    self._screen(Completed("stop"))
        if shown and (shown[-1].role is Role.USER or shown[-1].meta.partial) and self._chat.is_writable:
            self._terminal.line("The last answer did not come to its end; /retry asks again.", "yellow", hang=2)

    def _line(self) -> EditorLine | PlainLine:
        if is_plain():
            return PlainLine(self._terminal, self._front.keyboard)
        settings = self._engine.loaded.settings.chat
        return EditorLine(
            InputHistory(history_file(self._engine.state, self._engine.root)),
            self._known,
            status=self._status,
            on_draft=self._drafted,
            on_trouble=lambda text: self._terminal.line(text, "yellow", hang=2),
            in_editor=self._front.interrupts.held,
            was_interrupted=self._was_interrupted,
            vi=settings.editing_mode == "vi",
            colour=self._terminal.colour,
        )

    def _status(self, columns: int) -> str:
        chat = self._chat
        state = [chat.info.title, "" if chat.is_writable else "read only"]
        return status_line(chat.model.name, meter_of(chat, self._tokens), state, columns)

    def _known(self) -> Known:
        """What can be completed in this chat."""
        context = self._chat.parts.context
        if context is None:
            return Known()
        if self._names is None or self._names[0] is not context:
            known = known_names(self._chat, self._engine.loaded.settings, lambda: self._files)
            self._names = (context, known)
        return self._names[1]

    async def _list_files(self) -> None:
        try:
            self._files = await self._engine.workspace.list_files()
        except MotetError:
            self._files = []  # the line works without

    def _drafted(self, text: str) -> None:
        """What is typed is kept, the newest only."""
        self._draft = text
        self._was_typed.set()
        if self._drafting is None or self._drafting.done():
            self._drafting = background(self._keep_draft())

    async def _keep_draft(self) -> None:
        kept = self._chat.info.draft
        while kept != self._draft and self._chat.is_writable:
            kept = self._draft
            try:
                await self._chat.keep_draft(kept)
            except MotetError as error:
                self._terminal.line(f"what you type is not kept: {error}", "yellow", hang=2)
                return
