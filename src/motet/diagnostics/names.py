"""The closest name: what to write instead of a name that nobody knows. Pure; who knows the names is elsewhere.

Close is counted in edits of one character, two neighbours swapped being one edit (optimal string alignment).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from motet.text import Diagnostic, LineIndex, Position, Range, SuggestedFix, TextEdit

_NAME = r"(?:[^\W\d]|\$)[\w$]*"
_UNKNOWN = re.compile(
    r"is not defined|undefined (?:name|variable|symbol)|used when not defined|undeclared|unresolved (?:name|reference)"
    r"|cannot (?:access|assign to) attribute|is not a known attribute of (?:module|class)|has no attribute"
    r"|unknown (?:import symbol|type name|attribute|name|field|member|identifier)"
    r"|cannot (?:find|resolve imported)|could not be resolved|no module named|not found in this scope"
    r"|no (?:exported )?member|has no member|no type named|no (?:struct|class|template|field) named|no field"
    r"|does not exist (?:on|in) type|incomplete (?:definition of )?type|will not be visible outside"
    r"|does not refer to any field|no parameter named|does not match any known parameter|no argument named"
    r"|unexpected keyword argument|no symbol|^undefined: |is not a defined key",
    re.IGNORECASE,
)
_TYPE = re.compile(r"unknown type|no type named|cannot find type", re.IGNORECASE)
_QUOTE, _UNQUOTE = r"[`'\"‘“]", r"[`'\"’”]"
_IN_QUOTES = rf"{_QUOTE}(?:(?:struct|union|enum|class) )?({_NAME}){_UNQUOTE}"
_NAMING = re.compile(
    r"(?:member|attribute|field|designator|named|identifier|function|name|property|module|argument|type|struct)"
    rf" {_IN_QUOTES}(?! has| is not a type)"
    rf"|{_IN_QUOTES} (?:is not|is unknown|does not|used when|could not|undeclared|was not|not found)",
    re.IGNORECASE,
)
_TAG = re.compile(rf"{_QUOTE}(?:struct|union|enum) ({_NAME})")
_QUOTED = re.compile(_IN_QUOTES)
_DID_YOU_MEAN = re.compile(
    r"(?:did you mean|do you mean|you meant|maybe|similar name(?: exists)?:?|suggestion:|consider using)"
    rf"[ :]*(?:to use |the \w+ )?{_QUOTE}({_NAME}){_UNQUOTE}(?! or\b|, )",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(_NAME)
_LABEL = re.compile(rf"[^\w$]*({_NAME})(?P<rest>.*)", re.DOTALL)
_TYPE_KINDS = frozenset({7, 8, 13, 22, 25})  # class, interface, enum, struct, type parameter
_TEXT_KIND, _KEYWORD_KIND, _SNIPPET_KIND = 1, 14, 15
_WORTHY_KEYWORDS = frozenset({
    "True", "False", "None", "true", "false", "null", "undefined", "nullptr", "nil", "this", "self", "super", "string",
    "number", "boolean", "unknown", "never", "object", "void", "int", "float", "double", "char", "long", "short",
    "unsigned", "signed", "bool",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that a diagnostic calls unknown, and where it stands. `is_type`: only a type can be meant."""

    text: str
    range: Range
    is_type: bool = False

    @property
    def key(self) -> tuple[Range, str]:
        """The same for all who complain about it."""
        return self.range, self.text


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that could stand there. `kind` is a `CompletionItemKind`, 0 when it is not known."""

    text: str
    kind: int = 0
    is_argument: bool = False
    """A parameter to be given by name, `name=`."""


def unknown_name(diagnostic: Diagnostic, index: LineIndex) -> UnknownName | None:
    """The name that `diagnostic` calls unknown, when it does and it is clear where it stands."""
    if not _UNKNOWN.search(diagnostic.message):
        return None
    place = _find(diagnostic, index)
    if place is None:
        return None
    before = index.line(place.start.line)[: place.start.column - 1].split()
    tag = bool(before) and before[-1] in ("struct", "union", "enum")
    return UnknownName(index.slice(place), place, tag or _TYPE.search(diagnostic.message) is not None)


def named_in_message(diagnostic: Diagnostic, index: LineIndex) -> SuggestedFix | None:
    """The fix that the message itself gives: `Did you mean 'Component'?`"""
    meant = _DID_YOU_MEAN.findall(diagnostic.message)
    if len(meant) != 1:
        return None
    place = _find(diagnostic, index, besides=meant[0])
    return None if place is None else rename(index.slice(place), meant[0], place)


def rename(old: str, new: str, place: Range) -> SuggestedFix:
    """The fix that writes `new` for `old`."""
    return SuggestedFix(f"Change '{old}' to '{new}'", (TextEdit(place, new),))


def candidates(items: Iterable[tuple[str, int]]) -> list[Candidate]:
    """Names from the labels and kinds of completion items, without decoration and without what is no name."""
    found: list[Candidate] = []
    for label, kind in items:
        match = _LABEL.match(label)
        if match is None or kind in (_TEXT_KIND, _SNIPPET_KIND):
            continue
        rest = match["rest"]
        whole = rest[:1] in ("", "(", "<", "?", "!", "=", "{", "[", "…", "~") or rest[:1].isspace()
        if whole and (kind != _KEYWORD_KIND or match[1] in _WORTHY_KEYWORDS):
            found.append(Candidate(match[1], kind, rest.startswith("=")))
    return found


def closest(name: UnknownName, known: Iterable[Candidate], index: LineIndex) -> str | None:
    """The one candidate that is clearly meant by `name`, or None.

    Equal but for upper and lower case wins. Else the nearest, at most a quarter of the name's length away (or
    one edit), wins when it is alone, or alone in standing elsewhere in the same text.
    """
    from rapidfuzz.distance import OSA

    fitting = _fitting(name, known, index)
    if name.text in fitting:
        return None  # it is known there; something else is wrong
    same = [text for text in fitting if text.casefold() == name.text.casefold()]
    if same:
        return same[0] if len(same) == 1 else None
    limit = max(1, len(name.text) // 4)
    distances = {text: OSA.distance(name.text, text, score_cutoff=limit) for text in fitting}
    nearest = min(distances.values(), default=limit + 1)
    if nearest > limit or nearest >= len(name.text):
        return None
    tied = [text for text, distance in distances.items() if distance == nearest]
    if len(tied) > 1:
        tied = [text for text in tied if re.search(rf"(?<![\w$]){re.escape(text)}(?![\w$])", index.text)]
    return tied[0] if len(tied) == 1 else None


def _fitting(name: UnknownName, known: Iterable[Candidate], index: LineIndex) -> list[str]:
    """The different candidates of the kind that can stand there."""
    behind = index.line(name.range.end.line)[name.range.end.column - 1 :].lstrip()
    is_argument = behind.startswith("=") and not behind.startswith("==")
    every = list(known)
    arguments = [one for one in every if one.is_argument]
    fitting = arguments if is_argument and arguments else [one for one in every if not one.is_argument]
    if name.is_type and any(one.kind in _TYPE_KINDS for one in fitting):
        fitting = [one for one in fitting if one.kind in _TYPE_KINDS]
    return list(dict.fromkeys(one.text for one in fitting))


def _find(diagnostic: Diagnostic, index: LineIndex, besides: str = "") -> Range | None:
    """Where the name stands: it is the range; or the message quotes it, and it is found once in the range, on
    that line, or (the tag of a type) in the whole text."""
    inside = index.slice(diagnostic.range)
    quoted = _quoted(diagnostic.message, besides)
    if _IDENTIFIER.fullmatch(inside) and (not quoted or inside in quoted):
        return diagnostic.range
    start = index.offset(diagnostic.range.start)
    line_start = index.offset(Position(diagnostic.range.start.line, 1))
    line = index.line(diagnostic.range.start.line)
    for word in quoted:
        places = [start + at for at in _occurrences(word, inside)]
        places = places or [line_start + at for at in _occurrences(word, line)]
        if start in places:
            places = [start]
        if not places and word in _TAG.findall(diagnostic.message):
            places = _occurrences(word, index.text)
        if len(places) == 1:
            return Range(index.position(places[0]), index.position(places[0] + len(word)))
    return None


def _quoted(message: str, besides: str) -> list[str]:
    """The names quoted in `message`; only those it is about, when that can be told."""
    naming = [first or second for first, second in _NAMING.findall(message)]
    return [word for word in dict.fromkeys(naming or _QUOTED.findall(message)) if word != besides]


def _occurrences(word: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(rf"(?<![\w$]){re.escape(word)}(?![\w$])", text)]
