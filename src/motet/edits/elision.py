"""Elision: a line that is only `...` or `# … existing code …` stands for lines that were left out.

An edit with such lines is as many edits as it has parts; each part has to be found by itself, in order, and what the
elision stands for stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from motet.edits.match import Needle

_COMMENT = r"(?:#|//|/\*|--|<!--|%|;)"
_LEFT_OUT = r"\(?(?:the )?(?:rest|existing|remaining|remainder|other|same|unchanged|previous)\b"
# `...rest` is code in JavaScript, `... rest` and `// ...rest` are not.
_PLACEHOLDER = re.compile(
    rf"^\s*+(?:{_COMMENT}\s*+(?:\.{{3}}|…)\s*+|…\s*+|\.{{3}}\s++){_LEFT_OUT}|^\s*+\.{{3}}{_LEFT_OUT}\s+\w",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(
    r"\s*+\((?:the )?(?:(?:rest|remainder) of|remaining|existing|unchanged|other|same|previous)(?: \w+)? "
    r"(?:code|file|functions?|class(?:es)?|methods?|implementation|imports|lines|content|body)\b[^()&|+]{0,40}"
    r"(?:\.{3}|…)\s*+\)\s*+",
    re.IGNORECASE,
)
"""What is left out has to be a thing of code: `(Same<T, Ts> && ...)` is C++, and prose has brackets, too."""
_BARE = re.compile(rf"^\s*+(?:{_COMMENT}\s*+)?(?:\.{{3}}|…)\s*+(?:code\s*+(?:\.{{3}}|…)?\s*+)?(?:\*/|-->)?\s*+$")
_CUE = r"(?:existing|rest|remaining|remainder|unchanged|previous|omitted|elided|same|other|more code|keep|snip|code)"
_LEFT_OUT_NOTE = re.compile(
    rf"\s*+(?:{_COMMENT}\s*+(?:\.{{3}}|…)(?:[^.…]{{0,60}}\b{_CUE}\b[^.…]{{0,60}})?(?:\.{{3}}|…)?"
    rf"|{_COMMENT}\s*+(?:the )?(?:rest|remainder) of (?:the |this |your )?(?:\w+ )?"
    r"(?:code|file|function|class|method|implementation|imports)(?: (?:here|unchanged|remains?|stays?|is|goes|as)\b.*)?"
    rf"|{_COMMENT}\s*+(?:existing|previous|other) (?:code|implementation|imports|methods|functions)"
    r"(?: (?:here|unchanged|remains?|stays?|as|goes)\b.*)?"
    rf"|{_COMMENT}\s*+\[?unchanged\]?|…)\s*+(?:\*/|-->)?\s*+",
    re.IGNORECASE,
)
_LONGEST = 200
"""Characters of a line that stands for others; a longer one says something itself."""


def is_placeholder(line: str) -> bool:
    """Whether `line` says that lines were left out: `# … rest of the code`, `(rest of methods ...)`."""
    if len(line) > _LONGEST:
        return False
    in_brackets = line.lstrip()[:1] == "(" and _IN_BRACKETS.fullmatch(line) is not None
    return in_brackets or _PLACEHOLDER.match(line) is not None


def leaves_out(line: str) -> bool:
    """Whether `line`, where new text is shorter than old, says that lines were left out: `# ...`, `// existing code`."""
    return len(line) <= _LONGEST and _LEFT_OUT_NOTE.fullmatch(line) is not None


def is_elision(line: str) -> bool:
    """Whether `line` stands for lines that were left out."""
    return is_placeholder(line) or (len(line) <= _LONGEST and _BARE.match(line) is not None)


def parts(needle: Needle) -> list[Needle] | None:
    """The parts of an edit between its elisions, in order; None when it has no elision, or when search text and
    new text do not have the same number of them."""
    searches, replaces = _split(needle.search), _split(needle.replace)
    if len(searches) < 2 or len(searches) != len(replaces):
        return None
    pairs = [Needle(search, replace) for search, replace in zip(searches, replaces, strict=True)]
    if any(not pair.search and pair.replace for pair in pairs):
        return None  # new lines beside an elision have no place
    return [pair for pair in pairs if pair.search] or None


def _split(lines: Sequence[str]) -> list[tuple[str, ...]]:
    pieces: list[list[str]] = [[]]
    for line in lines:
        if is_elision(line):
            pieces.append([])
        else:
            pieces[-1].append(line)
    return [tuple(piece) for piece in pieces]
