"""What a tool is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from motet.errors import MotetError
from motet.messages import Part
from motet.models.protocol import ToolDefinition
from motet.permissions import Effect

if TYPE_CHECKING:
    from pydantic import BaseModel  # comes with the first tool: a question without tools starts without it


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool's face: name, what the model reads about it, the type of its input, what it can do to the world."""

    name: str
    description: str
    input: type[BaseModel]
    effects: frozenset[Effect]
    contained: bool = False
    """Whether it sees to it by itself that nothing is changed in plan mode, whatever its effects are else."""

    @property
    def definition(self) -> ToolDefinition:
        """The tool as it is sent to a model."""
        return ToolDefinition(self.name, self.description, _schema(self.input))

    @property
    def only_reads(self) -> bool:
        """Whether its calls may run beside others: they change nothing and ask nobody."""
        return self.effects <= {Effect.READ}

    @property
    def fits_a_plan(self) -> bool:
        """Whether it may be handed over in plan mode."""
        return self.contained or not self.effects & {Effect.WRITE, Effect.RUN}


@cache
def _schema(input: type[BaseModel]) -> dict[str, object]:
    """Made once: a request has the schemas of all its tools, and takes milliseconds to make each."""
    return input.model_json_schema()


@dataclass(frozen=True, slots=True)
class ToolInput:
    """One call with its arguments checked: `value` is an instance of the tool's `input` type."""

    id: str
    value: BaseModel


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What goes back to the model; `shown` is what a human sees instead, where that is shorter or says more.

    `parts` are pictures and documents for models that can take them; `text` says what they are. `files`: those of the
    workspace that were read or written whole or in part, so that their rules come along.
    """

    text: str
    is_error: bool = False
    shown: str = ""
    parts: tuple[Part, ...] = ()
    files: tuple[str, ...] = ()


class Tool(Protocol):
    """Something a model can call."""

    @property
    def spec(self) -> ToolSpec:
        """The tool's face."""
        ...

    async def run(self, calls: Sequence[ToolInput]) -> Sequence[ToolOutput]:
        """Run the calls that one answer makes to this tool in a row, and give one output for each, in order.

        They come together so that the edits of one answer are planned together. Failures are outputs with
        `is_error`; a `MotetError` that is raised becomes one; anything else that is raised ends the turn.
        """
        ...


class Stopped(asyncio.CancelledError):
    """A call was stopped in the middle; what it had done by then, for the model."""


class OneByOne:
    """A tool whose calls have nothing to do with each other: it has only to say what one comes to."""

    spec: ToolSpec

    async def run(self, calls: Sequence[ToolInput]) -> Sequence[ToolOutput]:
        """See `Tool`; what one call comes to says nothing about the next."""
        return [await self._answered(call.value) for call in calls]

    async def _answered(self, value: BaseModel) -> ToolOutput:
        try:
            return await self.call(value)
        except MotetError as error:
            return ToolOutput(f"{self.spec.name}: {error}", is_error=True)

    async def call(self, value: BaseModel) -> ToolOutput:
        """Run one call. Raises `MotetError` for what the model should know."""
        raise NotImplementedError
