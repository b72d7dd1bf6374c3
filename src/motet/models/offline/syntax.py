"""Which diagnostics say that the text cannot be parsed; what else is reported may only follow from that."""

from __future__ import annotations

import re

from motet.text.report import ReportedDiagnostic

_SYNTAX = re.compile(
    r"^(?:SyntaxError|[Ii]nvalid syntax|[Uu]nexpected|[Ee]xtraneous|[Uu]nterminated|[Mm]issing terminating)"
    r"|was (?:not|never) closed|must be separated|[Uu]nindent|^[Ee]xpected [^\d]|^[`'].{1,3}[`'] expected"
)
_TYPESCRIPT_SYNTAX = re.compile(r"1\d{3}")


def is_syntax(diagnostic: ReportedDiagnostic) -> bool:
    """Whether `diagnostic` says that the text cannot be parsed; what else is reported may follow from that."""
    match diagnostic.source.lower():
        case "ts" | "typescript" | "tsc":
            return _TYPESCRIPT_SYNTAX.fullmatch(diagnostic.code) is not None
        case "basedpyright" | "pyright":
            return not diagnostic.code and _SYNTAX.search(diagnostic.message) is not None
        case _:
            return diagnostic.code == "invalid-syntax" or _SYNTAX.search(diagnostic.message) is not None


def parts_words(line: str, column: int) -> bool:
    """Whether a semicolon at 1-based `column` would stand between two words of `line`: what a parser asks for when
    it does not know the first one. Lines end where one was forgotten; inside brackets, as in `for (;;)`, it may
    be right."""
    before, behind = line[: column - 1], line[column - 1 :]
    return re.match(r"\s*[A-Za-z_*]", behind) is not None and before.count("(") == before.count(")")
