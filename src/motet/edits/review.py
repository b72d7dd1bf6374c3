"""A proposal under review: one file before and after, hunk by hunk. Immutable: a decision makes a new proposal.

The same value serves every front end; nothing here draws or asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from motet.edits.hunks import Hunk, apply_hunks, find_hunks
from motet.edits.lines import join_lines, split_lines
from motet.text import TextFile


class Decision(StrEnum):
    """What became of a hunk."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    AMENDED = "amended"


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
    """One file as it is (`before`, None when it is to be created) and the hunks proposed for it."""

    path: str
    before: TextFile | None
    base: TextFile
    hunks: tuple[ReviewedHunk, ...]

    @classmethod
    def between(cls, path: str, before: TextFile | None, after: TextFile) -> Proposal:
        """The proposal to turn `before` into `after`."""
        base = before or TextFile.new(path)
        return cls(path, before, base, tuple(ReviewedHunk(hunk) for hunk in find_hunks(base.text, after.text)))

    def decide(self, index: int, decision: Decision, remark: str = "") -> Proposal:
        """The same with hunk `index` decided (or pending again)."""
        current = self.hunks[index]
        original = current.proposed or current.hunk
        return self._with(index, ReviewedHunk(original, decision, remark))

    def amend(self, index: int, text: str) -> Proposal:
        """The same with hunk `index` taken as the human rewrote it; `text` are its new lines."""
        current = self.hunks[index]
        original = current.proposed or current.hunk
        newline = self.base.newline
        lines = [replace(line, end=newline) for line in split_lines(text)]
        ends_file = original.last == len(split_lines(self.base.text))
        if lines and ends_file and original.new and not original.new[-1].end:
            lines[-1] = replace(lines[-1], end="")
        amended = replace(original, new=tuple(lines), parts=())
        return self._with(index, ReviewedHunk(amended, Decision.AMENDED, proposed=original))

    def split(self, index: int) -> Proposal:
        """The same with hunk `index` in its smallest parts, all pending; unchanged when it has only one."""
        parts = self.hunks[index].hunk.parts
        if not parts:
            return self
        pieces = tuple(ReviewedHunk(part) for part in parts)
        return replace(self, hunks=(*self.hunks[:index], *pieces, *self.hunks[index + 1 :]))

    def decide_pending(self, decision: Decision) -> Proposal:
        """The same with every hunk that is still pending decided alike."""
        return replace(
            self,
            hunks=tuple(
                replace(hunk, decision=decision) if hunk.decision is Decision.PENDING else hunk for hunk in self.hunks
            ),
        )

    @property
    def is_decided(self) -> bool:
        """Whether no hunk is pending."""
        return all(hunk.decision is not Decision.PENDING for hunk in self.hunks)

    @property
    def taken(self) -> int:
        """How many hunks will be written."""
        return sum(hunk.is_taken for hunk in self.hunks)

    def accepted(self) -> bytes:
        """The file's bytes with exactly the accepted and amended hunks. Raises `NotText` for an amendment with
        characters that the file's encoding does not have."""
        return self.base.encode(apply_hunks(self.base.text, [hunk.hunk for hunk in self.hunks if hunk.is_taken]))

    def describe(self) -> str:
        """What the model is told: which hunks were taken, which not and why, amendments as they now are."""
        total = len(self.hunks)
        lines = [f"{self.path}: applied {self.taken} of {total} {'hunk' if total == 1 else 'hunks'}"]
        for number, hunk in enumerate(self.hunks, 1):
            place = f"hunk {number} (line {hunk.hunk.line})"
            match hunk.decision:
                case Decision.REJECTED:
                    lines.append(f"{place}: rejected by the human" + (f": {hunk.remark}" if hunk.remark else ""))
                case Decision.AMENDED:
                    lines.append(f"{place}: changed by the human to:\n{join_lines(list(hunk.hunk.new))}".rstrip("\n"))
                case _:
                    continue
        return "\n".join(lines)

    def _with(self, index: int, hunk: ReviewedHunk) -> Proposal:
        return replace(self, hunks=(*self.hunks[:index], hunk, *self.hunks[index + 1 :]))
