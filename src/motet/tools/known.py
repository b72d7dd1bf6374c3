"""What a language server knows beside the syntax: how the tools about symbols join the two, and say who found it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from motet.syntax import OUTLINE_KINDS, Definition, language_of
from motet.text import TextFile
from motet.tools.definitions import Where, definitions_of, is_called
from motet.tools.search import Found
from motet.workspace.failures import shown

if TYPE_CHECKING:
    from motet.diagnostics import Symbol, Symbols


def found_by(server: str, why: str, own: str, paths: Sequence[str]) -> str:
    """Who found what is told, for the end of the first line: `server` with the syntax where it knows one of `paths`;
    without a server `own`, the other way to look, and why."""
    if not server:
        return f"; by {own} alone: {shown(why or 'no language server knows it')}"
    both = any(language_of(path) for path in paths)
    return f", as {shown(server)} and the syntax know it" if both else f", as {shown(server)} knows it"


def as_words(found: Found, name: str) -> Found | None:
    """The lines that hold `name` as a word of its own."""
    of_name = word(name)
    numbers = [number for number in found.numbers if of_name.search(found.lines[number - 1])]
    return Found(found.file, found.lines, numbers) if numbers else None


def word(name: str) -> re.Pattern[str]:
    """Finds `name` where it is no part of a longer one."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def outlined(file: TextFile, symbols: Sequence[Symbol]) -> list[Definition]:
    """What an outline of `file` lists: by the syntax, and what a server knows besides, unless that would show the same
    lines once more."""
    own = definitions_of(file)
    listed = [one for one in own if _is_listed(one)]
    lines = {(one.line, one.last_line) for one in listed}
    for one in _joined(own, symbols):
        if _is_listed(one) and (one.line, one.last_line) not in lines:
            listed.append(one)
            lines.add((one.line, one.last_line))
    return sorted(listed, key=lambda one: (one.first_line, -one.last_line, one.depth))


def _is_listed(one: Definition) -> bool:
    return one.kind in OUTLINE_KINDS or one.kind == "section" or one.depth == 0


def also_defined(files: Sequence[TextFile], known: Symbols, name: str) -> tuple[list[Where], list[str]]:
    """What a server knows as `name` in `files`; and the full names of what only ends like it."""
    found: list[Where] = []
    others: list[str] = []
    for file in files:
        symbols = known.by_path.get(file.path, ())
        joined = _joined(definitions_of(file), symbols) if symbols else []
        for symbol, one in zip(symbols, joined, strict=True):
            if is_called(symbol.full, name):
                found.append((file, one))
            else:
                others.append(symbol.full)
    return found, others


def _joined(own: Sequence[Definition], symbols: Sequence[Symbol]) -> list[Definition]:
    """Each symbol, with the lines that the syntax gives it."""
    by_name: dict[str, list[Definition]] = defaultdict(list)
    for one in own:
        by_name[one.name].append(one)
    joined: list[Definition] = []
    for known in (symbol.definition for symbol in symbols):
        same = next((one for one in by_name[known.name] if _names(one, known.line)), known)
        if same.kind == "variable" and known.kind in ("function", "method"):  # C++ declares both alike
            same = replace(same, kind=known.kind)
        joined.append(same)
    return joined


def _names(one: Definition, line: int) -> bool:
    """Whether the name of `one` can stand in that line."""
    return one.first_line <= line <= max(one.signature_last_line, one.line)
