"""One file while its edits are being placed.

Each edit is matched against the text that the model was shown, so the order of the edits does not matter and no line
shift can hurt; an edit without a hit there is tried against the text as the others have left it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from motet.edits.edit import Edit, Insert, Replace, Write
from motet.edits.edited import Edited
from motet.edits.ground import Ground
from motet.edits.indent import UNSHIFTED, IndentShift, find_shift, keeps_indentation
from motet.edits.lines import join_lines, split_lines
from motet.edits.match import AS_GIVEN, Fit, Needle, find_drifted, find_exact, lines_of
from motet.edits.nearest import Window
from motet.edits.outcome import Match, Outcome, Place, Refusal, RefusalReason, Remark, Rung
from motet.edits.placed import Placed
from motet.edits.placing import Placing, says_something
from motet.edits.refuse import refuse_not_found, refuse_overlap, refuse_piece, refuse_stale, refuse_syntax
from motet.edits.regions import Regions
from motet.edits.splice import Change, apply, newline_at, splice
from motet.edits.view import View
from motet.syntax import MAX_PARSED_CHARACTERS, gains_errors, language_of
from motet.text import TextFile

_MOST_CHECKED_ALONE = 20
"""Loosely matched edits of one file of which each is parsed by itself when together they break it."""
_MOST_SHOWN = 20
"""Edits of one file that have no place for which the nearest text is looked up."""
_ALIKE = 50.0
"""Similarity in per cent from which the new text, where it stands alone, can be what became of the old one."""


class Draft:
    """Takes all edits of one file but moves and deletions; afterwards `after()` holds those that have a place.

    `shown` is the version that the model has seen, if it is another one; `elsewhere` are names that the answer defines
    in other files.
    """

    def __init__(
        self,
        base: TextFile,
        *,
        exists: bool,
        shown: TextFile | None,
        approximate: bool,
        elsewhere: frozenset[str] = frozenset(),
    ) -> None:
        self.base = base
        self._exists = exists
        self._approximate = approximate
        self._elsewhere = elsewhere
        self._view = View.of(base)
        self._shown = View.of(shown) if shown is not None and shown.text != base.text else None
        self._edited = Edited(base)
        self.regions = Regions()
        self._numbers: Mapping[int, int] = {}
        self._made: list[Change] = []  # in offsets of `base`: of the edits that had their places there
        self._moved = False  # whether an edit had its place only in the text that others left
        self._missed = 0

    def after(self) -> TextFile:
        """The next version, with all edits that have a place. Raises `NotText` when it could not be read again."""
        return self._edited.file()

    @property
    def _text(self) -> str:
        return self._edited.text

    def place(self, edits: Sequence[Edit], numbers: Mapping[int, int]) -> dict[int, Outcome]:
        """The outcome of every edit, by its `id()`: two edits may be equal. `numbers` are what `regions` calls them."""
        self._numbers = numbers
        outcomes: dict[int, Outcome] = {}
        placed: list[Placed] = []
        later: list[Edit] = []
        will_exist = self._exists or any(_creates(edit) for edit in edits)
        placing = self._placing(self._shown or self._view, self._view, will_exist)
        for edit, attempt in zip(edits, placing.attempts(edits), strict=True):
            match attempt:
                case None:
                    later.append(edit)
                case Placed() if attempt.match.rung is Rung.APPROXIMATE and not self._approximate:
                    outcomes[id(edit)] = refuse_piece(edit, len(self._view.lines), attempt.match.doubt)
                case Placed():
                    placed.append(attempt)
                case Refusal(reason=RefusalReason.STALE) if isinstance(edit, Replace):
                    outcomes[id(edit)] = self._already_applied(edit, self._view) or attempt
                case outcome:
                    outcomes[id(edit)] = outcome
        outcomes |= self._apply_together(placed)
        view = self._view
        order = {id(edit): index for index, edit in enumerate(edits)}
        for edit in later:
            if view.text is not self._text:
                view = View(self._text)
            if self._shown is not None and self._stands_after((), edit):
                outcomes[id(edit)] = refuse_stale(edit, self._view)  # the model has not seen what it fits now
                continue
            before = [one for one in placed if order[id(one.edit)] < order[id(edit)]]
            if len(before) < len(placed) and not self._stands_after(before, edit):
                outcomes[id(edit)] = self._not_found(edit, self._view)
                continue
            is_as_before = view is self._view and self._shown is None and self._exists
            outcomes[id(edit)] = self._not_found(edit, view) if is_as_before else self._place_later(edit, view)
        return outcomes

    def _placing(self, view: View, now: View, will_exist: bool) -> Placing:
        return Placing(
            Ground(
                view,
                now,
                exists=self._exists,
                will_exist=will_exist,
                elsewhere=self._elsewhere,
            )
        )

    def _stands_after(self, placed: Sequence[Placed], edit: Edit) -> bool:
        """Whether the search text stands in the text as the edits before it leave it, not only the ones after it."""
        view = View(_applied(self.base.text, placed))
        return self._placing(view, view, self._exists or bool(view.text)).attempts([edit]) != [None]

    def _apply_together(self, placed: Sequence[Placed]) -> dict[int, Outcome]:
        """Apply the edits that do not touch each other; refuse those that do."""
        outcomes: dict[int, Outcome] = {}
        in_order = sorted(
            ((change, one) for one in placed for change in one.changes),
            key=lambda pair: (pair[0].start, pair[0].end),
        )
        twins: list[tuple[Placed, Placed]] = []
        last: tuple[Change, Placed] | None = None
        for change, one in in_order:
            if last is None or not _overlap(last[0], change, last[1], one):
                last = (change, one) if last is None or change.end >= last[0].end else last
                continue
            rival = last[1]
            if last[0] == change and rival.changes == one.changes:
                twins.append((one, rival))
                continue
            outcomes[id(one.edit)] = refuse_overlap(one.edit, one.match, rival.match)
            outcomes[id(rival.edit)] = refuse_overlap(rival.edit, rival.match, one.match)
            last = (change, one) if change.end > last[0].end else last
        without = {*outcomes, *(id(twin.edit) for twin, _ in twins)}
        fitting = [one for one in placed if id(one.edit) not in without]
        outcomes |= self._apply(fitting)
        self._made = _changes([one for one in fitting if isinstance(outcomes[id(one.edit)], Match)])
        for twin, first in twins:
            became = outcomes[id(first.edit)]
            remarks = (*twin.match.remarks, Remark.ALREADY)
            is_done = isinstance(became, Match)
            outcomes[id(twin.edit)] = (
                replace(twin.match, remarks=remarks) if is_done else replace(became, edit=twin.edit)
            )
        return outcomes

    def _apply(self, placed: Sequence[Placed]) -> dict[int, Outcome]:
        """Apply edits that do not touch each other. Loosely matched ones are taken back when they leave syntax
        errors: one by one, so that the wrong one is named, or together when they are many."""
        if not placed:
            return {}
        was, regions, before = self._edited, self.regions, self._text
        self._change(was, regions, placed)
        outcomes: dict[int, Outcome] = {id(one.edit): one.match for one in placed}
        loose = [one for one in placed if one.is_loose]
        if not loose:
            return outcomes
        if len(before) > MAX_PARSED_CHARACTERS and language_of(self.base.path):
            for one in loose:
                outcomes[id(one.edit)] = replace(one.match, remarks=(*one.match.remarks, Remark.NOT_PARSED))
            return outcomes
        if not self._gains_errors(before, self._text):
            return outcomes
        kept = [one for one in placed if not one.is_loose]
        for one in loose:
            text = _applied(before, [*kept, one])
            if len(loose) > _MOST_CHECKED_ALONE or self._gains_errors(_applied(before, kept), text):
                outcomes[id(one.edit)] = refuse_syntax(one.edit, one.match)
            else:
                kept.append(one)
        self._change(was, regions, kept)
        return outcomes

    def _change(self, was: Edited, regions: Regions, placed: Sequence[Placed]) -> None:
        """Have the text be `was`, which is what `regions` make, with these edits."""
        numbered = [(change, self._numbers[id(one.edit)]) for one in placed for change in one.changes]
        numbered.sort(key=lambda pair: (pair[0].start, pair[0].end))
        self._edited = was.changed([change for change, _ in numbered])
        self.regions = regions.changed(was.text, numbered) if numbered else regions

    def _gains_errors(self, before: str, after: str) -> bool:
        return gains_errors(before, after, language_of(self.base.path))

    def _place_later(self, edit: Edit, view: View) -> Outcome:
        """Against the text as the other edits have left it."""
        [attempt] = self._placing(view, view, self._exists or bool(view.text)).attempts([edit])
        match attempt:
            case Placed():
                self._moved = True
                return self._apply([attempt])[id(edit)]
            case None:
                return self._not_found(edit, view)
            case outcome:
                return outcome

    def _not_found(self, edit: Edit, view: View) -> Outcome:
        """A guess where that is wanted, else a refusal; or the new text stands in `view` already."""
        assert isinstance(edit, Replace)  # only a search text can be missing
        already = self._already_applied(edit, view)
        if already is not None:
            return already
        needle = Needle.of(edit.search, edit.replace, edit.signs)
        guess = self._guess(edit, needle) if self._approximate else None
        if guess is None and self._approximate and edit.raw is not None:
            guess = self._guess(edit, Needle.of(*edit.raw, edit.signs))
        if guess is not None:
            placed, in_base = guess
            outcome = self._apply([placed])[id(edit)]
            if isinstance(outcome, Match):
                self._made.append(in_base)
            return outcome
        self._missed += 1
        return refuse_not_found(
            edit, self._view, "the search text does not stand in the file", show=self._missed <= _MOST_SHOWN
        )

    def _guess(self, edit: Replace, needle: Needle) -> tuple[Placed, Change] | None:
        """The edit at the place that its search text resembles (rung 9), to be looked at by somebody, and what it changes
        in `base`. None as well where other edits have changed that place, or nobody can say where it is now."""
        view = self._view
        window = view.survey(needle.search).approximate
        if window is None or self._moved:
            return None
        shift = self._shift(window, needle)
        start, end = view.span(window.first, window.last)
        newline = newline_at(view.text, start)
        if shift is not None:
            fit = Fit(shift, _pairs(window, len(needle.search)))
            lines = splice(split_lines(view.text[start:end]), needle, fit, newline)
        else:
            lines = None
        if lines is None:
            return None
        match = Match(edit, Rung.APPROXIMATE, (Place(start, end, view.text),))
        moved = sum(len(one.new) - (one.end - one.start) for one in self._made if one.end < start)
        stands = self._text[start + moved : end + moved] == view.text[start:end]
        if not stands or any(one.start <= end and start <= one.end for one in self._made):
            return None
        new = join_lines(lines)
        return Placed(edit, (Change(start + moved, end + moved, new),), match), Change(start, end, new)

    def _shift(self, window: Window, needle: Needle) -> IndentShift | None:
        """The change of indentation that new lines need at a place that is only nearly right; None when the lines
        there are not indented otherwise by one change, or when the new text may be indented for the file already."""
        search = [needle.search[index] for index, _ in window.alignment]
        found = [self._view.lines[index] for _, index in window.alignment]
        shift = find_shift(search, found, lambda _: "")
        return shift if shift in (None, UNSHIFTED) or keeps_indentation(needle.search, needle.replace) else None

    def _already_applied(self, edit: Replace, view: View) -> Match | None:
        """When the new text stands, once and as it is, where the old one should be."""
        needle = Needle.of(edit.replace, "")
        if not any(line.strip() for line in needle.search) or fuzz.ratio(edit.search, edit.replace) < _ALIKE:
            return None
        exact = find_exact(view, "".join(line + "\n" for line in needle.search))
        if len(exact) > 1:
            return None
        if exact:
            first = view.line_at(exact[0])
        else:
            found = find_drifted(view, needle)
            if found is None or len(found.spots) != 1 or found.spots[0].fit != AS_GIVEN:
                return None
            first = view.lines_of(found.spots[0].start, found.spots[0].end)[0]
        last = first + len(needle.search)
        old = lines_of(edit.search)
        survey = view.survey(old)
        window = survey.nearest
        if window is None or window.first < first or window.last > last:
            return None  # the same text elsewhere, or a part of what should be replaced
        if not survey.is_clear:
            return None  # it may be about another place, which is as near
        gone = set(map(str.strip, old)) - set(map(str.strip, needle.search))
        if not {line for line in gone if says_something(line)}.isdisjoint(view.keys):
            return None  # what should be removed still stands somewhere
        around = len(gone) + 1
        if any(key and key in gone for key in view.keys[max(first - around, 0) : last + around]):
            return None  # what should be removed still stands beside it
        place = Place(*view.span(first, last), view.text)
        return Match(edit, Rung.EXACT, (place,), (Remark.ALREADY,))


def _creates(edit: Edit) -> bool:
    return isinstance(edit, Write) or (isinstance(edit, Replace) and not edit.search)


def _pairs(window: Window, count: int) -> tuple[int | None, ...]:
    counterparts = dict(window.alignment)
    return tuple(counterparts[index] - window.first if index in counterparts else None for index in range(count))


def _applied(text: str, placed: Sequence[Placed]) -> str:
    return apply(text, _changes(placed))


def _changes(placed: Sequence[Placed]) -> list[Change]:
    changes = [change for one in placed for change in one.changes]
    return sorted(changes, key=lambda change: (change.start, change.end))


def _overlap(one: Change, next_: Change, of: Placed, of_next: Placed) -> bool:
    """Whether two changes, in order, want the same characters; two that fill one place do unless both only add
    lines there."""
    if one.start == one.end == next_.start == next_.end:
        return not (isinstance(of.edit, Insert) and isinstance(of_next.edit, Insert))
    return one.end > next_.start
