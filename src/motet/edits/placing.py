"""From edits to changes of one text: look for each, decide between several places, and move to where they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from motet.edits.assign import only_assignment
from motet.edits.dialect import Dialect
from motet.edits.doubts import doubt
from motet.edits.edit import Edit, Insert, Replace, ReplaceAnchored, Write
from motet.edits.formats.anchors import anchor_of
from motet.edits.lines import Line, join_lines, split_lines
from motet.edits.locate import (
    Located,
    Spot,
    Ununiform,
    change_at,
    ends_line,
    insertion,
    locate,
    locate_parts,
    narrow,
    needle_of,
)
from motet.edits.match import Hit, Needle, lines_of
from motet.edits.outcome import Candidate, Match, Outcome, Place, Refusal, RefusalReason, Remark, Rung, count_lines
from motet.edits.refuse import (
    refuse_absent_file,
    refuse_ambiguous,
    refuse_anchor,
    refuse_existing_file,
    refuse_existing_text,
    refuse_foreign_text,
    refuse_no_change,
    refuse_no_place,
    refuse_not_found,
    refuse_stale,
)
from motet.edits.splice import Change, newline_at, splice
from motet.edits.view import View
from motet.text.merge import LineMap, merge


@dataclass(frozen=True, slots=True)
class Placed:
    """An edit that has its place: what it changes in the text, in order."""

    edit: Edit
    changes: tuple[Change, ...]
    match: Match

    @property
    def is_loose(self) -> bool:
        """Whether the place was not given exactly, so that the file must not gain a syntax error by it."""
        guessed = {Remark.INSIDE, Remark.BY_ORDER}
        match self.edit:
            case Insert(near=near) if near.headers:
                return True
            case Write(shown=True) if self.match.places:
                return True
            case _:
                return self.match.rung >= Rung.INDENTATION or bool(guessed.intersection(self.match.remarks))


_FEWEST_OF_A_WHOLE = 6
"""Lines of a file of which a piece is told from a new version by its length."""
_MOST_CHOICES = 200_000
"""Places of all edits of one answer up to which their order is looked at."""
_MOST_TOLD = 1_000
"""Candidates of a refusal; nobody reads more."""
_SHORTEST_SAYING = 4
"""Letters and digits from which a line is more than a bracket, a separator or `end`."""

Attempt = Placed | Outcome | None
"""A place, a final outcome, or None when the search text has no hit in this text."""


@dataclass(frozen=True, slots=True)
class _Choice:
    spot: Spot
    remark: Remark | None = None


class Placing:
    """Places edits in `view`; when that is the text a model was shown, they are moved to `now` (the text as it is).

    `exists`: there is such a file; `will_exist`: or another edit of the answer creates it.
    """

    def __init__(self, view: View, now: View, *, exists: bool, will_exist: bool, dialect: Dialect) -> None:
        self._view = view
        self._now = now
        self._exists = exists
        self._will_exist = will_exist
        self._located: dict[tuple[str, bool, bool], Located | None] = {}
        self._candidates: dict[int, list[Candidate]] = {}
        self._dialect = dialect
        self._line_map: LineMap | None = None

    def attempts(self, edits: Sequence[Edit]) -> list[Attempt]:
        """What becomes of each edit; several that alone could mean several places are decided together."""
        looked = [self._look(edit) for edit in edits]
        chosen = self._choose(edits, looked)
        attempts: list[Attempt] = []
        for edit, found, choice in zip(edits, looked, chosen, strict=True):
            if not isinstance(found, Located):
                attempts.append(found)
            elif choice is None:
                attempts.append(self._ambiguous(edit, found))
            else:
                assert isinstance(edit, Replace)  # nothing else is located
                attempts.append(self._settle(edit, found, choice))
        return attempts

    def _ambiguous(self, edit: Edit, found: Located) -> Refusal:
        candidates = self._candidates.setdefault(id(found.spots), [])
        candidates[:] = candidates or _candidates(self._view, found.spots[:_MOST_TOLD])
        count = len(found.spots) - found.are_too_many
        return refuse_ambiguous(edit, candidates, count, are_more=found.are_too_many)

    def _look(self, edit: Edit) -> Located | Attempt:
        match edit:
            case Replace():
                return self._replace(edit)
            case Write():
                return self._write(edit)
            case Insert():
                return self._insert(edit)
            case ReplaceAnchored():
                return self._anchored(edit)
            case _:
                raise AssertionError("moves and deletions are planned for whole files")

    def _replace(self, edit: Replace) -> Located | Attempt:
        if not edit.search:
            return self._fill(edit)
        if not self._will_exist:
            return refuse_absent_file(edit)
        if edit.search == edit.replace and edit.final_newline is None:
            return refuse_no_change(edit)
        located = self._locate(edit)
        parts = locate_parts(self._view, edit) if located is None and not self._dialect.exact else None
        if parts is not None:
            return self._elided(edit, parts)
        shortens = edit.replace.count("\n") <= edit.search.count("\n")
        return refuse_foreign_text(edit, edit.replace, self._now.text, shortens=shortens) or located

    def _locate(self, edit: Replace) -> Located | None:
        """`locate`, which is asked once for edits of the same lines."""
        key = (edit.search, edit.inline, edit.replace_all)
        known = self._located.get(key)
        if known is not None and not known.inside and known.spots[0].hit is None:
            return replace(known, needle=needle_of(edit))
        self._located[key] = located = locate(self._view, edit, exact=self._dialect.exact)
        return located

    def _choose(self, edits: Sequence[Edit], looked: Sequence[Located | Attempt]) -> list[_Choice | None]:
        """The spot of each edit that has one: its only one, the one it names, or the one that all edits together
        leave for it."""
        chosen: list[_Choice | None] = [None] * len(edits)
        spots: dict[int, Sequence[Spot]] = {}
        for index, (edit, found) in enumerate(zip(edits, looked, strict=True)):
            if not isinstance(found, Located) or not isinstance(edit, Replace):
                continue
            if found.are_too_many and not edit.replace_all:
                continue
            if edit.replace_all:
                chosen[index] = _Choice(found.spots[0])
            elif len(found.spots) == 1:
                chosen[index] = _Choice(found.spots[0])
                spots[index] = found.spots
            elif left := narrow(self._view, found.spots, edit.near, trust_line=edit.inline):
                spots[index] = left
                chosen[index] = _Choice(left[0], Remark.BY_NEAR) if len(left) == 1 else None
        choices = sum(map(len, spots.values()))
        if len(spots) > 1 and choices <= _MOST_CHOICES and any(chosen[index] is None for index in spots):
            picked = only_assignment([[(spot.start, spot.end) for spot in choices] for choices in spots.values()])
            if picked is not None:
                for index, number in zip(spots, picked, strict=True):
                    if chosen[index] is None and self._may_be(edits[index], spots[index], number):
                        chosen[index] = _Choice(spots[index][number], Remark.BY_ORDER)
        return chosen

    def _may_be(self, edit: Edit, spots: Sequence[Spot], number: int) -> bool:
        """Whether the line that the edit names does not speak for another one of its spots."""
        named = edit.near.line - 1 if isinstance(edit, Replace) else -1
        begins = [self._view.lines_of(spot.start, spot.start + 1)[0] for spot in spots]
        return named not in begins or begins[number] == named

    def _settle(self, edit: Replace, located: Located, choice: _Choice) -> Placed | Outcome:
        """What the edit changes at its spot, in the text as it is now."""
        spots = _apart(located.spots) if edit.replace_all else [choice.spot]
        remarks = [Remark.INSIDE] if located.inside else []
        remarks += [choice.remark] if choice.remark and not edit.replace_all else []
        if self._view is not self._now:
            moved = [spot for spot in map(self._moved, spots) if spot is not None]
            if len(moved) < len(spots):
                return refuse_stale(edit, self._now)
            spots = moved
            remarks.append(Remark.MERGED)
        places = tuple(Place(spot.start, spot.end, self._now.text) for spot in spots)
        match = Match(edit, located.rung, places, tuple(remarks))
        if self._stands(edit, located, spots[0]):
            return replace(match, remarks=(*remarks, Remark.ALREADY))
        doubts = (doubt(self._now.text, edit, located, spot) for spot in spots)
        if why := next(filter(None, doubts), ""):
            return refuse_not_found(edit, self._now, why)
        try:
            changes = tuple(change_at(self._now, edit, located, spot) for spot in spots)
        except Ununiform:
            return refuse_not_found(edit, self._now, "its new text is indented less than its search text")
        text = self._now.text
        if all(
            text[change.start : change.end] == change.new and _keeps_final_end(text, change) for change in changes
        ):
            return refuse_no_change(edit)
        return Placed(edit, changes, match)

    def _stands(self, edit: Replace, located: Located, spot: Spot) -> bool:
        """Whether the new text holds the old one and stands around it already: it was applied before."""
        if located.inside:
            return _stands_around(self._now.text, spot, located.needle.replace[0])
        if edit.inline or edit.replace_all or spot.hit is not None:
            return False
        old, new = located.needle.search, located.needle.replace
        for at in range(len(new) - len(old) + 1):
            added = new[:at] + new[at + len(old) :]
            if new[at : at + len(old)] == old and any(map(says_something, added)):
                first = self._now.lines_of(spot.start, spot.end)[0] - at
                if first >= 0 and tuple(self._now.lines[first : first + len(new)]) == new:
                    return True
        return False

    def _moved(self, spot: Spot) -> Spot | None:
        """Where the lines of a spot stand now; None when they, or their neighbours, have changed."""
        first, last = self._view.lines_of(spot.start, spot.end)
        there = self._map().place(first, last)
        if there is None:
            return None
        count = last - first
        old_start, _ = self._view.span(first, last)
        start, end = self._now.span(there, there + count)
        hit = None
        if spot.hit is not None:
            hit = replace(spot.hit, first=spot.hit.first - first + there, last=spot.hit.last - first + there)
            return Spot(start, end, hit)
        return Spot(start + spot.start - old_start, start + spot.end - old_start, hit)

    def _map(self) -> LineMap:
        if self._line_map is None:
            self._line_map = LineMap(self._view.text, self._now.text)
        return self._line_map

    def _elided(self, edit: Replace, parts: Sequence[Located]) -> Placed | Outcome:
        changes: list[Change] = []
        places: list[Place] = []
        for part in parts:
            settled = self._settle(replace(edit, inline=False, replace_all=False), part, _Choice(part.spots[0]))
            match settled:
                case Placed():
                    changes += settled.changes
                    places += settled.match.places
                case Refusal() if settled.reason is not RefusalReason.NO_CHANGE:
                    return replace(settled, edit=edit)
                case _:
                    continue
        if not changes:
            return refuse_no_change(edit)
        foreign = refuse_foreign_text(edit, "".join(change.new for change in changes), self._now.text)
        return foreign or Placed(edit, tuple(changes), Match(edit, Rung.ELISION, tuple(places)))

    def _fill(self, edit: Replace) -> Attempt:
        """An empty search text: new text for a file that has none."""
        text = self._now.text
        foreign = refuse_foreign_text(edit, edit.replace, text)
        if foreign is not None:
            return foreign
        new = edit.replace if edit.inline or not edit.replace or ends_line(edit.replace) else edit.replace + "\n"
        if not text or self._dialect.empty_search == "whole_file":
            return Placed(edit, (Change(0, len(text), new, whole=False),), Match(edit, Rung.EXACT))
        if self._now.lines == list(lines_of(edit.replace)):
            return Match(edit, Rung.EXACT, (), (Remark.ALREADY,))
        if self._dialect.empty_search == "append":
            return Placed(edit, (Change(len(text), len(text), new),), Match(edit, Rung.EXACT))
        return refuse_existing_text(edit)

    def _write(self, edit: Write) -> Attempt:
        text = self._now.text
        if edit.create and self._exists and text != edit.text and self._dialect.existing == "refuse":
            return refuse_existing_file(edit, edit.path)
        shortens = bool(text) and len(lines_of(edit.text)) <= len(self._now.lines)
        foreign = refuse_foreign_text(edit, edit.text, text, shortens=shortens)
        if foreign is not None:
            return foreign
        if not text:
            return Placed(edit, (Change(0, 0, edit.text, whole=False),), Match(edit, Rung.EXACT))
        new = self._merged(edit)
        if new is None:
            return refuse_stale(edit, self._now)
        old = split_lines(text)
        needle = Needle(tuple(line.text for line in old), lines_of(new))
        lines = splice(old, needle, Hit(0, len(old)), newline_at(text, 0))
        assert lines is not None  # nothing is shifted
        change = Change(0, len(text), join_lines(lines))
        if self._exists and [line.text for line in lines] == [line.text for line in old]:
            return Match(edit, Rung.EXACT, (), (Remark.ALREADY,))
        rung = (
            Rung.APPROXIMATE if edit.shown and _may_be_a_piece(self._now.lines, lines_of(edit.text)) else Rung.EXACT
        )
        return Placed(edit, (change,), Match(edit, rung, (Place(0, len(text), text),)))

    def _merged(self, edit: Write) -> str | None:
        """The whole new text with what has changed since the file was shown; None when they touch each other."""
        if self._view is self._now:
            return edit.text
        merged = merge(self._view.flat, self._now.flat, "".join(line + "\n" for line in lines_of(edit.text)))
        return None if merged.conflicts else merged.text

    def _insert(self, edit: Insert) -> Attempt:
        if not self._will_exist:
            return refuse_absent_file(edit)
        foreign = refuse_foreign_text(edit, edit.text, self._now.text)
        if foreign is not None:
            return foreign
        at = insertion(self._view, edit.near)
        if at is None:
            return refuse_no_place(edit, self._now)
        if self._view is self._now:
            return self._new_lines(edit, edit.text, at, at)
        moved = self._moved(Spot(at, at))
        return (
            refuse_stale(edit, self._now)
            if moved is None
            else self._new_lines(edit, edit.text, moved.start, moved.end)
        )

    def _anchored(self, edit: ReplaceAnchored) -> Attempt:
        if not self._exists:
            return refuse_absent_file(edit)
        foreign = refuse_foreign_text(edit, edit.text, self._now.text)
        if foreign is not None:
            return foreign
        last = edit.last or edit.first
        for anchor in (edit.first, last):
            if anchor.line == 0 and edit.last is None:
                continue
            lines = self._view.lines
            if not 1 <= anchor.line <= len(lines) or anchor_of(lines[anchor.line - 1], anchor.line) != anchor:
                return refuse_anchor(edit, anchor, self._now)
        if edit.last is not None and last.line < edit.first.line:
            return refuse_anchor(edit, last, self._now)
        first, count = (edit.first.line - 1, last.line - edit.first.line + 1) if edit.last else (edit.first.line, 0)
        there = first if self._view is self._now else self._map().place(first, first + count)
        if there is None:
            return refuse_anchor(edit, edit.first, self._now)
        return self._new_lines(edit, edit.text, *self._now.span(there, there + count))

    def _new_lines(self, edit: Insert | ReplaceAnchored, text: str, start: int, end: int) -> Attempt:
        """Whole lines in place of whole lines, with the line ends of the neighbourhood."""
        old = split_lines(self._now.text[start:end])
        needle = Needle(tuple(line.text for line in old), lines_of(text))
        lines = splice(old, needle, Hit(0, len(old)), newline_at(self._now.text, start))
        assert lines is not None  # nothing is shifted
        if lines == [line if line.end else Line(line.text, "\n") for line in old]:
            return refuse_no_change(edit)
        change = Change(start, end, join_lines(lines))
        return Placed(edit, (change,), Match(edit, Rung.EXACT, (Place(start, end, self._now.text),)))


def _keeps_final_end(text: str, change: Change) -> bool:
    """Whether the text has a line end at its end, or none, before and after the change alike."""
    return change.final_newline is None or change.final_newline == ends_line(text)


def _may_be_a_piece(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether new text that was shown under a file's name is much shorter than the file, or begins inside a block."""
    old, new = ([line for line in lines if line.strip()] for lines in (old, new))
    is_short = len(old) >= _FEWEST_OF_A_WHOLE and 2 * len(new) < len(old)
    return is_short or (bool(old and new) and new[0][0].isspace() and not old[0][0].isspace())


