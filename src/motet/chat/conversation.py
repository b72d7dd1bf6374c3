"""The messages of one chat while a turn runs: what the next request says, and where answers and results go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from motet.chat.budget import Budget
from motet.chat.compaction import summary_message
from motet.chat.events import ChatEvent, Compacted, Level, Notice
from motet.chat.keeping import Keeping
from motet.chat.view import to_be_summed_up, view
from motet.errors import ModelError
from motet.messages import Message, MessageStack, Role, tags

SumUp = Callable[[Sequence[Message], Message | None], Awaitable[tuple[str, str]]]
"""Has messages and the summary before them summed up: the text, and the model it is from. Raises `MotetError`."""


@dataclass(slots=True)
class ChatConversation:
    """See `motet.turn.Conversation`. The stack grows here and nowhere else; what is added is kept before it is sent.

    `pinned`: lines of the context block that no summary takes in. `keep_cycles`: newest turns that stay as they are.
    """

    stack: MessageStack
    keeping: Keeping
    sum_up: SumUp
    keep_cycles: int = 3
    budget: Budget = field(default_factory=lambda: Budget(0))
    pinned: frozenset[str] = frozenset()
    system: str | None = None
    """What takes the place of the system prompt."""
    tools_in_text: str = ""
    """What a model that cannot call tools is told about those that it has."""
    tell: Callable[[ChatEvent], None] = lambda _: None
    join: Callable[[], Awaitable[None]] | None = None
    _cut: set[str] = field(default_factory=set[str])
    _summed_up_at: int = 0
    _last_sent: str = ""
    _unkept: list[Message] = field(default_factory=list[Message])

    async def next_request(self) -> Sequence[Message]:
        """See `Conversation`. Raises `TooLong`."""
        if self.join is not None:
            await self.join()
        told = await self.fitting()
        fresh = self.stack.since(self._last_sent)
        sent = [message.with_meta(sent=True) for message in fresh if not message.meta.sent]
        for message in sent:
            self.stack.replace(message)
        await self.keeping.replace(sent)
        self._last_sent = fresh[-1].id if fresh else self._last_sent
        return told

    async def add(self, message: Message) -> None:
        """See `Conversation`."""
        cycle = message.meta.cycle or self.stack.cycle
        message = message.with_meta(cycle=cycle).estimated()
        if message.role is Role.ASSISTANT:
            message = self.keeping.as_answer(message)
        await self.add_all([message])
        if message.role is Role.ASSISTANT:
            self.keeping.end_answer()

    def begin(self, messages: Sequence[Message]) -> None:
        """Begin with these; they are kept with the first that is added."""
        for message in messages:
            self.stack.append(message)
        self._unkept += messages

    async def add_all(self, messages: Sequence[Message]) -> None:
        """Add messages as they are, all of them kept or none. What could not be kept is kept with the next."""
        for message in messages:
            self.stack.append(message)
        self._unkept += messages
        await self.keeping.append(*self._unkept)
        self._unkept.clear()

    async def fitting(self, coming: Sequence[Message] = ()) -> list[Message]:
        """What a request says that has `coming` besides; made to fit where it has to be. Raises `TooLong`."""
        told = self.told(coming)
        if self.budget.tokens(told) > self.budget.cap and len(self.stack) != self._summed_up_at:
            try:
                await self.compact()
            except ModelError as error:
                self.tell(Notice(f"the chat could not be summed up: {error}", Level.WARNING))
            told = self.told(coming)
        if self.budget.tokens(told) > self.budget.cap:
            raise self.budget.too_long(told)
        return told

    @property
    def tokens(self) -> int:
        """About how many tokens the next request has."""
        return self.budget.tokens(view(tuple(self.stack), self._cut))

    def told(self, coming: Sequence[Message] = ()) -> list[Message]:
        """What a request says that has `coming` besides, with as many old tool outputs cut as it takes."""
        messages = [*self.stack, *coming]
        self._cut = self.budget.cut(messages, self._cut, self.keep_cycles)
        told = view(messages, self._cut, self.system)
        if not self.tools_in_text:
            return told
        return [*told[:1], Message.system(self.tools_in_text, tags.TOOL_SYSTEM_PROMPT), *told[1:]]

    async def compact(self) -> bool:
        """Have what was said long ago summed up; false when there is nothing that a summary could stand for.

        Raises `MotetError` where the model fails: nothing has changed then.
        """
        old = to_be_summed_up(tuple(self.stack), self.keep_cycles, self.pinned)
        if not old:
            return False
        before = self.budget.tokens(view(tuple(self.stack), self._cut))
        summaries = [message for message in self.stack if message.tag == tags.COMPACT_SUMMARY]
        text, source = await self.sum_up(old, summaries[-1] if summaries else None)
        if not text:
            return False
        summed_up = [message.with_meta(compacted=True) for message in (*old, *summaries)]
        await self.add_all([summary_message(text, source).with_meta(cycle=self.stack.cycle)])
        for message in summed_up:
            self.stack.replace(message)
        await self.keeping.replace(summed_up)
        self._summed_up_at = len(self.stack)
        after = self.budget.tokens(view(tuple(self.stack), self._cut))
        self.tell(Compacted(len(old), before, after))
        return True


def hidden(message: Message, cycle: int) -> Message:
    """A message that is shared in `cycle`, counted."""
    return replace(message.with_meta(cycle=cycle), visible=False).estimated()
