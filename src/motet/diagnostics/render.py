"""Files and what is wrong with them as text for a model, within a budget of tokens.

    File: /abs/path/src/index.ts
    --------------------------------------------------------------------------------
    Content:
    …file text…

    Diagnostics:
    --------------------------------------------------------------------------------
    [Error] Line 4, Column 18: Cannot find name 'Componnt'. Did you mean 'Component'? (ts 2552)
      suggested fix: Change spelling to 'Component'
        4:18-4:26 "Componnt" → "Component"

Line and column are 1-based. A file that does not fit is shown in parts: the first line then reads
`Content: (lines 1-20, 140-180 of 300; the rest is left out)` and every gap is one line such as
`[lines 21-139 left out]`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.diagnostics.render_cut import (
    Selection,
    byte_length,
    choose_lines,
    fill,
    named_lines,
    names_in_messages,
    names_on_problem_lines,
)
from motet.diagnostics.render_definitions import FindDefinition, definition_blocks
from motet.diagnostics.render_lines import lf, visible
from motet.diagnostics.render_problems import ProblemSection
from motet.messages import estimate_tokens
from motet.messages.tokens import BYTES_PER_TOKEN
from motet.syntax import Definition, definitions, language_of
from motet.text import Diagnostic, LineIndex, TextFile
from motet.text.report import RULE


@dataclass(frozen=True, slots=True)
class Rendered:
    """One file as text.

    `left_out` names what the budget did not allow, as in `src/a.py: lines 21-139`. `definitions` shows, as a
    text of its own, what the lines with problems name and other files define. `tokens` is the estimate for
    both. When not even the frame fits, `text` is empty and `left_out` names the file.
    """

    text: str
    left_out: tuple[str, ...]
    tokens: int
    definitions: str = ""
    path: str = ""


def render_file(
    root: Path,
    file: TextFile,
    diagnostics: Sequence[Diagnostic],
    *,
    budget: int | None,
    find_definition: FindDefinition | None = None,
) -> Rendered:
    """The text form of `file` and its `diagnostics`, in at most `budget` tokens by `estimate_tokens`.

    Whole when it fits; line ends are shown as LF. Else the parts that a repair needs (see `render_cut`) and,
    when even the problems are too many, the most severe of them, those first. `find_definition` is asked only
    when the file has to be cut.
    """
    index = LineIndex(lf(file.text))
    head = f"File: {visible(str(root / file.path))}\n{RULE}\n"
    lines = index.text.removesuffix("\n").split("\n")
    whole = Selection(lines, sys.maxsize)
    whole.add(1, len(lines))
    problems = ProblemSection(index, diagnostics)
    text = head + whole.compose() + problems.text
    tokens = estimate_tokens(text)
    if budget is None or tokens <= budget:
        return Rendered(text, (), tokens, path=file.path)
    room = _bytes(budget) - byte_length(head)
    most = room - Selection(lines, 0).size
    problems.cut(min(max(room // 2, room - whole.size), most), most)
    if problems.size > most:
        return Rendered("", (f"{file.path}: everything",), 0, path=file.path)
    selection = Selection(lines, room - problems.size)
    severe = sorted(problems.shown, key=lambda each: each.severity)
    blocks, missing = "", ()
    if not selection.add(1, len(lines)):
        found = definitions(index.text, language_of(file.path))
        choose_lines(selection, severe, found)
        if find_definition is not None:
            names = _not_defined_here(names_wanted(lines, severe), found)
            spare = budget - _tokens(_bytes(budget) - selection.limit + selection.size)
            blocks, missing = definition_blocks(root, names, find_definition, without=file.path, budget=spare)
            selection.limit -= _bytes(budget) - _bytes(budget - _tokens_of(blocks))
        fill(selection, severe)
    text = head + selection.compose() + problems.text
    gaps = [named_lines(selection.gaps)] if selection.gaps else []
    left_out = tuple(f"{file.path}: {what}" for what in (*gaps, *problems.left_out))
    return Rendered(text, (*left_out, *missing), estimate_tokens(text) + _tokens_of(blocks), blocks, file.path)


def names_wanted(lines: Sequence[str], problems: Sequence[Diagnostic]) -> list[str]:
    """Names whose definitions a repair of `problems`, most important first, may need: those on their lines, then those
    in their messages; each once."""
    return list(dict.fromkeys((*names_on_problem_lines(lines, problems), *names_in_messages(problems))))


def pack(rendered: Iterable[Rendered], budget: int) -> list[list[Rendered]]:
    """Group files, in their order, into requests of at most `budget` tokens each.

    A file above the budget on its own makes a request on its own; a file of which nothing fitted is left away.
    """
    groups: list[list[Rendered]] = []
    used = 0
    for each in rendered:
        if not each.text:
            continue
        if not groups or used + each.tokens > budget:
            groups.append([])
            used = 0
        groups[-1].append(each)
        used += each.tokens
    return groups


def _not_defined_here(names: Iterable[str], found: Iterable[Definition]) -> list[str]:
    own = {each.name for each in found}
    return [name for name in names if name not in own]


def _tokens_of(text: str) -> int:
    return estimate_tokens(text) if text else 0


def _tokens(size: int) -> int:
    """`estimate_tokens` of a text of `size` bytes."""
    return int(size / BYTES_PER_TOKEN) + 1


def _bytes(tokens: int) -> int:
    """The most bytes that `estimate_tokens` counts as no more than `tokens`."""
    size = max(math.ceil(tokens * BYTES_PER_TOKEN), 0)
    while size and _tokens(size) > tokens:
        size -= 1
    return size
