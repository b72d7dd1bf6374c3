"""What one chat shares with its model: the items of its context block, and what waits for the next message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from motet.chat.budget import Budget
from motet.chat.events import ChatEvent, Level, Notice, Shared
from motet.chat.parts import ChatParts, Context, NoTools, Tools
from motet.chat.view import tokens_of
from motet.context import (
    MAP_ITEM,
    ContextItem,
    Expanded,
    Order,
    Sources,
    State,
    expand,
    find_rules,
    is_suggested,
    item_of,
    lines_in,
    map_attachment,
    read_line,
    reconcile,
    refresh,
    suggested_attachment,
    without_repeats,
)
from motet.errors import UsageError
from motet.messages import Message, MessageStack, Meta, Role, Text, tags
from motet.models.protocol import Limits
from motet.tools import Tool
from motet.tools.groups import tool_name

if TYPE_CHECKING:
    from motet.chat.request_edits import RequestEdits

_UNLISTED = frozenset({tags.TOOL, tags.TOOL_SYSTEM_PROMPT})
"""Tags of messages that are linked to a line only so that they can be removed by it."""
_MAP = "map"
"""How a function that chooses what enters names the map of the project."""
_FULL = 0.75
"""Share of what a request may have, above which no passages come along by themselves."""
_NOT_HELD = "what you changed in the next request is not in this one: the text, or what it shares, is another one now"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message of the human with all that goes with it: `messages` in the order in which they are sent, the human's
    own text among them; `events` say what is shared; `shared`: whether anything is. `items`: the context block then;
    `tools`: those that are handed over then.
    """

    messages: tuple[Message, ...]
    events: tuple[ChatEvent, ...] = ()
    shared: bool = False
    items: tuple[ContextItem, ...] = ()
    tools: Tools = field(default_factory=NoTools)
    taken: frozenset[str] = frozenset()
    """By their ids, what waited and is dealt with, be it that something else shows the same."""


@dataclass(frozen=True, slots=True)
class Held:
    """A message of the human that is prepared as the human wants it; it goes for what would be prepared anew `of` the
    same."""

    of: tuple[object, ...]
    prepared: Prepared


