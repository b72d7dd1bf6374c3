"""What a change of the files did to the problems in them: which are solved, which remain, which are new.

A problem is recognised by its file, source, code, message and by the text of its line, not by the line's number:
text inserted above does not make it a new one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from motet.diagnostics.render_lines import lf, one_line
from motet.diagnostics.render_problems import counted, severities
from motet.text import Diagnostic, LineIndex, TextFile

Files = Mapping[str, TextFile]
"""Texts by path."""

# Only what is a position beyond doubt: `line 12`, `column 3`, `a.py:12:5`, `a.ts(12,5)`.
_POSITION = re.compile(
    r"(\b(?:lines?|columns?|col)\s+)\d+(?:\s*[-–]\s*\d+)?|(?<=\w)(\.[A-Za-z]\w{0,4})(?::\d+(?::\d+)?|\(\d+,\d+\))",
    re.IGNORECASE,
)
_MOST_LINES = 1000
"""Changed lines of one file that are aligned with each other; more count as one changed block."""


@dataclass(frozen=True, slots=True)
class Change:
    """`solved` are problems of before; `remaining` and `new` are as they stand after."""

    solved: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...]
    new: tuple[Diagnostic, ...]


def compare(
    before: Sequence[Diagnostic], before_files: Files, after: Sequence[Diagnostic], after_files: Files
) -> Change:
    """Pair the problems of `before` and `after`, each at most once.

    `*_files` hold the texts that were checked; a missing one counts as empty. First pairs are problems with
    equal lines; then, among those left, problems of the same kind whose lines are the same place of the file,
    changed: the second error on a repaired line is not a new one. Of a message only the first line counts, and
    without positions: the further ones explain it by other places.
    """
    old, new = dict(enumerate(before)), dict(enumerate(after))
    old_texts, new_texts = _Texts(before_files), _Texts(after_files)
    _pair(old, new, old_texts.identity, new_texts.identity)
    if old and new:
        blocks = _ChangedBlocks(old_texts, new_texts)
        _pair(old, new, blocks.old_identity, blocks.new_identity)
    remaining = tuple(each for index, each in enumerate(after) if index not in new)
    return Change(tuple(old.values()), remaining, tuple(new.values()))


def summary(diagnostics: Iterable[Diagnostic], sources: Iterable[str]) -> str:
    """`3 files, 7 errors, 2 warnings (basedpyright, ruff, tsc)`, or `no problems (ruff)`.

    `sources` are those that were asked, whether or not they found anything.
    """
    found = list(diagnostics)
    files = counted(len({each.path for each in found}), "file")
    said = f"{files}, {severities(found)}" if found else "no problems"
    names = ", ".join(sorted({one_line(source) for source in sources}))
    return f"{said} ({names})" if names else said


Identity = Callable[[Diagnostic], Hashable]
"""Equal for the same problem before and after; None for one that cannot be recognised this way."""


def _pair(old: dict[int, Diagnostic], new: dict[int, Diagnostic], of_old: Identity, of_new: Identity) -> None:
    """Take from both what has the same identity, in order."""
    waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for index in reversed(old):
        waiting[of_old(old[index])].append(index)
    waiting.pop(None, None)
    for index in list(new):
        same = waiting.get(of_new(new[index]))
        if same:
            del old[same.pop()], new[index]


class _Texts:
    """Lines of files, looked up by problem."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._indexes: dict[str, LineIndex] = {}

    def index(self, path: str) -> LineIndex:
        if path not in self._indexes:
            file = self._files.get(path)
            self._indexes[path] = LineIndex(lf(file.text) if file is not None else "")
        return self._indexes[path]

    def identity(self, problem: Diagnostic) -> Hashable:
        line = self.index(problem.path).line(problem.range.start.line)
        return *_kind(problem), " ".join(line.split())


class _ChangedBlocks:
    """Which lines of a file were replaced by which: numbered blocks, on both sides."""

    def __init__(self, old: _Texts, new: _Texts) -> None:
        self._old = old
        self._new = new
        self._by_path: dict[str, tuple[dict[int, int], dict[int, int]]] = {}

    def old_identity(self, problem: Diagnostic) -> Hashable:
        return self._identity(problem, self._blocks(problem.path)[0])

    def new_identity(self, problem: Diagnostic) -> Hashable:
        return self._identity(problem, self._blocks(problem.path)[1])

    def _identity(self, problem: Diagnostic, blocks: Mapping[int, int]) -> Hashable:
        block = blocks.get(problem.range.start.line)
        return None if block is None else (*_kind(problem), block)

    def _blocks(self, path: str) -> tuple[dict[int, int], dict[int, int]]:
        if path not in self._by_path:
            old, new = self._old.index(path).text.split("\n"), self._new.index(path).text.split("\n")
            replaced = enumerate(_replaced(old, new))
            old_blocks: dict[int, int] = {}
            new_blocks: dict[int, int] = {}
            for number, (old_lines, new_lines) in replaced:
                old_blocks.update(dict.fromkeys(old_lines, number))
                new_blocks.update(dict.fromkeys(new_lines, number))
            self._by_path[path] = (old_blocks, new_blocks)
        return self._by_path[path]


def _replaced(old: Sequence[str], new: Sequence[str]) -> list[tuple[range, range]]:
    """1-based lines of `old` and the lines of `new` in their stead."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(old), len(new)) > _MOST_LINES:
        return [(range(head + 1, head + 1 + len(old)), range(head + 1, head + 1 + len(new)))]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        (range(head + 1 + i1, head + 1 + i2), range(head + 1 + j1, head + 1 + j2))
        for tag, i1, i2, j1, j2 in codes
        if tag == "replace"
    ]


def _kind(problem: Diagnostic) -> tuple[str, str, str, str]:
    first, _, _ = problem.message.strip().partition("\n")
    message = _POSITION.sub(lambda match: (match[1] or match[2]) + "N", first)
    return problem.path, problem.source, problem.code, message
