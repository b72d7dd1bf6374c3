"""What the map knows of one file: the names it defines with their signatures, and what it imports as written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from motet.index.words import words
from motet.syntax import OUTLINE_KINDS, Definition, Import, language_of, read, signature

VERSION = 1
MOST_NAMES = 300
"""Names of one file; what comes after them does not fit into a map anyway."""
_SIGNATURE = 100
_LINE_END = re.compile(r"\r\n|\n|\r")


class Name(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A defined name: `depth` 0 at the top of the file, 1 in a class. `signature` is one line without a body."""

    name: str
    signature: str
    line: int
    depth: int


class Taken(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An import as written (see `motet.syntax.Import`)."""

    module: str
    names: tuple[str, ...]


class Facts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`words`: those of the defined names, as the index compares them, each once, sorted."""

    language: str
    names: tuple[Name, ...]
    imports: tuple[Taken, ...]
    words: tuple[str, ...]


NOTHING = Facts("", (), (), ())
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Facts)


def facts_of(path: str, text: str) -> Facts:
    """The facts about a file that holds `text`; `NOTHING` where there is no grammar for it."""
    language = language_of(path)
    found = read(text, language)
    if found is None or language is None:
        return NOTHING
    lines = _LINE_END.split(text)
    kept = list(_shown(found.definitions))[:MOST_NAMES]
    names = tuple(Name(each.name, signature(lines, each, most=_SIGNATURE), each.line, each.depth) for each in kept)
    said = sorted({word for each in names for word in words(each.name)})
    return Facts(language, names, _together(found.imports), tuple(said))


def encoded(facts: Facts) -> bytes:
    """The form in which facts are stored."""
    return _ENCODER.encode(facts)


def decoded(data: bytes) -> Facts:
    """The facts again. Raises `msgspec.DecodeError`."""
    return _DECODER.decode(data)


def _shown(found: Sequence[Definition]) -> Iterator[Definition]:
    """Definitions at the top of a file and what classes hold; variables with a small letter and local names say little."""
    outer = ""
    for one in found:
        outer = outer if one.depth else one.kind
        if (one.depth == 0 and (one.kind != "variable" or one.name.isupper())) or (
            one.depth == 1 and one.kind in OUTLINE_KINDS and outer not in ("function", "method")
        ):
            yield one


def _together(imports: tuple[Import, ...]) -> tuple[Taken, ...]:
    """One entry for each module, with all names that are taken from it, in the order of the text."""
    found: dict[str, dict[str, None]] = {}
    for each in imports:
        found.setdefault(each.module, {}).update(dict.fromkeys(each.names))
    return tuple(Taken(module, tuple(names)) for module, names in found.items())
