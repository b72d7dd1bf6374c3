"""The messages of one chat while a turn runs: what the next request says, and where answers and results go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from motet.chat.budget import Budget
from motet.chat.compaction import summary_message
from motet.chat.events import ChatEvent, Compacted, Level, Notice
from motet.chat.keeping import Keeping
from motet.chat.view import newest_summary, to_be_summed_up, view
from motet.errors import ModelError
from motet.history import ChatInfo, ChatMissing
from motet.messages import Message, MessageStack, Role, ToolResult, tags
from motet.turn import to_the_end

if TYPE_CHECKING:
    from motet.chat.request_edits import RequestEdits

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
    _is_gone: bool = False  # the history does not know the chat any more
    _one_write: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def next_request(self) -> Sequence[Message]:
        """See `Conversation`. Raises `TooLong`."""
        if self.join is not None:
            await self.join()
        told = await self.fitting()
        await to_the_end(self._mark_as_sent())
        return told

    async def add(self, message: Message) -> None:
        """See `Conversation`."""
        cycle = message.meta.cycle or self.stack.cycle
        message = message.with_meta(cycle=cycle).estimated()
        if message.role is Role.ASSISTANT:
            message = self.keeping.as_answer(message)
        self.stack.append(message)
        self._unkept.append(message)
        if message.role is Role.ASSISTANT:
            self.keeping.end_answer()
        await to_the_end(self._keep())

    def begin(self, messages: Sequence[Message]) -> None:
        """Begin with these; they are kept with the first that is added."""
        for message in messages:
            self.stack.append(message)
        self._unkept += messages

    async def add_all(self, messages: Sequence[Message]) -> None:
        """Add messages as they are, all of them or, where they cannot be kept, none; to be done `to_the_end`.

        Raises `HistoryError`, and `ValueError` while a call has no result.
        """
        if self.stack.open_calls:
            raise ValueError(f"calls without a result: {', '.join(self.stack.open_calls.values())}")
        await self._keep(messages)
        for message in messages:
            self.stack.append(message)

    async def remove(self, lines: Iterable[str]) -> list[Message]:
        """Take the messages out that are linked to these lines of the context block; returns them."""
        async with self._one_write:
            removed = self.stack.remove_context(lines)
            gone = {message.id for message in removed}
            unkept = {message.id for message in self._unkept}
            self._unkept = [message for message in self._unkept if message.id not in gone]
            await self.keeping.remove([message for message in removed if message.id not in unkept])
        return removed

    async def edit(self, edits: RequestEdits) -> ChatInfo | None:
        """Make the stack say what a human made of a request; to be done `to_the_end`. The chat as it was is kept as one
        of its own, which is returned; None: nothing of what was changed had been kept.

        Raises `HistoryError`, and then nothing has changed.
        """
        async with self._one_write:
            unkept = {message.id for message in self._unkept}
            changed = [edits.changed[one.id] for one in self.stack if one.id in edits.changed]
            removed = [one for one in self.stack if one.id in edits.removed]
            MessageStack(*edits.of(tuple(self.stack)))
            kept = [one for one in changed if one.id not in unkept], [one for one in removed if one.id not in unkept]
            copy = await self.keeping.copy() if any(kept) else None
            await self.keeping.edit(*kept)
            self._unkept = edits.of(self._unkept)
            for message in changed:
                self.stack.replace(message)
            self.stack.remove(edits.removed)
            self._cut -= edits.changed.keys()
            self._summed_up_at = 0
        return copy

    async def settle(self, why: str) -> None:
        """Give a result to each call that has none, which says `why`. What cannot be kept is kept with the next."""
        for call_id, name in self.stack.open_calls.items():
            result = ToolResult(call_id, name, is_error=True)
            message = Message.tool(result, f"{name}: no result, {why}", tags.TOOL_OUTPUT)
            message = message.with_meta(cycle=self.stack.cycle).estimated()
            self.stack.append(message)
            self._unkept.append(message)
        await self._keep()

    async def _keep(self, messages: Sequence[Message] = ()) -> None:
        """Keep what is not kept yet and `messages` behind it, all or none."""
        async with self._one_write:
            if self._unkept or messages or self._is_gone:
                waiting = len(self._unkept)
                try:
                    if not self._is_gone:
                        await self.keeping.append(*self._unkept, *messages)
                except ChatMissing:  # only this process may remove it: its file is another one now
                    self._is_gone = True
                if self._is_gone:
                    await self.keeping.begin_again([*self.stack, *messages])
                    self._is_gone = False
                    self.tell(Notice("the stored chat was gone; all of it is kept anew", Level.WARNING))
                del self._unkept[:waiting]

    async def _mark_as_sent(self) -> None:
        """All is kept before it is sent."""
        await self._keep()
        fresh = self.stack.since(self._last_sent)
        sent = [message.with_meta(sent=True) for message in fresh if not message.meta.sent]
        try:
            await self.keeping.replace(sent)
        except ChatMissing:
            self._is_gone = True
        for message in sent:
            self.stack.replace(message)
        if self._is_gone:
            await self._keep()
        self._last_sent = fresh[-1].id if fresh else self._last_sent

    async def fitting(self, coming: Sequence[Message] = ()) -> list[Message]:
        """What a request says that has `coming` besides; made to fit where it has to be. Raises `TooLong`."""
        told = self.told(coming)
        have = self.budget.tokens(told)
        if have > self.budget.cap and len(self.stack) != self._summed_up_at:
            try:
                await self.compact()
            except ModelError as error:
                self.tell(Notice(f"the chat could not be summed up: {error}", Level.WARNING))
            told = self.told(coming)
            have = self.budget.tokens(told)
        if have > self.budget.cap:
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
        previous = newest_summary(tuple(self.stack))
        self._summed_up_at = len(self.stack)
        text, source = await self.sum_up(old, previous)
        if not text:
            return False
        gone = [*old, *([previous] if previous else [])]
        shared = dict.fromkeys(message.context.id for message in old if message.context)
        summary = summary_message(text, source, tuple(shared))
        summary = summary.with_meta(cycle=max(message.meta.cycle for message in gone))
        await to_the_end(self._sum_up(summary, [one.with_meta(compacted=True) for one in gone]))
        after = self.budget.tokens(view(tuple(self.stack), self._cut))
        self.tell(Compacted(len(old), before, after))
        return True

    async def _sum_up(self, summary: Message, summed_up: Sequence[Message]) -> None:
        await self.add_all([summary])
        await self.keeping.replace(summed_up)
        for message in summed_up:
            self.stack.replace(message)
        self._summed_up_at = len(self.stack)
