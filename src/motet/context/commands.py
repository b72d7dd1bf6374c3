"""Slash commands: what `/name` does while a message is being written.

Those about context share something or say something. Those about the chat (`/compact`, `/fork`, …) are declared here,
so that completion and help know them, and done by the chat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from motet.context import own
from motet.context.library import PromptEntry
from motet.context.sources import Shared, Sources, notice
from motet.errors import MotetError, SettingsError, UsageError
from motet.settings.callback import describe


@dataclass(frozen=True, slots=True)
class CommandCall:
    """One use: `argument` is the text behind the name, `bang` whether a `!` stood there."""

    argument: str = ""
    bang: bool = False

    def number(self, default: int) -> int:
        """The argument as a number. Raises `UsageError`."""
        if not self.argument:
            return default
        if not (self.argument.isascii() and self.argument.isdecimal()):
            raise UsageError(f"{self.argument}: a number is wanted")
        return int(self.argument)


class Command(Protocol):
    """One command. `parameters`: how they are written in help, empty for none; `asks`: what a front end asks for when the
    command is given without what it needs; `by_chat`: the chat does it, `run` is never called."""

    @property
    def name(self) -> str:
        """As it is written behind `/`."""
        ...

    @property
    def description(self) -> str:
        """One line for completion and help."""
        ...

    @property
    def parameters(self) -> str:
        """As in `PATH[:10-40]`."""
        ...

    @property
    def asks(self) -> str:
        """The question for a missing argument; empty when none is needed."""
        ...

    @property
    def contains_code(self) -> bool:
        """Whether what it shares holds code."""
        ...

    @property
    def by_chat(self) -> bool:
        """Whether the chat does it."""
        ...

    async def run(self, call: CommandCall, sources: Sources) -> Shared:
        """Do it. Raises `MotetError`."""
        ...


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A command that the chat itself does."""

    name: str
    description: str
    parameters: str = ""
    asks: str = ""
    contains_code: bool = False
    by_chat: bool = True

    async def run(self, call: CommandCall, sources: Sources) -> Shared:
        """See `Command`."""
        return notice(f"/{self.name}: only a chat can do that")


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A command that is a user's function."""

    name: str
    function: own.Function
    description: str = ""
    parameters: str = ""
    asks: str = ""
    contains_code: bool = True
    by_chat: bool = field(default=False, init=False)

    async def run(self, call: CommandCall, sources: Sources) -> Shared:
        """See `Command`."""
        argument = call.argument if self.parameters else None
        if argument == "" and own.may_be_left_away(self.function):
            argument = None
        return await own.call(self.function, argument, f"/{self.name}", "command")


def own_command(name: str, feature: own.Feature) -> OwnCommand:
    """The command that the settings describe. Raises `SettingsError`."""
    setting = f"commands.{name}"
    function = own.load(feature.callback, setting)
    takes = own.takes_text(function, setting)
    if feature.has_params and not takes:
        raise SettingsError(f"{setting}: has_params is true, but the function takes no text")
    parameters = "TEXT" if takes and feature.has_params is not False else ""
    asks = "" if not parameters or own.may_be_left_away(function) else f"Text for /{name}"
    description = feature.description or own.first_line(function)
    return OwnCommand(name, function, description, parameters, asks, feature.contains_code)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A line that is a command."""

    command: Command
    call: CommandCall

    @property
    def asks(self) -> str:
        """What to ask for before it can run; empty when it can."""
        return self.command.asks if not self.call.argument else ""


_LINE = re.compile(r"\s*/([A-Za-z0-9_][\w:.-]*)(!?)(?:[ \t\u3000]+(.*?))?\s*\Z", re.DOTALL)


class Commands:
    """The commands of a chat, by name, in the order in which help shows them."""

    def __init__(self, commands: Iterable[Command] = ()) -> None:
        self._by_name: dict[str, Command] = {}
        for command in commands:
            self.add(command)

    def add(self, command: Command) -> None:
        """Make it known, in the place of one with the same name. Raises `SettingsError` for a name that cannot be
        written."""
        if not re.fullmatch(r"[A-Za-z0-9_][\w:.-]*", command.name):
            raise SettingsError(f"command {command.name!r}: a name has letters, digits, '_', '-', ':' and '.'")
        self._by_name[command.name] = command

    def get(self, name: str) -> Command | None:
        """The command of this name, if there is one."""
        return self._by_name.get(name)

    def parse(self, line: str) -> Parsed | None:
        """The command that `line` is, as in `/fetch! https://…`; None when it names none: then it is a message."""
        found = _LINE.match(line)
        command = self._by_name.get(found[1]) if found else None
        if found is None or command is None:
            return None
        return Parsed(command, CommandCall((found[3] or "").strip(), bool(found[2])))

    def starting_with(self, prefix: str) -> list[Command]:
        """The commands whose names begin with `prefix`, for completion."""
        return [command for name, command in self._by_name.items() if name.startswith(prefix)]

    async def run(self, parsed: Parsed, sources: Sources) -> Shared:
        """Do it. A failure is a notice; nothing is raised."""
        command = parsed.command
        if command.contains_code and not sources.may_share_code:
            return notice(f"/{command.name}: not shared: your settings forbid that code leaves")
        if parsed.asks:
            return notice(f"/{command.name}: needs {command.parameters}")
        try:
            return await command.run(parsed.call, sources)
        except MotetError as error:
            return notice(f"/{command.name}: {error}")
        except Exception as error:  # noqa: BLE001 (a command may be a plug-in; the chat lives on)
            return notice(f"/{command.name}: {describe(error, type(command).run)}")

    def __iter__(self) -> Iterator[Command]:
        return iter(self._by_name.values())

    def __contains__(self, name: str) -> bool:
        return name in self._by_name


CHAT_COMMANDS: Sequence[ChatCommand] = (
    ChatCommand("compact", "replace the older part of the chat by a summary"),
    ChatCommand("context", "what is shared, with sizes, and how full the window is"),
    ChatCommand("inspect", "the next request, exactly as it would be sent, to be changed", "[TEXT]"),
    ChatCommand("edit", "open an earlier message again; sending it forks the chat there", "N"),
    ChatCommand("fork", "go on from here in a chat of its own", "[N]"),
    ChatCommand("rename", "give the chat another title", "TITLE", "New title"),
    ChatCommand("apply", "apply the edits in the last answer, hunk by hunk"),
    ChatCommand("undo", "take back the newest edits to files"),
    ChatCommand("retry", "send the last message again"),
    ChatCommand("model", "show or change the model", "[NAME]"),
    ChatCommand("tools", "show the tools that were handed over"),
    ChatCommand("board", "talk with other agents on a board; `leave` leaves it", "[NAME [as NAME] [in ROLE…]]"),
    ChatCommand("clear", "begin a new chat"),
    ChatCommand("prompt", "use a prompt of the library", "[NAME]"),
    ChatCommand("pin", "send a shared file again whenever it has changed", "ITEM", "Item to pin"),
    ChatCommand("watch", "send what has changed in a shared file", "ITEM", "Item to watch"),
    ChatCommand("drop", "take something out of what is shared, or a tool away", "ITEM|@TOOL", "Item to drop"),
)
"""Declared only: the chat does them."""


def prompt_commands(entries: Iterable[PromptEntry]) -> list[ChatCommand]:
    """A command for each prompt of the library, under its name and its alias."""
    return [
        ChatCommand(name, entry.description, "[TEXT]")
        for entry in entries
        for name in dict.fromkeys((entry.name, entry.alias))
        if name
    ]
