"""`board_release`: let go of claimed files."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.board_tool import Speaking
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class BoardReleaseInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    paths: list[str] = Field(default_factory=list[str], description="as they were claimed; none: all that you hold")


class BoardRelease(OneByOne):
    """The tool."""

    spec = ToolSpec("board_release", prompt("board_release"), BoardReleaseInput, frozenset({Effect.NET}))

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, BoardReleaseInput)
        return ToolOutput(await self._speaking().release(value.paths))
