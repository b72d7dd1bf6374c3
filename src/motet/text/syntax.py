"""Syntax trees: which grammar a file has, and how many syntax errors a text holds (tree-sitter)."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

MAX_PARSED_BYTES = 1_000_000
"""Larger texts are not parsed: the answer is "unknown"."""

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


def language_of(path: str) -> str | None:
    """The grammar for `path` by its suffix; None when motet has none."""
    return _SUFFIXES.get(PurePosixPath(path).suffix.lower())


def parse(text: str, language: str) -> Tree:
    """The syntax tree of `text`. Byte offsets in it refer to UTF-8."""
    return _parser(language).parse(text.encode("utf-8", "surrogatepass"))


def syntax_errors(text: str, path: str) -> int | None:
    """How many places of `text` are not valid syntax; None when there is no grammar or the text is too large."""
    language = language_of(path)
    if language is None or len(text) > MAX_PARSED_BYTES:
        return None
    tree = parse(text, language)
    if not tree.root_node.has_error:
        return 0
    count, nodes = 0, [tree.root_node]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            count += 1
        nodes.extend(child for child in node.children if child.has_error or child.is_missing)
    return count


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser  # 20 ms, and only some commands parse

    module, function = _GRAMMARS[language]
    grammar: object = getattr(import_module(module), function)()
    return Parser(Language(grammar))
