"""Names that a diagnostic says are unknown, and the one that was most likely meant.

Two sources, both in the request: a *did you mean* in the message, and the names of the text that was shown.
A name is only chosen when it is clearly the closest; a tie is left to a human.
"""

from __future__ import annotations

import builtins
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from motet.models.offline.repair import Origin, Repair
from motet.models.offline.scope import scopes_of
from motet.models.offline.source import Source, word_at
from motet.models.offline.unused import unused_in
from motet.text.position import Position, Range
from motet.text.report import ReportedDiagnostic, ReportedEdit

_Q = r"[`'\"‘“]"
_E = r"[`'\"’”]"
_NAME = r"(?P<name>[^\W\d][\w$]*)"

_UNKNOWN_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^Undefined name {_Q}{_NAME}{_E}",
        rf"^{_Q}{_NAME}{_E} is not defined",
        rf"^[Nn]ame {_Q}{_NAME}{_E} (?:is not defined|used when not defined)",
        rf"^Undefined variable {_Q}{_NAME}{_E}",
        rf"[Uu]se of undeclared identifier {_Q}{_NAME}{_E}",
        rf"[Uu]nknown type name {_Q}{_NAME}{_E}",
        rf"[Cc]all to undeclared function {_Q}{_NAME}{_E}",
        rf"[Ii]mplicit declaration of function {_Q}{_NAME}{_E}",
        rf"{_Q}{_NAME}{_E} (?:was not declared in this scope|undeclared)",
        rf"^Cannot find (?:name|namespace) {_Q}{_NAME}{_E}",
        rf"[Cc]annot find (?:value|type|function|macro|struct, variant or union type) {_Q}{_NAME}{_E}",
        r"^undefined: (?P<name>[^\W\d]\w*)",
    )
)
_UNKNOWN_MEMBERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^Cannot access attribute {_Q}{_NAME}{_E} for class {_Q}(?P<owner>[^\"]*){_E}",
        rf"^Cannot access attribute {_Q}{_NAME}{_E} for ",
        rf"^{_Q}{_NAME}{_E} is not a known attribute of module",
        rf"^Object of type {_Q}(?P<owner>[^`]*){_E} has no attribute {_Q}{_NAME}{_E}",
        rf"has no (?:attribute|member) {_Q}{_NAME}{_E}",
        rf"[Nn]o member named {_Q}{_NAME}{_E}",
        rf"[Ff]ield designator {_Q}{_NAME}{_E} does not refer to any field",
        rf"[Pp]roperty {_Q}{_NAME}{_E} does not exist on type",
        rf"known properties, (?:and|but) {_Q}{_NAME}{_E} does not exist",
        rf"[Nn]o (?:field|method named|method) {_Q}{_NAME}{_E}",
    )
)
_UNKNOWN_EXPORTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_Q}{_NAME}{_E} is unknown import symbol",
        rf"has no exported member(?: named)? {_Q}{_NAME}{_E}",
        rf"^[Mm]odule .* has no (?:member|attribute) {_Q}{_NAME}{_E}",
    )
)
_MEANT = re.compile(
    rf"(?:[Dd]id you mean(?: to (?:use|write))?|; maybe|similar name exists):? "
    rf"(?:the \w+(?: \w+)? )?{_Q}(?P<meant>[^\W\d][\w$]*(?:(?:\.|::)[^\W\d][\w$]*)*){_E}"
)
_ANY_QUOTED = re.compile(rf"{_Q}{_NAME}{_E}")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that a diagnostic does not know, where it stands, and what kind of name it is."""

    name: str
    range: Range
    kind: str
    """`name`, `member` or `export`"""
    owner: str = ""


def unknown_in(source: Source, diagnostic: ReportedDiagnostic) -> Unknown | None:
    """The name that `diagnostic` complains about, when it says so and the name really stands there."""
    kinds = (("export", _UNKNOWN_EXPORTS), ("member", _UNKNOWN_MEMBERS), ("name", _UNKNOWN_NAMES))
    for kind, patterns in kinds:
        for pattern in patterns:
            found = pattern.search(diagnostic.message)
            if found is None:
                continue
            range_ = _where(source, diagnostic, found["name"])
            owner = found.groupdict().get("owner") or ""
            return None if range_ is None else Unknown(found["name"], range_, kind, owner)
    return None


def meant_in(source: Source, diagnostic: ReportedDiagnostic) -> tuple[Unknown, str] | None:
    """The name complained about and the one that the message proposes, as in *Did you mean 'Component'?*."""
    found = _MEANT.search(diagnostic.message)
    if found is None or _MEANT.search(diagnostic.message, found.end()) is not None:
        return None
    for quoted in _ANY_QUOTED.finditer(diagnostic.message[: found.start()]):
        range_ = _where(source, diagnostic, quoted["name"])
        if range_ is not None and quoted["name"] != found["meant"]:
            return Unknown(quoted["name"], range_, "name"), found["meant"]
    return None


def rename(unknown: Unknown, name: str, origin: Origin) -> Repair:
    """The repair that writes `name` where the unknown one stands."""
    edit = ReportedEdit(unknown.range, unknown.name, name)
    return Repair(f"Change '{unknown.name}' to '{name}'", (edit,), origin)


def is_near(name: str, other: str) -> bool:
    """Whether one may be a misspelling of the other."""
    from rapidfuzz.distance import OSA

    return OSA.distance(name, other) <= min(_tolerance(name), _tolerance(other))


def closest(source: Source, others: Sequence[Source], unknown: Unknown, reported: frozenset[str]) -> str | None:
    """The one name of the shown text that is clearly closest to `unknown`; None when none or several are.

    Fewer slips win; then the more likely kind of place, as for a member what is used on the same receiver; then
    the same letters. `reported` are all names that diagnostics of this request call unknown: no fix points to
    them, except that an import's name may be what its users already expect.
    """
    from rapidfuzz.distance import OSA

    wrong = unknown.name
    limit = _tolerance(wrong)
    nearest: tuple[int, int, bool] | None = None
    best: set[str] = set()
    for tier, names in enumerate(_tiers(source, others, unknown, reported)):
        for name in names:
            if name == wrong or abs(len(name) - len(wrong)) > limit:
                continue
            slips = OSA.distance(wrong, name, score_cutoff=limit)
            if slips > limit or _differ_in_digits(name, wrong):
                continue
            rank = (slips, tier, set(name) != set(wrong))
            if nearest is not None and rank > nearest:
                continue
            if rank != nearest:
                nearest, best = rank, set()
            best.add(name)
    return best.pop() if len(best) == 1 else None


def _where(source: Source, diagnostic: ReportedDiagnostic, name: str) -> Range | None:
    line = source.report.line(diagnostic.place.line)
    if line is None:
        return None
    column = word_at(line, diagnostic.place.column, name)
    if column is None:
        return None
    start = Position(diagnostic.place.line, column)
    return Range(start, Position(start.line, column + len(name)))


def _tiers(
    source: Source, others: Sequence[Source], unknown: Unknown, reported: frozenset[str]
) -> Iterator[frozenset[str]]:
    here, there = source.names, [other.names for other in others]
    members = here.members.union(*(names.members for names in there))
    plain_there = frozenset[str]().union(*(names.plain for names in there))
    match unknown.kind:
        case "export":
            yield reported
            yield (here.plain | here.members) - reported
        case "member":
            yield frozenset(_builtin_members(unknown.owner))
            yield here.by_receiver.get(_receiver(source, unknown), frozenset()) - reported
            yield members - reported
            yield (here.plain | plain_there) - reported
        case _:
            yield frozenset(filter(None, map(unused_in, source.report.diagnostics))) - reported
            if source.is_python:
                yield (scopes_of(source).visible(unknown.range.start.line) - reported) | _PYTHON_NAMES
            else:
                yield here.plain - reported
                yield plain_there - reported


def _receiver(source: Source, unknown: Unknown) -> tuple[str, str]:
    """What stands left of the unknown name, and the joint between."""
    words = source.words
    at = bisect_left(words, unknown.range.start, key=lambda word: word.place)
    found = at < len(words) and words[at].place == unknown.range.start
    return (words[at].receiver, words[at].joint) if found else ("", "")


_PYTHON_NAMES = frozenset(name for name in dir(builtins) if not name.startswith("_"))


def _builtin_members(owner: str) -> Iterator[str]:
    """Public attributes of the builtin type that a message names, as in `list[int]`."""
    name = re.match(r"(?:type\[)?([^\W\d]\w*)", owner)
    kind: object = getattr(builtins, name[1], None) if name is not None else None
    if isinstance(kind, type):
        yield from (member for member in dir(kind) if not member.startswith("_"))


def _tolerance(name: str) -> int:
    """How many slips (a character more, less, other, or two swapped) a name of this length may hold."""
    length = len(name)
    return 0 if length < 3 else 1 if length < 8 else 2


def _differ_in_digits(one: str, other: str) -> bool:
    """`arg1` and `arg2` are two names, not one name misspelt."""
    return re.sub(r"\d+", "", one) == re.sub(r"\d+", "", other)
