"""The text that a model saw and the text as it is now: what edits of one file are placed on."""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property

from motet.edits.match import Spot
from motet.edits.view import View
from motet.text.merge import LineMap


class Ground:
    """Edits are looked for in `view`; when that is not `now`, they are moved to it.

    `exists`: there is such a file; `will_exist`: or another edit of the answer creates it. `elsewhere`: names that the
    answer defines in other files.
    """

    def __init__(
        self,
        view: View,
        now: View,
        *,
        exists: bool,
        will_exist: bool,
        elsewhere: Container[str] = (),
    ) -> None:
        self.view = view
        self.now = now
        self.exists = exists
        self.will_exist = will_exist
        self.elsewhere = elsewhere

    @property
    def has_changed(self) -> bool:
        """Whether the text is another one than the model saw."""
        return self.view is not self.now

    @property
    def is_empty(self) -> bool:
        """Whether there is such a file, and it has no text, as the model saw it."""
        return self.exists and not self.now.text and not self.view.text

    def moved(self, spot: Spot) -> Spot | None:
        """Where the lines of a spot stand now; None when they, or their neighbours, have changed."""
        first, last = self.view.lines_of(spot.start, spot.end)
        there = self.map.place(first, last)
        if there is None:
            return None
        count = last - first
        old_start, _ = self.view.span(first, last)
        start, end = self.now.span(there, there + count)
        if spot.fit is not None:
            return Spot(start, end, spot.fit)
        return Spot(start + spot.start - old_start, start + spot.end - old_start)

    @cached_property
    def map(self) -> LineMap:
        """Where the lines that the model saw stand now."""
        return LineMap(self.view.text, self.now.text)
