"""Diagnostics as lines of text, and back: one line each, then its suggested fixes, then their edits.

    [Error] Line 4, Column 18: Cannot find name 'Componnt'. Did you mean 'Component'? (ts 2552)
      suggested fix: Change spelling to 'Component'
        4:18-4:26 "Componnt" → "Component"

What a tool says is folded to one line and made visible, so every line begins with `[` or with spaces, whatever
it says. The old and the new text of an edit are JSON strings with LF line ends.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from motet.text import Diagnostic, LineIndex, Position, Range, Severity, SuggestedFix, TextEdit

_FIX = "  suggested fix: "
_PROBLEM_LINE = re.compile(r"\[(\w+)\] Line (\d+), Column (\d+): (.*) \(([^()]*)\)")
_EDIT_LINE = re.compile(r"    (\d+):(\d+)-(\d+):(\d+) ")
_ARROW = " → "
_LINE_END = re.compile(r"\r\n?")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def lf(text: str) -> str:
    """`text` with every line end (LF, CR LF, CR) as LF."""
    return _LINE_END.sub("\n", text)


def visible(text: str) -> str:
    """`text` with control, direction and zero-width characters written as `<U+202E>`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"<U+{ord(each):04X}>" if unicodedata.category(each) in _INVISIBLE else each for each in text)


def one_line(text: str) -> str:
    """`text` on one line: runs of white space become one space, what cannot be seen is made visible."""
    return visible(" ".join(text.split()))


def diagnostic_lines(diagnostic: Diagnostic, index: LineIndex, *, fixes: bool = True) -> list[str]:
    """The lines for `diagnostic`, found in the text of `index`; without its suggested fixes on request.

    Preferred fixes come first.
    """
    start = diagnostic.range.start
    origin = " ".join(filter(None, (_word(diagnostic.source) or "unknown", _bare(diagnostic.code))))
    place = f"Line {start.line}, Column {start.column}"
    lines = [f"[{diagnostic.severity.label}] {place}: {one_line(diagnostic.message)} ({origin})"]
    if fixes:
        for fix in sorted(diagnostic.fixes, key=lambda fix: not fix.preferred):
            lines.append(_FIX + one_line(fix.title))
            lines.extend(_edit_line(edit, index) for edit in fix.edits)
    return lines


def parse_diagnostic_lines(lines: Iterable[str], path: str) -> list[Diagnostic]:
    """The exact inverse of `diagnostic_lines` over any number of diagnostics, all of `path`.

    Ranges are empty at the start, as the lines say no end. Raises `ValueError` for a line of another form.
    """
    found: list[Diagnostic] = []
    for line in lines:
        if line.startswith("["):
            found.append(_parse_problem(line, path))
        elif not found:
            raise ValueError(f"not a diagnostic: {line[:80]}")
        elif line.startswith(_FIX):
            fix = SuggestedFix(line.removeprefix(_FIX))
            found[-1] = replace(found[-1], fixes=(*found[-1].fixes, fix))
        else:
            found[-1] = _with_edit(found[-1], line)
    return found


def _edit_line(edit: TextEdit, index: LineIndex) -> str:
    start, end = edit.range.start, edit.range.end
    place = f"{start.line}:{start.column}-{end.line}:{end.column}"
    return f"    {place} {_quoted(index.slice(edit.range))}{_ARROW}{_quoted(edit.new_text)}"


def _quoted(text: str) -> str:
    """A JSON string in which everything that cannot be seen is escaped."""
    quoted = json.dumps(lf(text), ensure_ascii=False)
    return "".join(json.dumps(each)[1:-1] if unicodedata.category(each) in _INVISIBLE else each for each in quoted)


def _parse_problem(line: str, path: str) -> Diagnostic:
    match = _PROBLEM_LINE.fullmatch(line)
    if match is None or match[1].upper() not in Severity.__members__:
        raise ValueError(f"not a diagnostic: {line[:80]}")
    source, _, code = match[5].partition(" ")
    place = Range.at(int(match[2]), int(match[3]))
    return Diagnostic(path, place, Severity[match[1].upper()], match[4], source, code)


def _with_edit(diagnostic: Diagnostic, line: str) -> Diagnostic:
    match = _EDIT_LINE.match(line)
    if match is None or not diagnostic.fixes:
        raise ValueError(f"not an edit of a suggested fix: {line[:80]}")
    decoder = json.JSONDecoder()
    _, end = cast("tuple[object, int]", decoder.raw_decode(line, match.end()))
    new, _ = cast("tuple[object, int]", decoder.raw_decode(line, end + len(_ARROW)))
    numbers = [int(group) for group in match.groups()]
    edit = TextEdit(Range(Position(*numbers[:2]), Position(*numbers[2:])), str(new))
    *others, last = diagnostic.fixes
    return replace(diagnostic, fixes=(*others, replace(last, edits=(*last.edits, edit))))


def _word(source: str) -> str:
    """A source is one word in the text form: a space ends it there."""
    return "-".join(_bare(source).split())


def _bare(text: str) -> str:
    """Without round brackets: they end the problem's line."""
    return one_line(text).replace("(", "[").replace(")", "]")
