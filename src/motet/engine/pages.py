"""The web for the chats of one workspace: one cache, every request in the log, searching where the settings say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from motet.context import Page
from motet.models.keys import KeySource
from motet.permissions import Gate, Origin
from motet.permissions.egress import EgressLog
from motet.settings import WebSettings
from motet.tools import Tool
from motet.tools.builtin.fetch_url import FetchUrl
from motet.tools.builtin.web_search import web_search
from motet.tools.kit import Kit
from motet.tools.registry import Maker
from motet.web import PageCache, SearchConfig, WebRequest, fetch


@dataclass(slots=True)
class Pages:
    """Pages as chats get them, for humans who name them and for models that ask."""

    settings: WebSettings
    log: EgressLog
    root: Path
    environ: Mapping[str, str]
    _cache: PageCache = field(default_factory=PageCache)

    def shared(self, gate: Gate) -> Callable[[str], Awaitable[Page]]:
        """Reads a page that the human names."""

        async def page(url: str) -> Page:
            found = await fetch(
                url,
                gate=gate,
                origin=Origin.USER,
                allow_private=self.settings.allow_private,
                on_request=self._written_down(""),
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
            private = self.settings.allow_private
            return FetchUrl(kit, allow_private=private, cache=self._cache, on_request=heard)

        config = self._search()
        if not config.usable:
            return {"fetch_url": fetches}

        def searches(kit: Kit) -> Tool:
            tool = web_search(kit, config, on_request=heard)
            assert tool is not None  # there is something to search with
            return tool

        return {"fetch_url": fetches, "web_search": searches}

    def _search(self) -> SearchConfig:
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
