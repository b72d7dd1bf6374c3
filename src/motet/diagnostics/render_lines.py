"""Diagnostics as lines of text: one line each, then its suggested fixes, then their edits.

    [Error] Line 4, Column 18: Cannot find name 'Componnt'. Did you mean 'Component'? (ts 2552)
      suggested fix: Change spelling to 'Component'
        4:18-4:26 "Componnt" → "Component"

What a tool says is folded to one line and made visible, so every line begins with `[` or with spaces, whatever
it says. The old and the new text of an edit are JSON strings with LF line ends. `motet.text.report` reads them back.
"""

from __future__ import annotations

import json
import re
import unicodedata

from motet.text import Diagnostic, LineIndex, TextEdit

_FIX = "  suggested fix: "
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


def _edit_line(edit: TextEdit, index: LineIndex) -> str:
    start, end = edit.range.start, edit.range.end
    place = f"{start.line}:{start.column}-{end.line}:{end.column}"
    return f"    {place} {_quoted(index.slice(edit.range))}{_ARROW}{_quoted(edit.new_text)}"


def _quoted(text: str) -> str:
    """A JSON string in which everything that cannot be seen is escaped."""
    quoted = json.dumps(lf(text), ensure_ascii=False)
    return "".join(json.dumps(each)[1:-1] if unicodedata.category(each) in _INVISIBLE else each for each in quoted)


def _word(source: str) -> str:
    """A source is one word in the text form: a space ends it there."""
    return "-".join(_bare(source).split())


def _bare(text: str) -> str:
    """Without round brackets: they end the problem's line."""
    return one_line(text).replace("(", "[").replace(")", "]")
