"""One chat in one buffer: what the human sends becomes a turn, and the turn is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from motet.chat import Chat, ChatEvent, End, Ended, Level, NothingToSend, Notice, Said, Sent, Shared, Titled
from motet.chat.meter import meter_of, spent
from motet.chat.transcript import Blocks, Kind, is_said, read_context, read_line, unfold, write_context
from motet.context import Excerpt
from motet.context.complete import Known, completions
from motet.context.editor_variables import share_lines
from motet.engine.acts import Acts, Next, Reader
from motet.engine.filling import sources_of
from motet.errors import MotetError
from motet.messages import Message, Role
from motet.models.protocol import ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from motet.nvim.beside import Beside
from motet.nvim.commands import BufferReader
from motet.nvim.following import Following
from motet.nvim.page import Page
from motet.nvim.rpc import Peer
from motet.nvim.workspace import NvimWorkspace
from motet.nvim.writing import Writing
from motet.tasks import background
from motet.tools.kit import Human, Question
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled

if TYPE_CHECKING:
    from motet.engine.board_agent import BoardAgent  # comes with boards

_HELD = "another motet has this chat: close it there, and what you send here goes on with it; what you type stays"
_PICKED = ("file", "buffer")
"""Commands whose argument is picked from a list."""
_LEVELS = {Level.INFO: "info", Level.WARNING: "warn", Level.ERROR: "error"}


class Talk:
    """The chat of `buffer`, above its draft. What is sent while a turn runs is said at the next gap."""

    def __init__(
        self,
        peer: Peer,
        buffer: int,
        chat: Chat,
        names: Callable[[Chat], Known],
        acts: Callable[[Chat, Reader], Acts],
        another: Callable[[int, Chat, str], Awaitable[None]],
        human: Human,
        files: NvimWorkspace,
        following: Following,
        board: Callable[[Chat], BoardAgent | None],
    ) -> None:
        """`names`: all that can be named in a chat, for completion; `acts`: its slash commands; `another` goes on with
        another chat and this draft, where that of a buffer is; `human` answers what a command asks for; `files`: where
        edits show as they arrive; `following`: the buffers of files that commands change; `board`: the place of a chat
        on boards."""
        self.chat = chat
        self._names = names
        self._reader = BufferReader(peer, buffer)
        self._acts = acts(chat, self._reader)
        self._another = another
        self._human = human
        self._following = following
        self._board = board
        self._agent: BoardAgent | None = None
        self._serving: asyncio.Task[None] | None = None
        self._doing: set[asyncio.Task[None]] = set()
        self._sharing: set[asyncio.Task[None]] = set()
        self._asked: tuple[int, str] | None = None
        self.buffer = buffer
        self._peer = peer
        self._writing = Writing(peer, buffer, files)
        self._page = Page(peer, buffer, self._blocks())
        self._turn: asyncio.Task[None] | None = None
        self._is_stopping = False
        self._tools: list[str] = []
        self._known = len(chat.messages)
        self._block = ""
        self._joined: list[str] = []  # what of this turn the editor knows to be said

    async def show(self) -> None:
        """Draw what was said so far, above the draft that the buffer may hold already."""
        self._peer.tell("attached", self.buffer, self.chat.id, self._page.blocks.nonce, self._status("ready"))
        if self.chat.messages:
            self._page.show()
        if self.chat.info.draft:
            self._peer.tell("draft", self.buffer, self.chat.info.draft)
        for note in self.chat.notes:
            self._peer.tell("notice", self.buffer, "warn", note)
        if not self.chat.is_writable:
            self._peer.tell("notice", self.buffer, "warn", _HELD)
        self.show_block()
        self._serve()
        await self._page.drawn()

    def redraw(self) -> None:
        """Draw all of it anew: somebody else changed what was drawn."""
        self._page.show()

    def send(self, draft: str, is_draft: bool) -> None:
        """Say a text: a turn of its own, or, while one runs, a word at its next gap. A command waits for the turn's
        end. `is_draft`: it is the whole draft, and what its context block leaves out is shared no more."""
        self._is_stopping = self._is_stopping and self._is_busy
        if self.chat.is_running and not self._acts.is_command(draft):
            self.chat.say(draft, returns=True)
        else:
            self._turn = background(self._next(self._turn, draft, is_draft))

    async def _next(self, before: asyncio.Task[None] | None, draft: str, is_draft: bool) -> None:
        if first := {*self._sharing, *([before] if before is not None else [])}:
            await asyncio.wait(first)  # what was shared before it goes along with it
        block, text = self._read(draft) if is_draft else (None, draft)
        if self._is_stopping:
            self._peer.tell("returned", self.buffer, draft)
            self._peer.tell("idle", self.buffer)
        elif self._acts.is_command(text):
            await self._command(text, draft)
        else:
            await self._run(self.chat.send(text), draft, block)

    def command(self, text: str) -> None:
        """Do a slash command that nobody typed into the draft."""
        self._do(self._asked_for(text), self._sharing if text.startswith("/file ") else self._doing)

    def _do(self, work: Coroutine[object, object, None], among: set[asyncio.Task[None]] | None = None) -> None:
        among = self._doing if among is None else among
        task = background(work)
        among.add(task)
        task.add_done_callback(among.discard)

    async def keep(self, draft: str, beside: Beside) -> None:
        """Keep what is typed and not sent, `beside` where the chat is another's."""
        text = self._read(draft)[1]
        await (self.chat.keep_draft(text) if self.chat.is_writable else beside.keep(self.chat, text))
        self._peer.tell("kept", self.buffer, draft)

    async def inspect(self, draft: str) -> None:
        """Show the request that the draft would lead to. Raises `MotetError`."""
        await self._reader.inspect(self.chat, self._read(draft)[1])

    async def change_request(self, edited: str) -> None:
        """Make the next request what its window says, and show what was changed. Raises `MotetError`."""
        await self._reader.change(edited)
        self._draw_anew()
        self.show_block()
        self._state("ready")

    def unfold(self, turn: int, line: str) -> None:
        """Show the text that a line of the context block stands for, of the human's turn number `turn` (from 1); 0: of
        the draft."""
        entries = [*_shown(self.chat.messages), *(() if turn else self.chat.share.waiting)]
        id = read_line(line).id
        if text := unfold(entries, id, turn):
            self._reader.show("item", text.split("\n"))
        else:
            self._reader.fail(f"{id}: nothing of it is in this chat now")

    def fork(self, turn: int) -> None:
        """Go on in a chat of its own: with the human's turn number `turn` (from 1) as its draft; 0: as this one is."""
        said = [one for one in self.chat.messages if is_said(one)]
        self.command(f"/edit {said[turn - 1].meta.cycle}" if 0 < turn <= len(said) else "/fork")

    def add(self, excerpt: Excerpt) -> None:
        """Share lines of a buffer with the next message."""
        self._do(self._add(excerpt), self._sharing)

    async def _add(self, excerpt: Excerpt) -> None:
        try:
            shared = await share_lines(excerpt, sources_of(self.chat))
        except MotetError as error:
            self._peer.tell("notice", self.buffer, "error", str(error))
            return
        self.chat.share.attach(*shared.messages)
        self.show_block()
        for line in shared.notices or [f"With the next message: {shared.words}"]:
            self._peer.tell("notice", self.buffer, "warn" if shared.notices else "info", line)

    def complete(self, number: int, draft: str) -> None:
        """Tell what can stand at the end of `draft`, which goes up to the cursor, as the answer to question `number`."""
        text = self._read(draft)[1]
        self._asked = (number, text)
        found = completions(text, len(text), self._names(self.chat))
        replaced = len(text[found[0].start :].encode("utf-8", "surrogateescape")) if found else 0
        rows = [[one.text, one.display, one.description, self._runs(one.text)] for one in found]
        self._peer.tell("completed", self.buffer, number, replaced, rows)

    def _runs(self, word: str) -> bool:
        """Whether a completed word is a command that can be done as it stands, or that asks for what it needs."""
        found = next((one for one in self._acts.commands if word == f"/{one.name} "), None)
        return found is not None and (not found.parameters or bool(found.asks))

    def complete_again(self) -> None:
        """Answer the newest question anew: more is known now."""
        if self._asked is not None:
            self.complete(*self._asked)

    def retry(self) -> None:
        """Ask again what was not answered, or go on where a limit ended the turn."""
        if not self._is_busy:
            self._begin(self.chat.go_on())

    def apply(self, first: int, last: int) -> None:
        """Propose the edits of the code block between these lines of the buffer, from 1, the fences among them."""
        if self._is_busy:
            self._reader.fail("a turn is running; apply the edits of its answer when it is over")
            return
        block = next((one for one in reversed(self._page.blocks.placed) if one.line <= first), None)
        is_answer = block is not None and block.block.kind in (Kind.MOTET, Kind.RESPONSE)
        if block is None or not is_answer:
            self._reader.fail("this block is not of an answer")
            return
        above = block.line + block.block.head.count("\n") - 1
        self._begin(self.chat.apply(block.block.id, (first - above, last - above)))

    def stop(self) -> None:
        """End the turn, also one that has not begun yet."""
        self._is_stopping = True
        for task in self._sharing:
            task.cancel()
        self.chat.stop()

    async def rest(self) -> None:
        """Return when no turn runs."""
        if self._turn is not None:
            await asyncio.wait({self._turn})

    async def close(self) -> None:
        """End the turn, and wait until the chat is in order."""
        if self._serving is not None:
            self._serving.cancel()
        await self.chat.close()
        if running := {*self._doing, *self._sharing, *([self._turn] if self._turn is not None else [])}:
            await asyncio.wait(running)

    def _serve(self) -> None:
        """Let what others send open turns, where the chat is on a board."""
        agent = self._board(self.chat)
        if agent is self._agent:
            return
        self._agent = agent
        if self._serving is not None:
            self._serving.cancel()
        self._serving = None if agent is None else background(self._served(agent))

    async def _served(self, agent: BoardAgent) -> None:
        agent.on_notice = lambda notice: self._peer.tell("notice", self.buffer, _LEVELS[notice.level], notice.text)
        while True:
            await agent.ready.wait()
            if not self._is_busy:
                self._is_stopping = False
                self._turn = background(self._run(agent.turn(), ""))
            assert self._turn is not None
            await asyncio.wait({self._turn})

    @property
    def _is_busy(self) -> bool:
        return self._turn is not None and not self._turn.done()

    async def _command(self, text: str, draft: str) -> None:
        """Do a slash command that was typed as `draft`, which stays when it cannot be done."""
        coming = await self._done(text, draft)
        self._serve()
        self._peer.tell("returned" if coming.failed else "taken", self.buffer, draft)
        if coming.begins_turn:
            await self._run(coming.turn(self.chat), "")
        else:
            self._state("ready")
            self.show_block()
            self._peer.tell("idle", self.buffer)
        await self._follow(coming)

    async def _asked_for(self, text: str) -> None:
        """The same without a draft, while a turn may run."""
        coming = await self._done(text)
        if not self._is_busy:
            self._state("ready")
            self.show_block()
        if coming.says and self._is_busy:
            self.chat.say(coming.says)
        elif coming.begins_turn:
            self._begin(coming.turn(self.chat))
        await self._follow(coming)

    def _begin(self, turn: AsyncGenerator[ChatEvent]) -> None:
        """A turn that nothing in the draft opens."""
        self._is_stopping = False
        self._peer.tell("taken", self.buffer, False)
        self._turn = background(self._run(turn, ""))

    async def _done(self, text: str, draft: str = "") -> Next:
        name, question = self._acts.wants(text)
        if name in _PICKED:  # what is picked takes the command's place in the draft, which stays until then
            self._peer.tell("pick", name, draft, draft.removesuffix(text))
            return Next(failed=True)
        if question:
            given = await self._human.answer([Question(question)])
            text = f"{text.rstrip()} {given[0]}" if given and given[0].strip() else ""
        return await self._acts.of(text) if text else Next(failed=True)

    async def _follow(self, coming: Next) -> None:
        """Go on with another chat, or with a text that is to be changed before it is sent."""
        if coming.chat is not None:
            await self._another(self.buffer, coming.chat, coming.draft)
        elif coming.draft and not coming.failed:
            self._peer.tell("draft", self.buffer, coming.draft)

    def _read(self, draft: str) -> tuple[list[str] | None, str]:
        """The context block of a draft, and what is typed behind it. None: none was shown, so what looks like one is
        the human's own text."""
        if not self._block:
            return None, draft
        lines, text = read_context(draft)
        return [line.line for line in lines], text

    def show_block(self) -> None:
        """Show at the head of the draft what goes along with it."""
        self._block = write_context(map(read_line, self.chat.share.block))
        self._peer.tell("context", self.buffer, self._block.split("\n") if self._block else [])

    async def _run(self, turn: AsyncGenerator[ChatEvent], text: str, block: Sequence[str] | None = None) -> None:
        """One turn, begun with `text`; what is wrong before anything is sent leaves the draft as it is. `block`: what
        of the context block is left."""
        ended: Ended | None = None
        begun, texts = len(self.chat.messages), [text]
        self._joined.clear()
        self._state("asking")
        try:
            if block is not None:
                await self.chat.keep_only(block)
            ended = await self._heard(turn, texts)
            while ended is not None and ended.reason is End.DONE and not self._is_stopping:
                if ended.can_go_on:  # something was said in its last moment, and joined it
                    ended = await self._heard(self.chat.go_on(), [])
                elif late := self.chat.take_back():
                    texts += late
                    ended = await self._heard(self.chat.send("\n\n".join(late)), late)
                else:
                    break
        except NothingToSend as error:
            self._peer.tell("refused", self.buffer, "info", str(error))
        except MotetError as error:
            self._peer.tell("refused", self.buffer, "error", str(error))
        except Exception as error:
            ended = Ended(End.FAILED, f"a defect of motet: {error!r}", can_go_on=True)
            await self._recover(begun)
            raise
        finally:
            await self._end(texts, ended)

    async def _recover(self, begun: int) -> None:
        """After a defect what is shown may be wrong, and events were not heard: show what the chat has. `begun`: how many
        messages there were before the turn."""
        await self.chat.close()
        for message in self.chat.messages[begun:]:
            if is_said(message) and message.shown not in self._joined:
                self._peer.tell("said", self.buffer, message.shown)
            elif is_said(message):
                self._joined.remove(message.shown)
        self._draw_anew()

    async def _end(self, texts: Sequence[str], ended: Ended | None) -> None:
        """The draft is the human's again, whatever goes wrong on the way there."""
        try:
            self._writing.clear()
            self._page.finish(None)
            self._show_new()
            if ended is not None and ended.detail:
                self._page.add(
                    Notice(_how_it_ended(ended), Level.ERROR if ended.reason is End.FAILED else Level.INFO)
                )
            await self._page.drawn()
        finally:
            for returned in [*texts, *self.chat.take_back()]:
                self._peer.tell("returned", self.buffer, returned)
            self._tools.clear()
            self._state("ready", ended)
            self.show_block()
            self._peer.tell("idle", self.buffer)

    async def _heard(self, turn: AsyncGenerator[ChatEvent], texts: Sequence[str]) -> Ended | None:
        ended: Ended | None = None
        async with aclosing(turn) as events:
            async for event in events:
                if self._is_stopping:
                    self.chat.stop()
                self._draw(event, texts)
                ended = event if isinstance(event, Ended) else ended
        return ended

    def _draw(self, event: ChatEvent, sent: Sequence[str]) -> None:
        match event:
            case Sent():
                self._do(self._following.note())
                self._joined += sent
                self._peer.tell("taken", self.buffer, sent[0] if sent else "")
                for text in sent[1:]:
                    self._peer.tell("said", self.buffer, text)
                self._show_new()
            case Said(text):
                self._joined.append(text)
                self._peer.tell("said", self.buffer, text)
                self._show_new()
            case TextDelta(text):
                self._page.stream(text, model=self.chat.model.name)
            case ReasoningDelta(text):
                self._page.stream(text, reasoning=True, model=self.chat.model.name)
            case ToolCallDelta():
                self._writing.hear(event)
            case AnswerStarted() | ToolsCalled() | ToolFinished():
                self._writing.clear()
                self._page.finish(None)
                self._show_new()
                self._work(event)
            case Retrying():
                self._page.finish(None)
                self._state("retrying")
            case Notice(about=about) if about:  # of the answer: it stands below it
                self._page.finish(None)
                self._show_new()
                self._page.add(event)
            case Notice(text, level):
                self._peer.tell("notice", self.buffer, _LEVELS[level], text)
            case Shared(line, tokens, why) if why:
                self._peer.tell("notice", self.buffer, _LEVELS[Level.INFO], f"{line}: {tokens:,} tokens, {why}")
            case Titled():
                self._state("asking")
            case _:
                pass

    def _work(self, event: AnswerStarted | ToolsCalled | ToolFinished) -> None:
        """Tell what runs now."""
        match event:
            case AnswerStarted():
                self._tools.clear()
                self._peer.tell("requested", self.buffer, self.chat.model.name)
            case ToolsCalled(calls):
                self._tools = [call.name for call in calls]
                self._peer.tell("tools_called", self.buffer, self._tools)
            case ToolFinished(call, output):
                self._peer.tell("tool_finished", self.buffer, call.name, output.is_error)
                if call.name in self._tools:
                    self._tools.remove(call.name)
                self._do(self._following.follow())
        self._state("working" if self._tools else "asking")

    def _blocks(self) -> Blocks:
        return Blocks(_shown(self.chat.messages), chat=self.chat.id, model=self.chat.model.name)

    def _show_new(self) -> None:
        """The messages that joined the conversation since the last look; an answer takes the place of what streamed."""
        messages = self.chat.messages
        fresh, self._known = messages[self._known :], len(messages)
        if fresh:
            self._page.finish(None)
            self._page.add(*_shown(fresh))

    def _draw_anew(self) -> None:
        """Show what the chat has, with markers of their own."""
        self._known = len(self.chat.messages)
        self._page.blocks = self._blocks()
        self._peer.tell("drawn_anew", self.buffer, self._page.blocks.nonce)
        self._page.show()

    def _state(self, state: str, ended: Ended | None = None) -> None:
        self._peer.tell("status", self.buffer, self._status(state, ended))

    def _status(self, state: str, ended: Ended | None = None) -> dict[str, object]:
        info, model, tokens = self.chat.info, self.chat.model, self.chat.tokens
        window, meter = model.limits.context_tokens, meter_of(self.chat, tokens)
        return {
            "state": state, "model": model.name, "title": info.title, "tokens": tokens, "window": window,
            "cost": spent(self.chat), "meter": str(meter), "tools": self._tools, "readonly": not self.chat.is_writable,
            "ended": ended.reason.value if ended else "",
        }  # fmt: skip


def _shown(messages: Sequence[Message]) -> list[Message]:
    """Those that the transcript shows; all others stand in it only as lines of a context block."""
    return [message for message in messages if message.visible or message.context or message.role is Role.TOOL]


def _how_it_ended(ended: Ended) -> str:
    match ended.reason:
        case End.FAILED:
            return f"{ended.detail}\n\n`:Motet retry` asks again; what is typed below is sent as it is."
        case End.LIMIT:
            return f"{ended.detail}; `:Motet retry` goes on."
        case _:
            return ended.detail
