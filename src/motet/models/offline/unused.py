"""Unused imports and variables that nothing but their own line knows about."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from motet.models.offline.repair import Origin, Repair
from motet.models.offline.source import FILL, Source
from motet.text.position import Position, Range
from motet.text.report import ReportedDiagnostic, ReportedEdit

_Q = r"[`'\"‘]"
_UNUSED_IMPORT = re.compile(
    rf"^Import {_Q}(?P<a>[\w.]+).? is not accessed|^{_Q}(?P<b>[\w.]+)(?: as (?P<alias>\w+))?.? imported but unused"
    rf"|^Unused (?:import )?(?P<c>[\w.]+)(?: imported from [\w.]+| import)?$"
    rf"|^{_Q}(?P<d>[\w$]+).? is declared but its value is never read"
)
_UNUSED_VARIABLE = re.compile(
    rf"^Variable {_Q}(?P<a>\w+).? is not accessed|^[Uu]nused variable:? {_Q}(?P<b>\w+)"
    rf"|^[Ll]ocal variable {_Q}(?P<c>\w+).? is assigned to but never used"
    rf"|^{_Q}(?P<d>[\w$]+).? is declared but its value is never read"
    rf"|^[Vv]ariable {_Q}(?P<e>\w+).? set but not used"
)
# Neither calls nor subscripts nor assignments: taking such a value has no effect.
_PLAIN = rf"[\w\s.+\-*/%(){FILL}]+"
_EFFECT = re.compile(r"\+\+|--|[\w)]\s*\(|\b(?:await|yield|new|delete|typeof|void|lambda)\b")
_SIZE = re.compile(r"\bsizeof\s*\([\w\s*]*\)")


def unused_in(diagnostic: ReportedDiagnostic) -> str | None:
    """The name that `diagnostic` calls unused."""
    for pattern in (_UNUSED_IMPORT, _UNUSED_VARIABLE):
        found = pattern.match(diagnostic.message)
        if found is not None:
            groups = found.groupdict()
            name = groups.get("alias") or next(filter(None, groups.values()), "")
            return name.rsplit(".", 1)[-1]
    return None


def repair_unused_import(source: Source, diagnostic: ReportedDiagnostic) -> Repair | None:
    """Take one name out of an import that stands on one line; the whole line when it is the only name."""
    found = _UNUSED_IMPORT.match(diagnostic.message)
    if found is None or PurePosixPath(source.report.path).stem == "__init__":
        return None
    name = unused_in(diagnostic) or ""
    number = diagnostic.place.line
    code = source.code(number)
    title = f"Remove the unused import of '{name}'"
    if source.is_python:
        return _remove_python_import(source, number, name, title)
    only = re.fullmatch(
        rf"import (?:type )?(?:{re.escape(name)}|\* as {re.escape(name)}"
        rf"|\{{ *(?:type )?(?:\w+ as )?{re.escape(name)} *,? *\}}) from {FILL}+;?\s*",
        code,
    )
    if only is not None:
        return _remove_line(source, number, title)
    listed = re.fullmatch(rf"import (?:type )?\{{(?P<names>[\w\s,$]+)\}} from {FILL}+;?\s*", code)
    return None if listed is None else _remove_from_list(source, number, listed, name, title)


def repair_unused_variable(source: Source, diagnostic: ReportedDiagnostic) -> Repair | None:
    """Remove a declaration that stands alone on its line and whose value is a plain expression without effects."""
    found = _UNUSED_VARIABLE.match(diagnostic.message)
    if found is None:
        return None
    name = next(filter(None, found.groups()))
    number = diagnostic.place.line
    code = _SIZE.sub("1", source.code(number))
    if source.is_python:
        shape = rf"\s+{re.escape(name)}(?:\s*:\s*[\w.\[\], |]+)?\s*=\s*{_PLAIN}"
        alone = number in source.removable_lines
    elif re.match(rf"\s*(?:const|let|var)\s+{re.escape(name)}\b", code):
        shape = rf"\s*\w+\s+{re.escape(name)}(?:\s*:\s*[\w.]+)?(?:\s*=\s*{_PLAIN})?;?\s*"
        alone = _ends_statement(source, number)
    else:
        shape = rf"\s+(?:[A-Za-z_]\w*[\s*]+)+{re.escape(name)}(?:\s*=\s*{_PLAIN})?;\s*"
        alone = _starts_statement(source, number) and not re.match(r"\s*(?:return|goto|case)\b", code)
    if not alone or re.fullmatch(shape, code) is None or _EFFECT.search(code):
        return None
    return _remove_line(source, number, f"Remove the unused variable '{name}'")


def _remove_python_import(source: Source, number: int, name: str, title: str) -> Repair | None:
    code = source.code(number)
    binding = rf"(?:[\w.]+\s+as\s+)?(?:[\w.]+\.)?{re.escape(name)}"
    if re.fullmatch(rf"\s*(?:from\s+[\w.]+\s+)?import\s+{binding}\s*", code):
        return _remove_line(source, number, title) if number in source.removable_lines else None
    listed = re.fullmatch(r"\s*(?:from\s+[\w.]+\s+)?import\s+(?P<names>[\w\s.,]+)", code)
    return None if listed is None else _remove_from_list(source, number, listed, name, title)


def _remove_from_list(source: Source, number: int, listed: re.Match[str], name: str, title: str) -> Repair | None:
    line = source.report.line(number)
    names = listed["names"].split(",")
    fitting = [index for index, entry in enumerate(names) if entry.split()[-1:] == [name]]
    if line is None or len(fitting) != 1 or len(names) < 2:
        return None
    index = fitting[0]
    start = listed.start("names") + sum(len(entry) + 1 for entry in names[:index])
    end = start + len(names[index])
    if index > 0:
        start -= 1
        end -= len(names[index]) - len(names[index].rstrip())
    else:
        end += 1 + len(names[1]) - len(names[1].lstrip())
        start += len(names[0]) - len(names[0].lstrip())
    range_ = Range(Position(number, start + 1), Position(number, end + 1))
    return Repair(title, (ReportedEdit(range_, line[start:end], ""),), Origin.MECHANICAL)


def _starts_statement(source: Source, number: int) -> bool:
    """Whether the code before line `number` has ended its statement or opened a block."""
    before = source.code_before(Position(number, 1))
    return before is not None and source.code(before.line)[before.column - 2] in ";{}"


def _ends_statement(source: Source, number: int) -> bool:
    """Whether line `number` ends its statement: by a semicolon, or because the next line cannot continue it."""
    code = source.code(number).rstrip()
    following = source.code(number + 1).lstrip()[:1]
    return code.endswith(";") or (not code.endswith(tuple("+-*/%.=")) and (following.isalnum() or following == "}"))


def _remove_line(source: Source, number: int, title: str) -> Repair | None:
    line = source.report.line(number)
    if line is None:
        return None
    range_ = Range(Position(number, 1), Position(number + 1, 1))
    return Repair(title, (ReportedEdit(range_, line + "\n", ""),), Origin.MECHANICAL)
