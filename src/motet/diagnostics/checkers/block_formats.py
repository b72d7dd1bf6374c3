"""Formats in which the place stands on another line than the message: ESLint, ruff, rustc, ty, node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from motet.diagnostics.checkers.finding import Block, Finding, Place, Said, Unit, severity_of, understand
from motet.diagnostics.checkers.line_formats import unit_for
from motet.text import Severity

_NUMBER = r"\d{1,9}"
_ROW = re.compile(rf"\s+(?P<line>{_NUMBER}):(?P<column>{_NUMBER})\s+(?P<text>\S.*)")
_COLUMNS = re.compile(r"\s{2,}")
_ARROW = re.compile(rf"\s*--> (?P<path>\S.*):(?P<line>{_NUMBER}):(?P<column>{_NUMBER})\s*")
_SNIPPET = re.compile(r"\s*(?:\d+\s*)?(?:\||=|:::|\.\.\.)")
_PANIC = re.compile(
    rf"thread '.*' (?:\(\d+\) )?panicked at (?P<path>\S.*):(?P<line>{_NUMBER}):(?P<column>{_NUMBER}):"
)
_NODE_PLACE = re.compile(rf"(?:file://)?(?P<path>/[^:]*):(?P<line>{_NUMBER})")
_NODE_ERROR = re.compile(r"(?:Uncaught )?(?P<message>\w*Error\b.*)")
_NODE_LINES = 8


def grouped(lines: Sequence[str], index: int) -> Block | None:
    """A file on its own line, then `  3:10  error  message  rule` (ESLint stylish, ruff grouped)."""
    path = lines[index].rstrip().removesuffix(":")
    if not path or path[0].isspace():
        return None
    findings: list[Finding] = []
    after = index + 1
    while after < len(lines) and (row := _ROW.fullmatch(lines[after])) is not None:
        said = _row(row["text"])
        severity = Severity.ERROR if said.severity is None else said.severity
        place = Place(int(row["line"]), int(row["column"]))
        findings.append(Finding(path, place, said.message, severity=severity, code=said.code, unit=unit_for(path)))
        after += 1
    return Block(tuple(findings), after) if findings else None


def arrowed(lines: Sequence[str], index: int) -> Block | None:
    """A message, then ` --> file:line:column` and the source with its marks (rustc, ruff, ty)."""
    if index + 1 >= len(lines) or not lines[index].strip():
        return None
    match = _ARROW.fullmatch(lines[index + 1])
    if match is None:
        return None
    said = understand(lines[index])
    finding = Finding(
        match["path"],
        Place(int(match["line"]), int(match["column"])),
        said.message,
        severity=Severity.ERROR if said.severity is None else said.severity,
        code=said.code,
        note=said.note,
    )
    after = index + 2
    while after < len(lines) and _SNIPPET.match(lines[after]):
        after += 1
    return Block((finding,), after)


def panicked(lines: Sequence[str], index: int) -> Block | None:
    """`thread 'main' panicked at src/main.rs:2:5:` and the message on the next line (Rust)."""
    match = _PANIC.match(lines[index])
    if match is None:
        return None
    message = lines[index + 1].strip() if index + 1 < len(lines) else ""
    place = Place(int(match["line"]), int(match["column"]))
    return Block((Finding(match["path"], place, message or "panicked"),), index + 2)


def node(lines: Sequence[str], index: int) -> Block | None:
    """`/path/file.js:3`, the source line with marks, then `SyntaxError: …` (Node.js)."""
    match = _NODE_PLACE.fullmatch(lines[index])
    if match is None:
        return None
    for after in range(index + 1, min(index + 1 + _NODE_LINES, len(lines))):
        error = _NODE_ERROR.fullmatch(lines[after])
        if error is not None:
            finding = Finding(match["path"], Place(int(match["line"])), error["message"])
            return Block((_with_marked_column(finding, lines[index + 1 : after]),), after + 1)
    return None


def _row(text: str) -> Said:
    word, *parts = _COLUMNS.split(text.strip())
    if word not in ("error", "warning") or not parts:
        return understand(text)
    rule = parts.pop() if len(parts) > 1 and " " not in parts[-1] else ""
    return Said(" ".join(parts), severity_of(word), rule)


def _with_marked_column(finding: Finding, lines: Sequence[str]) -> Finding:
    marks = next((line for line in lines if line.strip() and set(line) <= {" ", "\t", "^"}), "")
    column = marks.find("^") + 1
    return replace(finding, place=Place(finding.place.line, max(column, 1)), unit=Unit.UTF16)
