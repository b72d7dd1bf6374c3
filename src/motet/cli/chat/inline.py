"""Emphasis, code, links and pictures inside one line of Markdown, while the line is still arriving.

A mark is drawn as style only when its end has come; until then the text is held back, at most `_LONGEST` characters.
What turns out to be no mark is drawn as it stands, so nothing of the text is lost. After CommonMark 0.31.2, sections
6.1 to 6.5, with two simplifications: a mark ends on the line it began on, and `*` or `_` alone between two letters or
digits is no mark. Text of links is followed by the whole address; pictures are named, never loaded.
"""

from __future__ import annotations

import re

from motet.cli.wrap import Span

_LONGEST = 300
"""Characters in which a mark must end."""
_DEEPEST = 4
"""Marks inside of marks."""
_SPECIAL = re.compile(r"[\\`*_~\[!<]")
_RUN = re.compile(r"`+|\*+|_+|~+")
_LINK = re.compile(
    r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]"
    r"\(\s*(?:<([^<>]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
_LINK_MAY_COME = re.compile(r"\[(?:[^\[\]\\]|\\.|\[[^\[\]]*+\]?+)*+(?:\\|\](?:\((?:[^()]|\([^()]*+\)?+)*+)?)?\Z")
_ADDRESS = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_ADDRESS_MAY_COME = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{0,31}(?::[^\s<>]*)?)?\Z")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_MAY_CLOSE = {mark: re.compile(rf"(?<=\S){re.escape(mark)}") for mark in "*_~"}
_EMPHASIS = {1: "italic", 2: "bold", 3: "bold italic"}


class Inline:
    """One line. `style` is what all of it is drawn in."""

    def __init__(self, style: str = "") -> None:
        self._style = style
        self._held = ""
        self._before = ""

    def feed(self, text: str) -> list[Span]:
        """What can be drawn now."""
        if not self._held and not _SPECIAL.search(text):
            if text:
                self._before = text[-1]
            return [(text, self._style)]
        spans, self._held, self._before = _scan(self._held + text, self._style, self._before, final=False)
        return spans

    def rest(self) -> list[Span]:
        """What was held back: the line is over."""
        return scan(self._held, self._style, self._before)


class Verbatim(Inline):
    """A line without marks."""

    def feed(self, text: str) -> list[Span]:
        """See `Inline`."""
        return [(text, self._style)]


class Heading(Inline):
    """A heading: the signs that close it are left out."""

    _tail = ""

    def feed(self, text: str) -> list[Span]:
        """See `Inline`."""
        text = self._tail + text
        at = _end_of_heading(text)
        if len(text) - at > _LONGEST:
            at = len(text)
        self._tail = text[at:]
        return super().feed(text[:at])


def scan(text: str, style: str = "", before: str = "") -> list[Span]:
    """The whole of a line as spans."""
    return _scan(text, style, before, final=True)[0]


def _scan(text: str, style: str, before: str, *, final: bool, depth: int = 0) -> tuple[list[Span], str, str]:
    """Spans, what must be held back, and the last character that was passed."""
    spans: list[Span] = []
    at = 0
    while at < len(text):
        special = _SPECIAL.search(text, at)
        if special is None or depth > _DEEPEST:
            spans.append((text[at:], style))
            return spans, "", text[-1]
        if special.start() > at:
            spans.append((text[at : special.start()], style))
            at = special.start()
            before = text[at - 1]
        found = _mark(text, at, style, before, depth, final=final)
        if found is not None and not final and found[1] == len(text) and text[at] in "`*_~":
            found = None  # what comes next may make the run at its end longer
        if found is None and not final and len(text) - at <= _LONGEST and _may_come(text, at, before):
            return spans, text[at:], before
        drawn, end = found or _literal(text, at, style)
        spans += drawn
        at, before = end, text[end - 1]
    return spans, "", before


def _literal(text: str, at: int, style: str) -> tuple[list[Span], int]:
    run = _RUN.match(text, at)
    end = run.end() if run else at + 1
    return [(text[at:end], style)], end


def _mark(text: str, at: int, style: str, before: str, depth: int, *, final: bool) -> tuple[list[Span], int] | None:
    """The whole mark at `at` and where it ends; None: there is none, or its end has not come."""
    match text[at]:
        case "\\":
            if at + 1 < len(text) and text[at + 1] in _PUNCTUATION:
                return [(text[at + 1], style)], at + 2
        case "`":
            return _code(text, at, style)
        case "[":
            if link := _LINK.match(text, at, at + _LONGEST):
                return _link(link, style, depth), link.end()
        case "!":
            if text.startswith("[", at + 1) and (link := _LINK.match(text, at + 1, at + _LONGEST)):
                return [("image: ", f"dim {style}"), *_link(link, style, depth)], link.end()
        case "<":
            if address := _ADDRESS.match(text, at, at + _LONGEST):
                return [(address[1], f"underline {style}")], address.end()
        case _:
            return _emphasis(text, at, style, before, depth, final=final)
    return None


