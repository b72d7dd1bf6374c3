"""Formats in which one line names a place and says what is wrong there.

Each function looks at the line at an index and returns what it understood from there on, or None. Formats were
taken from what the tools print: gcc, clang, go, ruff, mypy, flake8, pylint, pyright, ty, tsc, csc, bash, ESLint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from motet.diagnostics.checkers.finding import Block, Finding, Place, RawEdit, RawFix, Said, Unit, understand
from motet.text import Severity

_NUMBER = r"\d{1,9}"
# file:line[:column][-to]: message, file:line:column - message
_LOCATED = re.compile(
    r"\s*(?:vet:\s|(?:\S*/)?ld(?:\.\w+)?:\s)?(?P<path>(?=[^:]*[^\W\d])[^\s:][^:]*):"
    rf"(?P<line>{_NUMBER})(?:[:.](?P<column>{_NUMBER}))?(?:-{_NUMBER}(?:[:.]{_NUMBER})?)?"
    r"(?::\s*|\s+-\s+)(?P<message>\S.*)"
)
# file(line,column): error CODE: message
_ROUND = re.compile(
    rf"\s*(?P<path>\S.*?)\((?P<line>{_NUMBER})(?:,(?P<column>{_NUMBER}))?(?:[,-][\d,]*)?\)\s*:\s*"
    r"(?P<message>(?:fatal |internal compiler )?(?:error|warning|info|message|note)\b.*)"
)
# file: line 3: message, file: line 3, col 5, Error - message (rule)
_SPOKEN = re.compile(
    rf"(?P<path>\S[^:]*): line (?P<line>{_NUMBER})(?:, col (?P<column>{_NUMBER}))?[:,]\s*"
    r"(?:(?P<word>Error|Warning) - )?(?P<message>\S.*)"
)
_RULE_IN_BRACKETS = re.compile(r"\s+\(([\w@/-]+)\)$")
_SNIPPET = re.compile(r"\s*\d*\s+\|")
_FIX_IT = re.compile(rf'fix-it:"([^"]*)":\{{({_NUMBER}):({_NUMBER})-({_NUMBER}):({_NUMBER})\}}:"(.*)"')
_ESCAPE = re.compile(r"\\(?:([0-7]{3})|(.))")
_C_SUFFIXES = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm"})
_UTF16_SUFFIXES = frozenset({".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"})
_MOST_DETAILS = 20


def located(lines: Sequence[str], index: int) -> Block | None:
    """`file:line[:column]: message` with the source lines and fix-its that compilers print after it."""
    line = lines[index]
    match = _LOCATED.match(line)
    if match is None:
        return None
    path = match["path"].strip("\"'")
    if " - " in line[match.end("line") : match.start("message")]:
        details, after = _details(lines, index)
        return Block((_finding(match, path, understand("\n".join([match["message"], *details]))),), after)
    after, fix_its = index + 1, list[re.Match[str]]()
    while after < len(lines):
        fix_it = _FIX_IT.match(lines[after])
        if fix_it is not None:
            fix_its.append(fix_it)
        elif _SNIPPET.match(lines[after]) is None:
            break
        after += 1
    edits = tuple(_edit(fix_it) for fix_it in fix_its)
    # A repair that needs another file as well cannot be offered for this one.
    here = bool(edits) and all(fix_it[1] == path for fix_it in fix_its)
    fixes = (RawFix("apply the compiler's fix-it", edits, Unit.UTF8),) if here else ()
    return Block((_finding(match, path, understand(match["message"]), fixes),), after)


def round_brackets(lines: Sequence[str], index: int) -> Block | None:
    """`file(line,column): error TS2304: message` with its indented details (tsc, MSBuild)."""
    match = _ROUND.match(lines[index])
    if match is None:
        return None
    details, after = _details(lines, index)
    said = understand("\n".join([match["message"], *details]))
    return Block((_finding(match, match["path"], said),), after)


def spoken(lines: Sequence[str], index: int) -> Block | None:
    """`file: line 3: message` (shells) and `file: line 3, col 5, Error - message (rule)` (ESLint compact)."""
    match = _SPOKEN.match(lines[index])
    if match is None:
        return None
    if match["message"].startswith("`"):
        return Block((), index + 1)  # bash repeats the line itself
    if match["word"] is None:
        return Block((_finding(match, match["path"], understand(match["message"])),), index + 1)
    rule = _RULE_IN_BRACKETS.search(match["message"])
    message = match["message"][: rule.start()] if rule is not None else match["message"]
    severity = Severity.ERROR if match["word"] == "Error" else Severity.WARNING
    said = Said(message, severity, rule[1] if rule is not None else "")
    return Block((_finding(match, match["path"], said),), index + 1)


def unit_for(path: str) -> Unit:
    """The unit in which the usual tools for a file of this name count columns."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _C_SUFFIXES:
        return Unit.DISPLAY
    if suffix in _UTF16_SUFFIXES:
        return Unit.UTF16
    return Unit.UTF8 if suffix == ".go" else Unit.CHARACTERS


def _finding(match: re.Match[str], path: str, said: Said, fixes: tuple[RawFix, ...] = ()) -> Finding:
    return Finding(
        path,
        Place(int(match["line"]), int(match["column"] or 1)),
        said.message,
        severity=Severity.ERROR if said.severity is None else said.severity,
        code=said.code,
        unit=unit_for(path),
        fixes=fixes,
        note=said.note,
    )


def _details(lines: Sequence[str], index: int) -> tuple[list[str], int]:
    """The lines after `index` that are indented deeper and name no place: the rest of its message."""
    depth = _indentation(lines[index])
    details: list[str] = []
    after = index + 1
    while after < len(lines) and len(details) < _MOST_DETAILS:
        line = lines[after]
        if not line.strip() or _indentation(line) <= depth or _LOCATED.match(line) or _SNIPPET.match(line):
            break
        details.append(line.strip())
        after += 1
    return details, after


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _edit(match: re.Match[str]) -> RawEdit:
    start, end = Place(int(match[2]), int(match[3])), Place(int(match[4]), int(match[5]))
    return RawEdit(start, end, _unescaped(match[6]))


def _unescaped(text: str) -> str:
    r"""The text of a fix-it: C escapes, bytes beyond ASCII as `\ooo` of its UTF-8 form."""

    def byte(match: re.Match[str]) -> str:
        named = {"n": "\n", "t": "\t", "r": "\r"}
        return chr(int(match[1], 8) & 0xFF) if match[1] else named.get(match[2], match[2])

    plain = _ESCAPE.sub(byte, text)
    try:
        return plain.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return plain
