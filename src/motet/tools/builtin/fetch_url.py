"""`fetch_url`: one page of the web as text, in parts when it is long."""

from __future__ import annotations

from typing import cast

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.kit import Kit
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.web import OnRequest, PageCache, fetch, share, unreported

DEFAULT_CHARACTERS = 15_000
MAX_CHARACTERS = 18_000
"""Stays below what a tool's output is cut to, so that the frame is whole."""


class FetchUrlInput(BaseModel):
    """Arguments of one call."""

    url: str = Field(description="the whole address, as in https://example.org/page")
    start: int = Field(0, ge=0, description="the character of the text to begin with; 0 is the first")
    limit: int = Field(DEFAULT_CHARACTERS, ge=1, le=MAX_CHARACTERS, description="how many characters to read at most")


class FetchUrl(OneByOne):
    """The tool. Without a `cache` of the caller it keeps one of its own, so that parts come from one fetch."""

    def __init__(
        self,
        kit: Kit,
        *,
        allow_private: bool = False,
        cache: PageCache | None = None,
        on_request: OnRequest = unreported,
    ) -> None:
        self.spec = ToolSpec("fetch_url", prompt("fetch_url"), FetchUrlInput, frozenset({Effect.NET}))
        self._gate = kit.gate
        self._allow_private = allow_private
        self._cache = PageCache() if cache is None else cache
        self._on_request = on_request

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `OneByOne`."""
        wish = cast("FetchUrlInput", value)
        page = await fetch(
            wish.url,
            gate=self._gate,
            allow_private=self._allow_private,
            on_request=self._on_request,
            cache=self._cache,
        )
        if page.text:
            self._gate.taint(f"page {page.final_url}")
        length = len(page.text)
        if wish.start and wish.start >= length:
            return ToolOutput(f"{page.final_url}: the text ends after {length} characters", is_error=True)
        text = share(page, wish.start, wish.limit)
        end = wish.start + wish.limit
        if end < length:
            text += f"\nThere is more: go on with start={end}."
        said = f"{page.title or page.final_url}: {length} characters" if length else page.final_url
        return ToolOutput(text, shown="\n".join([said, *page.notes]))
