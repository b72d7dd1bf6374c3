"""`board_agents`: who is on a board, and what is claimed."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.board_tool import Speaking
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class BoardAgentsInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    board: str = Field("", description="the name of the board; without, yours")


class BoardAgents(OneByOne):
    """The tool."""

    spec = ToolSpec("board_agents", prompt("board_agents"), BoardAgentsInput, frozenset({Effect.READ}))

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, BoardAgentsInput)
        return ToolOutput(await self._speaking().agents(value.board))
