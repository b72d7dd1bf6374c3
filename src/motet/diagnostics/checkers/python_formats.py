"""What Python and pytest print: tracebacks, sections of failed tests, the short summary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from motet.diagnostics.checkers.finding import Block, Finding, Place

FAILED = "failed"
"""What a line of the summary says when pytest gave no reason."""

_NUMBER = r"\d{1,9}"
_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(rf'\s*File "(?P<path>[^"]+)", line (?P<line>{_NUMBER})(?:, in .*)?')
_EXCEPTION = re.compile(r"(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?::\s.*)?")
_SECTION = re.compile(r"_+ (?P<name>.+) _+")
_PART = re.compile(r"-{3,} Captured .*")
_PLACE = re.compile(rf"(?P<path>(?=[^:]*[^\W\d])[^\s:>][^:]*):(?P<line>{_NUMBER})(?::.*)?")
_SECTION_NAME = re.compile(r"ERROR (?:collecting|at (?:setup|teardown) of) (.*)")
_SUMMARY = re.compile(r"(?:FAILED|ERROR) (?P<path>[^:\s][^:]*?)(?:::(?P<test>\S.*?))?(?: - (?P<message>.*))?")
_FOREIGN = re.compile(r"(?:^|/)(?:site-packages|dist-packages|node_modules)/|^<|/lib/python3(?:\.\d+)?/")
_MOST_LINES = 5000


@dataclass(frozen=True, slots=True)
class _Frame:
    path: str
    line: int


def traceback(lines: Sequence[str], index: int) -> Block | None:
    """A traceback: the innermost frame that is not in a library. A syntax error is one without its first line."""
    begin = index
    if lines[index].strip() == _TRACEBACK:
        begin += 1
    elif _FRAME.fullmatch(lines[index]) is None:
        return None
    depth = _indentation(lines[index]) - (2 if begin == index else 0)
    frames: list[_Frame] = []
    end = min(begin + _MOST_LINES, len(lines))
    for after in range(begin, end):
        line = lines[after]
        frame = _FRAME.fullmatch(line)
        if frame is not None:
            frames.append(_Frame(frame["path"], int(frame["line"])))
        elif line.strip() and _indentation(line) <= max(depth, 0):
            if not frames or _EXCEPTION.fullmatch(line.strip()) is None:
                return Block((), after)
            return Block((_finding(frames, line.strip()),), after + 1)
    return Block((), end)


def pytest_section(lines: Sequence[str], index: int) -> Block | None:
    """The section of one failed test: where it broke, innermost in the project, and what was wrong."""
    title = _section_title(lines[index])
    if title is None:
        return None
    after = index + 1
    frames: list[_Frame] = []
    said: list[str] = []
    captured = False
    while after < min(index + _MOST_LINES, len(lines)) and not _ends_section(lines[after]):
        line = lines[after]
        after += 1
        captured = captured or _PART.fullmatch(line) is not None
        if captured:
            continue
        marked = line.startswith("E  ")
        text = line[1:].strip() if marked else line
        frame = _FRAME.fullmatch(text) if marked else _PLACE.fullmatch(text)
        if frame is not None:
            frames.append(_Frame(frame["path"], int(frame["line"])))
        elif marked:
            said.append(text)
    if not frames or not said:
        return None
    name = _SECTION_NAME.sub(r"\1", title)
    message = next((text for text in said if "Error" in text and _EXCEPTION.fullmatch(text)), said[0])
    return Block((_finding(frames, f"{name}: {message}", name),), after)


def pytest_summary(lines: Sequence[str], index: int) -> Block | None:
    """`FAILED tests/test_a.py::test_x - message`: the test's own place, found by its name."""
    match = _SUMMARY.fullmatch(lines[index])
    if match is None or not match["path"].endswith((".py", ".pyi", ".txt", ".rst", ".md")):
        return None
    subject = (match["test"] or match["path"]).replace("::", ".")
    message = f"{subject}: {match['message'] or FAILED}"
    return Block((Finding(match["path"], Place(1), message, subject=subject, summary=True),), index + 1)


def _section_title(line: str) -> str | None:
    match = _SECTION.fullmatch(line)
    # A line of `_ _ _ _` only separates the frames of one section.
    return match["name"].strip("_ ") or None if match is not None else None


def _ends_section(line: str) -> bool:
    return line.startswith("===") or _section_title(line) is not None


def _finding(frames: Sequence[_Frame], message: str, subject: str = "") -> Finding:
    frame = _innermost(frames)
    return Finding(frame.path, Place(frame.line), message, subject=subject)


def _innermost(frames: Iterable[_Frame]) -> _Frame:
    """The last frame outside libraries; the last of all when there is none."""
    ordered = list(frames)
    return next((frame for frame in reversed(ordered) if not _FOREIGN.search(frame.path)), ordered[-1])


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
