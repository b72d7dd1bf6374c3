"""Source code in colour, one line after the other: the lexer's state goes on from line to line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from motet.cli.wrap import Span

if TYPE_CHECKING:
    from pygments.lexer import LexerContext, RegexLexer

_LONGEST = 1_000
"""Characters of a line that is looked at; a longer one is data, and its expressions could take long."""
_MOST = 200_000
"""Characters of a fence in colour."""
_STYLES = (
    ("Comment", "dim"),
    ("Keyword", "magenta"),
    ("Literal.String", "green"),
    ("Literal.Number", "cyan"),
    ("Name.Function", "blue"),
    ("Name.Class", "blue"),
    ("Name.Tag", "blue"),
    ("Name.Decorator", "yellow"),
    ("Name.Attribute", "cyan"),
    ("Generic.Deleted", "red"),
    ("Generic.Inserted", "green"),
    ("Generic.Heading", "bold"),
    ("Generic.Subheading", "cyan"),
)


class Highlighter:
    """The lines of one fence. `language` as it stands behind the fence; one that nobody knows has no colours."""

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language)
        self._context: LexerContext | None = None
        self._seen = 0

    def line(self, text: str) -> list[Span]:
        """One line, without its end."""
        self._seen += len(text) + 1
        if self._lexer is None or len(text) > _LONGEST or self._seen > _MOST:
            self._lexer = None
            return [(text, "")]
        try:
            spans = list(self._tokens(self._lexer, text + "\n"))
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
            self._lexer = None  # a lexer that needs the whole text
            return [(text, "")]
        return spans if "".join(piece for piece, _ in spans) == text else [(text, "")]

    def _tokens(self, lexer: RegexLexer, text: str) -> Iterator[Span]:
        from pygments.lexer import ExtendedRegexLexer, LexerContext

        stack: list[str] = self._context.stack if self._context else ["root"]
        self._context = LexerContext(text, 0, stack, len(text))
        # An ordinary lexer forgets its state at the end of a text; the loop of the extended ones hands it on, and
        # works on the same tables.
        extended = cast("Any", ExtendedRegexLexer)
        found: Iterable[tuple[int, object, str]] = extended.get_tokens_unprocessed(lexer, context=self._context)
        for _, kind, piece in found:
            if piece := piece.rstrip("\n"):
                yield piece, _style(str(kind))


def _lexer(language: str) -> RegexLexer | None:
    name = language.strip().split(maxsplit=1)[0].strip("{}.").lower() if language.strip() else ""
    if not name or len(name) > 40:
        return None
    from pygments import lexers
    from pygments.lexer import RegexLexer
    from pygments.util import ClassNotFound

    try:
        lexer = cast("Any", lexers).get_lexer_by_name(name)
    except ClassNotFound:
        return None
    return lexer if isinstance(lexer, RegexLexer) else None


def _style(kind: str) -> str:
    kind = kind.removeprefix("Token.")
    return next((style for start, style in _STYLES if kind.startswith(start)), "")
