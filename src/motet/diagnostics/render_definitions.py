"""Definitions from other files, as a text of their own beside a file that had to be cut.

Definition: /abs/path/src/shape.ts lines 3-9
--------------------------------------------------------------------------------
…those lines…
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from motet.diagnostics.finder import FoundDefinition
from motet.diagnostics.render_cut import named_lines
from motet.diagnostics.render_lines import lf, visible
from motet.messages import estimate_tokens
from motet.text.report import RULE

FindDefinition = Callable[[str], Sequence[FoundDefinition]]
"""Where a name is defined in the files of the workspace, best first."""

_LENGTHS = (80, 20, 5)
"""How many lines of one definition are shown: the first number that fits."""


def definition_blocks(
    root: Path, names: Iterable[str], find: FindDefinition, *, without: str, budget: int
) -> tuple[str, tuple[str, ...]]:
    """The definitions of `names` outside the file `without`, in at most `budget` tokens; and what did not fit.

    Empty when nothing is defined elsewhere.
    """
    blocks: list[str] = []
    left_out: list[str] = []
    seen: set[tuple[str, int]] = set()
    for name in names:
        for found in find(name):
            key = (found.file.path, found.first_line)
            if found.file.path == without or key in seen:
                continue
            seen.add(key)
            block = _longest(root, found, blocks, budget)
            if block:
                blocks.append(block)
            else:
                where = named_lines([(found.first_line, found.last_line)])
                left_out.append(f"{found.file.path}: {where}, the definition of {name}")
    return "\n\n".join(blocks), tuple(left_out)


def _longest(root: Path, found: FoundDefinition, before: Sequence[str], budget: int) -> str:
    lines = lf(found.file.text).split("\n")
    first = found.first_line
    path = visible(str(root / found.file.path))
    for length in _LENGTHS:
        last = min(found.last_line, first + length - 1, len(lines))
        block = "\n".join([f"Definition: {path} {named_lines([(first, last)])}", RULE, *lines[first - 1 : last]])
        if estimate_tokens("\n\n".join([*before, block])) <= budget:
            return block
    return ""
