"""Python text read by Python's own parser; nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MAX_CHARACTERS = 200_000
"""A longer text is not parsed: it would hold up everything else for more than a moment."""


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of `text`; None when it has a syntax error or is too long."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def removable_lines(text: str) -> frozenset[int]:
    """1-based lines that hold one whole statement, and not the only one of its block; empty for broken text."""
    tree = parse_python(text)
    return frozenset(() if tree is None else _removable(tree))


def _removable(tree: ast.Module) -> Iterator[int]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            block: object = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            statements = [each for each in block if isinstance(each, ast.AST)]  # pyright: ignore[reportUnknownVariableType]
            waiting += statements
            starts = [each.lineno for each in statements if isinstance(each, ast.stmt)]
            for each in statements:
                if (
                    isinstance(each, ast.stmt)
                    and len(starts) > 1
                    and each.lineno == each.end_lineno
                    and starts.count(each.lineno) == 1
                ):
                    yield each.lineno
