"""A misspelt keyword: the parser complains just behind a word that is one slip away from exactly one keyword."""

from __future__ import annotations

import keyword
import re

from motet.models.offline.names import is_near
from motet.models.offline.python import parse_python
from motet.models.offline.repair import Origin, Repair
from motet.models.offline.source import Source
from motet.models.offline.syntax import is_syntax
from motet.text.position import Position, Range
from motet.text.report import ReportedDiagnostic, ReportedEdit

_C = frozenset(
    (
        *("auto", "bool", "break", "case", "char", "class", "const", "continue", "default", "delete", "double"),
        *("else", "enum", "extern", "float", "for", "goto", "inline", "int", "long", "namespace", "new", "operator"),
        *("private", "protected", "public", "register", "return", "short", "signed", "sizeof", "static", "struct"),
        *("switch", "template", "typedef", "typename", "union", "unsigned", "virtual", "void", "volatile", "while"),
    )
)
_SCRIPT = frozenset(
    (
        *("abstract", "as", "async", "await", "boolean", "case", "class", "const", "declare", "default", "else"),
        *(
            "enum",
            "export",
            "extends",
            "for",
            "from",
            "function",
            "get",
            "implements",
            "import",
            "infer",
            "interface",
        ),
        *("keyof", "let", "module", "namespace", "new", "number", "private", "protected", "public", "readonly"),
        *("return", "set", "static", "string", "throw", "type", "typeof", "unique", "var", "void", "while", "yield"),
    )
)
_PYTHON = frozenset((*keyword.kwlist, "match", "case"))
_SUFFIXES = {
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), _C),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"), _SCRIPT),
    **dict.fromkeys((".py", ".pyi", ".pyw"), _PYTHON),
}
_LAST_WORD = re.compile(r"[A-Za-z_]\w{2,}\Z")


def repair_keyword(source: Source, diagnostic: ReportedDiagnostic) -> Repair | None:
    """Put the keyword for a word that stands nowhere else and before another word, as in `unsigned shrot x`."""
    if not is_syntax(diagnostic):
        return None
    end = source.code_before(diagnostic.place)
    if end is None or end.line != diagnostic.place.line:
        return None
    code = source.code(end.line)
    found = _LAST_WORD.search(code[: end.column - 1])
    known = _SUFFIXES.get(source.suffix, frozenset())
    if found is None or found[0] in known or re.match(r"\s*[A-Za-z_*]", code[end.column - 1 :]) is None:
        return None
    meant = [word for word in known if is_near(found[0], word)]
    if len(meant) != 1 or sum(word.name == found[0] for word in source.words) != 1:
        return None
    range_ = Range(Position(end.line, found.start() + 1), end)
    if source.is_python and not _parses(source, range_, meant[0]):
        return None
    edit = ReportedEdit(range_, found[0], meant[0])
    return Repair(f"Change '{found[0]}' to '{meant[0]}'", (edit,), Origin.MECHANICAL)


def _parses(source: Source, range_: Range, new: str) -> bool:
    if not source.report.complete:
        return False
    lines = list(source.report.runs[0].lines)
    line = lines[range_.start.line - 1]
    lines[range_.start.line - 1] = line[: range_.start.column - 1] + new + line[range_.end.column - 1 :]
    return parse_python("\n".join(lines)) is not None