@dataclass(slots=True)
class Share:
    """The shared side of a chat. What is prepared but not sent stays: nothing is lost when a submit is refused."""

    parts: ChatParts
    stack: MessageStack
    waiting: list[Message] = field(default_factory=list[Message])
    items: tuple[ContextItem, ...] = ()
    held: Held | None = None
    _unwanted: set[str] = field(default_factory=set[str])
    """Lines that the human took out: they do not enter by themselves again."""
    _seen: dict[str, bool] = field(default_factory=dict[str, bool])
    """Files that tools have read or written, and whether their rules were looked for."""

    def __post_init__(self) -> None:
        self.items = _items(self.stack, (), self._root)

    @property
    def pinned(self) -> frozenset[str]:
        """Lines that no summary takes in."""
        return frozenset(item.id for item in self.items if item.state is not State.NONE)

    @property
    def lines(self) -> list[str]:
        """The context block of the next message."""
        ahead = [message.context.id for message in self.waiting if message.context]
        return [*(item.line for item in self.items), *(line for line in ahead if line not in self._ids)]

    @property
    def files(self) -> list[str]:
        """The files of the workspace that this chat is about: shared in it, read or written by tools."""
        return list(dict.fromkeys((*self._paths, *self._seen)))

    @property
    def pages_that_wait(self) -> list[str]:
        """Addresses of pages that go along with the next message: what they say is nobody's here."""
        return [one.context.url for one in self.waiting if one.context and one.context.url]

    @property
    def marked(self) -> list[str]:
        """The lines of items that are pinned or watched."""
        return [item.line for item in self.items if item.state is not State.NONE]

    @property
    def block(self) -> list[str]:
        """The context block that a human can edit: `lines`, and those of the tools that were handed over."""
        return [*self.lines, *self._of_tools]

    def keep(self, lines: Iterable[str]) -> list[str]:
        """Keep only what these lines of the context block name, with the marks that they have; the ids of those that
        go, tools among them, whose messages the conversation still holds."""
        lines = list(lines)
        found = reconcile(self.items, lines)
        kept = {read_line(line)[0] for line in lines}
        self.items = found.items
        self._unwanted.update(found.removed)
        gone = [*found.removed, *(one.context.id for one in self.waiting if one.context)]
        self.waiting = [one for one in self.waiting if one.context is None or one.context.id in kept]
        for line in self._of_tools:
            if line not in kept:
                gone += self.parts.tools.take_away(tool_name(line))
        return [one for one in dict.fromkeys(gone) if one not in kept]

    def mark(self, item_id: str, state: State) -> bool:
        """Pin or watch an item, or neither; false when there is none with this id, or it is no file."""
        known = [item.id for item in self.items if item.path]
        self.items = tuple(replace(item, state=state) if item.id == item_id else item for item in self.items)
        return item_id in known

    def attach(self, *messages: Message) -> None:
        """Share these with the next message: what slash commands and the command line add."""
        self.waiting += messages

    def forget(self, item_id: str) -> bool:
        """Take an item out again; false when it is not there."""
        before = len(self.waiting) + len(self.items)
        self._unwanted.add(item_id)
        self.waiting = [one for one in self.waiting if not (one.context and one.context.id == item_id)]
        self.items = tuple(item for item in self.items if item.id != item_id)
        return len(self.waiting) + len(self.items) < before

    def saw(self, paths: Iterable[str]) -> None:
        """A tool has read or written these files: from now on they are in the conversation as if they were shared."""
        for path in paths:
            if not path.startswith(("/", "../")):
                self._seen.setdefault(path, False)

    async def rules_for_seen(self, cycle: int) -> tuple[tuple[Message, ...], tuple[ChatEvent, ...]]:
        """The rules for files that tools came by since it was asked last, and what the human should see of them."""
        context = self.parts.context
        if context is None or all(self._seen.values()):
            return (), ()
        messages, notices = await self._rules(context, self.items)
        self._seen = dict.fromkeys(self._seen, True)
        found = tuple(_for(message, cycle) for message in messages)
        lines: list[ChatEvent] = [Notice(line, Level.WARNING) for line in notices]
        return found, (*lines, *(Shared(one.context.id, tokens_of(one)) for one in found if one.context))

    def tools(self) -> list[Tool]:
        """The tools that were handed over."""
        return self.parts.tools.handed_over()

    async def prepare(self, text: str, cycle: int, limits: Limits, given: str = "", tag: str = "") -> Prepared:
        """`text` with its symbols expanded and `given` behind it as it is, what waits, what has changed, and the rules
        for all of it, for user turn `cycle` and a model with `limits`. Nothing has changed yet."""
        if self.held is None:
            return await self._prepare(text, cycle, limits, given, tag)
        if self.held.of == self._basis(text, cycle, given, tag):
            return self.held.prepared
        prepared = await self._prepare(text, cycle, limits, given, tag)
        return replace(prepared, events=(Notice(_NOT_HELD, Level.WARNING), *prepared.events))

    async def _prepare(self, text: str, cycle: int, limits: Limits, given: str, tag: str) -> Prepared:
        context = self.parts.context
        if context is None:
            expanded = Expanded(_behind(text, given), tuple(self.waiting))
            return self._together(expanded, _behind(text, given), cycle, (), self.items, [], tag)
        sources = self._sources(context, limits)
        order = Order.AFTER if self.parts.options.context_last else Order.BEFORE
        fresh = await refresh(self.items, sources.read, self._root)
        taken = frozenset(one.id for one in self.waiting)
        expanded = await expand(text, context.known, sources, added=self.waiting, order=order)
        expanded = replace(expanded, text=_behind(expanded.text, given))
        expanded = replace(expanded, attachments=tuple(self._new(without_repeats(expanded.attachments))))
        items = _items(expanded.attachments, fresh.items, self._root)
        rules = await self._rules(context, items)
        entering, told = await self._by_itself(context, sources, expanded, text, items, limits)
        items = _items(entering, items, self._root)
        before = (*rules[0], *entering, *fresh.messages)
        typed = _behind(text, given)
        notices = [*fresh.notices, *rules[1], *told]
        return replace(self._together(expanded, typed, cycle, before, items, notices, tag), taken=taken)

    async def run(self, line: str, limits: Limits) -> list[str]:
        """Do the slash command that `line` is, as in `/file src/a.py`: what it shares waits for the next message.
        What the human should know, a line each. Raises `UsageError` for a line that is no command about sharing."""
        context = self.parts.context
        parsed = context.commands.parse(line) if context is not None else None
        if context is None or parsed is None or parsed.command.by_chat:
            raise UsageError(f"{line.split(maxsplit=1)[0]}: there is no such command for sharing something")
        shared = await context.commands.run(parsed, self._sources(context, limits))
        self.attach(*shared.messages)
        return list(shared.notices)

    def _sources(self, context: Context, limits: Limits) -> Sources:
        """Where content comes from, for a model with `limits`."""
        sees, reads = limits.images, limits.documents
        return replace(context.sources, in_context=self._paths, sees_images=sees, reads_documents=reads)

    def sent(self, prepared: Prepared) -> None:
        """`prepared` is part of the conversation now."""
        self.parts.tools = prepared.tools
        gone = {message.id for message in prepared.messages} | prepared.taken
        self.waiting = [message for message in self.waiting if message.id not in gone]
        self.items = prepared.items
        self.held = None

    def edited(self, edits: RequestEdits, removed: Sequence[Message], text: str, prepared: Prepared | None) -> None:
        """A human changed the next request: `removed` are no messages of the conversation any more, and when `text` is
        said, what was `prepared` for it goes out as it was changed."""
        gone = {one.context.id for one in removed if one.context}
        gone -= {one.context.id for one in self.stack if one.context}
        coming = prepared.messages if prepared else ()
        self.waiting = [one for one in self.waiting if one.id not in edits.removed]
        self.items = tuple(item for item in self.items if item.id not in gone)
        if prepared is None or not any(one.id in edits.changed or one.id in edits.removed for one in coming):
            return
        gone |= {one.context.id for one in coming if one.context and one.id in edits.removed} - self._ids
        events = (one for one in prepared.events if not (isinstance(one, Shared) and one.line in gone))
        items = tuple(item for item in prepared.items if item.id not in gone)
        held = replace(prepared, messages=tuple(edits.of(coming)), events=tuple(events), items=items)
        self.held = Held(self._basis(text, self.stack.cycle + 1), held)

    def _basis(self, text: str, cycle: int, given: str = "", tag: str = "") -> tuple[object, ...]:
        """All that a message is prepared of, but for the files."""
        waiting, tools = (one.id for one in self.waiting), (tool.spec.name for tool in self.tools())
        return (text, cycle, given, tag, tuple(waiting), self.items, tuple(tools))

    def _new(self, attachments: Iterable[Message]) -> list[Message]:
        """Those that the conversation does not hold already, word for word: what has not changed is not sent again."""
        there = {(one.context.id, one.text) for one in self.stack if one.context and not one.meta.compacted}
        return [one for one in attachments if one.context is None or (one.context.id, one.text) not in there]

    @property
    def _root(self) -> Path:
        return self.parts.context.sources.workspace.root if self.parts.context else Path("/")

    async def _rules(
        self, context: Context, items: Sequence[ContextItem]
    ) -> tuple[tuple[Message, ...], tuple[str, ...]]:
        already = [message.context.id for message in self.stack if message.tag == tags.RULES and message.context]
        paths = [*(item.path for item in items if item.path), *self._seen]
        found = await find_rules(paths, context.sources, groups=context.rules, already=already, always=True)
        return found.messages, found.notices

    async def _by_itself(
        self,
        context: Context,
        sources: Sources,
        expanded: Expanded,
        text: str,
        items: Sequence[ContextItem],
        limits: Limits,
    ) -> tuple[list[Message], Sequence[str]]:
        """What goes along that nobody named, and what to say of it: what the user's own function chooses, else the map
        and the passages that the settings let come."""
        if self.parts.hooks.context is None:
            mapped = await self._map(sources, expanded.text, items)
            return [*mapped, *await self._suggested(sources, text, expanded.attachments, items, limits)], ()
        names, wrong = await self.parts.hooks.chosen(text, [item.path for item in items if item.path])
        mapped = await self._map(sources, expanded.text, items) if _MAP in names else []
        named = " ".join(name for name in names if name != _MAP)
        found = await expand(named, context.known, sources, asked=text)
        there = {one.context.id for one in expanded.attachments if one.context} | self._unwanted
        new = [one for one in self._new(found.attachments) if one.context is None or one.context.id not in there]
        tools = [f"@{name} was not handed over: hooks.context only shares" for name in found.tools]
        return [*mapped, *new], [*wrong, *found.notices, *tools]

    async def _map(self, sources: Sources, text: str, items: Sequence[ContextItem]) -> list[Message]:
        """The map of the project for the first message, and again when a summary stands for the one that was sent."""
        there = any(one.tag == tags.MAP and not one.meta.compacted for one in self.stack)
        if sources.draw_map is None or not sources.may_share_code or there or MAP_ITEM in self._unwanted:
            return []
        drawn = await sources.draw_map(text, [item.path for item in items if item.path])
        return [map_attachment(drawn)] if drawn else []

    async def _suggested(
        self, sources: Sources, text: str, asked: Sequence[Message], items: Sequence[ContextItem], limits: Limits
    ) -> list[Message]:
        """Passages that come along by themselves: none where some were asked for, nothing that is there already or was
        taken out, and nothing where little room is left."""
        if sources.suggest is None or not sources.may_share_code or any(one.tag == tags.CODEBASE for one in asked):
            return []
        budget = Budget.of(limits, (), self.parts.options.max_prompt_tokens)
        there = [one for one in self.stack if not one.meta.compacted]
        room = int(budget.cap * _FULL) - budget.tokens([*there, *asked, Message.user(text)])
        if room <= 0:
            return []
        ids = [one.context.id for one in (*there, *asked) if one.context] + [item.id for item in items]
        shown = lines_in([*ids, *self._unwanted, *(f"<file>{path}</file>" for path in self._seen)])
        found = [suggested_attachment(one, sources) for one in await sources.suggest(text, shown)]
        return found if sum(map(tokens_of, found)) <= room else []

    def _together(
        self,
        expanded: Expanded,
        text: str,
        cycle: int,
        before: Sequence[Message],
        items: tuple[ContextItem, ...],
        notices: Sequence[str],
        tag: str,
    ) -> Prepared:
        tools = self.parts.tools.copy()
        prompts = [message for name in expanded.tools for message in tools.hand_over(name)]
        typed = text if expanded.text != text else None
        own = Message(Role.USER, (Text(expanded.text),), typed=typed, meta=Meta(cycle=cycle, tag=tag))
        shared = [_for(message, cycle) for message in expanded.attachments]
        said = replace(expanded, attachments=tuple(shared)).around(own.estimated())
        ahead = [_for(message, cycle) for message in (*prompts, *before)]
        events: list[ChatEvent] = [Notice(line, Level.WARNING) for line in (*expanded.notices, *notices)]
        events += [
            Shared(one.context.id, tokens_of(one), one.meta.source if is_suggested(one) else "")
            for one in (*ahead, *shared)
            if one.context and one.tag not in _UNLISTED
        ]
        return Prepared((*ahead, *said), tuple(events), bool(shared), items, tools)

    @property
    def _of_tools(self) -> list[str]:
        lines = (one.context.id for one in self.stack if one.tag == tags.TOOL and one.context)
        return list(dict.fromkeys(lines))

    @property
    def _ids(self) -> set[str]:
        return {item.id for item in self.items}

    @property
    def _paths(self) -> tuple[str, ...]:
        return tuple(item.path for item in self.items if item.path)


def _behind(text: str, given: str) -> str:
    """Both, a blank line between."""
    return "\n\n".join(part for part in (text, given) if part.strip())


def _items(messages: Iterable[Message], known: Sequence[ContextItem], root: Path) -> tuple[ContextItem, ...]:
    """The items that messages are linked to, behind those that are `known`, each as it was sent last."""
    items = {item.id: item for item in known}
    for message in messages:
        if message.context is None or message.tag in (*_UNLISTED, tags.RULES) or message.meta.compacted:
            continue
        before = items.get(message.context.id)
        item = item_of(message, root, before.state if before else State.NONE)
        if item is not None and (before is None or item.sent):
            items[item.id] = item
    return tuple(items.values())


def _for(message: Message, cycle: int) -> Message:
    """`message` as it is sent in user turn `cycle`."""
    return message.with_meta(cycle=cycle).estimated()


def newest(messages: Sequence[Message]) -> Message:
    """The message that the human typed among those of a submit; without one, the last."""
    return next((message for message in messages if message.visible), messages[-1])
