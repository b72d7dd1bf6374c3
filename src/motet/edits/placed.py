"""An edit that has its place in the text as it is now."""

from __future__ import annotations

from dataclasses import dataclass

from motet.edits.edit import Edit, Insert, Write
from motet.edits.outcome import Match, Outcome, Remark, Rung
from motet.edits.splice import Change


@dataclass(frozen=True, slots=True)
class Placed:
    """An edit that has its place: what it changes in the text, in order."""

    edit: Edit
    changes: tuple[Change, ...]
    match: Match

    @property
    def is_loose(self) -> bool:
        """Whether the place was not given exactly, so that the file must not gain a syntax error by it."""
        guessed = {Remark.INSIDE, Remark.BY_ORDER, Remark.RAW}
        match self.edit:
            case Insert(near=near) if near.headers:
                return True
            case Write(shown=True) if self.match.places:
                return True
            case _:
                return self.match.rung >= Rung.INDENTATION or bool(guessed.intersection(self.match.remarks))


Attempt = Placed | Outcome | None
"""A place, a final outcome, or None when the search text has no spot in this text."""
