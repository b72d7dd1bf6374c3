"""`search_code`: passages of the project that answer a question, from the index; the same of another source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.reading import counted
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

if TYPE_CHECKING:
    from motet.index.packing import Passages


class Find(Protocol):
    """Whoever has an index, and knows what may be seen of it. Raises `MotetError`."""

    async def __call__(self, question: str, tokens: int) -> Passages:
        """The passages for `question` within `tokens`."""
        ...


class SearchCodeInput(BaseModel):
    """Arguments of one call."""

    query: str = Field(description="what you look for: a question, or names and words", min_length=1, max_length=2000)
    tokens: int = Field(4000, ge=500, le=8000, description="how much text to give at most, in tokens")


class SearchCode(OneByOne):
    """The tool. `about`: what another source than the project is, for the model."""

    def __init__(self, find: Find, name: str = "search_code", about: str = "") -> None:
        text = prompt("search_source").replace("{about}", about) if about else prompt("search_code")
        self.spec = ToolSpec(name, text, SearchCodeInput, frozenset({Effect.READ}))
        self._find = find

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, SearchCodeInput)
        answer = await self._find(value.query, value.tokens)
        if not answer.found:
            return ToolOutput("nothing of that was found; try other words, or `search_text` for an exact text")
        blocks: list[str] = []
        for passage in answer.found:
            lines = f":{passage.first}-{passage.last}" if passage.first else ""
            head = f"{shown(passage.path)}{lines}  ({'; '.join(passage.reasons)})".lstrip()
            blocks.append(f"{head}\n{passage.numbered}")
        if answer.others:
            blocks.append("\n".join(["Further places:", *map(shown, answer.others)]))
        if not answer.complete:
            blocks.append("(Files are still being read; ask again for more.)")
        files = len({passage.path for passage in answer.found})
        return ToolOutput(
            "\n\n".join(blocks),
            shown=f"{counted(len(answer.found), 'passage')} of {counted(files, 'file')}, {answer.tokens:,} tokens",
        )
