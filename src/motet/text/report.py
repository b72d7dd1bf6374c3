"""The text form in which one file and its diagnostics are shown to a model, read back.

    File: /abs/path/src/index.ts
    (80 dashes)
    Content:
    …text of the file…

    Diagnostics:
    (80 dashes)
    [Error] Line 4, Column 18: Cannot find name 'Componnt'. Did you mean 'Component'? (ts 2552)
      suggested fix: Change spelling to 'Component'
        4:18-4:26 "Componnt" → "Component"

The text stands there with LF line ends and without its final one. A file that was cut says which lines are
there, `Content: (lines 1-20, 140-180 of 200; the rest is left out)`, and each gap is one line,
`[lines 21-139 left out]`. Nothing that a file contains can be taken for structure: runs are counted, and the last
`Diagnostics:` is the real one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from motet.text.diagnostic import Severity
from motet.text.position import Position, Range

RULE = "-" * 80
_LINE_END = re.compile(r"\r\n|\n|\r")
_HEAD = re.compile(
    rf"File: (?P<path>[^\n]*)\n{RULE}\nContent:"
    r"(?: \((?:no lines|lines? (?P<runs>\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)) of (?P<total>\d+);"
    r" the rest is left out\))?(?:\n|\Z)"
)
_TAIL = re.compile(rf"\nDiagnostics:\n{RULE}(?=\n|\Z)")
_GAP = re.compile(r"\[lines? \d+(?:-\d+)? left out\]")
_ENTRY = re.compile(r"\[(?P<severity>Error|Warning|Info|Hint)\] Line (?P<line>\d+), Column (?P<column>\d+): ")
_SOURCE = re.compile(r" \((?P<source>[^()\s]+)(?: (?P<code>[^()]*))?\)\Z")
_FIX = "  suggested fix: "
_EDIT = re.compile(r"    (\d+):(\d+)-(\d+):(\d+) (?=\")")
_ARROW = " → "


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive lines of a file, without their line ends; `first` is the 1-based number of the first."""

    first: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        """The 1-based number of the last line."""
        return self.first + len(self.lines) - 1


@dataclass(frozen=True, slots=True)
class ReportedEdit:
    """Replace `old`, which stands in `range`, by `new`."""

    range: Range
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ReportedFix:
    """A fix that came with a diagnostic; without edits when only its title was shown."""

    title: str
    edits: tuple[ReportedEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedDiagnostic:
    """One complaint as it was shown: where it begins, not where it ends."""

    place: Position
    severity: Severity
    message: str
    source: str = ""
    code: str = ""
    fixes: tuple[ReportedFix, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file as it was shown. `total_lines` is None when the whole file was; else runs may be missing."""

    path: str
    runs: tuple[Run, ...]
    diagnostics: tuple[ReportedDiagnostic, ...]
    total_lines: int | None = field(default=None)

    @property
    def complete(self) -> bool:
        """Whether nothing of the file was left out."""
        return self.total_lines is None

    def run_of(self, number: int) -> Run | None:
        """The run that holds 1-based line `number`."""
        return next((run for run in self.runs if run.first <= number <= run.last), None)

    def line(self, number: int) -> str | None:
        """The text of 1-based line `number`, or None when it was not shown."""
        run = self.run_of(number)
        return None if run is None else run.lines[number - run.first]

    def slice(self, range_: Range) -> str | None:
        """The text inside `range_`, lines joined by LF, or None when part of it was not shown or is not there.

        The place just behind the last line of a run counts as its end: whole-line edits name it.
        """
        start, end = range_.start, range_.end
        run = self.run_of(start.line) or self.run_of(start.line - 1)
        if run is None or end < start or end.line > run.last + 1 or min(start.column, end.column) < 1:
            return None
        lines = list(run.lines[start.line - run.first : end.line - run.first + 1])
        if end.line > run.last:
            lines.append("")
        if start.column > len(lines[0]) + 1 or end.column > len(lines[-1]) + 1:
            return None
        lines[-1] = lines[-1][: end.column - 1]
        lines[0] = lines[0][start.column - 1 :]
        return "\n".join(lines)


def parse_report(text: str) -> FileReport | None:
    """Read one file in the text form above; None when `text` is not in that form."""
    head = _HEAD.match(text)
    if head is None:
        return None
    tail = next(reversed(list(_TAIL.finditer(text, head.end() - 1))), None)
    body = text[head.end() :] if tail is None else text[head.end() : tail.start()]
    entries = "" if tail is None else text[tail.end() + 1 :]
    # The blank line before "Diagnostics:".
    lines = _LINE_END.split(body.removesuffix("\n"))
    total = head["total"]
    runs = _read_runs(lines, head["runs"] or "") if total else (Run(1, tuple(lines)),)
    return FileReport(head["path"], runs, tuple(_read_entries(entries)), int(total) if total else None)


def _read_runs(lines: list[str], spans: str) -> tuple[Run, ...]:
    runs: list[Run] = []
    at, known = 0, 0
    for span in spans.split(", ") if spans else ():
        first, _, last = span.partition("-")
        start, end = int(first), int(last or first)
        if start > known + 1 and at < len(lines) and _GAP.fullmatch(lines[at]):
            at += 1
        shown = lines[at : at + end - start + 1]
        if start <= known or len(shown) != end - start + 1:
            break
        runs.append(Run(start, tuple(shown)))
        at, known = at + len(shown), end
    return tuple(runs)


def _read_entries(text: str) -> Iterator[ReportedDiagnostic]:
    head: re.Match[str] | None = None
    message: list[str] = []
    fixes: list[tuple[str, list[ReportedEdit]]] = []
    for line in text.split("\n"):
        entry = _ENTRY.match(line)
        if entry is not None:
            if head is not None:
                yield _entry(head, message, fixes)
            head, message, fixes = entry, [line[entry.end() :]], []
        elif line.startswith(_FIX):
            fixes.append((line[len(_FIX) :], []))
        elif fixes and (edit := _read_edit(line)) is not None:
            fixes[-1][1].append(edit)
        elif head is not None and not fixes and line:
            message.append(line)
    if head is not None:
        yield _entry(head, message, fixes)


def _entry(
    head: re.Match[str], message: list[str], fixes: list[tuple[str, list[ReportedEdit]]]
) -> ReportedDiagnostic:
    text = "\n".join(message)
    source = _SOURCE.search(text)
    return ReportedDiagnostic(
        Position(int(head["line"]), int(head["column"])),
        Severity[head["severity"].upper()],
        text if source is None else text[: source.start()],
        "" if source is None else source["source"],
        "" if source is None else source["code"] or "",
        tuple(ReportedFix(title, tuple(edits)) for title, edits in fixes),
    )


def _read_edit(line: str) -> ReportedEdit | None:
    head = _EDIT.match(line)
    if head is None:
        return None
    decoder = json.JSONDecoder(strict=False)
    try:
        old, end = decoder.raw_decode(line, head.end())
        if not line.startswith(_ARROW, end):
            return None
        new, end = decoder.raw_decode(line, end + len(_ARROW))
    except ValueError:
        return None
    if end != len(line) or not isinstance(old, str) or not isinstance(new, str):
        return None
    a, b, c, d = (int(number) for number in head.groups())
    return ReportedEdit(Range(Position(a, b), Position(c, d)), old, new)
