"""Syntax trees, and how many syntax errors a text holds (tree-sitter).

The grammar of Python forgives wrong indentation; `ast` is asked for that.
"""

from __future__ import annotations

import ast
import re
import warnings
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from motet.syntax.languages import LANGUAGES

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_PARSED_CHARACTERS = 1_000_000
"""Longer texts are not parsed; at about 5 MB a second this bounds one parse to a fraction of a second."""

_LINE_END = re.compile(r"\r\n?")


def parse(text: str, language: str | None) -> Node | None:
    """The root of the syntax tree of `text`; None without a grammar, and for a text that is too long.

    Offsets in the tree refer to the UTF-8 form with LF line ends: tree-sitter ends a line only there.
    """
    if language not in LANGUAGES or len(text) > MAX_PARSED_CHARACTERS:
        return None
    return _parser(language).parse(_LINE_END.sub("\n", text).encode("utf-8", "replace")).root_node


def syntax_errors(text: str, language: str | None) -> int | None:
    """Number of places where `text` does not parse; None when that cannot be said."""
    known = LANGUAGES.get(language or "")
    root = parse(text, language) if known is not None and known.counts_errors else None
    if root is None:
        return None
    count, waiting = 0, [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        count += node.is_error or node.is_missing
        waiting.extend(child for child in node.children if child.has_error)
    return count + (language == "python" and is_indented_wrongly(text))


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
