"""A proposal under review: one file before and after, hunk by hunk. Immutable: a decision makes a new proposal.

The same value serves every front end; nothing here draws or asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from motet.edits.edited import Edited
from motet.edits.hunks import (
    WITHOUT_LINES,
    Hunk,
    apply_hunks,
    carry_hunks,
    describe_change,
    find_hunks,
    hunks_of_edits,
    remove_all,
    replaced_by,
)
from motet.edits.match import AS_GIVEN, Needle, lines_of
from motet.edits.regions import Regions
from motet.edits.splice import splice
from motet.text import TextFile


class Decision(StrEnum):
    """What became of a hunk. Nobody decides `STALE`: the file has changed where the hunk belongs, and it is never
    written."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    AMENDED = "amended"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class ReviewedHunk:
    """A hunk and what the human decided. `remark` goes to the model; `proposed` is what an amendment replaced."""

    hunk: Hunk
    decision: Decision = Decision.PENDING
    remark: str = ""
    proposed: Hunk | None = None

    @property
    def is_taken(self) -> bool:
        """Whether this hunk will be written."""
        return self.decision in (Decision.ACCEPTED, Decision.AMENDED)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One file as it is (`before`, None when it is to be created) and the hunks proposed for it.

    With `moves_to` the file gets that path, with `deletes` it goes, as soon as one hunk is taken; there is always
    one to decide about, if need be without any line. `approximate`: the place of an edit was only nearly right.
    `written`: the file after the last of its hunks, where the reviewer has written each as it was taken. `after`:
    what all hunks make of the file, where that is known.
    """

    path: str
    before: TextFile | None
    base: TextFile
    hunks: tuple[ReviewedHunk, ...]
    moves_to: str = ""
    deletes: bool = False
    approximate: bool = False
    written: TextFile | None = None
    after: TextFile | None = field(default=None, repr=False, compare=False)

    @classmethod
    def between(
        cls,
        path: str,
        before: TextFile | None,
        after: TextFile | None,
        *,
        regions: Regions | None = None,
        approximate: bool = False,
    ) -> Proposal:
        """The proposal to turn `before` into `after`: None on either side is a file that is not there, another path
        of `after` a move. Without any difference it has no hunks. `regions`: what each edit changes in `before`, if
        that makes `after` of it; they are told apart then (see `hunks_of_edits`), and `after` is not looked through."""
        base = before or TextFile.new(path)
        if after is None:
            hunks = (remove_all(base.text),) if before else ()
            return cls(path, before, base, _pending(hunks), deletes=bool(before), approximate=approximate)
        moves_to = "" if after.path in (path, base.path) else after.path
        made = regions if before is not None and regions is not None and regions.all else None
        if made and after.data == base.data:
            hunks = ()
        elif made:
            hunks = hunks_of_edits(base.text, made)
        else:
            hunks = find_hunks(base.text, after.text)
        if not hunks and (moves_to or before is None):
            hunks = (WITHOUT_LINES,)
        known = after if made and hunks else None
        return cls(path, before, base, _pending(hunks), moves_to, approximate=approximate, after=known)

    def decide(self, index: int, decision: Decision, remark: str = "") -> Proposal:
        """The same with hunk `index` decided (or pending again); a stale one stays stale."""
        current = self.hunks[index]
        if current.decision is Decision.STALE:
            return self
        return self._with(index, ReviewedHunk(current.proposed or current.hunk, decision, remark))

    def amend(self, index: int, text: str) -> Proposal:
        """The same with hunk `index` taken as the human rewrote it; `text` are its new lines. A deletion becomes a
        file with these lines. A stale hunk stays stale."""
        current = self.hunks[index]
        if current.decision is Decision.STALE:
            return self
        original = current.proposed or current.hunk
        needle = Needle(tuple(line.text for line in original.old), lines_of(text))
        newline = original.new[0].end if original.new else self.base.newline
        lines = splice(original.old, needle, AS_GIVEN, newline or self.base.newline)
        assert lines is not None  # nothing is shifted
        ends_file = original.end == len(self.base.text)
        closing = original.new or original.old
        if lines and ends_file and closing and not closing[-1].end:
            lines[-1] = replace(lines[-1], end="")
        amended = replace(original, new=tuple(lines), parts=())
        return self._with(index, ReviewedHunk(amended, Decision.AMENDED, proposed=original))

    def split(self, index: int) -> Proposal:
        """The same with hunk `index` in its smallest parts, all pending; unchanged when it has only one."""
        current = self.hunks[index]
        parts = (current.proposed or current.hunk).parts
        if not parts or current.decision is Decision.STALE:
            return self
        return replace(self, hunks=(*self.hunks[:index], *_pending(parts), *self.hunks[index + 1 :]))

    def decide_pending(self, decision: Decision) -> Proposal:
        """The same with every hunk that is still pending decided alike."""
        return replace(
            self,
            hunks=tuple(
                replace(hunk, decision=decision) if hunk.decision is Decision.PENDING else hunk for hunk in self.hunks
            ),
        )

    def rebase(self, now: TextFile | None) -> Proposal:
        """The same proposal for the file as it is `now` (None: it is gone), after somebody else has changed it.

        Hunks whose lines nobody touched keep their decisions and move with their lines; the others become stale.
        So does the removal of a file, whatever has changed in it.
        """
        base = now or TextFile.new(self.path)
        if (now is None) is not (self.before is None) or (self.deletes and base.data != self.base.data):
            return replace(self, before=now, base=base, hunks=tuple(map(_stale, self.hunks)), after=None)
        here = carry_hunks(self.base.text, base.text, [hunk.proposed or hunk.hunk for hunk in self.hunks])
        hunks = tuple(_carried(*pair) for pair in zip(self.hunks, here, strict=True))
        return replace(self, before=now, base=base, hunks=hunks, after=None)

    @property
    def is_decided(self) -> bool:
        """Whether no hunk is pending."""
        return all(hunk.decision is not Decision.PENDING for hunk in self.hunks)

    @property
    def taken(self) -> int:
        """How many hunks will be written."""
        return sum(hunk.is_taken for hunk in self.hunks)

    @property
    def will_delete(self) -> bool:
        """Whether the file is to go: its removal was accepted as it was proposed."""
        return self.deletes and any(hunk.decision is Decision.ACCEPTED for hunk in self.hunks)

    @property
    def target(self) -> str:
        """The path at which the accepted text belongs."""
        return self.moves_to if self.moves_to and self.taken else self.path

    def accepted(self) -> bytes:
        """The file's bytes with exactly the accepted and amended hunks; none for a file that is to go. Raises
        `NotText` when they could not be read again: the encoding lacks a character of an amendment, its declaration
        was accepted without the rest, or a NUL makes it binary."""
        if self.will_delete:
            return b""
        if self.after is not None and all(hunk.decision is Decision.ACCEPTED for hunk in self.hunks):
            return self.after.data
        return Edited(self.base, replaced_by(self._taken())).file().data

    def accepted_text(self) -> str:
        """The file's text with exactly the accepted and amended hunks."""
        return apply_hunks(self.base.text, self._taken())

    def describe(self) -> str:
        """What the model is told: what was done, which hunks were taken, which not and why, and amendments as diffs
        from what it proposed."""
        lines = [f"{self.path}: {', '.join(self._done())}"]
        for number, hunk in enumerate(self.hunks, 1):
            told = _told(hunk, whole_file=self.deletes)
            is_part = hunk.hunk.has_lines and not self.deletes
            if told:
                lines.append(f"hunk {number} (line {hunk.hunk.line}): {told}" if is_part else told)
        return "\n".join(lines)

    def _done(self) -> list[str]:
        total = len(self.hunks)
        done: list[str] = []
        if self.deletes:
            done.append("deleted" if self.will_delete else "not deleted")
        if self.moves_to:
            done.append(f"{'' if self.taken else 'not '}moved to {self.moves_to}")
        if self.before is None and self.hunks:
            done.append("created" if self.taken else "not created")
        if not self.deletes and any(hunk.hunk.has_lines for hunk in self.hunks):
            done.append(f"applied {self.taken} of {total} {'hunk' if total == 1 else 'hunks'}")
        return done or ["nothing to do"]

    def _taken(self) -> list[Hunk]:
        return [hunk.hunk for hunk in self.hunks if hunk.is_taken]

    def _with(self, index: int, hunk: ReviewedHunk) -> Proposal:
        return replace(self, hunks=(*self.hunks[:index], hunk, *self.hunks[index + 1 :]))


