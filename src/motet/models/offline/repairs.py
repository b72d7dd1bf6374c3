"""Repairs that follow from a message and the text alone. Each is certain, or it is not made."""

from __future__ import annotations

import re
from collections.abc import Callable

from motet.models.offline.brackets import repair_bracket, repair_colon, repair_semicolon
from motet.models.offline.duplicates import repair_duplicate
from motet.models.offline.repair import Declined, Origin, Repair
from motet.models.offline.source import Source
from motet.models.offline.unused import repair_unused_import, repair_unused_variable
from motet.text.position import Position, Range
from motet.text.report import ReportedDiagnostic, ReportedEdit

MAX_LINE = 2_000
"""Characters of a line beyond which nothing is concluded from it: nobody wrote it by hand."""

_NONE_MESSAGE = re.compile(r"[Cc]omparison to [`'\"]?None\b")
_NONE = re.compile(r"(?<![=!<>])(?P<left>\s*)(?P<operator>==|!=)(?P<right>\s*)(?=None\b)")


def repair_none_comparison(source: Source, diagnostic: ReportedDiagnostic) -> Repair | None:
    """`x == None` becomes `x is None`, when it stands once on the line."""
    if diagnostic.code != "E711" and _NONE_MESSAGE.search(diagnostic.message) is None:
        return None
    number = diagnostic.place.line
    found = list(_NONE.finditer(source.code(number)))
    if not source.is_python or len(found) != 1:
        return None
    old = found[0]
    new = " is " if old["operator"] == "==" else " is not "
    range_ = Range(Position(number, old.start() + 1), Position(number, old.end() + 1))
    edit = ReportedEdit(range_, old[0], new)
    return Repair(f"Compare with None by '{new.strip()}'", (edit,), Origin.MECHANICAL)


_REPAIRS: tuple[Callable[[Source, ReportedDiagnostic], Repair | Declined | None], ...] = (
    repair_none_comparison,
    repair_semicolon,
    repair_colon,
    repair_bracket,
    repair_duplicate,
    repair_unused_import,
    repair_unused_variable,
)


def mechanical(source: Source, diagnostic: ReportedDiagnostic) -> Repair | Declined | None:
    """The one certain repair for `diagnostic`; why a known kind has none; None for a kind that is not known."""
    if len(source.code(diagnostic.place.line)) > MAX_LINE:
        return None
    for repair in _REPAIRS:
        found = repair(source, diagnostic)
        if found is not None:
            return found
    return None
