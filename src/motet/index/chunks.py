"""A file in pieces that a question can hit: whole lines, cut where a definition or a paragraph begins.

This needs no grammar, so it is the same for every language, and costs little enough to read a large tree at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LEAST, MOST = 400, 2400
"""Characters of a chunk; a longer line is a chunk of its own, and the last one of a file may be shorter."""

_KEYWORDS = (
    r"(?:async\s+)?def|class|func|function\*?|fn|struct|enum|union|trait|impl|interface|type|module|namespace|macro_rules!"
    r"|protocol|object|package|sub|proc|defmodule|defp?|defmacro|record|message|service|constructor|test|describe"
)
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|pub(?:\([a-z ]+\))?|unsafe|extern"
    r'|const|inline|virtual|override|sealed|open|data|async|local|declare|readonly|"C")\s+)*'
)
_DEFINITION = re.compile(
    rf"^(?P<indent>[ \t]*+){_MODIFIERS}(?:(?:{_KEYWORDS})[ \t]+(?:\([^)\n]{{1,80}}\)[ \t]*)?(?P<name>[A-Za-z_$][\w$.:]*)"
    r"|(?:const|let|var)[ \t]+(?P<value>[A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async\b|function\b|\()"
    r"|\#[ \t]*define[ \t]+(?P<macro>\w+)"
    r"|(?P<constant>[A-Z][A-Z0-9_]{2,})[ \t]*(?::[^=\n]{1,60})?=)",
    re.MULTILINE,
)
_C_FUNCTION = re.compile(
    r"^(?![ \t#/}])[^\n;={}()]{0,160}?\b(?P<name>[A-Za-z_]\w+)[ \t]*\([^;{}]{0,600}?\)[^;{}()]{0,80}\{", re.MULTILINE
)
_HEADING = re.compile(
    r"^(?:#{1,6} +(?P<title>\S.*)|(?P<over>\S.*)\n(?P<rule>[=\-~^*+\"'`#])(?P=rule){2,}\s*$)", re.MULTILINE
)
_PARAGRAPH = re.compile(r"\n[ \t]*+\n(?=\S)")
C_LIKE = frozenset(
    {"c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "java", "cs", "kt", "scala", "php", "dart"}
)
PROSE = frozenset({"md", "rst", "txt", "adoc", "org", "markdown"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines `first` to `last` (1-based, both inside). `names`: what is defined in it; `around`: what it lies in."""

    first: int
    last: int
    text: str
    names: tuple[str, ...]
    around: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Mark:
    at: int
    indent: int
    name: str


def chunks(text: str, suffix: str) -> list[Chunk]:
    """The chunks of a file; `suffix` is the end of its name without the dot, in lower case."""
    marks = sorted(_marks(text, suffix), key=lambda mark: mark.at)
    found: list[Chunk] = []
    line, mark_at, open_marks = 1, 0, list[_Mark]()
    for begin, end in _spans(text, marks):
        around = tuple(mark.name for mark in open_marks)
        names: list[str] = []
        while mark_at < len(marks) and marks[mark_at].at < end:
            mark = marks[mark_at]
            names.append(mark.name)
            while open_marks and open_marks[-1].indent >= mark.indent:
                open_marks.pop()
            open_marks.append(mark)
            mark_at += 1
        piece = text[begin:end]
        count = piece.count("\n")
        last = line + count - (1 if piece.endswith("\n") else 0)
        if piece.strip():
            found.append(Chunk(line, max(line, last), piece, tuple(names), around))
        line += count
    return found


def _marks(text: str, suffix: str) -> Iterator[_Mark]:
    if suffix in PROSE:
        for match in _HEADING.finditer(text):
            yield _Mark(match.start(), 0, match["title"] or match["over"])
        return
    for match in _DEFINITION.finditer(text):
        name = match["name"] or match["value"] or match["macro"] or match["constant"]
        yield _Mark(match.start(), len(match["indent"].expandtabs(4)), name)
    if suffix in C_LIKE:
        for match in _C_FUNCTION.finditer(text):
            yield _Mark(match.start(), 0, match["name"])


def _spans(text: str, marks: list[_Mark]) -> Iterator[tuple[int, int]]:
    """Where chunks begin and end: at the last good place before they would be too long."""
    cuts = sorted({mark.at for mark in marks} | {match.end() for match in _PARAGRAPH.finditer(text)} | {len(text)})
    begin, good = 0, 0
    for cut in cuts:
        if cut - begin > MOST:
            if good - begin >= LEAST:
                yield begin, good
                begin = good
            while cut - begin > MOST:
                end = (
                    text.rfind("\n", begin + LEAST, begin + MOST) + 1
                    or text.find("\n", begin + MOST) + 1
                    or len(text)
                )
                end = min(end, cut)
                yield begin, end
                begin = end
        good = cut
    if begin < len(text):
        yield begin, len(text)
