"""A missing semicolon, colon or closing bracket: put in only where exactly one place makes the text whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from motet.models.offline.python import parse_python
from motet.models.offline.repair import Origin, Repair
from motet.models.offline.source import CLOSERS, FILL, Bracket, Source
from motet.models.offline.syntax import is_syntax, parts_words
from motet.text.position import Position, Range
from motet.text.report import ReportedDiagnostic, ReportedEdit, Run

_MAX_LINES = 8
"""Lines that a statement with an open bracket may span."""

_MAX_PARSED = 400_000
"""Characters that are parsed to find the place of one bracket: more would hold up everything else."""

_SEMICOLON = re.compile(r"^[Ee]xpected [`'‘]?;[`'’]?(?! expected)")
_COLON = re.compile(r"[Ee]xpected [`'\"]?:[`'\"]?")
_CLOSER = re.compile(r"[Ee]xpected [`'\"‘]?(?P<a>[)\]}])|^['`](?P<b>[)\]},])['`] expected")
_TOKEN_END = re.compile(rf"\w+|{FILL}+|[)\]}}]")
_UNCLOSED = re.compile(r"[`'\"]?[(\[{][`'\"]? was (?:not|never) closed|[Ee]xpected|EOF|separated by")


def repair_semicolon(source: Source, diagnostic: ReportedDiagnostic) -> Repair | None:
    """C and its kin: `;` behind the code before the place that the compiler names."""
    if source.is_python or _SEMICOLON.match(diagnostic.message) is None:
        return None
    place = source.code_before(diagnostic.place)
    if place is None or source.code(place.line)[place.column - 2] in ";{,(<":
        return None
    if parts_words(source.code(place.line), place.column):
        return None
    return _insert(place, ";")


def repair_colon(source: Source, diagnostic: ReportedDiagnostic) -> Repair | None:
    """Python: `:` where it is expected, when the file can be parsed with it."""
    if not source.is_python or _COLON.search(diagnostic.message) is None:
        return None
    place = source.code_before(Position(diagnostic.place.line, diagnostic.place.column))
    if place is None or place.line != diagnostic.place.line:
        return None
    return _insert(place, ":") if _parses_with(source, place, ":") else None


def repair_bracket(source: Source, diagnostic: ReportedDiagnostic) -> Repair | None:
    """The closing bracket of the only bracket that nothing closes, when the parser has lost its way."""
    if not is_syntax(diagnostic):
        return None
    unclosed = [bracket for bracket in source.brackets or () if bracket.close is None]
    if len(unclosed) != 1:
        return None
    bracket = unclosed[0]
    if source.is_python:
        return _close_python(source, bracket) if _UNCLOSED.search(diagnostic.message) else None
    if bracket.kind == "{":
        return _close_block(source, bracket)
    inside = _end_inside(source, bracket)
    return _insert(inside, CLOSERS[bracket.kind]) if inside else _close_before(source, bracket, diagnostic)


@lru_cache(maxsize=4)
def _close_python(source: Source, bracket: Bracket) -> Repair | None:
    """At the end of one of the bracket's lines, else anywhere on its first, if exactly one place gives a file
    without a syntax error."""
    closer = CLOSERS[bracket.kind]
    size = sum(len(line) + 1 for line in source.report.runs[0].lines)
    inside = _end_inside(source, bracket)
    for places in ([inside] if inside else [], [*_ends_behind(source, bracket)], [*_gaps_behind(source, bracket)]):
        if len(places) * size > _MAX_PARSED:
            return None
        proved = [place for place in places if _parses_with(source, place, closer)]
        if proved:
            return _insert(proved[0], closer) if len(proved) == 1 else None
    return None


def _end_inside(source: Source, bracket: Bracket) -> Position | None:
    """The last place inside the outer pair, when that closes on the bracket's own line; for an index outside
    Python, where commas are none of it, before the first comma."""
    if bracket.passed is None or bracket.passed.line != bracket.open.line:
        return None
    end = bracket.passed
    code = source.code(end.line)
    before = code[: bracket.open.column - 1]
    indexes = before[-1:].isidentifier() or before.endswith((")", "]"))
    if bracket.kind == "[" and indexes and not source.is_python:
        comma = code.find(",", bracket.open.column, end.column)
        end = Position(end.line, comma + 1) if comma >= 0 else end
    return source.code_before(end)


def _ends_behind(source: Source, bracket: Bracket) -> Iterator[Position]:
    """Ends of the code on the lines of the bracket's statement: before the colon that opens a block, before a
    comma that goes on with an outer bracket, else behind everything."""
    base = _indent(source.code(bracket.open.line))
    nested = any(
        other.open < bracket.open and other.close is not None and other.close > bracket.open
        for other in source.brackets or ()
    )
    for count, number in enumerate(n for n in source.numbers if n >= bracket.open.line):
        code = source.code(number).rstrip()
        if not code:
            continue
        if count >= _MAX_LINES or (count and _indent(code) <= base and code.lstrip()[0] not in ")]}"):
            return
        if code.endswith(":") or (nested and code.endswith(",")):
            yield Position(number, len(code))
        if not code.endswith(":") and (count or not code.endswith(",")):
            yield Position(number, len(code) + 1)


def _gaps_behind(source: Source, bracket: Bracket) -> Iterator[Position]:
    """The places behind each word, string or bracket on the rest of the bracket's line."""
    code = source.code(bracket.open.line)
    for match in _TOKEN_END.finditer(code, bracket.open.column):
        yield Position(bracket.open.line, match.end() + 1)


