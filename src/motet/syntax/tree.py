"""Syntax trees, and how many syntax errors a text holds (tree-sitter).

The grammar of Python forgives wrong indentation; `ast` is asked for that. Those of JSX take `&` in text as the beginning
of an entity, which no compiler does.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from motet.syntax.languages import LANGUAGES
from motet.text.changes import changes

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_PARSED_CHARACTERS = 1_000_000
"""Longer texts are not parsed; at about 5 MB a second this bounds one parse to a fraction of a second."""

_LINE_END = re.compile(r"\r\n?")
_AMPERSAND = re.compile(rb"&(?!#?\w+;)")
_WITH_JSX = frozenset(("javascript", "tsx"))
_MOST_MASKED = 5
"""Times that a text is parsed again without the `&` that its errors hold: one may hide the next."""


def parse(text: str, language: str | None) -> Node | None:
    """The root of the syntax tree of `text`; None without a grammar, and for a text that is too long.

    Offsets in the tree refer to the UTF-8 form with LF line ends: tree-sitter ends a line only there.
    """
    if language not in LANGUAGES or len(text) > MAX_PARSED_CHARACTERS:
        return None
    return _parser(language).parse(_source(text)).root_node


def syntax_errors(text: str, language: str | None) -> int | None:
    """Number of places where `text` does not parse; None when that cannot be said."""
    errors = _errors(text, language)
    return None if errors is None else len(errors) + (language == "python" and is_indented_wrongly(text))


def gains_errors(before: str, after: str, language: str | None) -> bool:
    """Whether `after` has more syntax errors than `before`, one of them where `before` has none: what an unknown macro or
    a construct that the grammar lacks makes of its surroundings says nothing."""
    was, becomes = _errors(before, language), _errors(after, language)
    if was is None or becomes is None:
        return False
    if language == "python" and is_indented_wrongly(after) and not is_indented_wrongly(before):
        return True
    if len(becomes) <= len(was):
        return False
    failing = _now([_surroundings(node) for node in was], before, after)
    return not all(any(first <= node.start_point[0] < last for first, last in failing) for node in becomes)


def _errors(text: str, language: str | None) -> list[Node] | None:
    """The nodes where `text` does not parse; None when that cannot be said."""
    known = LANGUAGES.get(language or "")
    if known is None or not known.counts_errors or (root := parse(text, language)) is None:
        return None
    errors = _errors_below(root)
    source = _source(text)
    for _ in range(_MOST_MASKED if language in _WITH_JSX else 0):
        places = [
            found.start() for node in errors for found in _AMPERSAND.finditer(source, node.start_byte, node.end_byte)
        ]
        without = _parser(language or "").parse(_masked(source, places)).root_node
        places = [at for at in places if _is_text(without, at)]
        if not places:
            break
        source = _masked(source, places)
        errors = _errors_below(_parser(language or "").parse(source).root_node)
    return errors


def _masked(source: bytes, places: Iterable[int]) -> bytes:
    masked = bytearray(source)
    for at in places:
        masked[at] = ord("_")
    return bytes(masked)


def _source(text: str) -> bytes:
    return _LINE_END.sub("\n", text).encode("utf-8", "replace")


def _errors_below(root: Node) -> list[Node]:
    errors: list[Node] = []
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            errors.append(node)
        waiting.extend(child for child in node.children if child.has_error)
    return errors


def _is_text(root: Node, at: int) -> bool:
    """Whether the byte at `at` is text between the tags of JSX."""
    node = root.descendant_for_byte_range(at, at)
    return node is not None and node.type == "jsx_text"


def _surroundings(error: Node) -> tuple[int, int]:
    """The 0-based lines of what the error stands in: not the whole file."""
    parent = error.parent
    node = parent if parent is not None and parent.parent is not None else error
    return node.start_point[0], node.end_point[0] + 1


def _now(spans: list[tuple[int, int]], before: str, after: str) -> list[tuple[int, int]]:
    """Where lines of `before` stand in `after`, with what has become of those among them."""
    if not spans:
        return []
    made = [
        one
        for one in changes(*(_LINE_END.sub("\n", text).split("\n") for text in (before, after)))
        if one[0] != "equal"
    ]
    moved: list[tuple[int, int]] = []
    for first, last in spans:
        start = first + sum((b2 - b1) - (a2 - a1) for _, a1, a2, b1, b2 in made if a2 <= first)
        end = last + sum((b2 - b1) - (a2 - a1) for _, a1, a2, b1, b2 in made if a1 < last)
        moved.append((min([start, *(b1 for _, a1, a2, b1, _ in made if a1 < first < a2)]), end))
    return moved


def is_indented_wrongly(text: str) -> bool:
    """Whether Python stops reading `text` at an indentation. Only its first error is known; a text of many lines or
    one that no interpreter could read is not."""
    if len(text) > MAX_PARSED_CHARACTERS or "\0" in text:
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(text)
    except IndentationError:
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return False


@cache
def _parser(name: str) -> Parser:
    from tree_sitter import Language, Parser  # 20 ms, and only some commands parse

    language = LANGUAGES[name]
    grammar: object = getattr(import_module(language.module), language.function)()
    return Parser(Language(grammar))
