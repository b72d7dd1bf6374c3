"""What looks right for one diagnostic alone and wrong beside the others."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from motet.models.offline.names import is_near, unknown_in
from motet.models.offline.repair import Declined, Repair, overlap, rename_of
from motet.models.offline.source import NAME, Source
from motet.models.offline.unused import unused_in
from motet.text.position import Position, Range
from motet.text.report import ReportedDiagnostic, ReportedEdit

MOST_SLIPS = 2
"""As often may one name be misspelt in the same way; more often it is a name of its own."""

_TWO_NAMES = Declined("it stands at several places and so does the name proposed: these are two names")
_IN_USE = Declined("it may be what a misspelt name means; look again afterwards")


@dataclass(frozen=True, slots=True)
class Taken:
    """A repair that is proposed, and the diagnostic that asked for it."""

    diagnostic: ReportedDiagnostic
    repair: Repair


class Covered:
    """The places that the repairs taken so far change."""

    def __init__(self, taken: Iterable[Taken] = ()) -> None:
        self._edits: list[ReportedEdit] = []  # none overlapping, by where they stand
        self._places: set[Position] = set()
        self._lines: set[int] = set()
        for each in taken:
            self.add(each)

    def add(self, proposal: Taken) -> None:
        """It is taken."""
        self._places.add(proposal.diagnostic.place)
        for edit in proposal.repair.edits:
            insort(self._edits, edit, key=_where)
            self._lines.update(range(edit.range.start.line, edit.range.end.line + 1))

    def meets(self, proposal: Taken) -> bool:
        """Whether it is for a diagnostic of the same place as one that was taken, or changes what that changes."""
        return proposal.diagnostic.place in self._places or any(map(self._overlaps, proposal.repair.edits))

    def has_line(self, number: int) -> bool:
        """Whether line `number` is changed."""
        return number in self._lines

    def _overlaps(self, edit: ReportedEdit) -> bool:
        begins = edit.range.start
        at = bisect_left(self._edits, (begins, begins), key=_where)
        return any(overlap(edit, other) for other in self._edits[max(at - 1, 0) : at + 1])


def _where(edit: ReportedEdit) -> tuple[Position, Position]:
    return edit.range.start, edit.range.end


Left = tuple[ReportedDiagnostic, Declined]
"""A diagnostic that nothing is done about, and why."""


def reconsider(
    proposals: Sequence[Taken], source: Source, others: Sequence[Source]
) -> tuple[list[Taken], list[Left]]:
    """The proposals that stand together, some of them turned round, and those given up.

    What a misspelt name may mean is not removed as unused. Where several places are to be given one name: when
    the text holds that name once, that one place is the misspelt one; when it is used elsewhere too, both names
    are established, they are two, and something else is wrong.
    """
    places: defaultdict[tuple[str, str], set[Position]] = defaultdict(set)
    for each in proposals:
        if (names := rename_of(each.repair)) is not None:
            places[names].add(each.repair.edits[0].range.start)
    unknown = {found.name for one in source.report.diagnostics if (found := unknown_in(source, one)) is not None}
    wanted = {new for _, new in places}
    standing = _places_by_name(wanted, source, others)
    kept: list[Taken] = []
    given_up: list[Left] = []
    for each in proposals:
        names = rename_of(each.repair)
        if names is None:
            if _takes_away(each, wanted, unknown):
                given_up.append((each.diagnostic, _IN_USE))
            else:
                kept.append(each)
            continue
        known = standing[names[1]] if len(places[names]) > 1 else ()
        if len(known) == 1 and known[0] is not None:
            kept.append(_turned_round(each, names, known[0]))
        elif len(known) > 1 and len(places[names]) > MOST_SLIPS:
            given_up.append((each.diagnostic, _TWO_NAMES))
        else:
            kept.append(each)
    return kept, given_up


def _takes_away(proposal: Taken, wanted: set[str], unknown: set[str]) -> bool:
    """Whether it removes a name that others are to be changed to, or an unused one near to an unknown one."""
    edits = proposal.repair.edits
    removed = {name for edit in edits for name in {*NAME.findall(edit.old)} - {*NAME.findall(edit.new)}}
    unused = unused_in(proposal.diagnostic)
    return bool(removed & wanted) or (unused is not None and any(is_near(unused, name) for name in unknown))


def _turned_round(proposal: Taken, names: tuple[str, str], place: Position) -> Taken:
    right, wrong = names
    range_ = Range(place, Position(place.line, place.column + len(wrong)))
    edit = ReportedEdit(range_, wrong, right)
    return Taken(proposal.diagnostic, Repair(f"Change '{wrong}' to '{right}'", (edit,), proposal.repair.origin))


def _places_by_name(
    names: set[str], source: Source, others: Sequence[Source]
) -> Mapping[str, Sequence[Position | None]]:
    """Where each of `names` stands in this file, and None for each time that it stands in another."""
    found: dict[str, list[Position | None]] = {name: [] for name in names}
    for one in (source, *others):
        for word in one.words if names else ():
            if word.name in found:
                found[word.name].append(word.place if one is source else None)
    return found
