"""The names that a text uses."""

from __future__ import annotations

import keyword
import re
from collections import Counter

_NAME = re.compile(r"[^\W\d]\w*")
_LONGEST = 80
_KEYWORDS = frozenset(keyword.kwlist) | frozenset(
    [
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "extern",
        "false",
        "finally",
        "fn",
        "for",
        "func",
        "function",
        "go",
        "if",
        "impl",
        "import",
        "in",
        "interface",
        "let",
        "match",
        "mod",
        "mut",
        "new",
        "nil",
        "null",
        "package",
        "private",
        "protected",
        "pub",
        "public",
        "return",
        "self",
        "static",
        "struct",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "type",
        "typedef",
        "use",
        "var",
        "void",
        "while",
    ]
)


def names_used(text: str) -> Counter[str]:
    """How often each name of two to 80 characters stands in `text`, in comments and strings as well.

    Keywords of common languages are left out. Cheap: no tree is needed, so any text will do.
    """
    found = Counter(_NAME.findall(text))
    for name in [each for each in found if not 1 < len(each) <= _LONGEST or each in _KEYWORDS]:
        del found[name]
    return found
