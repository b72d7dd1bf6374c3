"""`board_claim`: claim files, so that no other agent writes them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.board_tool import Speaking
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class BoardClaimInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    paths: list[str] = Field(
        min_length=1,
        max_length=20,
        description="files or patterns from the root of the work tree: src/a.py, src/auth/**",
    )
    minutes: float = Field(30, gt=0, le=240, description="after which the claim ends by itself")
    task: str = Field("", max_length=200, description="what for, in a few words, for the others")


class BoardClaim(OneByOne):
    """The tool."""

    spec = ToolSpec("board_claim", prompt("board_claim"), BoardClaimInput, frozenset({Effect.NET}))

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, BoardClaimInput)
        return ToolOutput(await self._speaking().claim(value.paths, value.minutes, value.task))
