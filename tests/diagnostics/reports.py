"""Reports as lines that can be compared, and fixes applied."""

from __future__ import annotations

from motet.diagnostics import Report
from motet.text import LineIndex, SuggestedFix, TextFile


def said(report: Report) -> list[str]:
    """One line for each diagnostic: `a.py:2:8-11 Warning ruff F401: first line of the message`."""
    lines: list[str] = []
    for one in report.diagnostics:
        start, end = one.range.start, one.range.end
        until = f"{end.column}" if end.line == start.line else f"{end.line}:{end.column}"
        who = f"{one.source} {one.code}".strip()
        message = one.message.splitlines()[0]
        lines.append(f"{one.path}:{start.line}:{start.column}-{until} {one.severity.label} {who}: {message}")
    return lines


def fixes(report: Report) -> list[list[str]]:
    """For each diagnostic the titles of its fixes, with `*` when preferred."""
    return [[("* " if fix.preferred else "") + fix.title for fix in one.fixes] for one in report.diagnostics]


def apply(fix: SuggestedFix, file: TextFile) -> TextFile:
    """The file with the edits of `fix`."""
    index, text = LineIndex(file.text), file.text
    for edit in reversed(fix.edits):
        text = text[: index.offset(edit.range.start)] + edit.new_text + text[index.offset(edit.range.end) :]
    return file.with_text(text)
