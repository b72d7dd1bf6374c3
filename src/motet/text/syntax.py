"""Syntax trees: which grammar a file has, and how many syntax errors a text holds (tree-sitter).

The grammar of Python forgives wrong indentation; `ast` is asked for that.

Grammars are imported when the first text in their language is parsed.
"""

from __future__ import annotations

import ast
import re
import warnings
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_PARSED_CHARACTERS = 1_000_000
"""Longer texts are not parsed; at about 5 MB a second this bounds one parse to a fraction of a second."""

_GRAMMARS: dict[str, tuple[str, str]] = {
    "python": ("tree_sitter_python", "language"),
    "c": ("tree_sitter_c", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
_SUFFIXES: dict[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".c": "c",
    ".h": "c",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
_LINE_END = re.compile(r"\r\n?")


def language_of(path: str) -> str | None:
    """The grammar for `path` by its suffix; None when there is none."""
    return _SUFFIXES.get(PurePosixPath(path).suffix.lower())


def parse(text: str, language: str | None) -> Node | None:
    """The root of the syntax tree of `text`; None without a grammar, and for a text that is too long.

    Offsets in the tree refer to the UTF-8 form with LF line ends: tree-sitter ends a line only there.
    """
    if language not in _GRAMMARS or len(text) > MAX_PARSED_CHARACTERS:
        return None
    return _parser(language).parse(_LINE_END.sub("\n", text).encode("utf-8", "replace")).root_node


def syntax_errors(text: str, language: str | None) -> int | None:
    """Number of places where `text` does not parse; None when that cannot be said."""
    root = parse(text, language)
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
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser  # 20 ms, and only some commands parse

    module, function = _GRAMMARS[language]
    grammar: object = getattr(import_module(module), function)()
    return Parser(Language(grammar))
