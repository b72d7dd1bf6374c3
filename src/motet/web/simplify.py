"""The part of a page that is read, as a small balanced piece of HTML: one pass, without recursion.

What is left out: script, style, navigation, page header and footer, forms and their controls, hidden elements,
comments, and all attributes but those of links and pictures. Elements that a page leaves open are closed where
HTML says so (HTML, 13.1.2.4, optional tags), so that a tree of what is left is never deeper than it should be.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

DEEPEST = 100
"""Elements that may be open at once; the tags of what lies deeper are left out, its text stays."""

_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_SILENT = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math",
        "iframe",
        "object",
        "embed",
        "canvas",
        "nav",
        "footer",
        "audio",
        "video",
        "dialog",
        "head",
        "select",
        "textarea",
        "button",
        "option",
        "optgroup",
        "datalist",
        "label",
    ]
)
_DROPPED_VOID = frozenset(
    ["area", "base", "col", "embed", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_ROLES = frozenset(["navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar"])
_KEPT = {
    "a": ("href",),
    "img": ("alt", "src", "title"),
    "td": ("colspan",),
    "th": ("colspan",),
    "ol": ("start",),
}
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*\.?0*\s*(?:;|!|$)"
    r"|font-size\s*:\s*0*\.?0*\s*(?:px|em|rem|pt|%)?\s*(?:;|!|$)",
    re.IGNORECASE,
)
_CLOSES_PARAGRAPH = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "details",
        "div",
        "dl",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "ul",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "tbody",
        "thead",
        "tfoot",
    ]
)
_CLOSES = {
    "li": ({"li"}, {"ul", "ol", "menu"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
    "tr": ({"tr", "td", "th"}, {"table"}),
    "td": ({"td", "th"}, {"tr", "table"}),
    "th": ({"td", "th"}, {"tr", "table"}),
    "tbody": ({"tbody", "thead", "tfoot", "tr", "td", "th"}, {"table"}),
    "thead": ({"tbody", "thead", "tfoot", "tr", "td", "th"}, {"table"}),
    "tfoot": ({"tbody", "thead", "tfoot", "tr", "td", "th"}, {"table"}),
}
"""By an element that begins: which open ones end, and at which they stop counting."""
_SCOPE = frozenset(
    ["td", "th", "table", "li", "dd", "dt", "article", "section", "main", "body", "form", "blockquote"]
)
_PLAIN_NAME = re.compile(r"[a-z][a-z0-9]{0,20}")
_LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+#.-]{1,30})")

Attributes = list[tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class Simple:
    """`html`: balanced. `base`: what relative links are relative to, where the page says. `whole`: nothing was cut."""

    html: str
    title: str
    base: str
    whole: bool


def simplify(html: str, most: int) -> Simple:
    """What is read of `html`, up to about `most` characters of text."""
    parser = _Simplifier(most)
    try:
        parser.feed(html)
        parser.close()
    except _Enough:
        return parser.result(whole=False)
    return parser.result(whole=True)


class _Enough(Exception):
    """There is as much text as is wanted."""


@dataclass(slots=True)
class _Open:
    name: str
    written: str
    silent: bool
    at: int
    text_before: int


@dataclass(slots=True)
class _Form:
    start: int
    end: int
    text: int


@dataclass(slots=True)
class _State:
    pieces: list[str] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    open: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    forms: list[_Form] = field(default_factory=list)
    silent: int = 0
    text: int = 0
    title: list[str] = field(default_factory=list)
    titles: int = 0
    in_title: bool = False
    base: str = ""


class _Simplifier(HTMLParser):
    def __init__(self, most: int) -> None:
        super().__init__(convert_charrefs=True)
        self._most = most
        self._now = _State()

    def result(self, *, whole: bool) -> Simple:
        now = self._now
        while now.stack:
            self._pop()
        # Some sites put the whole page into one form: that one stays.
        for form in now.forms:
            if form.text * 2 < now.text:
                now.pieces[form.start : form.end] = [""] * (form.end - form.start)
        return Simple("".join(now.pieces), " ".join("".join(now.title).split()), now.base, whole)

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        now = self._now
        given = {name: value or "" for name, value in reversed(attrs)}
        if tag == "title" and not now.titles:
            now.in_title, now.titles = True, 1
            return
        if tag == "base" and not now.base:
            now.base = given.get("href", "")
        if tag == "body" and now.open["head"]:  # `</head>` may be left out
            self._close("head")
        self._end_implied(tag)
        if tag in _VOID:
            if tag not in _DROPPED_VOID and not now.silent and not _hidden(given):
                now.pieces.append(_start(tag, given))
            return
        if len(now.stack) >= DEEPEST and tag not in _SILENT:
            now.ignored[tag] += 1
            return
        self._push(tag, given)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.handle_starttag(tag, attrs)  # in HTML the slash means nothing

    def handle_endtag(self, tag: str) -> None:
        now = self._now
        if tag == "title":
            now.in_title = False
        elif now.ignored[tag]:
            now.ignored[tag] -= 1
        elif now.open[tag]:
            self._close(tag)

    def handle_data(self, data: str) -> None:
        now = self._now
        if now.in_title:
            now.title.append(data[:1000])
        elif not now.silent:
            now.pieces.append(escape(data, quote=False))
            now.text += len(data)
            if now.text > self._most:
                raise _Enough

    def _push(self, tag: str, given: dict[str, str]) -> None:
        now = self._now
        silent = tag in _SILENT or _hidden(given, tag)
        if tag == "header" and not (now.open["article"] or now.open["main"] or now.open["section"]):
            silent = True
        if tag == "footer" and now.open["blockquote"]:  # it says whose words they are
            silent = False
        written = tag if _PLAIN_NAME.fullmatch(tag) else "span"
        now.stack.append(_Open(tag, written, silent, len(now.pieces), now.text))
        now.open[tag] += 1
        now.silent += silent
        if not now.silent:
            now.pieces.append(_start(written, given))

    def _pop(self) -> None:
        now = self._now
        closed = now.stack.pop()
        now.open[closed.name] -= 1
        if not now.silent:
            now.pieces.append(f"</{closed.written}>")
            if closed.name == "form":
                now.forms.append(_Form(closed.at, len(now.pieces), now.text - closed.text_before))
        now.silent -= closed.silent

    def _close(self, tag: str) -> None:
        """End the innermost open `tag`, and what is open in it."""
        while self._now.stack:
            name = self._now.stack[-1].name
            self._pop()
            if name == tag:
                return

    def _end_implied(self, tag: str) -> None:
        """End what `tag`, which begins, ends without saying so."""
        now = self._now
        if tag in _CLOSES_PARAGRAPH and now.open["p"]:
            for level in range(len(now.stack) - 1, -1, -1):
                if now.stack[level].name == "p":
                    self._close_from(level)
                    break
                if now.stack[level].name in _SCOPE:
                    break
        if tag in _CLOSES:
            ended, stops = _CLOSES[tag]
            last = -1
            for level in range(len(now.stack) - 1, -1, -1):
                name = now.stack[level].name
                if name in stops:
                    break
                if name in ended:
                    last = level
            if last >= 0:
                self._close_from(last)

    def _close_from(self, level: int) -> None:
        while len(self._now.stack) > level:
            self._pop()


def _hidden(given: dict[str, str], tag: str = "") -> bool:
    if not given or tag in {"html", "body"}:
        return False
    return (
        "hidden" in given
        or given.get("aria-hidden", "").lower() == "true"
        or given.get("role", "").lower() in _ROLES
        or ("style" in given and _HIDING.search(given["style"][:2000]) is not None)
    )


def _start(tag: str, given: dict[str, str]) -> str:
    kept = [f' {name}="{escape(given[name])}"' for name in _KEPT.get(tag, ()) if name in given]
    if tag in {"pre", "code"} and (language := _LANGUAGE.search(given.get("class", "")[:200])):
        kept.append(f' class="language-{language[1]}"')
    return f"<{tag}{''.join(kept)}>"
