"""Saved pages of many kinds, and what is read of each: `pages/NAME.html` and `pages/NAME.md`.

Where the extra `motet[web]` finds the article in a page, the page without it is `NAME.all.md`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from motet.web.markup import markdown_of

PAGES = Path(__file__).with_name("pages")
NAMES = sorted(path.stem for path in PAGES.glob("*.html"))


def read(name: str) -> str:
    html = (PAGES / f"{name}.html").read_text(encoding="utf-8")
    return markdown_of(html, "https://example.org/docs/page", 200_000).text + "\n"


@pytest.mark.acceptance("S0-085")
@pytest.mark.parametrize("name", NAMES)
def test_a_saved_page_is_read_without_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    everything = PAGES / f"{name}.all.md"
    wanted = everything if everything.exists() else PAGES / f"{name}.md"
    assert read(name) == wanted.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_page_is_read_with_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "trafilatura")
    assert read(name) == (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_there_are_pages_of_twenty_kinds() -> None:
    assert len(NAMES) >= 20
