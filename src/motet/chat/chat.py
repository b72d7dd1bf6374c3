"""One conversation: what is sent, what comes back, what is kept. A front end draws its events and holds no state."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from motet.chat.budget import Budget
from motet.chat.compaction import summarise, summary_request
from motet.chat.conversation import ChatConversation
from motet.chat.draft import with_marks, without_marks
from motet.chat.errors import ReadOnly
from motet.chat.events import ChatEvent
from motet.chat.keeping import Keeping
from motet.chat.parts import ChatOptions, ChatParts, Tools, Work
from motet.chat.running import Running
from motet.chat.saying import SENDS, Saying, Waiting
from motet.chat.share import Prepared, Share
from motet.chat.text_edits import answer_with_edits, edits_only, edits_to_apply
from motet.chat.title import clean_title
from motet.context import State
from motet.errors import ModelError, ModelErrorKind, MotetError
from motet.history import ChatInfo
from motet.messages import Message, MessageStack
from motet.models.protocol import Model, ModelRequest, ToolDefinition
from motet.tools.builtin import EDIT_TOOLS
from motet.turn import Spending, ask_to_send, propose, to_the_end, tools_in_text

if TYPE_CHECKING:
    from motet.chat.inspecting import Changed, Inspection
    from motet.edits import Edit

_EDITS = frozenset(EDIT_TOOLS.values())
"""Tools that a model without tools uses by writing edits into its answer."""


class Chat:
    """A chat with one model at a time.

    `async for event in chat.send(text)` is a turn: the last event is an `Ended`. What is wrong before anything is sent
    (an empty draft, too many tokens, another process that holds the chat) is raised, and then nothing has changed.
    """

    def __init__(
        self,
        parts: ChatParts,
        info: ChatInfo,
        model: Model,
        messages: Sequence[Message] = (),
        *,
        writable: bool = True,
        notes: Sequence[str] = (),
    ) -> None:
        """`messages` make a valid stack. `writable`: this process holds the chat. `notes`: what its reader should
        know, a line each."""
        self.parts = parts
        self.info = info
        self.bare_model = model  # without the door
        self.model = parts.door(model)
        self.notes = tuple(notes)
        self.is_writable = writable
        self.spending = Spending(model.price)  # of the turn
        self._keeping = Keeping(parts.history if writable else None, lambda: self.info, parts.create)
        stack = MessageStack(*(messages if parts.create is None else ()))
        self._conversation = ChatConversation(stack, self._keeping, self._sum_up, parts.options.keep_cycles)
        if parts.create is not None:
            self._conversation.begin(messages)  # nobody has kept them yet
        self._share = Share(parts, stack)
        typed, marks = without_marks(info.draft)
        self.info = replace(info, draft=typed)
        for item_id, state in marks.items():
            self._share.mark(item_id, state)
        self._saying = Saying(parts, self._conversation, self._share, lambda event: self._running.tell(event))
        self._conversation.join = self._join
        self._running = Running(
            self, self._conversation, self._keeping, self._saying, reckon=self._set_budget, count=self._count
        )
        parts.before_asking = self._running.drawn
        parts.tell = self._running.tell_meanwhile
        parts.gate.plans = lambda: parts.tools.plans

    async def _join(self) -> None:
        """What was said while the turn ran joins before its next request: also what is said to the events so far."""
        await self._running.read()
        await self._saying.join(self.model.limits, self.spending)

    @property
    def id(self) -> str:
        """Its ULID."""
        return self.info.id

    @property
    def options(self) -> ChatOptions:
        """Limits and habits."""
        return self.parts.options

    @property
    def messages(self) -> tuple[Message, ...]:
        """The whole stack, hidden messages included."""
        return tuple(self._conversation.stack)

    @property
    def share(self) -> Share:
        """What is shared with the model: the context block, the tools that were handed over."""
        return self._share

    @property
    def is_running(self) -> bool:
        """Whether a turn is under way."""
        return self._running.is_under_way

    @property
    def is_kept(self) -> bool:
        """Whether the history has it: a new chat comes there with the first thing that is said."""
        return self.parts.history is not None and self._keeping.is_known

    @property
    def unfinished(self) -> str | None:
        """The id of the answer whose calls have no results yet; None when there is none."""
        stack = self._conversation.stack
        return next((one.id for one in reversed(self.messages) if one.calls), None) if stack.open_calls else None

    def begin(self, prompts: Sequence[Message], tools: Sequence[str]) -> None:
        """The first messages of a new chat: the system prompt and what else it begins with, and the prompts of the
        tools that it has from the start.
        They are kept when something is said. Raises `UsageError` for a tool that there is not."""
        of_tools = [prompt for name in tools for prompt in self.parts.tools.hand_over(name)]
        self._conversation.begin([message.estimated() for message in (*prompts, *of_tools)])

    def send(self, text: str, given: str = "", *, tag: str = "") -> AsyncGenerator[ChatEvent]:
        """Say `text`, and let the model work until it is done, stopped, or at a limit.

        `given` is said behind it as it is: what stands there and looks like a symbol (`@cmd` in a diff that came
        through a pipe) was not typed by the human, and shares and hands over nothing. `tag` says where the words come
        from, when a human did not find them: `from_custom_prompt`.
        """
        return self._running.turn(lambda: self._saying.submit(text, given, self.model, self._set_budget, tag))

    def go_on(self) -> AsyncGenerator[ChatEvent]:
        """Let the model go on where a limit ended the turn, or ask again what was not answered."""
        return self._running.turn(self._no_new_text)

    def receive(self) -> AsyncGenerator[ChatEvent]:
        """Let the model deal with what others sent (`ChatParts.arrivals`): a turn as of `send`, that no human began."""
        return self._running.turn(lambda: self._saying.receive(self.model, self._set_budget))

    def apply(self, answer: str = "", lines: tuple[int, int] | None = None) -> AsyncGenerator[ChatEvent]:
        """Propose the edits that stand in the text of an answer, whatever tools the chat has: a turn without a model.
        `answer`: the id of its message, without it the last one; with `lines`, only those that begin in these, the
        first and the last, from 1."""
        texts = (message.text for message in self.messages if message.id == answer)
        text = next(texts, "") if answer else answer_with_edits(self.messages)
        edits: list[Edit] = []

        async def read() -> None:
            edits.extend(await edits_to_apply(self.parts, text, lines))
            self._saying.go_on()

        return self._running.turn(read, lambda: propose(self._conversation, edits_only(self.parts), edits))

    async def take_in(self, messages: Sequence[Message]) -> None:
        """Keep what others sent, for the next turn to read. Raises `MotetError` while one runs."""
        self._running.require_rest()
        self.require_writable()
        await self._saying.take_in(messages)

    def say(self, text: str, *, returns: bool = False) -> None:
        """Say `text` while a turn runs: it joins the conversation before the model's next round, or when the turn ends
        before there is one; where it `returns` it does not join then, and waits for `take_back`."""
        if text.strip():
            self._saying.waiting.append(Waiting(text, returns))

    @property
    def waiting(self) -> tuple[str, ...]:
        """What was said with `say` and has not joined."""
        return tuple(one.text for one in self._saying.waiting)

    def take_back(self) -> list[str]:
        """What was said with `say` and has not joined: it is not said. While a turn runs, only what returns."""
        taken = [one for one in self._saying.waiting if one.returns or not self.is_running]
        self._saying.waiting = [one for one in self._saying.waiting if one not in taken]
        return [one.text for one in taken]

    def stop(self) -> None:
        """End the turn; `send` ends within 200 ms, and the stack is valid."""
        self._running.stop()

    async def close(self) -> None:
        """End the turn and whatever goes on behind the scenes."""
        self.stop()
        if await self._running.ended():
            return
        if self._saying.waiting and self._conversation.stack.cycle:  # said when no turn ran any more
            with suppress(MotetError):
                await to_the_end(self._saying.join_plainly())

    async def preview(self, text: str = "") -> ModelRequest:
        """The next request, exactly; with `text`, as it would be if that were sent. Nothing is sent or kept: where it
        would have to be summed up first, it is shown as it is, longer than what fits."""
        return (await self._ahead(text))[0]

    async def inspect(self, text: str = "") -> Inspection:
        """The same as a text that a human can change; what came of it is for `change`."""
        from motet.chat.inspecting import inspected

        request, prepared = await self._ahead(text)
        return inspected(request, self.model.name, self.messages, text, prepared)

    async def change(self, inspection: Inspection, edited: str) -> Changed:
        """Make the next request what a human made of its text. The chat as it was is kept as one of its own.

        Raises `CannotChange`, which names the line, `ReadOnly`, `HistoryError`: nothing has changed then.
        """
        from motet.chat.inspecting import change

        self.require_writable()
        self._running.require_rest()
        return await to_the_end(change(inspection, edited, self._conversation, self._share))

    async def _ahead(self, text: str) -> tuple[ModelRequest, Prepared | None]:
        tools, prepared = self.parts.tools, None
        if text.strip() or self._share.waiting:
            prepared = await self._share.prepare(text, self._conversation.stack.cycle + 1, self.model.limits)
            tools = prepared.tools
        try:
            definitions = self._set_budget(tools)
            told = self._conversation.told(prepared.messages if prepared else ())
            return ModelRequest(tuple(told), definitions), prepared
        finally:
            self._set_budget()  # a turn may be running

    @property
    def tokens(self) -> int:
        """About how many tokens the next request has, without a new message."""
        self._set_budget()
        return self._conversation.tokens

    async def keep_draft(self, text: str) -> None:
        """Keep what is typed and not sent; a new chat that has nothing else is kept for it."""
        self.info = replace(self.info, draft=text)
        await to_the_end(self._keeping.draft(with_marks(text, self._share.marked)))

    async def mark(self, item_id: str, state: State) -> bool:
        """Pin or watch an item of the context block, or neither; false when there is none with this id, or it is no
        file. It stays so when the chat is opened again."""
        if not self._share.mark(item_id, state):
            return False
        if self.is_writable:
            await self.keep_draft(self.info.draft)
        return True

    async def hand_over(self, name: str) -> bool:
        """Hand over a tool or a group; false when it was. Raises `UsageError` for a name that there is not."""
        self._running.require_rest()
        tools = self.parts.tools.copy()
        prompts = tools.hand_over(name)
        await self.remember(prompts)
        self.parts.tools = tools
        return bool(prompts)

    async def remember(self, messages: Sequence[Message]) -> None:
        """Add what nobody said, such as prompts; a new chat keeps it with the first thing that is said."""
        self._running.require_rest()
        cycle = self._conversation.stack.cycle
        added = [message.with_meta(cycle=cycle).estimated() for message in messages]
        if cycle:
            await to_the_end(self._conversation.add_all(added))
        else:
            self._conversation.begin(added)

    async def take_away(self, name: str) -> bool:
        """Take a tool or a group away again; false when it was not handed over."""
        self._running.require_rest()
        lines = self.parts.tools.take_away(name)
        await to_the_end(self._conversation.remove(lines))
        return bool(lines)

    async def compact(self) -> bool:
        """Have what was said before the last turns summed up; false when there is nothing to sum up."""
        self.require_writable()
        self._running.require_rest()
        self.options.require_price(self.model)
        self._set_budget()
        self.spending = Spending(self.model.price)
        try:
            return await self._conversation.compact()
        finally:
            if self.spending.requests or self.spending.usage.total:
                await to_the_end(self._count())

    async def remove(self, line: str) -> bool:
        """Take an item out of the context block; false when it is not there."""
        removed = await to_the_end(self._conversation.remove([line]))
        return self._share.forget(line) or bool(removed)

    async def keep_only(self, lines: Sequence[str]) -> None:
        """Take out of the conversation what these lines of the context block leave out, and mark the rest as they do."""
        self._running.require_rest()
        marked = self._share.marked
        if gone := self._share.keep(lines):
            await to_the_end(self._conversation.remove(gone))
        if self._share.marked != marked and self.is_writable:
            await self.keep_draft(self.info.draft)

    def use(self, model: Model) -> None:
        """Go on with another model."""
        self.bare_model = model
        self.model = self.parts.door(model)
        self.parts.used(model)

    def require_writable(self) -> None:
        """Raises `ReadOnly` where another process holds the chat."""
        if not self.is_writable:
            raise ReadOnly("another motet holds this chat; fork it to go on here, or close it there")

    async def rename(self, title: str) -> None:
        """Give the chat a name. Raises `ReadOnly`."""
        self.require_writable()
        await to_the_end(self._keeping.make_known())
        self.info = await self.parts.rename(self.info, clean_title(title) or title[:60])

    def branch(self, before: str | None) -> list[Message]:
        """The messages before the one with this id; None: all. Raises `KeyError`, `ValueError`."""
        stack = self._conversation.stack
        return list(stack if before is None else stack.branch(before))

    def before_cycle(self, cycle: int) -> str:
        """The id of the message that opens user turn `cycle`: where a fork begins that says it anew. Raises
        `MotetError` when there is no such turn."""
        for message in self._conversation.stack:
            if message.meta.cycle == cycle:
                return message.id
        raise MotetError(f"there is no turn {cycle} in this chat; it has {self._conversation.stack.cycle}")

    async def _no_new_text(self) -> None:
        self._saying.go_on()
        self._set_budget()

    async def _count(self) -> None:
        """What the chat has cost, and how long it is."""
        stack = self._conversation.stack
        self.info = await self.parts.update(self.info, self.model.name, stack.cycle, len(stack), self.spending)

    async def _sum_up(self, old: Sequence[Message], previous: Message | None) -> tuple[str, str]:
        model = await self.parts.model_for(Work.COMPACT, self.model)
        if model.name == "offline":
            raise ModelError("the offline model cannot sum up; set models.compact to another", ModelErrorKind.REFUSED)
        await ask_to_send(model, self.parts.gate, SENDS)
        text, usage = await summarise(model, summary_request(old, previous))
        self.spending.add(usage)
        return text, model.name

    def _set_budget(self, tools: Tools | None = None) -> tuple[ToolDefinition, ...]:
        """Reckon with the model as it is now, and with `tools`, or those that were handed over; their definitions."""
        handed = self.parts.toolbox(self.options.tool_timeout, tools).definitions
        definitions = handed if self.model.limits.tools else ()
        self._conversation.tools_in_text = "" if self.model.limits.tools else tools_in_text(handed, _EDITS)
        self._conversation.budget = Budget.of(self.model.limits, definitions, self.options.max_prompt_tokens)
        self._conversation.pinned = self._share.pinned
        self._conversation.system = (tools or self.parts.tools).system_prompt
        return definitions