def says_something(line: str) -> bool:
    """Whether nobody would want this line twice in a row: a bracket or a single letter may well be."""
    return sum(map(str.isalnum, line)) >= _SHORTEST_SAYING


def _apart(spots: Sequence[Spot]) -> list[Spot]:
    """The spots that do not overlap the one before, from the first on: what replacing all of them means."""
    apart: list[Spot] = []
    for spot in spots:
        if not apart or apart[-1].end <= spot.start:
            apart.append(spot)
    return apart


def _candidates(view: View, spots: Sequence[Spot]) -> list[Candidate]:
    """The lines of spots in ascending order; there may be thousands."""
    candidates: list[Candidate] = []
    line, at = 1, 0
    for spot in spots:
        line += count_lines(view.text, at, spot.start)
        at = spot.start
        candidates.append(Candidate(line, line + max(count_lines(view.text, at, spot.end - 1), 0)))
    return candidates


def _stands_around(text: str, spot: Spot, new: str) -> bool:
    """Whether the part of a line at `spot` is a part of `new`, which stands there already."""
    old = text[spot.start : spot.end]
    offset = new.find(old)
    while offset >= 0:
        if offset <= spot.start and text.startswith(new, spot.start - offset):
            return True
        offset = new.find(old, offset + 1)
    return False
