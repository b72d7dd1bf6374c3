"""Duplicate keys and members: of two entries with the same text the later goes; which of two different ones is
right is for a human to say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from motet.models.offline.repair import Declined, Origin, Repair
from motet.models.offline.source import FILL, Bracket, Source
from motet.text.position import Position, Range
from motet.text.report import ReportedDiagnostic, ReportedEdit

_DUPLICATE = re.compile(
    r"[Dd]uplicate (?:identifier|key|member|property|field|object key)|[Kk]ey (?:literal )?.*\brepeated\b"
    r"|[Rr]edefinition of enumerator|multiple properties with the same name|[Ii]nitializer overrides prior",
)
DIFFERENT = Declined("two entries with this name differ; which of them is right is for you to say")
_ARROWS = re.compile(r"[=-]>|[<>]=|<<|>>")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry between two separators: its code without comments, from `start` up to `end`."""

    start: Position
    end: Position
    text: str


def repair_duplicate(source: Source, diagnostic: ReportedDiagnostic) -> Repair | Declined | None:
    """Remove the later of two entries of one bracket that have the same text."""
    if _DUPLICATE.search(diagnostic.message) is None:
        return None
    around = _innermost(source, diagnostic.place)
    if around is None or around.close is None:
        return None
    entries = list(_entries(source, around.open, around.close))
    here = next((entry for entry in entries if entry.start <= diagnostic.place < entry.end), None)
    if here is None or len(entries) < 2 or not _is_whole(here.text):
        return None
    same = [entry for entry in entries if entry.text == here.text]
    return _remove(source, same[-1]) if len(same) > 1 else DIFFERENT


def _is_whole(text: str) -> bool:
    """Whether angle brackets in `text` are pairs: else a comma inside a type was taken for a separator."""
    plain = _ARROWS.sub("", text)
    return plain.count("<") == plain.count(">")


def _innermost(source: Source, place: Position) -> Bracket | None:
    inside = [
        bracket
        for bracket in source.brackets_near(place.line)
        if bracket.close is not None and bracket.open < place < bracket.close
    ]
    return max(inside, key=lambda bracket: bracket.open, default=None)


def _entries(source: Source, opened: Position, closed: Position) -> Iterator[_Entry]:
    """What stands between the separators: semicolons when there is one, else commas."""
    characters = list(_outermost(_characters(source, opened, closed)))
    separator = ";" if any(code == ";" for _, code, _ in characters) else ","
    start: Position | None = None
    end = opened
    text: list[str] = []
    for place, code, raw in (*characters, (closed, separator, "")):
        if code == separator:
            if start is not None:
                yield _Entry(start, end, _SPACE.sub(" ", "".join(text)).strip())
            start, text = None, []
            continue
        if not code.isspace():
            start = start or place
            end = Position(place.line, place.column + 1)
        if start is not None:
            text.append(raw)


def _outermost(characters: Iterator[tuple[Position, str, str]]) -> Iterator[tuple[Position, str, str]]:
    """The same with what stands inside further brackets as `FILL`."""
    depth = 0
    for place, code, raw in characters:
        depth -= code in ")]}"
        yield place, FILL if depth > 0 and not code.isspace() else code, raw
        depth += code in "([{"


def _characters(source: Source, opened: Position, closed: Position) -> Iterator[tuple[Position, str, str]]:
    """Each character between two places as code and as it stands; a line end is one blank."""
    for number in range(opened.line, closed.line + 1):
        code = source.code(number)
        line = source.report.line(number) or ""
        first = opened.column if number == opened.line else 0
        last = closed.column - 1 if number == closed.line else len(code)
        for index in range(first, last):
            yield Position(number, index + 1), code[index], line[index] if code[index] == FILL else code[index]
        yield Position(number, last + 1), " ", " "


def _remove(source: Source, entry: _Entry) -> Repair | None:
    first, last = entry.start, entry.end
    before = source.code(first.line)[: first.column - 1]
    behind = source.code(last.line)[last.column - 1 :]
    if not before.strip() and behind.strip() in ("", ",", ";"):
        range_ = Range(Position(first.line, 1), Position(last.line + 1, 1))
    else:
        separator = source.code_before(first)
        if separator is None or source.code(separator.line)[separator.column - 2] not in ",;":
            return None
        if behind.lstrip()[:1] == ";" and source.code(separator.line)[separator.column - 2] == ";":
            # Members end with their semicolon: what stays is the one before.
            range_ = Range(separator, Position(last.line, last.column + len(behind) - len(behind.lstrip()) + 1))
        else:
            range_ = Range(Position(separator.line, separator.column - 1), last)
    old = source.report.slice(range_)
    if old is None:
        return None
    return Repair("Remove the second of two equal entries", (ReportedEdit(range_, old, ""),), Origin.MECHANICAL)
