"""Symbols in what a human wrote: `#buffer`, `@editor`, `@/src/a.py:10-40`, `@https://…`, links to files.

| form | what |
|---|---|
| `#name` `#{name}` `#{name:param}` `#name{param}` | a variable, whose own name may have a `:` |
| `@name` `@{name}` | a tool or a group of tools |
| `@/path` `@./path` `@{path with spaces}` with `:10` or `:10-40` | a file or directory of the workspace, a line range |
| `@file.ts` `@src/file.ts` | the same in short, where such a file exists |
| `@https://…` | an address |
| `[text](./src/file.ts)` `(./src/file.ts#L10-L40)` | a link to a file that exists |

Recognised only when the name is known and stands at a word boundary; in Japanese and the like, everywhere between
words. Code spans, fences, indented code, HTML and its comments, link targets, addresses and quotes (`>`, which repeat
somebody else's words) stay text, and so does what stands behind a backslash. Pure; linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from urllib.parse import unquote

from motet.prose import Leaf, Mark, Prose, begins, continues, is_spaceless, is_word, leaves

LineRange = tuple[int, int]
"""First and last line, 1-based, both included."""


class Kind(StrEnum):
    """What a symbol stands for."""

    VARIABLE = "variable"
    TOOL = "tool"
    FILE = "file"
    LINK = "link"
    URL = "url"


@dataclass(frozen=True, slots=True)
class Symbol:
    """Characters `start` up to `end` of a text.

    `name`: the known name, the address, or the path in the workspace; of a path that is not `found`, what was written.
    `param` is None where none was given.
    """

    kind: Kind
    start: int
    end: int
    name: str
    param: str | None = None
    lines: LineRange | None = None
    found: bool = True


@dataclass(frozen=True, slots=True)
class Names:
    """What is known. `variables`: by name, whether they take a parameter. `resolve`: the path in the workspace that a
    written path means, or None when there is no such file or directory."""

    variables: Mapping[str, bool] = field(default_factory=dict[str, bool])
    tools: Collection[str] = ()
    resolve: Callable[[str], str | None] = lambda _: None


def find_symbols(text: str, names: Names) -> tuple[Symbol, ...]:
    """The symbols of `text` in order; they do not overlap."""
    if not any(mark in text for mark in ("@", "#", "](")):
        return ()
    return tuple(symbol for leaf in leaves(text) for symbol in _Paragraph(text, leaf, names).symbols())


def split(text: str, symbols: Sequence[Symbol]) -> tuple[str | Symbol, ...]:
    """`text` in pieces: the symbols, and everything between them as it is."""
    pieces: list[str | Symbol] = []
    at = 0
    for symbol in symbols:
        pieces += [text[at : symbol.start], symbol]
        at = symbol.end
    return tuple(piece for piece in (*pieces, text[at:]) if piece != "")


_ADDRESS = re.compile(r"https?://[A-Za-z0-9\[][!#-;=?-\[\]_a-z~]*")
_RUN = re.compile(r"[^\s<>\"'`|\\@]{1,1000}")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./~+%$()\[\]-]+")
_BRACED = re.compile(r"\{([^{}\n]{1,1000})\}")
_PARAM = re.compile(r"\{([^{}\n]{0,1000})\}")
_NAME = re.compile(r"\w[\w:.-]{0,200}")
_LINES = re.compile(r"(.+?):(\d{1,9})(?:-(\d{1,9}))?\Z")
_FRAGMENT = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?\Z")
_GLUE = re.compile(r"[-./:]*")
_MOST_CUTS = 64
_TRAILING = ".,;:!?)]}"


class _Paragraph:
    """The symbols of one paragraph."""

    def __init__(self, text: str, leaf: Leaf, names: Names) -> None:
        self._prose = Prose(text, leaf)
        self._text = self._prose.text
        self._names = names

    def symbols(self) -> Iterator[Symbol]:
        """The symbols, placed in the whole text."""
        for mark in self._prose.marks("@#"):
            symbol = self._link(mark) if mark.target else self._mark(mark.start)
            if symbol is not None:
                self._prose.pass_over(symbol.end)
                yield replace(symbol, start=self._prose.place(symbol.start), end=self._prose.place(symbol.end))

    def _mark(self, at: int) -> Symbol | None:
        if not begins(self._text, at):
            return None
        if self._text[at] == "#":
            return self._variable(at)
        return self._address(at) or self._tool(at) or self._path(at) or self._in_braces(at)

    def _variable(self, at: int) -> Symbol | None:
        known = self._names.variables
        if braced := _BRACED.match(self._text, at + 1):
            if braced[1] in known:
                return Symbol(Kind.VARIABLE, at, braced.end(), braced[1])
            parts = braced[1].split(":", 2)  # the longest known name, as in `#{codebase:wiki:how is …}`
            for name, param in ((":".join(parts[:count]), ":".join(parts[count:])) for count in (2, 1)):
                if len(parts) > name.count(":") + 1 and known.get(name):
                    return Symbol(Kind.VARIABLE, at, braced.end(), name, param)
            return None
        name = self._known(at + 1, known)
        if not name:
            return None
        end = at + 1 + len(name)
        param = _PARAM.match(self._text, end) if known[name] else None
        if param:
            return Symbol(Kind.VARIABLE, at, param.end(), name, param[1])
        return Symbol(Kind.VARIABLE, at, end, name)

    def _tool(self, at: int) -> Symbol | None:
        name = self._known(at + 1, self._names.tools)
        return Symbol(Kind.TOOL, at, at + 1 + len(name), name) if name else None

    def _known(self, at: int, known: Collection[str]) -> str:
        """The longest known name that ends where a name may end."""
        found = _NAME.match(self._text, at)
        for length in range(len(found[0]) if found else 0, 0, -1):
            name = self._text[at : at + length]
            if name in known and not continues(self._text, at + length):
                return name
        return ""

    def _address(self, at: int) -> Symbol | None:
        found = _ADDRESS.match(self._text, at + 1)
        if found is None:
            return None
        address = found[0]
        while address[-1] in ".,;:!?'*]" or (address[-1] == ")" and address.count(")") > address.count("(")):
            address = address[:-1]
        return Symbol(Kind.URL, at, at + 1 + len(address), address)

    def _path(self, at: int) -> Symbol | None:
        is_explicit = self._text.startswith(("/", "./"), at + 1)
        run = _RUN.match(self._text, at + 1)
        if run is None or run[0] in ("/", "./") or not (is_explicit or "." in run[0] or "/" in run[0]):
            return None
        for length in _cuts(run[0]):
            written = run[0][:length]
            if (symbol := self._resolved(Kind.FILE, at, at + 1 + length, written)) is not None:
                return symbol
        if not is_explicit or run[0].startswith("//"):
            return None
        plain = _PLAIN_PATH.match(run[0])
        written = (plain[0] if plain else run[0]).rstrip(_TRAILING)
        if written in ("", "/", "."):
            return None
        return Symbol(Kind.FILE, at, at + 1 + len(written), written, found=False)

    def _in_braces(self, at: int) -> Symbol | None:
        braced = _BRACED.match(self._text, at + 1)
        if braced is None:
            return None
        written = braced[1].strip()
        if written in self._names.tools:
            return Symbol(Kind.TOOL, at, braced.end(), written)
        if re.match(r"https?://[^\s/]\S*\Z", written):
            return Symbol(Kind.URL, at, braced.end(), written)
        if symbol := self._resolved(Kind.FILE, at, braced.end(), written):
            return symbol
        if written.startswith(("/", "./")):
            return Symbol(Kind.FILE, at, braced.end(), written, found=False)
        return None

    def _resolved(self, kind: Kind, start: int, end: int, written: str) -> Symbol | None:
        if path := self._names.resolve(written):
            return Symbol(kind, start, end, path)
        with_lines = _LINES.match(written)
        if with_lines and (path := self._names.resolve(with_lines[1])):
            return Symbol(kind, start, end, path, lines=_range(with_lines[2], with_lines[3]))
        return None

    def _link(self, link: Mark) -> Symbol | None:
        target = unquote(link.target)
        path, _, fragment = target.partition("#")
        if not path or "://" in target or not (symbol := self._resolved(Kind.LINK, link.start, link.end, path)):
            return None
        lines = _FRAGMENT.match(fragment)
        if lines is None:
            return symbol
        return Symbol(Kind.LINK, link.start, link.end, symbol.name, lines=_range(lines[1], lines[2]))


def _range(first: str, last: str | None) -> LineRange:
    one, other = int(first), int(last or first)
    return max(min(one, other), 1), max(one, other, 1)


def _cuts(run: str) -> list[int]:
    """Where a path at the beginning of `run` may end, the longest first: not inside a word, nor before what goes on
    with it. Behind a path a long sentence without spaces may follow, so the nearest places are taken."""
    places: list[int] = []
    for at, (one, other) in enumerate(pairwise(run), 1):
        if is_word(other) and not is_spaceless(one):
            continue
        if is_spaceless(one) or not _goes_on(run, at):
            places.append(at)
        if len(places) == _MOST_CUTS:
            break
    else:
        places.append(len(run))
    return places[::-1]


def _goes_on(run: str, at: int) -> bool:
    """Whether a path goes on here: `.`, `/` and the like, as many as there are, and then a letter, as in `/../a`."""
    glue = _GLUE.match(run, at)
    at = glue.end() if glue else at
    return at < len(run) and is_word(run[at])
