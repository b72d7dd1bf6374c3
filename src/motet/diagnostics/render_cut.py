"""Which lines of a file to show when the whole does not fit: greedy, by what a repair needs most.

First the lines with problems and the lines that suggested fixes would change, then the functions and classes
around them, the outline, the head of the file with its imports, and the definitions of what the lines with
problems name. Every step takes only what still fits, so the result is within its limit by construction.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from motet.syntax import OUTLINE_KINDS, Definition, enclosing
from motet.text import Diagnostic

LineRange = tuple[int, int]
"""First and last line, 1-based, inclusive."""

_NAME = re.compile(r"[^\W\d]\w+")
_KEYWORDS = frozenset({
    "and", "as", "async", "await", "case", "char", "class", "const", "def", "double", "elif", "else", "enum", "export",
    "extends", "float", "for", "from", "function", "if", "import", "in", "int", "interface", "is", "let", "long", "new",
    "None", "not", "null", "number", "or", "return", "self", "static", "string", "struct", "switch", "this", "type",
    "typedef", "undefined", "unsigned", "var", "void", "while", "with",
})  # fmt: skip
_QUOTED = re.compile(r"(?<=[\"'`‘“])[^\W\d]\w+(?=[\"'`’”])")
_BESIDE = (2, 0)
_AROUND = (40, 20, 10, 5)
_WIDER = (400, 200, 100, 50)
_HEAD_LINES = (60, 30, 10)
_PROBLEM_LINES = 5
"""Lines of one problem that count; a problem may span a whole file."""


_MOST_LINES = 2_000
"""Places with problems that decide what is shown: what they need fills any request."""


class Selection:
    """Lines of one text that are shown, within `limit` bytes.

    The size counts the lines, the `Content:` line and one line for every gap, exactly as `compose` writes them.
    """

    def __init__(self, lines: Sequence[str], limit: int) -> None:
        self.lines = lines
        self.limit = limit
        self.ranges: list[LineRange] = []
        self._sums = list(accumulate((byte_length(line) + 1 for line in lines), initial=0))
        self.size = self._size_of([])

    def add(self, first: int, last: int, limit: int | None = None) -> bool:
        """Show lines `first` to `last` as well, if the whole then stays within the limit; whether they are shown.

        Lines outside the text are ignored.
        """
        first, last = max(first, 1), min(last, len(self.lines))
        if first > last:
            return True
        ranges = _merged(self.ranges, (first, last))
        size = self._size_of(ranges)
        if size > (self.limit if limit is None else limit):
            return False
        self.ranges, self.size = ranges, size
        return True

    @property
    def gaps(self) -> list[LineRange]:
        """The lines that are not shown."""
        return _gaps(self.ranges, len(self.lines))

    def compose(self) -> str:
        """The `Content:` line and what follows it."""
        if self.ranges == [(1, len(self.lines))]:
            return "\n".join([content_line(self.ranges, len(self.lines)), *self.lines])
        blocks = [(first, "\n".join(self.lines[first - 1 : last])) for first, last in self.ranges]
        blocks += [(first, gap_line(first, last)) for first, last in self.gaps]
        return "\n".join([content_line(self.ranges, len(self.lines)), *(text for _, text in sorted(blocks))])

    def _size_of(self, ranges: list[LineRange]) -> int:
        total = len(self.lines)
        shown = sum(self._sums[last] - self._sums[first - 1] for first, last in ranges)
        gaps = sum(len(gap_line(*gap)) + 1 for gap in _gaps(ranges, total))
        return shown + gaps + len(content_line(ranges, total))


def choose_lines(selection: Selection, problems: Sequence[Diagnostic], found: Sequence[Definition]) -> None:
    """Show what a repair of `problems`, most important first, needs of a text with the definitions `found`."""
    problems = _of_distinct_lines(problems)
    for problem in problems:
        for first, last in _touched(problem):
            any(selection.add(first - beside, last + beside) for beside in _BESIDE)
    for problem in problems:
        _add_around(selection, problem.range.start.line, found)
    _add_outline(selection, found)
    _add_head(selection, found)
    names = set(names_on_problem_lines(selection.lines, problems))
    for definition in found:
        if definition.name in names and not selection.add(definition.first_line, definition.last_line):
            selection.add(definition.first_line, definition.signature_last_line)


def fill(selection: Selection, problems: Sequence[Diagnostic]) -> None:
    """Use what is left of the limit for more lines around the problems."""
    for problem in _of_distinct_lines(problems):
        line = problem.range.start.line
        any(selection.add(line - radius, line + radius) for radius in _WIDER)


def _of_distinct_lines(problems: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The first problem of each line, of the first `_MOST_LINES`, and all that would change other lines."""
    found: dict[tuple[int, int] | Diagnostic, Diagnostic] = {}
    for problem in problems:
        if len(found) == _MOST_LINES:
            break
        found.setdefault(
            (problem.range.start.line, problem.range.end.line) if not problem.fixes else problem, problem
        )
    return list(found.values())


