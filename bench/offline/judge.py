"""One mutation, from the servers' complaint to the verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Protocol

from motet.diagnostics import compare, render_file
from motet.edits import parse_replace_in_file, plan
from motet.messages import Message
from motet.models.offline import OfflineModel
from motet.models.protocol import Completed, ModelRequest, TextDelta, ToolDefinition
from motet.text import Diagnostic, TextFile

ROUNDS = 3
"""As often as a user would let the loop run."""

NEIGHBOURHOOD = 2
"""Lines around a mutation that a repair of it may change."""

_TOOL = ToolDefinition("replace_in_file", "Change a file by SEARCH/REPLACE blocks.", {"type": "object"})
_SILENCES = re.compile(r"noqa|type: *ignore|(?:pyright|ty|mypy): *ignore|@ts-(?:ignore|expect-error|nocheck)|NOLINT")


class Lab(Protocol):
    """A workspace with running language servers."""

    root: Path

    async def check(self, file: TextFile) -> tuple[Diagnostic, ...]:
        """Write `file` and return what the servers say about it."""
        ...


@dataclass(frozen=True)
class Mutant:
    """A real file with one mutation, and the problems it causes that the original does not have."""

    kind: str
    language: str
    what: str
    original: TextFile
    known: tuple[Diagnostic, ...]
    mutated: TextFile
    caused: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant. `left` are the problems that the original does not have, `said` the model's words."""

    mutant: Mutant
    offered: bool
    left: tuple[Diagnostic, ...]
    strayed: bool
    restored: bool
    rounds: int
    said: str
    after: TextFile

    @property
    def fixed(self) -> bool:
        """Nothing is left that the original does not have."""
        return not self.left and not self.strayed

    @property
    def worse(self) -> bool:
        """More problems than the mutation caused, or a change outside its neighbourhood."""
        return len(self.left) > len(self.mutant.caused) or self.strayed


def caused_by(
    original: TextFile, known: Sequence[Diagnostic], now: TextFile, diagnostics: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Problems of `now` that `original` does not have."""
    return compare(known, {original.path: original}, diagnostics, {now.path: now}).new


async def judge(lab: Lab, mutant: Mutant) -> Verdict:
    """Let the offline model repair `mutant`: only the problems that the mutation caused are shown to it, with the
    whole file. Each round is applied by the edit engine and checked by the servers again."""
    file, left = mutant.mutated, mutant.caused
    said: list[str] = []
    rounds = 0
    while left and rounds < ROUNDS:
        after, words = await _round(lab.root, file, left)
        said.append(words)
        if after is None:
            break
        rounds += 1
        file = after
        left = caused_by(mutant.original, mutant.known, file, await lab.check(file))
    return Verdict(
        mutant,
        offered=any(is_offered(one) for one in mutant.caused),
        left=left,
        strayed=_strayed(mutant, file),
        restored=file.data == mutant.original.data,
        rounds=rounds,
        said="\n".join(said),
        after=file,
    )


def is_offered(diagnostic: Diagnostic) -> bool:
    """Whether a server offers a fix with edits; a comment that silences it is none."""
    return any(
        fix.edits and not any(_SILENCES.search(edit.new_text) for edit in fix.edits) for fix in diagnostic.fixes
    )


async def _round(root: Path, file: TextFile, problems: Sequence[Diagnostic]) -> tuple[TextFile | None, str]:
    """The file after one answer of the model (None when nothing was proposed), and its words."""
    shown = render_file(root, file, problems, budget=None).text
    question = Message.user(f"Workspace: {root}\nFix what the diagnostics complain about.", shown)
    words: list[str] = []
    edits = []
    async for event in OfflineModel().stream(ModelRequest((question,), (_TOOL,))):
        match event:
            case TextDelta(text):
                words.append(text)
            case Completed(calls=calls):
                for call in calls:
                    arguments = json.loads(call.arguments)
                    edits += parse_replace_in_file(arguments["path"], arguments["diff"], call.id)
            case _:
                pass
    if not edits:
        return None, "".join(words)
    planned = plan({file.path: file}, edits)
    refusals = [refusal for one in planned.files for refusal in one.refusals]
    if refusals or [one.path for one in planned.files] != [file.path]:
        raise AssertionError(f"the edit engine refused what the offline model wrote: {refusals}")
    after = planned.files[0].after
    return (None if after is None or after.data == file.data else after), "".join(words)


def _strayed(mutant: Mutant, after: TextFile) -> bool:
    """Whether `after` differs from the original anywhere but around the mutation."""
    original, mutated, now = (one.text.split("\n") for one in (mutant.original, mutant.mutated, after))
    around: set[int] = set()
    for tag, first, last, _, _ in SequenceMatcher(None, original, mutated, autojunk=False).get_opcodes():
        if tag != "equal":
            around.update(range(first - NEIGHBOURHOOD, last + NEIGHBOURHOOD + 1))
    for tag, first, last, _, _ in SequenceMatcher(None, original, now, autojunk=False).get_opcodes():
        if tag != "equal" and not around.issuperset(range(first, max(last, first + 1))):
            return True
    return False
