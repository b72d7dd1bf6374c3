"""Slash commands in a chat buffer: those that share something, and those of the chat that need no window of their own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from motet.chat import Chat
from motet.context import CommandCall
from motet.errors import MotetError, UsageError

_INSTEAD = {
    "clear": ":Motet new", "exit": ":quit", "retry": ":Motet retry",
}  # fmt: skip
"""What does it in an editor."""


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of one chat. `use` goes on with the model of that name."""

    chat: Chat
    use: Callable[[str], Awaitable[None]]

    def is_command(self, text: str) -> bool:
        """Whether `text` is a command and no message."""
        context = self.chat.parts.context
        return "\n" not in text and context is not None and context.commands.parse(text) is not None

    async def run(self, text: str) -> list[str]:
        """Do it; what the human should know, a line each. Raises `MotetError`, and then nothing has changed."""
        context = self.chat.parts.context
        parsed = context.commands.parse(text) if context is not None else None
        assert parsed is not None  # it is a command
        name, call = parsed.command.name, parsed.call
        if parsed.asks:
            raise UsageError(f"/{name} needs {parsed.command.parameters}")
        match name:
            case "model":
                return await self._model(call)
            case "compact":
                before = self.chat.tokens
                done = await self.chat.compact()
                return [f"summed up: {before:,} tokens are {self.chat.tokens:,} now" if done else "nothing to sum up"]
            case "rename":
                await self.chat.rename(call.argument)
                return [f"called {self.chat.info.title}"]
            case _ if parsed.command.by_chat:
                instead = _INSTEAD.get(name)
                raise UsageError(f"/{name} is not here yet" + (f"; {instead} does it" if instead else ""))
            case _:
                return await self._share(text)

    async def _model(self, call: CommandCall) -> list[str]:
        if call.argument:
            await self.use(call.argument)
        return [f"model: {self.chat.model.name}"]

    async def _share(self, text: str) -> list[str]:
        share = self.chat.share
        before = {item.id for item in share.waiting}
        told = await share.run(text, self.chat.model.limits)
        fresh = [item.context.id for item in share.waiting if item.context is not None and item.id not in before]
        return [*told, *(f"with the next message: {line}" for line in fresh)]


async def tried(commands: Commands, text: str) -> tuple[bool, list[tuple[str, str]]]:
    """Whether the command was done, and what is to be said of it: level and line."""
    try:
        return True, [("info", line) for line in await commands.run(text)]
    except MotetError as error:
        return False, [("error", str(error))]