def _end_of_heading(text: str) -> int:
    """Where the blanks, or the signs behind blanks, begin that close a heading."""
    signs = text.rstrip(" \t")
    bare = signs.rstrip("#")
    body = bare.rstrip(" \t")
    return len(body) if len(body) < len(bare) else len(signs)


def _may_come(text: str, at: int, before: str) -> bool:
    """Whether what follows `text` can still make a mark of what stands at `at`."""
    match text[at]:
        case "\\":
            return at + 1 == len(text)
        case "[":
            return _LINK_MAY_COME.match(text, at) is not None
        case "!":
            return at + 1 == len(text) or (text[at + 1] == "[" and _LINK_MAY_COME.match(text, at + 1) is not None)
        case "<":
            return _ADDRESS_MAY_COME.match(text, at) is not None
        case "`":
            return True
        case _:
            run = _RUN.match(text, at)
            end = run.end() if run else at + 1
            return end == len(text) or _opens(text[at:end], before, text[end])


def _code(text: str, at: int, style: str) -> tuple[list[Span], int] | None:
    ticks = _ticks(text, at)
    start = at + ticks
    look = start
    while (close := text.find("`", look, at + _LONGEST)) >= 0:
        size = _ticks(text, close)
        if size == ticks:
            inside = text[start:close]
            if len(inside) > 2 and inside[0] == inside[-1] == " " and inside.strip():
                inside = inside[1:-1]
            return [(inside, f"cyan {style}".strip())], close + size
        look = close + size
    return None


def _ticks(text: str, at: int) -> int:
    end = at
    while end < len(text) and text[end] == "`":
        end += 1
    return end - at


def _link(link: re.Match[str], style: str, depth: int) -> list[Span]:
    """Its text, then its whole address, unless they are the same."""
    address = link[2] if link[2] is not None else link[3]
    label = scan_inside(link[1], style, depth)
    if not link[1].strip() or link[1] == address:
        return [(address, f"underline {style}".strip())]
    return [*label, (" (", style), (address, f"underline {style}".strip()), (")", style)]


def scan_inside(text: str, style: str, depth: int) -> list[Span]:
    """What stands inside of a mark."""
    return _scan(text, style, "", final=True, depth=depth + 1)[0]


def _opens(run: str, before: str, after: str) -> bool:
    """Whether `run` can begin emphasis (left-flanking, section 6.2)."""
    if len(run) > 3 or after.isspace() or (run[0] == "~" and len(run) != 2):
        return False
    within = _is_letter(before) and _is_letter(after)
    return not within if len(run) == 1 or run[0] == "_" else True


def _emphasis(
    text: str, at: int, style: str, before: str, depth: int, *, final: bool
) -> tuple[list[Span], int] | None:
    run_match = _RUN.match(text, at)
    run = run_match[0] if run_match else text[at]
    start = at + len(run)
    if start >= len(text) or not _opens(run, before, text[start]):
        return None
    close = _closing(text, start, run, at + _LONGEST, final=final)
    if close is None:
        return None
    more = "strike" if run[0] == "~" else _EMPHASIS[len(run)]
    inside = scan_inside(text[start:close], f"{style} {more}".strip(), depth)
    return inside, close + len(run)


def _closing(text: str, start: int, run: str, limit: int, *, final: bool) -> int | None:
    """Where the run that closes `run` begins; code, escapes and other runs are passed over. Unless `final`, code that
    is still open may go over what looks like the end."""
    at = start
    end = min(len(text), limit)
    if not _MAY_CLOSE[run[0]].search(text, start, end):
        return None
    while at < end:
        found = _SPECIAL.search(text, at, end)
        if found is None:
            return None
        at = found.start()
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            code = _code(text, at, "")
            if code is None and not final:
                return None
            at = code[1] if code else at + _ticks(text, at)
        elif text[at] == run[0] and (other := _RUN.match(text, at)):
            size = len(other[0])
            if _closes(text, at, size, run):
                return at + size - len(run)
            at += size
        else:
            at += 1
    return None


def _closes(text: str, at: int, size: int, run: str) -> bool:
    """Whether the run of `size` at `at` can end what `run` began."""
    if text[at - 1].isspace() or size not in (len(run), 3):
        return False
    after = text[at + size : at + size + 1]
    return not (_is_letter(text[at - 1]) and _is_letter(after)) if size == 1 or run[0] == "_" else True


def _is_letter(character: str) -> bool:
    """Letters and digits of scripts that put blanks between words: there a mark inside a word is none."""
    return character.isalnum() and ord(character) < 0x2E80
