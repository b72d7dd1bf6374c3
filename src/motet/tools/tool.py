"""What a tool is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from motet.models.protocol import ToolDefinition
from motet.permissions import Effect


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool's face: name, what the model reads about it, the type of its input, what it can do to the world."""

    name: str
    description: str
    input: type[BaseModel]
    effects: frozenset[Effect]

    @property
    def definition(self) -> ToolDefinition:
        """The tool as it is sent to a model."""
        return ToolDefinition(self.name, self.description, self.input.model_json_schema())


@dataclass(frozen=True, slots=True)
class ToolInput:
    """One call with its arguments checked: `value` is an instance of the tool's `input` type."""

    id: str
    value: BaseModel


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What goes back to the model."""

    text: str
    is_error: bool = False


class Tool(Protocol):
    """Something a model can call."""

    @property
    def spec(self) -> ToolSpec:
        """The tool's face."""
        ...

    async def run(self, calls: Sequence[ToolInput]) -> Sequence[ToolOutput]:
        """Run all calls that one answer makes to this tool, and give one output for each, in order.

        They come together so that the edits of one answer are planned together. Failures are outputs with
        `is_error`; what is raised ends the turn.
        """
        ...
