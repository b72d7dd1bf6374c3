"""Which names of a Python file are visible at a given line: by indentation alone."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from motet.models.offline.source import FILL, Source

_HEADER = re.compile(r"\s*(?:async\s+)?(?P<kind>def|class)\s+(?P<name>\w+)")


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    line: int
    indent: int


@lru_cache(maxsize=8)
def scopes_of(source: Source) -> Scopes:
    """The scopes of `source`, worked out once."""
    return Scopes(source)


class Scopes:
    """Names by the block that binds them."""

    def __init__(self, source: Source) -> None:
        self._chains = _chains(source)
        headers = {line: found["name"] for line in self._chains if (found := _HEADER.match(source.code(line)))}
        self._directly: defaultdict[tuple[_Block, ...], set[str]] = defaultdict(set)
        self._inside: defaultdict[int, set[str]] = defaultdict(set)
        for word in source.words:
            line = word.place.line
            if word.joint:
                continue
            chain = self._chains.get(line, ())
            function = _outermost_function(chain)
            if function is not None or line in headers:
                self._inside[function.line if function is not None else line].add(word.name)
            # Of the header of another block only the name that it defines can be seen.
            if headers.get(line, word.name) == word.name:
                self._directly[chain].add(word.name)

    def visible(self, number: int) -> frozenset[str]:
        """Names of the module itself, of the functions around line `number`, and of a class directly around it."""
        chain = self._chains.get(number, ())
        function = _outermost_function(chain)
        around = self._inside[function.line] if function is not None else self._directly[chain]
        return frozenset(around | self._directly[()])


def _outermost_function(chain: tuple[_Block, ...]) -> _Block | None:
    return next((block for block in chain if block.kind == "def"), None)


def _chains(source: Source) -> dict[int, tuple[_Block, ...]]:
    """For each line of code the `def`s and `class`es around it, outermost first."""
    chains: dict[int, tuple[_Block, ...]] = {}
    stack: list[_Block] = []
    depth = 0
    for number in source.numbers:
        code = source.code(number)
        text = code.lstrip()
        if not text or text.startswith(FILL):
            chains[number] = tuple(stack)
            depth += _depth(code)
            continue
        indent = len(code) - len(text)
        if depth <= 0:
            while stack and indent <= stack[-1].indent:
                stack.pop()
        chains[number] = tuple(stack)
        header = _HEADER.match(code) if depth <= 0 else None
        if header is not None:
            stack.append(_Block(header["kind"], number, indent))
        depth = max(depth + _depth(code), 0)
    return chains


def _depth(code: str) -> int:
    return sum(code.count(mark) for mark in "([{") - sum(code.count(mark) for mark in ")]}")
