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
import importlib
import inspect
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from motet.context.attachment import item_id, text_attachment
from motet.context.sources import Shared, notice
from motet.errors import MotetError, SettingsError
from motet.messages import Message, tags

Function = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Feature:
    """One entry of the settings. `has_params`: None, to be seen from the function."""

    callback: str | Function
    description: str = ""
    contains_code: bool = True
    has_params: bool | None = None


def load(callback: str | Function, setting: str) -> Function:
    """The function that `package.module:function` names. Raises `SettingsError`, naming `setting`."""
    if not isinstance(callback, str):
        return callback
    module, colon, name = callback.partition(":")
    if not (module and colon and name):
        raise SettingsError(f"{setting}: {callback!r} is not of the form package.module:function")
    try:
        function: object = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except (Exception, SystemExit) as error:  # a user's module may raise anything while it is imported
        raise SettingsError(f"{setting}: {callback} cannot be loaded: {describe(error)}") from error
    if not callable(function):
        raise SettingsError(f"{setting}: {callback} is no function")
    return function


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


def describe(error: BaseException, function: Function | None = None) -> str:
    """The error with the file and line where it arose: the innermost place in the function's own file, if any."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    code = getattr(inspect.unwrap(function), "__code__", None) if function else None
    own = [frame for frame in frames if code and frame.filename == code.co_filename]
    place = (own or list(frames) or [None])[-1]
    said = " ".join(str(error).split())
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return f"{text} ({place.filename}:{place.lineno})" if place else text


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
