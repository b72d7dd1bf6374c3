"""What a parser understood of one line: a place in the tool's own terms, and what is said about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from motet.text import Severity


class Unit(Enum):
    """What a tool counts columns in."""

    CHARACTERS = auto()
    UTF8 = auto()
    UTF16 = auto()
    DISPLAY = auto()
    """Cells of a terminal: a tab goes to the next multiple of eight, wide characters count twice (gcc)."""


@dataclass(frozen=True, slots=True)
class Place:
    """1-based line and 1-based column in some `Unit`."""

    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class RawEdit:
    """A change that a tool offers, in the file of its finding.

    Places, or 0-based offsets into the text in UTF-16 units, as ESLint counts.
    """

    start: Place | int
    end: Place | int
    text: str


@dataclass(frozen=True, slots=True)
class RawFix:
    """A repair that a tool offers; `unit` is that of its places."""

    title: str
    edits: tuple[RawEdit, ...]
    unit: Unit = Unit.CHARACTERS
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint as a tool wrote it.

    `path` is as printed, relative to `directory` when make said it is there, else to where the tool ran.
    `note` marks a remark that belongs to the finding before it. `subject` names a test, so that pytest's
    summary does not repeat its section; `summary` marks such a line of a summary.
    """

    path: str
    place: Place
    message: str
    end: Place | None = None
    severity: Severity = Severity.ERROR
    code: str = ""
    unit: Unit = Unit.CHARACTERS
    fixes: tuple[RawFix, ...] = ()
    directory: str = ""
    note: bool = False
    subject: str = ""
    summary: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """What a format understood from one line on: findings, and the index of the first line after it."""

    findings: tuple[Finding, ...]
    next: int


@dataclass(frozen=True, slots=True)
class Said:
    """The text of a message in its parts. `severity` is None when no word says it."""

    message: str
    severity: Severity | None = None
    code: str = ""
    note: bool = False


_SEVERITIES = {
    "fatal error": Severity.ERROR,
    "internal compiler error": Severity.ERROR,
    "error": Severity.ERROR,
    "fatal": Severity.ERROR,
    "critical": Severity.ERROR,
    "warning": Severity.WARNING,
    "warn": Severity.WARNING,
    "note": Severity.INFO,
    "help": Severity.INFO,
    "remark": Severity.INFO,
    "info": Severity.INFO,
    "information": Severity.INFO,
    "message": Severity.INFO,
    "style": Severity.INFO,
    "hint": Severity.HINT,
}
_WORDS = "|".join(_SEVERITIES)
# `error: …`, `error[E0308]: …`, `error TS2304: …`, `[error] …`; a sentence that begins with "error" is none.
_SEVERITY = re.compile(
    rf"(?:\[(?P<boxed>{_WORDS})\]|(?P<word>{_WORDS})(?:\[(?P<code>[^\[\]\s]+)\]:?|\s*:|(?=\s+[A-Z]{{1,6}}\d{{2,6}}\b)))\s*",
    re.IGNORECASE,
)
_LEADING_CODE = re.compile(r"(?:\[([A-Z]{1,6}\d{2,6})\]|([A-Z]{1,6}\d{2,6})(?=[:\s])|(invalid-syntax)(?=:)):?\s*")
_TRAILING_CODE = re.compile(
    r"\s(?:\[(?:(?P<severity>Error|Warning)/)?(?P<boxed>-W[^\[\]\s]*|[a-zA-Z@][\w@./+=,-]*)\]"
    r"|\((?P<round>report[A-Z]\w+|[a-z]+(?:-[a-z0-9]+)+)\))$"
)
_PYTHON_WARNING = re.compile(r"\w*Warning: ")
_FIXABLE = re.compile(r"\[\*\]\s+")


def severity_of(word: str) -> Severity:
    """The severity that a tool's own word means; error for an unknown one."""
    return _SEVERITIES.get(word.strip().lower(), Severity.ERROR)


def is_note(word: str) -> bool:
    """Whether a tool's word marks a remark about the finding before it."""
    return word.strip().lower() in ("note", "help")


def understand(text: str) -> Said:
    """Take the severity and the code out of what a tool says after the place."""
    text = text.strip()
    severity, code, note = None, "", False
    match = _SEVERITY.match(text)
    if match is not None:
        word = match["boxed"] or match["word"]
        severity, code, note = severity_of(word), match["code"] or "", is_note(word)
        text = text[match.end() :]
    elif _PYTHON_WARNING.match(text):
        severity = Severity.WARNING
    match = _LEADING_CODE.match(text) if not code else None
    if match is not None:
        code = match[1] or match[2] or match[3]
        text = text[match.end() :]
    text = _FIXABLE.sub("", text, count=1)
    match = _TRAILING_CODE.search(text) if not code else None
    if match is not None:
        code = match["boxed"] or match["round"]
        severity = severity_of(match["severity"]) if match["severity"] else severity
        text = text[: match.start()]
    return Said(text.strip() or code or "problem", severity, code, note)
