"""Which part of a page is the article. trafilatura, where the extra `motet[web]` is installed, says which words belong to
it; they are looked for in the page, and the part that holds them is taken as it is, with its figures, tables and code.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

SHORTEST_ARTICLE = 250
"""Characters that trafilatura must find for its answer to be taken."""

_TELLING = 20
"""Characters from which on a line of the article stands in no menu as well."""
_MOSTLY_LINKS = 0.6
"""From which share of links on a part without a word of the article is a menu."""
_BLOCKS = frozenset(["div", "section", "aside", "ul", "ol", "table", "article", "p", "form"])
_HOLD_BLOCKS = frozenset(["html", "body", "main", "article", "section", "div", "form", "table", "tbody", "tr", "td"])

Place = tuple[int, int]
"""Where something begins and ends, in characters of the page without white space."""


def article_text(html: str, url: str) -> str:
    """The words of the main content, a paragraph a line; empty where there is none, or the extra is not installed."""
    try:
        import trafilatura
    except ImportError:
        return ""
    found = trafilatura.extract(html, url=url, output_format="txt", include_tables=True, include_comments=False)
    return found if found and len(found) >= SHORTEST_ARTICLE else ""


def main_part(soup: BeautifulSoup, article: str, title: str) -> Tag:
    """The smallest element that holds `article` and its heading, which the page's `title` tells, without its menus; all
    of `soup` where none does."""
    text, places = _laid_out(soup)
    heading = next((one for one in soup.find_all("h1") if _is_in(one.get_text(), title)), None)
    lines = _places_of(article, text)
    part: Tag = soup
    needed = [line for line in lines if line[1] - line[0] >= _TELLING]
    if heading is not None:
        needed.append(places[id(heading)])
    while needed and (inner := _holder(part, needed, places)) is not None:
        part = inner
    for child in part.find_all(_BLOCKS):
        if child.decomposed or _holds_any(places[id(child)], lines):
            continue
        said = len("".join(child.get_text().split()))
        linked = sum(len("".join(link.get_text().split())) for link in child.find_all("a"))
        if said and linked > _MOSTLY_LINKS * said and child.find(["pre", "figure", "img"]) is None:
            child.decompose()
    return part


def _is_in(words: str, text: str) -> bool:
    return "".join(words.split()) in "".join(text.split()) and bool(words.strip())


def _is_within(place: Place, other: Place) -> bool:
    return other[0] <= place[0] and place[1] <= other[1]


def _holds_any(place: Place, lines: Sequence[Place]) -> bool:
    at = bisect_left(lines, place)
    return at < len(lines) and _is_within(lines[at], place)


def _holder(part: Tag, needed: Sequence[Place], places: Mapping[int, Place]) -> Tag | None:
    """The one element in `part` that holds all that is `needed`, and is more than a paragraph by itself."""
    from bs4 import Tag

    for child in part.children:
        if (
            isinstance(child, Tag)
            and child.name in _HOLD_BLOCKS
            and all(_is_within(one, places[id(child)]) for one in needed)
            and child.find(_BLOCKS) is not None
        ):
            return child
    return None


def _laid_out(soup: BeautifulSoup) -> tuple[str, dict[int, Place]]:
    """The text of a page without white space, and where in it each element stands, by its identity."""
    from bs4.element import NavigableString, PageElement, Tag

    pieces: list[str] = []
    places: dict[int, Place] = {}
    size = 0
    waiting: list[tuple[Tag, int] | PageElement] = [soup]
    while waiting:
        match waiting.pop():
            case (Tag() as ended, int(start)):
                places[id(ended)] = (start, size)
            case Tag() as begun:
                waiting.append((begun, size))
                waiting += reversed(begun.contents)
            case NavigableString() as text:
                pieces.append("".join(text.split()))
                size += len(pieces[-1])
            case _:
                pass
    return "".join(pieces), places


def _places_of(article: str, text: str) -> Sequence[Place]:
    """Where the lines of `article` stand in `text`, in order; looked for one behind the other where that can be."""
    found: list[Place] = []
    at = 0
    for line in article.splitlines():
        wanted = "".join(line.removeprefix("- ").replace("|", "").split())
        start = text.find(wanted, at) if wanted else -1
        if start < 0 and wanted:
            start = text.find(wanted)
        if start >= 0:
            at = start + len(wanted)
            found.append((start, at))
    return sorted(found)
