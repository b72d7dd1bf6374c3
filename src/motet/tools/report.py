"""What became of the edits of one answer, as data and as text for the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from motet.edits import FilePlan, Match, Proposal, Refusal, Replace
from motet.text import TextFile


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file's edits.

    `before` is what stood there and `applied` the file as it stands now, at its new path when it was moved;
    `removed` says that nothing stands at `path` any more. `merged`: somebody else had changed the file meanwhile,
    elsewhere, and that was kept. `problem` is one line that says why a decided proposal could not be written;
    `denied` means for want of permission, `stale` because the file changed, with the lines that stand there in
    `excerpt`. `unsure`: the file may hold something new although there is a problem.
    """

    path: str
    plan: FilePlan
    proposal: Proposal | None = None
    before: TextFile | None = None
    applied: TextFile | None = None
    removed: bool = False
    merged: bool = False
    problem: str = ""
    denied: bool = False
    stale: bool = False
    unsure: bool = False
    excerpt: str = ""
    after: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the model has something to do again."""
        return bool(self.plan.refusals or self.problem)

    @property
    def was_written(self) -> bool:
        """Whether the file was written, or may have been: a cancelled write is brought to its end."""
        return self.proposal is not None and bool(self.proposal.taken) and (not self.problem or self.unsure)

    def describe(self) -> str:
        """The report as text for the model."""
        lines = [*self._refusals(), *self._notes(), *self._result(), self.after]
        return "\n".join(filter(None, lines)) or f"{self.path}: nothing to do"

    def _refusals(self) -> Iterable[str]:
        """Each refusal, and of several edits which ones fit."""
        outcomes = self.plan.outcomes
        name, head = _name(outcomes), f"{self.path}: "
        missed: list[int] = []
        for number, outcome in enumerate(outcomes, 1):
            if isinstance(outcome, Refusal):
                missed.append(number)
                text = outcome.describe()
                yield text if len(outcomes) == 1 else f"{head}{name} {number}: {text.removeprefix(head)}"
        if missed and len(outcomes) > 1:
            yield head + self._verdict(name, missed)

    def _verdict(self, name: str, missed: Sequence[int]) -> str:
        """Which edits fit, which (`missed`) do not, and what that means for the file."""
        fitting = [number for number in range(1, len(self.plan.outcomes) + 1) if number not in missed]
        if not fitting:
            return f"nothing applied to this file, none of its {len(missed)} {name}s fits"
        fits = f"{_these(name, fitting)} {'fits' if len(fitting) == 1 else 'fit'}"
        states = f"{fits}, {_listed(missed)} {'does' if len(missed) == 1 else 'do'} not"
        if not self.plan.changes_something:
            return f"nothing applied to this file, {states}; send all of them again"
        return f"{states}; do not resend {_listed(fitting)}" if self.was_written else states

    def _notes(self) -> Iterable[str]:
        """What the model should know about how its text was taken; nothing about edits that were given up."""
        outcomes = self.plan.outcomes
        if self.plan.refusals and not self.plan.changes_something:
            return
        by_note: dict[str, list[int]] = {}
        for number, outcome in enumerate(outcomes, 1):
            if isinstance(outcome, Match) and outcome.note:
                by_note.setdefault(outcome.note, []).append(number)
        for note, numbers in by_note.items():
            which = "" if len(numbers) == len(outcomes) else f"{_these(_name(outcomes), numbers)}: "
            yield f"{self.path}: {which}{note}"

    def _result(self) -> Iterable[str]:
        if self.problem:
            why = self.problem.removeprefix(f"{self.path}: ")
            says_what = self.unsure or why.startswith("not ")
            head = "not written (stale): " if self.stale else "" if says_what else "not written: "
            yield f"{self.path}: {head}{why}"
            yield self.excerpt
        elif self.proposal is not None:
            yield self.proposal.describe()
        if self.merged:
            yield f"{self.path}: the file had been changed elsewhere meanwhile; your edits were merged with that"


@dataclass(frozen=True, slots=True)
class DeskReport:
    """What became of all edits of one answer, by file; `names` gives the path of the report for other spellings."""

    files: tuple[FileReport, ...]
    names: Mapping[str, str] = field(default_factory=dict[str, str])

    def of(self, path: str) -> FileReport:
        """The report on `path`, in any spelling that the answer used. Raises `KeyError` for another path."""
        path = self.names.get(path, path)
        for file in self.files:
            if file.path == path:
                return file
        raise KeyError(path)

    @property
    def summary(self) -> str:
        """`Applied changes to X of N files.`, counting distinct files."""
        total = len(self.files)
        changed = sum(report.applied is not None or report.removed for report in self.files)
        return f"Applied changes to {changed} of {total} {'file' if total == 1 else 'files'}."

    def describe(self, paths: Iterable[str]) -> str:
        """The reports on `paths`, each file once; after those on several files, the summary of the whole answer."""
        files = {file.path: file for file in map(self.of, paths)}
        texts = [file.describe() for file in files.values()]
        return "\n\n".join([*texts, self.summary] if len(files) > 1 else texts)


def _name(outcomes: Sequence[Match | Refusal]) -> str:
    """What the model calls its edits."""
    are_blocks = all(isinstance(outcome.edit, Replace) and not outcome.edit.inline for outcome in outcomes)
    return "block" if are_blocks else "edit"


def _these(name: str, numbers: Sequence[int]) -> str:
    return f"{name}{'' if len(numbers) == 1 else 's'} {_listed(numbers)}"


def _listed(numbers: Sequence[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} and {last}" if most else last
