"""Plan the edits of one case the way its peer applies them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from editcases.case import BrokenRow, Case
from editcases.dialect import Planned
from editcases.dialect import planned as planned_as
from editcases.formats import expected_replacements
from editcases.peers import peer_of
from editcases.words import line
from motet.edits import Edit, Match, Refusal, Replace
from motet.errors import MotetError
from motet.text import TextFile


@dataclass(frozen=True)
class Done:
    """What motet made of a row's edits: the files before and after, and each refusal with its reason."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    refusals: tuple[str, ...]
    reasons: tuple[str, ...]
    matches: tuple[Match, ...] = ()

    @property
    def is_untouched(self) -> bool:
        """Whether every file is as it was."""
        return self.after == self.before


def refused(case: Case, said: str, reason: str) -> Done:
    """A row whose edits never came to be planned."""
    before = encoded(case, case.before)
    return Done(before, before, (line(said),), (reason,))


def planned(case: Case, edits: Sequence[Edit]) -> Done:
    """Plan the edits of a row as its peer applies them: together, or one after the other."""
    texts = case.before
    try:
        files = {path: case.file_of(path, text) for path, text in texts.items()}
    except MotetError as error:
        return refused(case, str(error), "not_text")
    before = {path: file.data for path, file in files.items()}
    if (count := expected_replacements(case)) > 1:
        found = sum(texts.get(edit.path, "").count(edit.search) for edit in edits if isinstance(edit, Replace))
        if found != count:
            return Done(before, before, (f"{found} places where the call expects {count}",), ("ambiguous",))
    in_order = case.format == "multi_str_replace" and case.repo != "motet"
    refusals: list[Refusal] = []
    matches: list[Match] = []
    for number, step in enumerate([[edit] for edit in edits] if in_order else [edits]):
        made = _plan(case, files, step, is_first=not number)
        refusals += made.refusals
        matches += made.matches
        files = dict(made.files)
    after = {path: file.data for path, file in files.items()}
    if refusals and in_order:
        after = before
    said, reasons = (
        zip(*((line(one.message), str(one.reason)) for one in refusals), strict=True) if refusals else ((), ())
    )
    return Done(before, after, said, reasons, tuple(matches))


def _plan(case: Case, files: Mapping[str, TextFile], edits: Sequence[Edit], *, is_first: bool) -> Planned:
    """Only the first of several edits may be an empty search text in a file that is there."""
    peer = peer_of(case)
    dialect = peer.dialect if is_first else replace(peer.dialect, empty_search="create")
    shown = {path: case.file_of(path, text) for path, text in case.shown.items()}
    partial = peer.partial or case.option("partial", bool, False)
    return planned_as(files, edits, dialect, shown=shown, partial=partial)


def encoded(case: Case, texts: Mapping[str, str]) -> dict[str, bytes]:
    """`texts` in the encoding of the row."""
    encoding = case.get("encoding", str, "utf-8")
    try:
        return {path: text.encode(encoding) for path, text in texts.items()}
    except (UnicodeError, LookupError) as error:
        raise BrokenRow(f"{case.file}:{case.line}: a text cannot be encoded: {error}") from error
