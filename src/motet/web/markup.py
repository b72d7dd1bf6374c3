"""A page of HTML as Markdown: what a human reads of it, without menus, forms and what is hidden.

Pictures are never loaded: each becomes its name and its words, and no address from which a viewer could load it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from posixpath import basename
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from motet.web.article import article_text, main_part
from motet.web.simplify import simplify

if TYPE_CHECKING:
    from bs4 import Tag

_TOO_MANY_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_BLANK_ENDS = re.compile(r"[ \t]+$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_ANCHORS = frozenset("¶#§")
"""What generators of documentation put behind a heading, as a link to it."""
_LINK = ("http://", "https://", "mailto:")


@dataclass(frozen=True, slots=True)
class Markdown:
    """A page as Markdown; `whole`: nothing was cut."""

    title: str
    text: str
    whole: bool


def markdown_of(html: str, url: str, most: int) -> Markdown:
    """What is read of a page whose address is `url`, up to about `most` characters; links become absolute."""
    from bs4 import BeautifulSoup

    simple = simplify(html, most)
    soup = BeautifulSoup(simple.html, "html.parser")
    article = article_text(simple.html, url)
    part = main_part(soup, article, simple.title) if article else soup
    base = (simple.base and _joined(url, simple.base)) or url
    return Markdown(simple.title, tidy(_convert(part, base)), whole=simple.whole)


def tidy(text: str) -> str:
    """`text` without blanks at the ends of lines and with no more than one empty line in a row."""
    return _TOO_MANY_LINES.sub("\n\n", _BLANK_ENDS.sub("", text)).strip()


def _convert(part: Tag, url: str) -> str:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter  # pyright: ignore[reportMissingTypeStubs]

    class Converter(MarkdownConverter):  # pyright: ignore[reportUntypedBaseClass]
        def convert_img(self, el: Tag, text: str, parent_tags: object) -> str:
            return _picture(el)

        def convert_a(self, el: Tag, text: str, parent_tags: object) -> str:
            return _link(el, text, url)

        def convert_pre(self, el: Tag, text: str, parent_tags: object) -> str:
            return _code(_language(el), text)

        def convert_td(self, el: Tag, text: str, parent_tags: object) -> str:
            return _cell(el, text)

        def convert_th(self, el: Tag, text: str, parent_tags: object) -> str:
            return _cell(el, text)

    converter = Converter(
        heading_style="atx",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    for caption in part.find_all("caption"):  # it stands before its table, and is no row of it
        caption.name = "p"
        if caption.parent is not None and caption.parent.name == "table":
            caption.parent.insert_before(caption.extract())
    whole = BeautifulSoup("", "html.parser")
    whole.append(part.extract())
    return converter.convert_soup(whole)  # pyright: ignore[reportUnknownMemberType]


def _cell(tag: Tag, text: str) -> str:
    """A cell of a row, and empty ones for the further columns that it spans."""
    columns = str(tag.get("colspan") or "")
    spans = int(columns) if columns.isascii() and columns.isdecimal() and len(columns) < 4 else 1
    said = text.strip().replace("\n", " ").replace("|", "\\|")
    return f" {said} |" + " |" * (max(spans, 1) - 1)


def _code(language: str, text: str) -> str:
    """A block of code in a fence that is longer than any in it."""
    if not text.strip():
        return ""
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(text) if len(ticks) > 2)])
    return f"\n\n{fence}{language}\n{text.strip(chr(10))}\n{fence}\n\n"


def _language(tag: Tag) -> str:
    """What a block of code says it is written in."""
    for each in (tag, tag.find("code")):
        if each and (names := str(each.get("class") or "")):
            return names.rpartition("language-")[2].strip("[]'")
    return ""


def _picture(tag: Tag) -> str:
    words = " ".join(str(tag.get("alt") or tag.get("title") or "").split())
    source = str(tag.get("src") or "")
    name = "" if source.lower().startswith("data:") else unquote(basename(_path(source)))
    if tag.get("alt") == "" and not words:
        return ""  # the page itself says that it only decorates
    said = ": ".join(part for part in (f"image {name}".strip(), words) if part)
    return f"[{said.replace('[', '(').replace(']', ')')}]"


def _path(url: str) -> str:
    """The path of `url`, which may be anything at all."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _link(tag: Tag, text: str, url: str) -> str:
    said = " ".join(text.split())
    if said in _ANCHORS and str(tag.get("href") or "").startswith("#"):
        return ""
    target = _joined(url, str(tag.get("href") or ""))
    if not said or not target.lower().startswith(_LINK) or target.partition("#")[0] == url:
        return text
    target = target.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C")
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before and ' '}[{said}]({target}){after and ' '}"


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location.strip())
    except ValueError:
        return ""
