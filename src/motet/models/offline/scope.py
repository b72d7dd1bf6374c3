"""Which lines of a Python file can bind a name that is visible at a given line: by indentation alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from motet.models.offline.source import FILL, Source, Word

_HEADER = re.compile(r"\s*(?:async\s+)?(?P<kind>def|class)\s+(?P<name>\w+)")


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    line: int
    indent: int


@dataclass(frozen=True, slots=True)
class VisibleLines:
    """Lines whose names can be seen; of `headers` (`def` and `class` of other blocks) only the name they define."""

    whole: frozenset[int]
    headers: dict[int, str]

    def shows(self, word: Word) -> bool:
        """Whether `word` stands where it can bind a visible name."""
        line = word.place.line
        return line in self.whole or self.headers.get(line) == word.name


def visible_lines(source: Source, number: int) -> VisibleLines:
    """Lines of the module itself, of the functions around line `number`, and of a class directly around it."""
    chains = _chains(source)
    mine = chains.get(number, ())
    functions = [block for block in mine if block.kind == "def"]
    outer = functions[0] if functions else None
    whole: set[int] = set()
    headers: dict[int, str] = {}
    for line, chain in chains.items():
        if outer is not None and (outer in chain or line == outer.line):
            whole.add(line)
        elif not chain or chain == mine:
            header = _HEADER.match(source.code(line))
            if header is None:
                whole.add(line)
            else:
                headers[line] = header["name"]
    return VisibleLines(frozenset(whole), headers)


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
