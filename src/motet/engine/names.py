"""What can be named in a chat, for completion: variables, tools, commands, and the models of the command for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from motet.chat import Chat
from motet.context import Command
from motet.context.complete import Known, Name
from motet.context.paths import Files
from motet.settings import Settings


def known_names(chat: Chat, settings: Settings, files: Callable[[], Sequence[str] | None]) -> Known:
    """All that `chat` knows now; `files` gives the paths of the workspace, or None while they are not known."""
    context = chat.parts.context
    if context is None:
        return Known()
    variables = [Name(one.name, one.description, "TEXT" if one.has_params else "") for one in context.known.variables]
    tools = [Name(name, about) for name, about in chat.parts.tools.known.items()]
    values = {
        "model": _models(settings),
        "prompt": tuple(Name(entry.name, entry.description) for entry in context.library),
    }
    commands = [_named(command, values.get(command.name, ())) for command in context.commands]
    return Known(variables, tools, commands, Files(files))


def _models(settings: Settings) -> tuple[Name, ...]:
    """Models by name; whether they can be used is only asked when one is chosen."""
    from motet.models.providers.table import PROVIDERS

    named = [f"{name}/{one.model}" if one.model else name for name, one in settings.providers.items()]
    own = [Name(name, "of your settings") for name in named]
    table = [Name(f"{each.name}/{model}") for each in PROVIDERS.values() for model in each.models]
    return (*own, *table, Name("offline", "built in"))


def _named(command: Command, values: tuple[Name, ...]) -> Name:
    takes_files = "PATH" in command.parameters
    return Name(command.name, command.description, command.parameters, values, takes_files)
