"""Users' own tools: a plain function, handed over in Python or named in the settings.

    [tools.own.ticket]
    callback = "my_tools:ticket"
    effects = ["net"]

The type hints become the input that a model must fit, the first paragraph of the docstring what it reads. What the
function raises is told to the model with file and line, and the chat goes on.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import warnings
from collections.abc import Awaitable, Iterable
from typing import Any, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from motet.errors import MotetError, SettingsError, UsageError
from motet.permissions import Effect
from motet.settings.callback import Function, describe, load
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec

ALL_EFFECTS = frozenset(Effect)
"""What a function is taken to do of which nothing is said."""


class FunctionTool(OneByOne):
    """A function as a tool. It may be async; another one runs in a thread, which nobody can stop.

    A text is told to the model as it is, a `ToolOutput` too, None as `done`, anything else as JSON. Raises
    `UsageError` for a function that cannot be one.
    """

    def __init__(
        self,
        function: Function,
        *,
        name: str = "",
        description: str = "",
        effects: Iterable[Effect] = ALL_EFFECTS,
    ) -> None:
        self._function = function
        name = name or str(getattr(function, "__name__", ""))
        if not name.isidentifier() or not name.isascii():
            raise UsageError(f"{name or repr(function)}: a tool needs a name of letters, digits and _; give it one")
        description = description or _first_paragraph(inspect.getdoc(function) or "")
        if not description:
            raise UsageError(f"{name}: the function says nothing about itself; give it a docstring or a description")
        self.spec = ToolSpec(name, description, _input_of(function, name), frozenset(effects))

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        arguments = {field: getattr(value, field) for field in type(value).model_fields}
        try:
            if inspect.iscoroutinefunction(self._function):
                answer: object = await self._function(**arguments)
            else:
                answer = await asyncio.to_thread(self._function, **arguments)
                if inspect.isawaitable(answer):
                    answer = await cast("Awaitable[object]", answer)
            return _output(answer)
        except MotetError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a user's function may raise anything)
            return ToolOutput(f"{self.spec.name}: {describe(error, self._function)}", is_error=True)


def load_tool(
    reference: str, setting: str, *, name: str = "", description: str = "", effects: Iterable[str] | None = None
) -> FunctionTool:
    """The tool that a setting describes; `effects` by name, None for all. Raises `SettingsError`, which names it."""
    function = load(reference, setting)
    try:
        wanted = ALL_EFFECTS if effects is None else frozenset(map(Effect, effects))
    except ValueError as error:
        raise SettingsError(f"{setting}: {error}; effects are {', '.join(Effect)}") from error
    try:
        return FunctionTool(function, name=name, description=description, effects=wanted)
    except UsageError as error:
        raise SettingsError(f"{setting}: {error}") from error


def _first_paragraph(docstring: str) -> str:
    return " ".join(docstring.strip().partition("\n\n")[0].split())


def _input_of(function: Function, name: str) -> type[BaseModel]:
    """The type of a call's arguments, made of the signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
        hints = get_type_hints(inspect.unwrap(function), include_extras=True)
    except (TypeError, ValueError, NameError, AttributeError) as error:
        raise UsageError(f"{name}: the type hints of the function cannot be read: {error}") from error
    fields: dict[str, Any] = {}
    for each in parameters:
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            raise UsageError(f"{name}: a model cannot fill in {each}; use parameters that have names")
        if each.name.startswith("_") or each.name == "model_config":
            raise UsageError(f"{name}: a model cannot fill in {each.name}; give the parameter another name")
        default: object = ... if each.default is each.empty else each.default
        fields[each.name] = (hints.get(each.name, Any), default)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a parameter may well be called `copy` or `schema`
            config = ConfigDict(extra="forbid", protected_namespaces=(), arbitrary_types_allowed=False)
            made = create_model(f"{name}_input", __config__=config, **fields)
            made.model_json_schema()
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(f"{name}: the parameters cannot be described to a model: {reason}") from error
    return made


def _output(answer: object) -> ToolOutput:
    match answer:
        case ToolOutput():
            return answer
        case str():
            return ToolOutput(answer)
        case None:
            return ToolOutput("done")
        case _:
            return ToolOutput(json.dumps(answer, ensure_ascii=False, default=str))