def _pending(hunks: tuple[Hunk, ...]) -> tuple[ReviewedHunk, ...]:
    return tuple(ReviewedHunk(hunk) for hunk in hunks)


def _stale(hunk: ReviewedHunk) -> ReviewedHunk:
    return ReviewedHunk(hunk.proposed or hunk.hunk, Decision.STALE)


def _carried(hunk: ReviewedHunk, here: Hunk | None) -> ReviewedHunk:
    """`hunk` with its lines where they are now."""
    if here is None or hunk.decision is Decision.STALE:
        return _stale(hunk)
    moved = hunk.hunk.moved(here.start, here.lines)
    return replace(hunk, hunk=moved, proposed=hunk.proposed and here)


def _told(hunk: ReviewedHunk, *, whole_file: bool) -> str:
    """What the model should know about `hunk`; nothing when it was taken as proposed."""
    match hunk.decision:
        case Decision.REJECTED:
            return "rejected by the human" + (f": {hunk.remark}" if hunk.remark else "")
        case Decision.PENDING:
            return "not decided, so not written"
        case Decision.STALE:
            return "not written: the file has changed there since; read it again"
        case Decision.AMENDED if whole_file:
            return f"changed by the human instead:\n{describe_change(hunk.hunk.old, hunk.hunk.new)}"
        case Decision.AMENDED if hunk.proposed is not None and hunk.proposed.new != hunk.hunk.new:
            change = describe_change(hunk.proposed.new, hunk.hunk.new)
            return f"changed by the human (- your lines, + what stands there now):\n{change}"
        case _:
            return ""
