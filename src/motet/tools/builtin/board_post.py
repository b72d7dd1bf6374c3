"""`board_post`: write to the others on a board."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.board_tool import Speaking
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class BoardPostInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    body: str = Field(min_length=1, description="what the others read, Markdown; mentions in it say whom it reaches")
    board: str = Field("", description="the name of the board; without, yours")
    kind: Literal["message", "request", "progress", "decision", "status", "ack"] = Field(
        "message",
        description="request: somebody has to answer; progress: how far you are; ack: seen, no answer needed",
    )
    minutes: float | None = Field(None, gt=0, le=1440, description="of a request: within which an answer is needed")


class BoardPost(OneByOne):
    """The tool."""

    spec = ToolSpec("board_post", prompt("board_post"), BoardPostInput, frozenset({Effect.NET}))

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, BoardPostInput)
        return ToolOutput(await self._speaking().post(value.body, value.board, value.kind, value.minutes))
