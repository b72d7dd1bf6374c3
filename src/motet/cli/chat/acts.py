"""What slash commands do in the terminal: those about the chat itself, and those that share something."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from motet.chat import Chat
from motet.chat.view import name_of, sizes, tokens_of
from motet.cli.chat.meter import short_count
from motet.cli.chat.screen import ChatScreen
from motet.cli.prompts import filled
from motet.cli.terminal import Terminal
from motet.context import Command, CommandCall, NothingToFill, PromptEntry, State
from motet.context.commands import ChatCommand
from motet.engine import Chats, Engine
from motet.errors import MotetError, UsageError
from motet.messages import Message, Role, tags
from motet.models.protocol import Completed, TextDelta

MORE: tuple[ChatCommand, ...] = (
    ChatCommand("show", "show the last folded output, or the last N, in full", "[N]"),
    ChatCommand("pin", "send a shared file again whenever it has changed", "ITEM", "Item to pin"),
    ChatCommand("watch", "send what has changed in a shared file", "ITEM", "Item to watch"),
    ChatCommand("drop", "take something out of what is shared, or a tool away", "ITEM|@TOOL", "Item to drop"),
    ChatCommand("exit", "leave; `motet chat -c` goes on here"),
)
"""Commands that only a terminal needs."""
_LIKE_A_COMMAND = re.compile(r"/([a-z][a-z_-]*)(!?)(?:[ \t]|$)")
_ALIKE = 0.75
"""From which likeness on a word is taken for a mistyped command."""


@dataclass(frozen=True, slots=True)
class Next:
    """What comes after a command: a text that is sent, one that is put into the line, another chat, or the end. With
    `goes_on` the model is asked again without a new text. `given` is sent as it is: it holds what others wrote. `tag`:
    where what is sent comes from."""

    send: str = ""
    given: str = ""
    tag: str = ""
    draft: str = ""
    chat: Chat | None = None
    leaves: bool = False
    goes_on: bool = False


class Acts:
    """The commands of one chat."""

    def __init__(self, chat: Chat, chats: Chats, engine: Engine, screen: ChatScreen, terminal: Terminal) -> None:
        self._chat = chat
        self._chats = chats
        self._engine = engine
        self._screen = screen
        self._terminal = terminal
        context = chat.parts.context
        assert context is not None  # the engine gives every chat one
        self._context = context
        for command in MORE:
            context.commands.add(command)
        self._of_chat: dict[str, Callable[[CommandCall], Awaitable[Next]]] = {
            "compact": self._compact,
            "context": self._list_context,
            "inspect": self._inspect,
            "edit": self._edit,
            "fork": self._fork,
            "rename": self._rename,
            "undo": self._undo,
            "retry": self._retry,
            "model": self._model,
            "tools": self._tools,
            "clear": self._clear,
            "prompt": self._prompt,
            "show": self._show,
            "pin": self._pin,
            "watch": self._watch,
            "drop": self._drop,
            "exit": self._exit,
        }

    @property
    def commands(self) -> Iterable[Command]:
        """All that there are."""
        return self._context.commands

    async def of(self, text: str) -> Next:
        """What `text` leads to: a command is done, everything else is sent. A failure is a line."""
        parsed = self._context.commands.parse(text)
        if parsed is None:
            if unknown := self._mistyped(text):
                self._terminal.line(unknown, "red", hang=2, always=True)
                return Next(draft=text)
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
                self._screen(TextDelta(line))
                self._screen(Completed("stop"))
            for item in self._chat.share.waiting:
                if item.context is not None and item.id not in waited:
                    self._terminal.line(f"With the next message: {item.context.id}", "dim", hang=2)
        except MotetError as error:
            self._terminal.line(str(error), "red", hang=2, always=True)
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
            self._say(f"Summed up: {before:,} tokens are {self._chat.tokens:,} now.")
        else:
            kept = self._chat.options.keep_cycles
            last = f"last {kept} turns stay as they are" if kept > 1 else "last turn stays as it is"
            self._say(f"There is nothing to sum up: the {last}.")
        return Next()

    async def _list_context(self, call: CommandCall) -> Next:
        request = await self._chat.preview(call.argument)
        for name, tokens in sizes(request.messages):
            self._terminal.spans((f"{tokens:>8,}  ", "dim"), (name, ""), hang=10)
        for line in self._chat.share.lines:
            self._terminal.spans((" " * 10, ""), (line, "cyan"), hang=10)
        total, window = self._chat.tokens, self._chat.model.limits.context_tokens
        self._terminal.spans((f"{total:>8,}  ", "bold"), (f"of {window:,} tokens, tools included", ""), hang=10)
        return Next()

    async def _inspect(self, call: CommandCall) -> Next:
        request = await self._chat.preview(call.argument)
        for message in request.messages:
            head = f"{message.role.value}  {name_of(message)}  {short_count(tokens_of(message))} tokens"
            self._terminal.line(head, "bold", hang=2)
            for line in message.text.split("\n"):
                self._terminal.verbatim(("  ", ""), (line, "dim"))
            for one in message.calls:
                self._terminal.line(f"  {one.name} {one.arguments}", "dim", hang=4)
        for tool in request.tools:
            self._terminal.line(f"tool  {tool.name}", "bold", hang=2)
        return Next()

    async def _edit(self, call: CommandCall) -> Next:
        if not self._cycle:
            raise UsageError("nothing was said yet; there is no message to edit")
        cycle = self._number(call, self._cycle)
        before = self._chat.before_cycle(cycle)
        said = [one for one in self._chat.messages if one.visible and one.meta.cycle == cycle]
        text = said[0].shown if said and said[0].role is Role.USER else ""
        forked = await self._chats.fork(self._chat, before)
        self._say("Change the text and send it: the chat goes on from there, the old one stays in `motet history`.")
        return Next(draft=text, chat=forked)

    async def _fork(self, call: CommandCall) -> Next:
        before = self._chat.before_cycle(self._number(call, 0)) if call.argument else None
        forked = await self._chats.fork(self._chat, before)
        self._say("This is a chat of its own now; the other one stays in `motet history`.")
        return Next(chat=forked)

    async def _rename(self, call: CommandCall) -> Next:
        await self._chat.rename(call.argument)
        self._say(f"The chat is called: {self._chat.info.title}")
        return Next()

    async def _undo(self, call: CommandCall) -> Next:
        report = await self._engine.workspace.undo()
        files = (*report.restored, *report.merged, *report.removed)
        self._say(f"Taken back: {', '.join(files) or 'nothing, all is as it was'}")
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
            self._screen.model = model.name
            self._say(f"Model: {model.name} ({why})")
        else:
            self._say(f"Model: {self._chat.model.name}; /model NAME changes it, `motet models` lists them")
        return Next()

    async def _tools(self, call: CommandCall) -> Next:
        names = [tool.spec.name for tool in self._chat.share.tools()]
        self._say(
            f"Tools: {', '.join(names)}" if names else "No tools; @files, @cmd, @web in a message hand some over."
        )
        return Next()

    async def _clear(self, call: CommandCall) -> Next:
        chat = self._chats.new(self._chat.model)
        self._say("A new chat; the other one stays in `motet history`." if self._cycle else "A new chat.")
        return Next(chat=chat)

    async def _prompt(self, call: CommandCall) -> Next:
        name, _, given = call.argument.partition(" ")
        if not name:
            for entry in self._context.library:
                self._terminal.spans((f"  /{entry.name}  ", "cyan"), (entry.description, ""), hang=4)
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

    async def _show(self, call: CommandCall) -> Next:
        if not self._screen.show(self._number(call, 1)):
            self._say("There is nothing to show.")
        return Next()

    async def _pin(self, call: CommandCall) -> Next:
        return await self._mark(call, State.PINNED, "pinned: it is sent again whenever it has changed")

    async def _watch(self, call: CommandCall) -> Next:
        return await self._mark(call, State.WATCHED, "watched: what changes in it is sent")

    async def _mark(self, call: CommandCall, state: State, said: str) -> Next:
        item = self._item(call.argument)
        if not await self._chat.mark(item, state):
            raise UsageError(f"{item}: only files can be kept fresh")
        self._say(f"{item} is {said}")
        return Next()

    async def _drop(self, call: CommandCall) -> Next:
        if call.argument.startswith("@"):
            gone = await self._chat.take_away(call.argument)
            self._say(f"{call.argument}: {'taken away' if gone else 'was not handed over'}")
            return Next()
        item = self._item(call.argument)
        await self._chat.remove(item)
        self._say(f"{item}: not shared any more")
        return Next()

    async def _exit(self, call: CommandCall) -> Next:
        return Next(leaves=True)

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

    def _number(self, call: CommandCall, default: int) -> int:
        if not call.argument:
            return default
        if not (call.argument.isascii() and call.argument.isdecimal()):
            raise UsageError(f"{call.argument}: a number is wanted")
        return int(call.argument)

    @property
    def _cycle(self) -> int:
        return max((message.meta.cycle for message in self._chat.messages), default=0)

    def _say(self, text: str) -> None:
        self._terminal.line(text, "dim", hang=2)
