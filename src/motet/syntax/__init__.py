"""What a text says by its syntax: definitions, imports as written, the names it uses, where to cut it.

One table each says which languages there are (`languages`), what defines a name (`grammars`) and what imports
(`imports`). Pure: text in, values out; grammars are loaded when the first text of their language is parsed.
"""

from motet.syntax.chunks import Chunk, chunks
from motet.syntax.definitions import OUTLINE_KINDS, Definition, definitions, enclosing, signature
from motet.syntax.imports import Import
from motet.syntax.languages import LANGUAGES, language_of
from motet.syntax.names import names_used
from motet.syntax.reading import FileSyntax, read
from motet.syntax.tree import MAX_PARSED_CHARACTERS, gains_errors, is_indented_wrongly, parse, syntax_errors

__all__ = [
    "LANGUAGES",
    "MAX_PARSED_CHARACTERS",
    "OUTLINE_KINDS",
    "Chunk",
    "Definition",
    "FileSyntax",
    "Import",
    "chunks",
    "definitions",
    "enclosing",
    "gains_errors",
    "is_indented_wrongly",
    "language_of",
    "names_used",
    "parse",
    "read",
    "signature",
    "syntax_errors",
]
