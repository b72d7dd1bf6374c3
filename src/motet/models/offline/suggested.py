"""The fixes that came with a diagnostic: which of them can be trusted to be the repair.

A fix is used when its old text stands where it says. Comments that silence a checker are never a repair.
Fixes that only make a complaint go away by inventing something (a declaration, an underscore) come last, and an
import is only added when exactly one place could be meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from motet.models.offline.names import Unknown
from motet.models.offline.repair import Declined, Origin, Repair, overlap
from motet.models.offline.source import NAME
from motet.models.offline.syntax import parts_words
from motet.models.offline.unused import unused_in
from motet.text.report import FileReport, ReportedDiagnostic, ReportedEdit, ReportedFix

_SILENCER = re.compile(
    r"#\s*(?:noqa|type:\s*ignore|pyright:|ty:\s*ignore|mypy:|pylint:\s*disable|ruff:|flake8:|nosec|fmt:)"
    r"|@ts-(?:ignore|expect-error|nocheck)|(?:eslint|biome|tslint|oxlint|deno-lint)[-:](?:disable|ignore)"
    r"|NOLINT|#pragma\s+(?:GCC|clang)\s+diagnostic|#\[(?:allow|expect)\(|//nolint|SuppressWarnings",
    re.IGNORECASE,
)
_IMPORT = re.compile(r"^\s*(?:import\b|from\b.*\bimport\b|#\s*include\b|use\s)", re.MULTILINE)
# How a title begins; further on it may hold any name.
_INVENTS = re.compile(
    r"(?:[\w ]+\([\w-]+\): )?(?:declare|add missing|create|generate|implement|stub|infer|prefix|rename .* to _"
    r"|disable|ignore|suppress|silence|add .*(?:to (?:type|index)|signature)|extract|convert .* to async)\b",
    re.IGNORECASE,
)


_TOO_MUCH = Declined("the suggested fix takes away more than what is unused")


def choose_suggested(report: FileReport, diagnostic: ReportedDiagnostic) -> Repair | Declined:
    """The first fix of `diagnostic` that repairs something by itself; imports are left to `choose_import`."""
    usable = [fix for fix in diagnostic.fixes if fix.edits and not _silences(fix)]
    if not usable:
        return Declined("no fix came with it")
    standing = [fix for fix in usable if _stands(report, fix)]
    if not standing:
        return Declined("the suggested fix does not fit the text that was shown")
    standing = [fix for fix in standing if not _parts_words(report, fix)]
    if not standing:
        return Declined("a word before the semicolon may be wrong instead")
    certain = [fix for fix in standing if not _adds_import(fix) and not _INVENTS.match(fix.title)]
    if certain:
        return _TOO_MUCH if _removes_others(report, certain[0], diagnostic) else _repair(certain[0])
    if any(_adds_import(fix) for fix in standing):
        return Declined("it is not clear which of the suggested imports is meant, if any")
    return Declined("the suggested fix only makes the complaint go away")


def _parts_words(report: FileReport, fix: ReportedFix) -> bool:
    """Whether all it does is to put a semicolon between two words."""
    match fix.edits:
        case (ReportedEdit(old="") as edit,) if edit.new.strip() == ";":
            start = edit.range.start
            return parts_words(report.line(start.line) or "", start.column)
        case _:
            return False


def _removes_others(report: FileReport, fix: ReportedFix, diagnostic: ReportedDiagnostic) -> bool:
    """Whether a fix for one unused import takes away other names that stand elsewhere, be it in a comment: there
    are tools that read comments."""
    unused = unused_in(diagnostic)
    imports = [edit for edit in fix.edits if _IMPORT.search(edit.old)]
    if unused is None or not imports:
        return False
    lost = {name for edit in imports for name in _bound(edit.old) - {*NAME.findall(edit.new)}} - {"as", unused}
    own = {n for edit in imports for n in range(edit.range.start.line, edit.range.end.line + 1)}
    return any(
        number not in own and not lost.isdisjoint(NAME.findall(line))
        for run in report.runs
        for number, line in enumerate(run.lines, run.first)
    )


def _bound(text: str) -> set[str]:
    """Names behind `import` in `text`, without the modules before a dot."""
    return {name for part in re.split(r"\bimport\b", text)[1:] for name in re.findall(r"\w+\b(?!\s*\.)", part)}


def choose_import(report: FileReport, diagnostic: ReportedDiagnostic, unknown: Unknown) -> Repair | None:
    """The suggested import of the unknown name, when there is exactly one."""
    imports = [
        fix
        for fix in diagnostic.fixes
        if _adds_import(fix) and not _silences(fix) and _stands(report, fix) and _names(fix, unknown.name)
    ]
    return _repair(imports[0]) if len(imports) == 1 else None


def _repair(fix: ReportedFix) -> Repair:
    edits = tuple(edit for edit in fix.edits if edit.old != edit.new)
    return Repair(fix.title, edits, Origin.SERVER)


def _silences(fix: ReportedFix) -> bool:
    return any(len(_SILENCER.findall(edit.new)) > len(_SILENCER.findall(edit.old)) for edit in fix.edits)


def _adds_import(fix: ReportedFix) -> bool:
    return any(len(_IMPORT.findall(edit.new)) > len(_IMPORT.findall(edit.old)) for edit in fix.edits)


def _names(fix: ReportedFix, name: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", edit.new) for edit in fix.edits)


def _stands(report: FileReport, fix: ReportedFix) -> bool:
    changing = [edit for edit in fix.edits if edit.old != edit.new]
    return bool(changing) and all(_fits(report, edit) for edit in fix.edits) and not _any_overlap(changing)


def _fits(report: FileReport, edit: ReportedEdit) -> bool:
    there = report.slice(edit.range)
    return there is not None and there == edit.old.replace("\r\n", "\n").replace("\r", "\n")


def _any_overlap(edits: Sequence[ReportedEdit]) -> bool:
    ordered = sorted(edits, key=lambda edit: edit.range)
    return any(overlap(one, other) for one, other in pairwise(ordered))
