"""`board_wait`: wait for posts that call this agent."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.board_tool import Speaking
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class BoardWaitInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    seconds: float = Field(60, gt=0, le=300, description="how long at most")


class BoardWait(OneByOne):
    """The tool."""

    spec = ToolSpec("board_wait", prompt("board_wait"), BoardWaitInput, frozenset({Effect.NET}))

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, BoardWaitInput)
        return ToolOutput(await self._speaking().wait(value.seconds))
