"""From edits to changes of one text: look for each, decide between several places, and move to where they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from motet.edits import given
from motet.edits.assign import only_assignment
from motet.edits.doubts import doubt
from motet.edits.edit import Edit, Insert, Replace, ReplaceAnchored, Write
from motet.edits.ground import Ground
from motet.edits.locate import Located, Ununiform, change_at, ends_line, locate, locate_parts, locate_raw, needle_of
from motet.edits.match import Spot
from motet.edits.near import narrow
from motet.edits.outcome import Candidate, Match, Outcome, Place, Refusal, RefusalReason, Remark, Rung, count_lines
from motet.edits.pieces import note_in_place
from motet.edits.placed import Attempt, Placed
from motet.edits.refuse import (
    refuse_absent_file,
    refuse_ambiguous,
    refuse_foreign_text,
    refuse_no_change,
    refuse_not_found,
    refuse_placeholder,
    refuse_stale,
)
from motet.edits.splice import Change
from motet.edits.view import View

_MOST_CHOICES = 200_000
"""Places of all edits of one answer up to which their order is looked at."""
_MOST_TOLD = 1_000
"""Candidates of a refusal; nobody reads more."""
_SHORTEST_SAYING = 4
"""Letters and digits from which a line is more than a bracket, a separator or `end`."""


@dataclass(frozen=True, slots=True)
class _Choice:
    spot: Spot
    remark: Remark | None = None


class Placing:
    """Finds the places of edits in the text that the model saw, and says what they change in the text as it is now."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._view = ground.view
        self._now = ground.now
        self._located: dict[tuple[str, bool, bool], Located | None] = {}
        self._candidates: dict[int, list[Candidate]] = {}

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
                return given.write(self._ground, edit)
            case Insert():
                return given.insert(self._ground, edit)
            case ReplaceAnchored():
                return given.replace_anchored(self._ground, edit)
            case _:
                raise AssertionError("moves and deletions are planned for whole files")

    def _replace(self, edit: Replace) -> Located | Attempt:
        if not edit.search or self._is_blank_for_blank(edit):
            return given.fill(self._ground, edit)
        if not self._ground.will_exist:
            return refuse_absent_file(edit)
        if edit.search == edit.replace and edit.final_newline is None:
            return refuse_no_change(edit)
        located = self._locate(edit)
        if located is None or located.rung > Rung.TRAILING_SPACE:
            raw = locate_raw(self._view, edit)
            if raw is not None and located is not None:
                why = "its context fits with another indentation, and as it is written, as if without the space before it"
                return refuse_not_found(edit, self._now, why)
            located = located or raw
        parts = locate_parts(self._view, edit) if located is None else None
        if parts is not None:
            return self._elided(edit, parts)
        shortens = edit.replace.count("\n") <= edit.search.count("\n")
        return refuse_foreign_text(edit, edit.replace, self._now.text, shortens=shortens) or located

    def _is_blank_for_blank(self, edit: Replace) -> bool:
        """Whether only blank lines are looked for, in a file that is empty: that is all that a model can see of it."""
        is_blank = not edit.search.strip() and bool(edit.replace.strip())
        return is_blank and self._ground.is_empty

    def _locate(self, edit: Replace) -> Located | None:
        """`locate`, which is asked once for edits of the same lines."""
        key = (edit.search, edit.inline, edit.replace_all)
        known = self._located.get(key)
        if known is not None and not known.inside and known.spots[0].fit is None:
            return replace(known, needle=needle_of(edit))
        self._located[key] = located = locate(self._view, edit)
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
        remarks = [Remark.INSIDE] * located.inside + [Remark.RAW] * located.raw
        remarks += [choice.remark] if choice.remark and not edit.replace_all else []
        if self._ground.has_changed:
            moved = [spot for spot in map(self._ground.moved, spots) if spot is not None]
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
        for change in () if edit.inline else changes:
            if note := note_in_place(text[change.start : change.end], change.new, edit.path, marked=True):
                return refuse_placeholder(edit, note)
        return Placed(edit, changes, match)

    def _stands(self, edit: Replace, located: Located, spot: Spot) -> bool:
        """Whether the new text holds the old one and stands around it already: it was applied before."""
        if located.inside:
            return _stands_around(self._now.text, spot, located.needle.replace[0])
        if edit.inline or edit.replace_all or spot.fit is not None:
            return False
        old, new = located.needle.search, located.needle.replace
        for at in range(len(new) - len(old) + 1):
            added = new[:at] + new[at + len(old) :]
            if new[at : at + len(old)] == old and any(map(says_something, added)):
                first = self._now.lines_of(spot.start, spot.end)[0] - at
                if first >= 0 and tuple(self._now.lines[first : first + len(new)]) == new:
                    return True
        return False

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


def _keeps_final_end(text: str, change: Change) -> bool:
    """Whether the text has a line end at its end, or none, before and after the change alike."""
    return change.final_newline is None or change.final_newline == ends_line(text)


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
