"""What slash commands do in a chat: those about the chat itself, and those that share something. A front end shows what
they say, and does what comes next."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

from motet.chat import Chat, ChatEvent
from motet.chat.inspecting import Changed
from motet.chat.view import sizes
from motet.context import Command, CommandCall, NothingToFill, PromptEntry, State
from motet.context.commands import ChatCommand
from motet.engine.board_command import board_command
from motet.engine.chat_names import short_id
from motet.engine.chats import Chats
from motet.engine.engine import Engine
from motet.engine.filling import filled
from motet.errors import MotetError, UsageError
from motet.messages import Message, Role, tags

_LIKE_A_COMMAND = re.compile(r"/([a-z][a-z_-]*)(!?)(?:[ \t]|$)")
_ALIKE = 0.75
"""From which likeness on a word is taken for a mistyped command."""


@dataclass(frozen=True, slots=True)
class Next:
    """What comes after a command: a text that is sent, one that is put into the line, another chat, or the end. With
    `goes_on` the model is asked again without a new text, with `applies` the edits in the last answer are proposed.
    `given` is sent as it is: it holds what others wrote. `tag`: where what is sent comes from. `failed`: nothing was
    done, and why is said."""

    send: str = ""
    given: str = ""
    tag: str = ""
    draft: str = ""
    chat: Chat | None = None
    leaves: bool = False
    goes_on: bool = False
    applies: bool = False
    failed: bool = False

    @property
    def says(self) -> str:
        """What is sent."""
        return self.send or self.given

    @property
    def begins_turn(self) -> bool:
        """Whether a turn comes."""
        return bool(self.says or self.goes_on or self.applies)

    def turn(self, chat: Chat) -> AsyncGenerator[ChatEvent]:
        """The turn that comes."""
        if self.applies:
            return chat.apply()
        return chat.send(self.send, self.given, tag=self.tag) if self.says else chat.go_on()


Act = Callable[[CommandCall], Awaitable[Next]]


class Reader(Protocol):
    """Who reads what a command says; each front end shows it in its own way."""

    def say(self, line: str) -> None:
        """What was done, in a line."""
        ...

    def fail(self, line: str) -> None:
        """Why nothing was done, in a line."""
        ...

    def markdown(self, text: str) -> None:
        """An answer of several lines, in Markdown."""
        ...

    def table(self, rows: Sequence[tuple[str, str]]) -> None:
        """Two columns."""
        ...

    async def inspect(self, chat: Chat, text: str) -> None:
        """The whole of the request that `text` would lead to, to be changed where that can be. Raises `MotetError`."""
        ...


class Acts:
    """The commands of one chat. `more`: commands that only this front end has, and what they do. `undo` takes the newest
    edits back, and says what it did, where not all of them are on the disk."""

    def __init__(
        self,
        chat: Chat,
        chats: Chats,
        engine: Engine,
        reader: Reader,
        more: Mapping[ChatCommand, Act] | None = None,
        undo: Callable[[], Awaitable[Sequence[str]]] | None = None,
    ) -> None:
        self._chat = chat
        self._chats = chats
        self._engine = engine
        self._reader = reader
        self._undone = undo
        context = chat.parts.context
        assert context is not None  # the engine gives every chat one
        self._context = context
        self._of_chat: dict[str, Act] = {
            "compact": self._compact,
            "context": self._list_context,
            "inspect": self._inspect,
            "edit": self._edit,
            "fork": self._fork,
            "rename": self._rename,
            "apply": self._apply,
            "undo": self._undo,
            "retry": self._retry,
            "model": self._model,
            "tools": self._tools,
            "board": self._board,
            "clear": self._clear,
            "prompt": self._prompt,
            "pin": self._pin,
            "watch": self._watch,
            "drop": self._drop,
        }
        for command, act in (more or {}).items():
            context.commands.add(command)
            self._of_chat[command.name] = act

    @property
    def commands(self) -> Iterable[Command]:
        """All that there are."""
        return self._context.commands

    def is_command(self, text: str) -> bool:
        """Whether `text` is a command, or looks like one that was mistyped."""
        return self._context.commands.parse(text) is not None or bool(self._mistyped(text))

    def wants(self, text: str) -> tuple[str, str]:
        """What `text` is and what has to be asked for before it can be done: a command and a question; empty for
        one that can be done."""
        parsed = self._context.commands.parse(text)
        return (parsed.command.name, parsed.asks) if parsed is not None and parsed.asks else ("", "")

    async def of(self, text: str) -> Next:
        """What `text` leads to: a command is done, everything else is sent. A failure is a line."""
        parsed = self._context.commands.parse(text)
        if parsed is None:
            if unknown := self._mistyped(text):
                self._reader.fail(unknown)
                return Next(draft=text, failed=True)
            return Next(send=text)
        waited = {item.id for item in self._chat.share.waiting}
        try:
            if parsed.asks:
                raise UsageError(f"/{parsed.command.name} needs {parsed.command.parameters}")
            if act := self._of_chat.get(parsed.command.name):
                return await act(parsed.call)
            entry = self._context.library.get(parsed.command.name)
            if parsed.command.by_chat and entry is not None:
                return await self._use(entry, parsed.call.argument)
            for line in await self._chat.share.run(text, self._chat.model.limits):
                self._reader.markdown(line)
            for item in self._chat.share.waiting:
                if item.context is not None and item.id not in waited:
                    self._reader.say(f"With the next message: {item.context.id}")
        except MotetError as error:
            self._reader.fail(str(error))
            return Next(failed=True)
        return Next()

    def _mistyped(self, text: str) -> str:
        """What to say of a text that begins like a command and is none; empty: it is a message."""
        found = _LIKE_A_COMMAND.match(text)
        if found is None:
            return ""
        near = get_close_matches(found[1], [command.name for command in self.commands], n=1, cutoff=_ALIKE)
        if near:
            return f"there is no command /{found[1]}; did you mean /{near[0]}? A space before it sends it as it is"
        if text.strip() == found[0].strip():
            return f"there is no command /{found[1]}; /help lists them, a space before it sends it as it is"
        return ""

    async def _compact(self, call: CommandCall) -> Next:
        before = self._chat.tokens
        if await self._chat.compact():
            self._reader.say(f"Summed up: {before:,} tokens are {self._chat.tokens:,} now.")
        else:
            kept = self._chat.options.keep_cycles
            last = f"last {kept} turns stay as they are" if kept > 1 else "last turn stays as it is"
            self._reader.say(f"There is nothing to sum up: the {last}.")
        return Next()

    async def _list_context(self, call: CommandCall) -> Next:
        request = await self._chat.preview(call.argument)
        rows = [(f"{tokens:,}", name) for name, tokens in sizes(request.messages)]
        rows += [("", line) for line in self._chat.share.lines]
        window = self._chat.model.limits.context_tokens
        self._reader.table([*rows, (f"{self._chat.tokens:,}", f"of {window:,} tokens, tools included")])
        return Next()

    async def _inspect(self, call: CommandCall) -> Next:
        await self._reader.inspect(self._chat, call.argument)
        return Next(draft=call.argument)

    async def _edit(self, call: CommandCall) -> Next:
        if not self._cycle:
            raise UsageError("nothing was said yet; there is no message to edit")
        cycle = call.number(self._cycle)
        before = self._chat.before_cycle(cycle)
        said = [one for one in self._chat.messages if one.visible and one.meta.cycle == cycle]
        text = said[0].shown if said and said[0].role is Role.USER else ""
        forked = await self._chats.fork(self._chat, before)
        self._reader.say(
            "Change the text and send it: the chat goes on from there, the old one stays in `motet history`."
        )
        return Next(draft=text, chat=forked)

    async def _fork(self, call: CommandCall) -> Next:
        before = self._chat.before_cycle(call.number(0)) if call.argument else None
        forked = await self._chats.fork(self._chat, before)
        self._reader.say("This is a chat of its own now; the other one stays in `motet history`.")
        return Next(chat=forked)

    async def _rename(self, call: CommandCall) -> Next:
        await self._chat.rename(call.argument)
        self._reader.say(f"The chat is called: {self._chat.info.title}")
        return Next()

    async def _apply(self, call: CommandCall) -> Next:
        if self._chat.is_running:
            raise UsageError("a turn is running; apply the edits of its answer when it is over")
        return Next(applies=True)

    async def _undo(self, call: CommandCall) -> Next:
        if self._undone is not None:
            for line in await self._undone():
                self._reader.say(line)
            return Next()
        report = await self._engine.workspace.undo()
        files = (*report.restored, *report.merged, *report.removed)
        self._reader.say(f"Taken back: {', '.join(files) or 'nothing, all is as it was'}")
        return Next()

    async def _retry(self, call: CommandCall) -> Next:
        last = self._chat.messages[-1] if self._chat.messages else None
        if last is not None and last.role is Role.ASSISTANT and not last.meta.partial and not last.calls:
            raise UsageError("the last message has its answer; /edit opens it, to be sent again")
        return Next(goes_on=True)

    async def _model(self, call: CommandCall) -> Next:
        if call.argument:
            model, why = await self._engine.choose_model(call.argument)
            self._chat.use(model)
            self._reader.say(f"Model: {model.name} ({why})")
        else:
            self._reader.say(f"Model: {self._chat.model.name}; /model NAME changes it, `motet models` lists them")
        return Next()

    async def _tools(self, call: CommandCall) -> Next:
        names = [tool.spec.name for tool in self._chat.share.tools()]
        self._reader.say(
            f"Tools: {', '.join(names)}" if names else "No tools; @files, @cmd, @web in a message hand some over."
        )
        return Next()

    async def _board(self, call: CommandCall) -> Next:
        for line in await board_command(self._chat, self._chats, call.argument):
            self._reader.say(line)
        return Next()

    async def _clear(self, call: CommandCall) -> Next:
        chat = self._chats.new(self._chat.model)
        self._reader.say("A new chat; the other one stays in `motet history`." if self._cycle else "A new chat.")
        return Next(chat=chat)

    async def _prompt(self, call: CommandCall) -> Next:
        name, _, given = call.argument.partition(" ")
        if not name:
            self._reader.table([(f"/{entry.name}", entry.description) for entry in self._context.library])
            return Next()
        entry = self._context.library.get(name)
        if entry is None:
            raise UsageError(f"/prompt: there is no prompt {name!r}; /prompt lists them")
        return await self._use(entry, given.strip())

    async def _use(self, entry: PromptEntry, given: str) -> Next:
        """A prompt of the library: its first step, with what it shares. It is sent at once where it says so, or where
        files or changes were put into it; else it is put into the line."""
        paths = tuple(item.path for item in self._chat.share.items if item.path)
        try:
            text = await filled(self._chat, entry.steps[0], given, {}, paths=paths)
        except NothingToFill as error:
            raise UsageError(f"/{entry.name}: {error}") from error
        for tool in entry.tools:
            await self._chat.hand_over(tool)
        if entry.system:
            self._chat.share.attach(Message.system(entry.system, tags.FROM_CUSTOM_PROMPT))
        if any(name != "input" for name in entry.needs):
            return Next(given=text, tag=tags.FROM_CUSTOM_PROMPT)
        return Next(send=text, tag=tags.FROM_CUSTOM_PROMPT) if entry.auto_submit else Next(draft=text)

    async def _pin(self, call: CommandCall) -> Next:
        return await self._mark(call, State.PINNED, "pinned: it is sent again whenever it has changed")

    async def _watch(self, call: CommandCall) -> Next:
        return await self._mark(call, State.WATCHED, "watched: what changes in it is sent")

    async def _mark(self, call: CommandCall, state: State, said: str) -> Next:
        item = self._item(call.argument)
        if not await self._chat.mark(item, state):
            raise UsageError(f"{item}: only files can be kept fresh")
        self._reader.say(f"{item} is {said}")
        return Next()

    async def _drop(self, call: CommandCall) -> Next:
        if call.argument.startswith("@"):
            gone = await self._chat.take_away(call.argument)
            self._reader.say(f"{call.argument}: {'taken away' if gone else 'was not handed over'}")
            return Next()
        item = self._item(call.argument)
        await self._chat.remove(item)
        self._reader.say(f"{item}: not shared any more")
        return Next()

    def _item(self, written: str) -> str:
        """The one item that `written` is a part of. Raises `UsageError`."""
        ids = [item.id for item in self._chat.share.items]
        ids += [one.context.id for one in self._chat.share.waiting if one.context]
        found = [one for one in dict.fromkeys(ids) if written == one] or [
            one for one in dict.fromkeys(ids) if written in one
        ]
        if len(found) != 1:
            what = "several items" if found else "nothing that is shared"
            raise UsageError(f"{written}: {what}; shared: {', '.join(found or ids) or 'nothing'}")
        return found[0]

    @property
    def _cycle(self) -> int:
        return max((message.meta.cycle for message in self._chat.messages), default=0)


def changes_made(done: Changed) -> str:
    """What a human changed in the next request, in a line."""
    what = [f"{done.changed} changed"] if done.changed else []
    what += [f"{done.removed} taken out"] if done.removed else []
    if not what:
        return "Nothing was changed."
    count = done.changed + done.removed
    was = f"; the chat as it was is {short_id(done.copy.id)} in `motet history`" if done.copy else ""
    return f"Of the next request {count} message{'s' if count > 1 else ''}: {', '.join(what)}{was}."
