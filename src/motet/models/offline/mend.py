"""One file: for each diagnostic at most one repair, none of which gets in another's way, as blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from motet.models.offline.blocks import Block, Region, blocks_of, regions_of
from motet.models.offline.keywords import repair_keyword
from motet.models.offline.names import closest, meant_in, rename, unknown_in
from motet.models.offline.repair import Declined, Origin, Repair
from motet.models.offline.repairs import mechanical
from motet.models.offline.request import Past
from motet.models.offline.second_thoughts import Covered, Left, Taken, reconsider
from motet.models.offline.source import Source
from motet.models.offline.suggested import choose_import, choose_suggested
from motet.models.offline.syntax import is_syntax
from motet.text.position import Position
from motet.text.report import FileReport, ReportedDiagnostic

_LATER = Declined("left until the syntax is right: it may only follow from that")
_COVERED = Declined("another fix changes the same place; look again afterwards")
_REFUSED = Declined("this change was refused before")
_TAKEN_BACK = Declined("edits to this file were taken back; now I only do what the servers say")
_NOT_A_BLOCK = Declined("its lines cannot be named without doubt")
_NO_ROOM = Declined("the answer may not be longer; ask again")
_NO_FIX = Declined("no fix came with it, and I do not reason")

Choice = tuple[ReportedDiagnostic, Repair | Declined]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is proposed for one file, and what is not and why; both in the order of the file."""

    report: FileReport
    taken: tuple[Taken, ...]
    declined: tuple[Left, ...]
    blocks: tuple[Block, ...]

    def without_room(self) -> Outcome:
        """The same with nothing proposed, because the answer may not grow that long."""
        late = ((one.diagnostic, _NO_ROOM) for one in self.taken)
        return Outcome(self.report, (), tuple(sorted((*self.declined, *late), key=_by_place)), ())


class Mender:
    """Chooses repairs for the diagnostics of one file.

    `others` are the other files of the request, `reported` the names that its diagnostics call unknown,
    `past` what became of earlier proposals for this file.
    """

    def __init__(self, source: Source, others: Sequence[Source], reported: frozenset[str], past: Past) -> None:
        self._source = source
        self._report = source.report
        self._others = others
        self._reported = reported
        self._past = past

    async def mend(self) -> Outcome:
        """Choose; other tasks run between two diagnostics."""
        proposals: list[Taken] = []
        declined: list[Left] = []
        for diagnostic, choice in await self._choices():
            match choice:
                case Repair():
                    proposals.append(Taken(diagnostic, choice))
                case Declined():
                    declined.append((diagnostic, choice))
        kept, given_up = reconsider(proposals, self._source, self._others)
        declined += given_up
        taken: list[Taken] = []
        covered = Covered()
        for proposal in sorted(kept, key=_precedence):
            await asyncio.sleep(0)
            match self._obstacle(proposal, covered):
                case None:
                    taken.append(proposal)
                    covered.add(proposal)
                case Declined() as reason:
                    declined.append((proposal.diagnostic, reason))
        while (blocks := self._blocks(taken)) is None:
            await asyncio.sleep(0)
            declined.append((taken.pop().diagnostic, _NOT_A_BLOCK))
        covered = Covered(taken)
        declined = [(d, _COVERED if covered.has_line(d.place.line) else reason) for d, reason in declined]
        return Outcome(
            self._report,
            tuple(sorted(taken, key=lambda one: one.diagnostic.place)),
            tuple(sorted(declined, key=_by_place)),
            tuple(blocks),
        )

    async def _choices(self) -> list[Choice]:
        """A choice for each diagnostic. Once a syntax error can be mended nothing else is tried: the rest may
        only follow from it. While none can, only a name before the first of them is."""
        diagnostics = self._report.diagnostics
        broken = [one for one in diagnostics if is_syntax(one)]
        choices: list[Choice] = []
        for diagnostic in broken:
            await asyncio.sleep(0)
            choices.append((diagnostic, self._choose(diagnostic)))
        mended = any(isinstance(choice, Repair) for _, choice in choices)
        first = min((one.place for one in broken), default=None)
        for diagnostic in diagnostics:
            if is_syntax(diagnostic):
                continue
            await asyncio.sleep(0)
            sound = first is None or (
                not mended and diagnostic.place < first and unknown_in(self._source, diagnostic) is not None
            )
            choices.append((diagnostic, self._choose(diagnostic) if sound else _LATER))
        return choices

    def _choose(self, diagnostic: ReportedDiagnostic) -> Repair | Declined:
        # A server that misses a semicolon behind such a word has been misled by it.
        if (misspelt := repair_keyword(self._source, diagnostic)) is not None:
            return misspelt
        suggested = choose_suggested(self._report, diagnostic)
        if isinstance(suggested, Repair):
            return suggested
        meant = meant_in(self._source, diagnostic)
        if meant is not None:
            return rename(meant[0], meant[1], Origin.DID_YOU_MEAN)
        certain = mechanical(self._source, diagnostic)
        if certain is not None:
            return certain
        unknown = unknown_in(self._source, diagnostic)
        if unknown is None:
            return suggested if diagnostic.fixes else _NO_FIX
        name = closest(self._source, self._others, unknown, self._reported)
        if name is not None:
            return rename(unknown, name, Origin.CLOSEST_NAME)
        return choose_import(self._report, diagnostic, unknown) or Declined(
            f"no name in the text that was shown is clearly the closest to '{unknown.name}'"
        )

    def _obstacle(self, proposal: Taken, covered: Covered) -> Declined | None:
        if covered.meets(proposal):
            return _COVERED
        edits = proposal.repair.edits
        regions = regions_of(self._report, edits)
        if not regions or blocks_of(self._report, regions) is None:
            return _NOT_A_BLOCK
        if self._past.taken_back and proposal.repair.origin > Origin.DID_YOU_MEAN:
            return _TAKEN_BACK
        return _REFUSED if any(self._was_refused(region) for region in regions) else None

    def _was_refused(self, region: Region) -> bool:
        if not self._past.lines.isdisjoint(range(region.first, region.last + 1)):
            return True
        old = tuple(self._report.line(number) or "" for number in range(region.first, region.last + 1))
        old, new = Block(old, region.lines).core
        return any(
            _within(old, before) and (_within(new, after) if new else not _within(old, after))
            for before, after in self._past.cores
        )

    def _blocks(self, taken: Sequence[Taken]) -> list[Block] | None:
        regions = regions_of(self._report, [edit for one in taken for edit in one.repair.edits])
        return None if regions is None else blocks_of(self._report, regions)


def _precedence(proposal: Taken) -> tuple[int, int, int, Position]:
    size = sum(len(edit.old) + len(edit.new) for edit in proposal.repair.edits)
    return proposal.repair.origin, proposal.diagnostic.severity, size, proposal.diagnostic.place


def _by_place(pair: Left) -> Position:
    return pair[0].place


def _within(lines: Sequence[str], others: Sequence[str]) -> bool:
    size = len(lines)
    return any(tuple(others[at : at + size]) == tuple(lines) for at in range(len(others) - size + 1))
