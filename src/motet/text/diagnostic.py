"""What a compiler, linter or language server complains about, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from motet.text.position import Range

_HEAD, _TAIL = 1_500, 400
_MOST_OF_LINE = 2_000
"""Characters of one line of a message."""


class Severity(IntEnum):
    """Severity in the order and with the numbers of the Language Server Protocol; smaller is worse."""

    ERROR = 1
    WARNING = 2
    INFO = 3
    HINT = 4

    @property
    def label(self) -> str:
        """The word in the text form for people and models: `Error`, `Warning`, `Info`, `Hint`."""
        return self.name.capitalize()


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace what is in `range` by `new_text`."""

    range: Range
    new_text: str


@dataclass(frozen=True, slots=True)
class SuggestedFix:
    """A repair that a server offers, or that follows from the names it knows.

    `edits` touch the diagnostic's own file, do not overlap and refer to the text that was checked; a fix that
    needs other files has none.
    """

    title: str
    edits: tuple[TextEdit, ...] = ()
    preferred: bool = False


def bounded_message(said: str) -> str:
    """What a tool said, with the middle of each line left out that is longer than 2,000 characters: the name that it
    quotes may be a whole minified file."""
    if len(said) <= _MOST_OF_LINE:
        return said
    return "\n".join(
        line if len(line) <= _MOST_OF_LINE else f"{line[:_HEAD]} … {line[-_TAIL:]}" for line in said.split("\n")
    )


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One complaint about one place. `path` is relative to the workspace, with `/`."""

    path: str
    range: Range
    severity: Severity
    message: str
    source: str
    code: str = ""
    fixes: tuple[SuggestedFix, ...] = ()
