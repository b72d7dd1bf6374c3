"""Source text seen just well enough: which characters are code, which names and brackets are in it.

No parser: the text may be cut, broken or in any language. Comments become blanks and strings become `FILL`, at
the same length, so that every column stays what it was.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from motet.models.offline.python import removable_lines
from motet.text.position import Position
from motet.text.report import FileReport, Run

_HASH_SUFFIXES = frozenset(
    (".py", ".pyi", ".pyw", ".rb", ".sh", ".bash", ".zsh", ".toml", ".yaml", ".yml", ".r", ".jl", ".pl", ".ex")
)
_PYTHON_SUFFIXES = frozenset((".py", ".pyi", ".pyw"))
_STRING = r"""'(?:\\.|[^'\\\n])*(?:'|$)|"(?:\\.|[^"\\\n])*(?:"|$)"""
_HASH_NOISE = re.compile(
    r"#[^\n]*|'''(?:\\.|[^\\])*?(?:'''|\Z)|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|" + _STRING, re.DOTALL | re.MULTILINE
)
_SLASH_NOISE = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|`(?:\\.|[^`\\])*(?:`|\Z)|" + _STRING, re.DOTALL | re.MULTILINE)
FILL = "\0"
"""Stands for each character of a string: code, yet no name, no bracket and no space."""
NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]+")
_BRACKET = re.compile(r"[()\[\]{}]")
_NOT_NEWLINE = re.compile(r"[^\n]")
_PAIRS = {")": "(", "]": "[", "}": "{"}
CLOSERS = {opener: closer for closer, opener in _PAIRS.items()}


@dataclass(frozen=True, slots=True)
class Word:
    """A name in the code: where it begins, and what stands before it (`.`, `->`, `::` or nothing).

    `receiver` is the name left of that, as in `self.limit`.
    """

    name: str
    place: Position
    joint: str = ""
    receiver: str = ""


@dataclass(frozen=True, slots=True)
class Names:
    """`plain` names stand alone, `members` behind a joint, `by_receiver` behind that receiver and joint."""

    plain: frozenset[str]
    members: frozenset[str]
    by_receiver: Mapping[tuple[str, str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Bracket:
    """An opening bracket and its closing one.

    `close` is None when nothing closes it; then `passed` is the closing bracket of an outer pair that it reached
    into, if there is one.
    """

    kind: str
    open: Position
    close: Position | None
    passed: Position | None = None


class Source:
    """One shown file without its comments and strings."""

    def __init__(self, report: FileReport) -> None:
        self.report = report
        self.suffix = PurePosixPath(report.path).suffix.lower()
        self.is_python = self.suffix in _PYTHON_SUFFIXES
        noise = _HASH_NOISE if self.suffix in _HASH_SUFFIXES else _SLASH_NOISE
        self._runs = tuple(Run(run.first, _blanked(run.lines, noise)) for run in report.runs)

    def code(self, number: int) -> str:
        """Line `number` with comments blank and strings as `FILL`; empty when it was not shown."""
        for run in self._runs:
            if run.first <= number <= run.last:
                return run.lines[number - run.first]
        return ""

    @property
    def numbers(self) -> Iterator[int]:
        """The numbers of all shown lines, in order."""
        for run in self._runs:
            yield from range(run.first, run.last + 1)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Every name in the code, in order."""
        return tuple(word for number in self.numbers for word in _words(number, self.code(number)))

    @cached_property
    def names(self) -> Names:
        """The names in the code, by where they stand."""
        by_receiver: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for word in self.words:
            if word.receiver:
                by_receiver[word.receiver, word.joint].add(word.name)
        return Names(
            frozenset(word.name for word in self.words if not word.joint),
            frozenset(word.name for word in self.words if word.joint),
            {key: frozenset(names) for key, names in by_receiver.items()},
        )

    @cached_property
    def brackets(self) -> tuple[Bracket, ...] | None:
        """All brackets, in the order of their opening; None when a closing one has no opening one, or the file
        was cut: then nothing can be concluded about the whole."""
        return _pair_brackets(self._runs[0], strict=True) if self.report.complete else None

    @cached_property
    def removable_lines(self) -> frozenset[int]:
        """Python: lines that hold one whole statement, and not the only one of its block; none when cut."""
        if not self.is_python or not self.report.complete:
            return frozenset()
        return removable_lines("\n".join(self.report.runs[0].lines))

    def brackets_near(self, number: int) -> tuple[Bracket, ...]:
        """The brackets of the run that holds line `number`; closing ones of what was cut off are passed over."""
        return next((pairs for run, pairs in self._pairs if run.first <= number <= run.last), ())

    @cached_property
    def _pairs(self) -> list[tuple[Run, tuple[Bracket, ...]]]:
        return [(run, _pair_brackets(run, strict=False) or ()) for run in self._runs]

    def code_before(self, place: Position) -> Position | None:
        """The place just behind the last code character before `place`, in the same run."""
        number, limit = place.line, place.column - 1
        while self.report.run_of(number) is not None:
            text = self.code(number)[:limit].rstrip()
            if text:
                return Position(number, len(text) + 1)
            number, limit = number - 1, None
        return None


def word_at(text: str, column: int, name: str) -> int | None:
    """The 1-based column of the first whole word `name` at or behind `column` in `text`.

    A name that is preceded by `.` counts from its own first character, so a place at its receiver finds it.
    """
    for match in re.finditer(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
        if match.start() + 1 >= column:
            return match.start() + 1
    return None


def _blanked(lines: tuple[str, ...], noise: re.Pattern[str]) -> tuple[str, ...]:
    def blank(match: re.Match[str]) -> str:
        return _NOT_NEWLINE.sub(" " if match[0].startswith(("#", "/")) else FILL, match[0])

    return tuple(noise.sub(blank, "\n".join(lines)).split("\n"))


def _words(number: int, code: str) -> Iterator[Word]:
    last, end = "", -1
    for match in NAME.finditer(code):
        between = code[end : match.start()].strip() if end >= 0 else code[: match.start()].strip()
        joint = next((mark for mark in ("->", "::", "?.", ".") if between.endswith(mark)), "")
        receiver = last if joint and between == joint and end >= 0 else ""
        yield Word(match[0], Position(number, match.start() + 1), joint.replace("?", ""), receiver)
        last, end = match[0], match.end()


def _pair_brackets(run: Run, *, strict: bool) -> tuple[Bracket, ...] | None:
    found: list[Bracket | None] = []
    stack: list[tuple[int, str, Position]] = []
    depth: Counter[str] = Counter()
    for number, line in enumerate(run.lines, run.first):
        for match in _BRACKET.finditer(line):
            place = Position(number, match.start() + 1)
            opener = _PAIRS.get(match[0])
            if opener is None:
                stack.append((len(found), match[0], place))
                depth[match[0]] += 1
                found.append(None)
                continue
            if not depth[opener]:
                if strict:
                    return None
                continue
            # An opening bracket that the closing one of an outer pair passes over was never closed.
            while True:
                index, kind, opened = stack.pop()
                depth[kind] -= 1
                if kind == opener:
                    found[index] = Bracket(kind, opened, place)
                    break
                found[index] = Bracket(kind, opened, None, place)
    for index, kind, opened in stack:
        found[index] = Bracket(kind, opened, None)
    return tuple(bracket for bracket in found if bracket is not None)
