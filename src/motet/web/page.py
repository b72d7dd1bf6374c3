"""A fetched page, and the pages that were fetched a moment ago."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

LIFE_SECONDS = 300.0
MAX_PAGES = 32
MAX_CACHED_CHARACTERS = 8_000_000


@dataclass(frozen=True, slots=True)
class Page:
    """What an address answered. Everything but `url` and `notes` was written by whoever runs the site.

    `url`: as asked; `final_url`: after redirects. `mime`: without parameters. `text`: Markdown for HTML, else as it
    came; empty when the page is blocked or holds no text, and then a note says why. `truncated`: there was more.
    `notes`: for the human and the model, a line each.
    """

    url: str
    final_url: str
    title: str
    mime: str
    text: str
    truncated: bool = False
    notes: tuple[str, ...] = ()


class PageCache:
    """Pages by address, for a few minutes, in memory only; the oldest goes first when there are too many."""

    def __init__(self, life: float = LIFE_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._life = life
        self._clock = clock
        self._pages: OrderedDict[tuple[str, bool], tuple[float, Page]] = OrderedDict()

    def get(self, url: str, *, allow_private: bool) -> Page | None:
        """The page, when it is not too old and was fetched under the same rule about private addresses."""
        found = self._pages.get((url, allow_private))
        if found is None:
            return None
        when, page = found
        if self._clock() - when > self._life:
            del self._pages[url, allow_private]
            return None
        return page

    def put(self, url: str, page: Page, *, allow_private: bool) -> None:
        """Keep a page."""
        self._pages.pop((url, allow_private), None)
        self._pages[url, allow_private] = (self._clock(), page)
        while len(self._pages) > MAX_PAGES or (len(self._pages) > 1 and self._size() > MAX_CACHED_CHARACTERS):
            self._pages.popitem(last=False)

    def _size(self) -> int:
        return sum(len(page.text) for _, page in self._pages.values())
