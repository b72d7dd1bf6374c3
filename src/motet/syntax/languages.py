"""Which language a file is in, and where its grammar comes from: one line for each.

A grammar is a wheel from the registry; it is imported when the first text in its language is parsed. A grammar is
native code: before one is added here, it is given a few thousand random texts (that of Bash crashes on some).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Language:
    """The grammar of one language: `function` of `module` returns it.

    `counts_errors`: its trees are exact enough to say that an edit broke a text.
    """

    module: str
    function: str
    suffixes: tuple[str, ...]
    counts_errors: bool = False


LANGUAGES: Mapping[str, Language] = {
    "python": Language("tree_sitter_python", "language", (".py", ".pyi"), counts_errors=True),
    "c": Language("tree_sitter_c", "language", (".c", ".h"), counts_errors=True),
    "cpp": Language("tree_sitter_cpp", "language", (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")),
    "javascript": Language("tree_sitter_javascript", "language", (".js", ".mjs", ".cjs", ".jsx"), counts_errors=True),
    "typescript": Language(
        "tree_sitter_typescript", "language_typescript", (".ts", ".mts", ".cts"), counts_errors=True
    ),
    "tsx": Language("tree_sitter_typescript", "language_tsx", (".tsx",), counts_errors=True),
    "go": Language("tree_sitter_go", "language", (".go",)),
    "rust": Language("tree_sitter_rust", "language", (".rs",)),
    "java": Language("tree_sitter_java", "language", (".java",)),
}
_BY_SUFFIX = {suffix: name for name, each in LANGUAGES.items() for suffix in each.suffixes}


def language_of(path: str) -> str | None:
    """The grammar for `path` by its suffix; None when there is none."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
