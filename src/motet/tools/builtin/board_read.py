"""`board_read`: read what was written on a board."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.board_tool import Speaking
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class BoardReadInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    board: str = Field("", description="the name of the board; without, yours")
    after: int | None = Field(None, ge=0, le=10**12, description="only posts behind this number; without, the newest")
    words: str = Field("", description="only posts in which these words stand")
    limit: int = Field(20, ge=1, le=50, description="how many at most")


class BoardRead(OneByOne):
    """The tool."""

    spec = ToolSpec("board_read", prompt("board_read"), BoardReadInput, frozenset({Effect.READ}))

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, BoardReadInput)
        return ToolOutput(await self._speaking().read(value.board, value.after, value.words, value.limit))
