"""Functions of the user's own around a turn: before it is opened, at its end, and for every event of it.

    [hooks]
    before_submit = ["my_hooks.py:check"]     # gets the text; gives another one, None for the same, False to cancel
    completed = ["my_hooks.py:ring"]          # gets the `Ended`
    event = ["my_hooks.py:log"]               # gets each `ChatEvent`

Each may be async. What one raises before a turn cancels it, with file and line; later it is a notice, told once.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, field

from motet.chat.errors import Cancelled
from motet.chat.events import ChatEvent, Ended, Level, Notice
from motet.settings.callback import Function, describe


class _Ended(Exception):
    """A hook raised what is meant to end a program."""


_ANYTHING = (Exception, SystemExit)
"""What a user's function may raise."""


@dataclass(slots=True)
class Hooks:
    """The functions of one chat, in the order in which they are called."""

    before_submit: list[Function] = field(default_factory=list[Function])
    completed: list[Function] = field(default_factory=list[Function])
    event: list[Function] = field(default_factory=list[Function])

    async def submitted(self, text: str) -> str:
        """The text that is said instead of `text`. Raises `Cancelled`."""
        for hook in self.before_submit:
            try:
                answer = await _call(hook, text)
            except _ANYTHING as error:
                raise Cancelled(f"a hook failed, and nothing was sent: {describe(error, hook)}") from error
            match answer:
                case None | True:
                    continue
                case False:
                    raise Cancelled(f"{_name(hook)} did not let it be sent")
                case str():
                    text = answer
                case _:
                    raise Cancelled(f"{_name(hook)} gave {type(answer).__name__}: a text, None or False is needed")
        return text

    async def ended(self, ended: Ended) -> list[Notice]:
        """Tell how a turn ended; what is to be said of hooks that failed."""
        notices: list[Notice] = []
        for hook in self.completed:
            try:
                await _call(hook, ended)
            except _ANYTHING as error:
                notices.append(_failed(hook, error))
        return notices

    async def heard(self, event: ChatEvent) -> list[Notice]:
        """Tell an event; a hook that fails hears no more."""
        notices: list[Notice] = []
        for hook in tuple(self.event):
            try:
                await _at_once(hook, event)
            except _ANYTHING as error:
                self.event.remove(hook)
                notices.append(_failed(hook, error))
        return notices


async def _call(hook: Function, argument: object) -> object:
    if inspect.iscoroutinefunction(hook):
        return await _at_once(hook, argument)
    answer = await asyncio.to_thread(_caught, hook, argument)
    return await answer if inspect.isawaitable(answer) else answer


async def _at_once(hook: Function, argument: object) -> object:
    answer = _caught(hook, argument)
    return await answer if inspect.isawaitable(answer) else answer


def _caught(hook: Function, argument: object) -> object:
    """What a hook gives. What it prints goes where errors go: stdout is the answer's. Raises nothing that would end more
    than the hook."""
    try:
        with redirect_stdout(sys.stderr):
            return hook(argument)
    except Exception:
        raise
    except BaseException as error:
        raise _Ended(f"{type(error).__name__}") from error


def _name(hook: Function) -> str:
    return getattr(hook, "__qualname__", type(hook).__name__)


def _failed(hook: Function, error: BaseException) -> Notice:
    return Notice(f"hook {_name(hook)}: {describe(error, hook)}", Level.WARNING)
