"""The web for the chats of one workspace: one cache, every request in the log, searching where the settings say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from motet.context import Page
from motet.models.keys import KeySource
from motet.permissions import Gate, Origin
from motet.permissions.egress import EgressLog
from motet.settings import WebSettings
from motet.tools import Tool
from motet.tools.kit import Kit
from motet.tools.registry import Maker

if TYPE_CHECKING:
    from motet.web import PageCache, SearchConfig, WebRequest


@dataclass
class Pages:
    """Pages as chats get them, for humans who name them and for models that ask. What fetches is imported with the
    first page."""

    settings: WebSettings
    log: EgressLog
    root: Path
    environ: Mapping[str, str]

    @cached_property
    def _cache(self) -> PageCache:
        from motet.web import PageCache

        return PageCache()

    def shared(self, gate: Gate, chat_id: str) -> Callable[[str], Awaitable[Page]]:
        """Reads a page that the human names in a chat."""

        async def page(url: str) -> Page:
            from motet.web import fetch

            found = await fetch(
                url,
                gate=gate,
                origin=Origin.USER,
                allow_private=self.settings.allow_private,
                on_request=self._written_down(chat_id),
                cache=self._cache,
            )
            if found.text:
                gate.taint(f"page {found.final_url}")
            return Page(found.final_url, found.text, found.title, notes=found.notes)

        return page

    def tools(self, chat_id: str) -> Mapping[str, Maker]:
        """The tools of a chat that read pages, by name. Raises `SettingsError`."""
        heard = self._written_down(chat_id)

        def fetches(kit: Kit) -> Tool:
            from motet.tools.builtin.fetch_url import FetchUrl

            private = self.settings.allow_private
            return FetchUrl(kit, allow_private=private, cache=self._cache, on_request=heard)

        if not (self.settings.searxng or self.settings.tavily_key or self.settings.brave_key):
            return {"fetch_url": fetches}
        config = self._search()

        def searches(kit: Kit) -> Tool:
            from motet.tools.builtin.web_search import web_search

            tool = web_search(kit, config, on_request=heard)
            assert tool is not None  # there is something to search with
            return tool

        return {"fetch_url": fetches, "web_search": searches}

    def _search(self) -> SearchConfig:
        from motet.web import SearchConfig

        return SearchConfig(
            self.settings.searxng,
            self._key(self.settings.tavily_key, "tavily"),
            self._key(self.settings.brave_key, "brave"),
        )

    def _key(self, setting: str | None, service: str) -> Callable[[], Awaitable[str]] | None:
        if not setting:
            return None
        source = KeySource(setting, self.environ, service)

        async def key() -> str:
            secret = await source.get()
            return secret.reveal() if secret is not None else ""

        return key

    def _written_down(self, chat_id: str) -> Callable[[WebRequest], None]:
        def heard(request: WebRequest) -> None:
            self.log.add("web", request.host, request.bytes_out, chat=chat_id, project=str(self.root))

        return heard
