"""Where functions are made part of every chat, as decorators: for programs (`motet.open`) and for plug-ins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from motet.chat import Hooks
from motet.context import Command, Feature, Variable, own_command, own_variable
from motet.tools import Tool

F = TypeVar("F", bound=Callable[..., object])


@dataclass(slots=True)
class Extras:
    """What a program or a plug-in adds to the chats of a workspace: tools, variables, commands and hooks of its own, and
    what finds passages in the place of the index."""

    tools: dict[str, Tool] = field(default_factory=dict[str, Tool])
    variables: list[Variable] = field(default_factory=list[Variable])
    commands: list[Command] = field(default_factory=list[Command])
    hooks: Hooks = field(default_factory=Hooks)
    retriever: Callable[..., object] | None = None


class Registration:
    """Takes functions into `extras`."""

    def __init__(self, extras: Extras) -> None:
        self._extras = extras

    def tool(self, function: F) -> F:
        """Make a plain function a tool, as a decorator: its name, type hints and docstring are what a model is told.
        It has to be handed over like any other."""
        from motet.tools.function_tool import ALL_EFFECTS, FunctionTool  # most chats have none

        made = FunctionTool(function, name="", description="", effects=ALL_EFFECTS)
        self._extras.tools[made.spec.name] = made
        return function

    def variable(self, function: F) -> F:
        """Make `#name` of a function that gives a text, as a decorator."""
        self._extras.variables.append(own_variable(_name(function), Feature(function)))
        return function

    def retriever(self, function: F) -> F:
        """Choose passages with a function of your own instead of motet's index, as a decorator: wherever they are asked
        for, it gets the question and, if it takes two, the tokens there is room for, and gives a list: texts, or objects
        with `text` and, where there are any, `path`, `first` and `why`."""
        self._extras.retriever = function
        return function

    def command(self, function: F) -> F:
        """Make `/name` of a function that gives a text, as a decorator."""
        self._extras.commands.append(own_command(_name(function), Feature(function)))
        return function

    def before_submit(self, function: F) -> F:
        """Have a function get each text before it is sent, as a decorator: it gives another one, None for the same, or
        False to cancel."""
        self._extras.hooks.before_submit.append(function)
        return function

    def completed(self, function: F) -> F:
        """Have a function get the `Ended` of each turn, as a decorator."""
        self._extras.hooks.completed.append(function)
        return function

    def listen(self, function: F) -> F:
        """Have a function get each event of each chat, as a decorator."""
        self._extras.hooks.event.append(function)
        return function

    def context(self, function: F) -> F:
        """Have a function choose what goes along by itself, as a decorator: it gets the text and the files in the chat,
        and gives texts such as `#diff`, `@/path` or `map`; without one it is the map."""
        self._extras.hooks.context = function
        return function


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", "") or type(function).__name__