def names_on_problem_lines(lines: Sequence[str], problems: Iterable[Diagnostic]) -> list[str]:
    """Names in the lines with problems, each once, in order."""
    numbers: dict[int, None] = {}  # a long line may have a problem in each of its columns
    for problem in problems:
        start = max(problem.range.start.line, 1)
        end = min(problem.range.end.line, start + _PROBLEM_LINES - 1)
        numbers.update(dict.fromkeys(range(start, max(start, end) + 1)))
    found = (name for number in numbers for line in lines[number - 1 : number] for name in _NAME.findall(line))
    return [name for name in dict.fromkeys(found) if name not in _KEYWORDS]


def names_in_messages(problems: Iterable[Diagnostic]) -> list[str]:
    """Names that messages quote, as in `no attribute "net" for class "Price"`: what they are about may stand on no line."""
    quoted = (name for problem in problems for name in _QUOTED.findall(problem.message))
    return [name for name in dict.fromkeys(quoted) if name not in _KEYWORDS]


def content_line(ranges: Sequence[LineRange], total: int) -> str:
    """`Content:` for the whole text, else which of its `total` lines are shown."""
    if list(ranges) == [(1, total)]:
        return "Content:"
    if not ranges:
        return f"Content: (no lines of {total}; the rest is left out)"
    return f"Content: ({_named(ranges)} of {total}; the rest is left out)"


def gap_line(first: int, last: int) -> str:
    """The line that stands for lines which are not shown."""
    return f"[{_named([(first, last)])} left out]"


def named_lines(ranges: Sequence[LineRange]) -> str:
    """`line 3` or `lines 3-5, 9`."""
    return _named(ranges)


def byte_length(text: str) -> int:
    """UTF-8 bytes of `text`."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _touched(problem: Diagnostic) -> list[LineRange]:
    start, end = problem.range.start.line, problem.range.end.line
    edits = [edit.range for fix in problem.fixes for edit in fix.edits]
    return [
        (start, min(max(start, end), start + _PROBLEM_LINES - 1)),
        *((edit.start.line, edit.end.line) for edit in edits),
    ]


def _add_around(selection: Selection, line: int, found: Sequence[Definition]) -> None:
    around = enclosing(found, line)
    if around and selection.add(around[0].first_line, around[0].last_line):
        return
    first, last = (around[0].first_line, around[0].last_line) if around else (1, len(selection.lines))
    for outer in around:
        selection.add(outer.first_line, outer.signature_last_line)
    any(selection.add(max(line - radius, first), min(line + radius, last)) for radius in _AROUND)


def _add_outline(selection: Selection, found: Sequence[Definition]) -> None:
    """Signatures, outer ones first, in at most half of what is left."""
    limit = selection.size + (selection.limit - selection.size) // 2
    listed = [each for each in found if each.kind in OUTLINE_KINDS]
    for definition in sorted(listed, key=lambda each: each.depth):
        if not selection.add(definition.first_line, definition.signature_last_line, limit):
            return


def _add_head(selection: Selection, found: Sequence[Definition]) -> None:
    body = min((each.first_line for each in found if each.kind in OUTLINE_KINDS), default=len(selection.lines) + 1)
    any(selection.add(1, min(body - 1, lines)) for lines in _HEAD_LINES)


def _named(ranges: Sequence[LineRange]) -> str:
    parts = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"{'line' if one else 'lines'} {', '.join(parts)}"


def _merged(ranges: list[LineRange], new: LineRange) -> list[LineRange]:
    """`ranges`, sorted and apart from each other, with `new` in its place."""
    first, last = new
    begin = bisect_left(ranges, first - 1, key=lambda each: each[1])
    end = begin
    while end < len(ranges) and ranges[end][0] <= last + 1:
        first, last = min(first, ranges[end][0]), max(last, ranges[end][1])
        end += 1
    return [*ranges[:begin], (first, last), *ranges[end:]]


def _gaps(ranges: Sequence[LineRange], total: int) -> list[LineRange]:
    edges = [0, *(edge for each in ranges for edge in each), total + 1]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [(before + 1, after - 1) for before, after in pairs if after - before > 1]
