"""Functions of the user's own around a turn: before it is opened, at its end, for every event of it, and what is shared.

    [hooks]
    before_submit = ["my_hooks.py:check"]     # gets the text; gives another one, None for the same, False to cancel
    completed = ["my_hooks.py:ring"]          # gets the `Ended`
    event = ["my_hooks.py:log"]               # gets each `ChatEvent`
    context = "my_hooks.py:choose"            # gets the text and the shared files; gives what else goes along

Each may be async. What one raises before a turn cancels it, with file and line; later it is a notice, told once. What
chooses the context takes nothing away by failing: the message goes with what the human shared.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import cast

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
    context: Function | None = None
    """Chooses what enters a chat by itself, in the place of motet's own choice."""

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

    async def chosen(self, text: str, files: Sequence[str]) -> tuple[list[str], list[str]]:
        """What is to go along with `text` in a chat about `files`, each as the human would have written it, and a line on
        what went wrong."""
        if (hook := self.context) is None:
            return [], []
        try:
            answer = await _call(hook, text, tuple(files))
        except _ANYTHING as error:
            return [], [f"hook {_name(hook)}, so nothing goes along by itself: {describe(error, hook)}"]
        names = [answer] if isinstance(answer, str) else answer if answer is not None else []
        if isinstance(names, Iterable):
            listed = list(cast("Iterable[object]", names))
            if all(isinstance(name, str) for name in listed):
                return [name for name in listed if isinstance(name, str)], []
        return [], [f"hook {_name(hook)} gave {type(answer).__name__}: texts such as `#diff` or `@/path` are needed"]

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


async def _call(hook: Function, *arguments: object) -> object:
    if inspect.iscoroutinefunction(hook):
        return await _at_once(hook, *arguments)
    answer = await asyncio.to_thread(_caught, hook, *arguments)
    return await answer if inspect.isawaitable(answer) else answer


async def _at_once(hook: Function, *arguments: object) -> object:
    answer = _caught(hook, *arguments)
    return await answer if inspect.isawaitable(answer) else answer


def _caught(hook: Function, *arguments: object) -> object:
    """What a hook gives. What it prints goes where errors go: stdout is the answer's. Raises nothing that would end more
    than the hook."""
    try:
        with redirect_stdout(sys.stderr):
            return hook(*arguments)
    except Exception:
        raise
    except BaseException as error:
        raise _Ended(f"{type(error).__name__}") from error


def _name(hook: Function) -> str:
    return getattr(hook, "__qualname__", type(hook).__name__)


def _failed(hook: Function, error: BaseException) -> Notice:
    return Notice(f"hook {_name(hook)}: {describe(error, hook)}", Level.WARNING)
