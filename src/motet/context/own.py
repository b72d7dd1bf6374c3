"""What users add themselves: plain functions, named in the settings or handed over in Python.

    [variables.ticket]
    callback = "my_tools:ticket"
    description = "the ticket of this branch"
    contains_code = false

The function takes nothing or one text, may be async, and returns a text, messages or None. What it raises is a notice
with file and line.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from motet.context.attachment import item_id, text_attachment
from motet.context.sources import Shared, notice
from motet.errors import MotetError, SettingsError
from motet.messages import Message, tags
from motet.settings.callback import Function, describe
from motet.settings.callback import load as load_callback


@dataclass(frozen=True, slots=True)
class Feature:
    """One entry of the settings. `has_params`: None, to be seen from the function."""

    callback: str | Function
    description: str = ""
    contains_code: bool = True
    has_params: bool | None = None


def load(callback: str | Function, setting: str) -> Function:
    """The function itself, or the one that a setting names. Raises `SettingsError`, naming `setting`."""
    return callback if not isinstance(callback, str) else load_callback(callback, setting)


def takes_text(function: Function, setting: str) -> bool:
    """Whether `function` takes a text. Raises `SettingsError` when it needs more than one."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    needed = [each for each in positional if each.default is each.empty]
    keywords = [each for each in parameters if each.kind is each.KEYWORD_ONLY and each.default is each.empty]
    if len(needed) > 1 or keywords:
        raise SettingsError(f"{setting}: the function must take nothing or one text")
    return bool(positional) or any(each.kind is each.VAR_POSITIONAL for each in parameters)


async def call(function: Function, argument: str | None, name: str, kind: str) -> Shared:
    """Call a user's function; `name` is how the human wrote it, as in `#ticket`. Never raises but for cancellation."""
    try:
        arguments = () if argument is None else (argument,)
        if inspect.iscoroutinefunction(function):
            answer: object = await function(*arguments)
        else:
            answer = await asyncio.to_thread(function, *arguments)
            if inspect.isawaitable(answer):
                answer = await answer
    except MotetError as error:
        return notice(f"{name}: {error}")
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a user's function may raise anything; the chat lives on)
        return notice(f"{name}: {describe(error, function)}")
    return _shared(answer, name, kind, argument)


def _shared(answer: object, name: str, kind: str, argument: str | None) -> Shared:
    label = name[1:] if argument is None else f"{name[1:]}:{argument}"
    words = f"`{label}`"
    match answer:
        case None | "":
            return Shared(notices=(f"{name}: gave nothing to share",))
        case str():
            attributes = {"name": label}
            message = text_attachment(
                kind, answer, tag=tags.VARIABLE, item=item_id(kind, label), attributes=attributes, source=name
            )
            return Shared((message,), words)
        case Message():
            return Shared((answer,), words)
        case Shared():
            return answer
        case list() | tuple() if all(isinstance(each, Message) for each in cast("Sequence[object]", answer)):
            return Shared(tuple(cast("Sequence[Message]", answer)), words)
        case _:
            return notice(f"{name}: gave {type(answer).__name__}; a text or messages are needed")


def may_be_left_away(function: Function) -> bool:
    """Whether `function`, which takes a text, can be called without it."""
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True


def first_line(function: Function) -> str:
    """The first line of its docstring."""
    return (inspect.getdoc(function) or "").partition("\n")[0]
