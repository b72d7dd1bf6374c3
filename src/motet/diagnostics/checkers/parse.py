"""From a tool's whole output to diagnostics: every line is offered to every format, the first that fits wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from motet.diagnostics.checkers.block_formats import arrowed, grouped, node, panicked
from motet.diagnostics.checkers.finding import Block, Finding, Unit
from motet.diagnostics.checkers.json_formats import findings_of, take_documents
from motet.diagnostics.checkers.line_formats import located, round_brackets, spoken
from motet.diagnostics.checkers.places import Places
from motet.diagnostics.checkers.python_formats import FAILED, pytest_section, pytest_summary, traceback
from motet.text import Diagnostic

UNDERSTOOD = "file:line[:column]: message, and JSON or text of cargo, eslint, mypy, pytest, ruff and tsc"
"""What a checker may print, in the words of an error message."""

_FORMATS: tuple[Callable[[Sequence[str], int], Block | None], ...] = (
    traceback,
    pytest_section,
    pytest_summary,
    grouped,
    arrowed,
    panicked,
    node,
    round_brackets,
    spoken,
    located,
)
# CSI and OSC sequences, and the other escapes of one or two characters (ECMA-48).
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_MAKE_DIRECTORY = re.compile(r"\S*(?:make|ninja)(?:\[\d+\])?: (Entering|Leaving) directory [`'‘\"](.*)['’\"]")
_MAKE_ERROR = re.compile(r"\S*make(?:\[\d+\])?: \*\*\* ")
_CLANG = re.compile(r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated\.", re.MULTILINE)
_DIGIT = re.compile(r"\d")
_LONGEST_LINE = 2000
"""Characters of a line of text that are looked at; no message is longer, and no pattern has to run away."""
_MOST_NOTES = 6


def parse(output: str, root: Path, cwd: Path) -> list[Diagnostic]:
    """What `output` of any tool that ran in `cwd` says about files of the workspace `root`, both absolute.

    Never raises and looks at nothing but its arguments. Each complaint comes once, those in JSON first, else in
    the order of the output; paths outside `root` are dropped. Columns are as the tool wrote them, and the source
    is `checker`.
    """
    return translate(read(output), Places(root, cwd), "checker")


def translate(findings: Iterable[Finding], places: Places, source: str) -> list[Diagnostic]:
    """`findings` as diagnostics of `source`, each once; those outside the workspace are dropped."""
    inside = [(each, found) for each in findings if (found := places.diagnostic(each, source)) is not None]
    told = [finding for finding, _ in inside if not finding.summary]
    unique: dict[tuple[object, ...], Diagnostic] = {}
    for finding, diagnostic in inside:
        if not (finding.summary and _repeats(finding, told)):
            key = (diagnostic.path, diagnostic.range.start, diagnostic.code, diagnostic.message)
            unique.setdefault(key, diagnostic)
    return list(unique.values())


def read(output: str) -> list[Finding]:
    """Everything in `output` that names a place, inside the workspace or not."""
    plain = _ESCAPES.sub("", output).replace("\r\n", "\n").replace("\r", "\n")
    documents, text = take_documents(plain)
    found = [finding for document in documents for finding in findings_of(document)]
    found.extend(_read_lines([line[:_LONGEST_LINE] for line in text.split("\n")]))
    if _CLANG.search(text):
        # clang counts bytes where gcc counts cells, and looks the same otherwise.
        found = [replace(each, unit=Unit.UTF8) if each.unit is Unit.DISPLAY else each for each in found]
    return _with_notes(found)


def _read_lines(lines: Sequence[str]) -> Iterator[Finding]:
    directories: list[str] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        moved = _MAKE_DIRECTORY.fullmatch(line) if "directory" in line else None
        block = None
        if moved is not None:
            directories = [*directories, moved[2]] if moved[1] == "Entering" else directories[:-1]
        elif _may_begin_block(lines, index) and not _MAKE_ERROR.match(line):
            block = next((block for format_ in _FORMATS if (block := format_(lines, index))), None)
        if block is None:
            index += 1
            continue
        directory = directories[-1] if directories else ""
        yield from (replace(finding, directory=directory) for finding in block.findings)
        index = max(block.next, index + 1)


def _may_begin_block(lines: Sequence[str], index: int) -> bool:
    """A quick look: a place has a number, in this line or the next, and what has none begins with these."""
    return (
        _DIGIT.search(lines[index]) is not None
        or (index + 1 < len(lines) and _DIGIT.search(lines[index + 1]) is not None)
        or lines[index].startswith(("_", "FAILED ", "ERROR "))
        or lines[index].lstrip().startswith("Traceback ")
    )


def _with_notes(findings: Iterable[Finding]) -> list[Finding]:
    """Notes as further lines of the finding before them; a note with nothing before it stands alone."""
    merged: list[Finding] = []
    notes = 0
    for finding in findings:
        if not finding.note or not merged:
            merged.append(finding)
            notes = 0
        elif notes < _MOST_NOTES:
            last = merged[-1]
            same = (finding.path, finding.place.line) == (last.path, last.place.line)
            place = "" if same else f" ({finding.path}:{finding.place.line})"
            merged[-1] = replace(last, message=f"{last.message}\nnote: {finding.message}{place}")
            notes += 1
    return merged


def _repeats(summary: Finding, told: Iterable[Finding]) -> bool:
    """Whether a line of a summary says again, perhaps cut, what a traceback or another line has told."""
    said = summary.message.removeprefix(f"{summary.subject}: ").removesuffix("...")
    return any(each.subject == summary.subject or (said != FAILED and said in each.message) for each in told)
