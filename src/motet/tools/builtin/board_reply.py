"""`board_reply`: answer one post of a board."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.board_tool import Speaking
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class BoardReplyInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    post: str = Field(description="the number of the post that you answer, as in #12")
    body: str = Field(min_length=1, description="your answer, Markdown; its author gets it without a mention")
    board: str = Field("", description="the board on which that number stands; without, yours")
    kind: Literal["message", "request", "progress", "decision", "status", "ack"] = Field(
        "message", description="as of board_post"
    )


class BoardReply(OneByOne):
    """The tool."""

    spec = ToolSpec("board_reply", prompt("board_reply"), BoardReplyInput, frozenset({Effect.NET}))

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, BoardReplyInput)
        return ToolOutput(await self._speaking().reply(value.post, value.body, value.board, value.kind))
