"""One mutation, from the servers' complaint to the verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from motet.text import Diagnostic, TextFile
from offline.lab import Lab, Mutant, caused_by

NEIGHBOURHOOD = 2
"""Lines around a mutation, and around what the servers say about it, that a repair may change."""

_SILENCES = re.compile(r"noqa|type: *ignore|(?:pyright|ty|mypy): *ignore|@ts-(?:ignore|expect-error|nocheck)|NOLINT")


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant. `left` are the problems that the original does not have, `said` the model's words."""

    mutant: Mutant
    after: TextFile
    left: tuple[Diagnostic, ...]
    got_worse: bool
    strayed: bool
    rounds: int
    said: str

    @property
    def offered(self) -> bool:
        """A suggested fix with edits came with one of the problems; a comment that silences it is none."""
        fixes = [fix for one in self.mutant.caused for fix in one.fixes if fix.edits]
        return any(not any(_SILENCES.search(edit.new_text) for edit in fix.edits) for fix in fixes)

    @property
    def fixed(self) -> bool:
        """Nothing is left that the original does not have."""
        return not self.left and not self.strayed

    @property
    def worse(self) -> bool:
        """More problems than the mutation caused, at the end or in between, or a change outside its neighbourhood."""
        return self.got_worse or len(self.left) > len(self.mutant.caused) or self.strayed

    @property
    def restored(self) -> bool:
        """The file is the original again, byte for byte."""
        return self.after.data == self.mutant.original.data


async def judge(lab: Lab, mutant: Mutant) -> Verdict:
    """Let motet with the offline model repair `mutant`. Only the problems that the mutation caused count: those
    that the file had before are not shown to the model."""
    lab.write(mutant.mutated)
    run = await lab.fix(mutant)
    after = lab.read(mutant.original.path)
    left = caused_by(mutant.original, mutant.known, after, await lab.check(after))
    return Verdict(mutant, after, left, run.got_worse, _strayed(mutant, after), run.rounds, "".join(run.said))


def _strayed(mutant: Mutant, after: TextFile) -> bool:
    """Whether `after` differs from the original anywhere but around the mutation and what is said about it."""
    original, mutated, now = (one.text.split("\n") for one in (mutant.original, mutant.mutated, after))
    complaints = {one.range.start.line - 1 for one in mutant.caused}
    around: set[int] = set()
    for tag, first, last, begin, end in SequenceMatcher(None, original, mutated, autojunk=False).get_opcodes():
        if tag != "equal":
            around.update(range(first - NEIGHBOURHOOD, last + NEIGHBOURHOOD + 1))
            continue
        for line in complaints.intersection(range(begin, end)):
            around.update(range(first + line - begin - NEIGHBOURHOOD, first + line - begin + NEIGHBOURHOOD + 1))
    for tag, first, last, _, _ in SequenceMatcher(None, original, now, autojunk=False).get_opcodes():
        if tag != "equal" and not around.issuperset(range(first, max(last, first + 1))):
            return True
    return False