def _close_block(source: Source, unclosed: Bracket) -> Repair | None:
    """A `}` on a line of its own where the indentation goes back, if then every block of the file closes at the
    indentation of the line that opens it."""
    pairs = [pair for pair in source.brackets or () if pair.kind == "{" and pair.close is not None]
    crooked = [pair for pair in pairs if not _closes_straight(source, pair)]
    opened = max((pair.open for pair in crooked), default=unclosed.open)
    base = source.code(opened.line)[: _indent(source.code(opened.line))]
    last = opened.line
    for number in (n for n in source.numbers if n > opened.line):
        code = source.code(number).rstrip()
        if not code or code.lstrip().startswith("#"):
            continue
        if _indent(code) <= len(base):
            break
        last = number
    lines = list(source.report.runs[0].lines)
    lines.insert(last, base + "}")
    whole = Source(replace(source.report, runs=(Run(1, tuple(lines)),)))
    if whole.brackets is None or any(
        pair.close is None or (pair.kind == "{" and not _closes_straight(whole, pair)) for pair in whole.brackets
    ):
        return None
    place = Position(last, len(lines[last - 1]) + 1)
    edit = ReportedEdit(Range(place, place), "", f"\n{base}}}")
    return Repair("Insert the missing '}'", (edit,), Origin.MECHANICAL)


def _closes_straight(source: Source, pair: Bracket) -> bool:
    """Whether a `}` that begins its line stands at the indentation of the line with its `{`."""
    if pair.close is None:
        return False
    before = source.code(pair.close.line)[: pair.close.column - 1]
    return bool(before.strip()) or len(before) == _indent(source.code(pair.open.line))


def _indent(code: str) -> int:
    return len(code) - len(code.lstrip())


def _close_before(source: Source, bracket: Bracket, diagnostic: ReportedDiagnostic) -> Repair | None:
    closer = CLOSERS[bracket.kind]
    complaints = [
        one.place
        for one in source.report.diagnostics
        if one.place > bracket.open
        and (found := _CLOSER.search(one.message)) is not None
        and (found["a"] or found["b"]) in (closer, ",")
    ]
    # What is complained about further on follows from the first.
    if diagnostic.place != min(complaints, default=None):
        return None
    place = source.code_before(diagnostic.place)
    if place is None or place.line != bracket.open.line or place <= bracket.open:
        return None
    if source.code(place.line)[place.column - 2] in ",([{" and place.column != bracket.open.column + 1:
        return None
    return _insert(place, closer)


def _parses_with(source: Source, place: Position, text: str) -> bool:
    report = source.report
    if not report.complete:
        return False
    lines = list(report.runs[0].lines)
    line = lines[place.line - 1]
    lines[place.line - 1] = line[: place.column - 1] + text + line[place.column - 1 :]
    return parse_python("\n".join(lines)) is not None


def _insert(place: Position, text: str) -> Repair:
    return Repair(f"Insert the missing '{text}'", (ReportedEdit(Range(place, place), "", text),), Origin.MECHANICAL)
