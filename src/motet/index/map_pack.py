"""A map as text: paths with names and signatures below them, no bodies, as many as fit into a number of tokens.

First the files that are asked for by name get a line each; then files and signatures share what is left, the best
file first. The text is ordered by path, so that a small change of the ranking is a small change of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from motet.index.map_facts import Facts, Name
from motet.index.map_graph import Placed
from motet.messages.tokens import BYTES_PER_TOKEN, estimate_tokens

_ROUNDS = (3, 8, 20, 1_000)
"""Names of one file in each round: what is important of many files goes before all of one."""
_FOR_FILES = 0.75
"""Part of the budget after which no further file is begun: the rest says more of those that are there."""


@dataclass(frozen=True, slots=True)
class MapText:
    """A map: `text` of about `tokens` tokens names `paths`, best first, out of `files`."""

    text: str
    tokens: int
    paths: tuple[str, ...]
    files: int


def pack(
    placed: Sequence[Placed], facts: Mapping[str, Facts], tokens: int, may_see: Callable[[str], bool] = lambda _: True
) -> MapText:
    """The best of `placed` that `may_see` lets through, within `tokens`; an empty text when not one path fits."""
    budget = _Budget(tokens)
    asked = [one for one in placed if one.asked and may_see(one.path) and budget.takes(_path_line(one.path))]
    shown: dict[str, list[Name]] = {one.path: [] for one in asked}
    orders = {one.path: _ordered(facts[one.path].names, one.wanted) for one in asked}
    _fill(shown, orders, budget, _ROUNDS[0])
    for one in placed:
        if not one.asked and may_see(one.path):
            order = _ordered(facts[one.path].names, one.wanted)
            first = order[: _ROUNDS[0]]
            if not budget.takes("".join([_path_line(one.path), *map(_line, first)]), _FOR_FILES):
                break
            shown[one.path], orders[one.path] = first, order
    for most in _ROUNDS:
        _fill(shown, orders, budget, most)
    text = "".join(
        _path_line(path) + "".join(map(_line, sorted(shown[path], key=lambda name: (name.line, name.depth))))
        for path in sorted(shown)
    )
    return MapText(text, estimate_tokens(text) if text else 0, tuple(shown), len(facts))


def _fill(shown: Mapping[str, list[Name]], orders: Mapping[str, list[Name]], budget: _Budget, most: int) -> None:
    """Give each file, the best first, up to `most` names in all."""
    for path, names in shown.items():
        for name in orders[path][len(names) : most]:
            if not budget.takes(_line(name)):
                break
            names.append(name)


class _Budget:
    """The bytes of a number of tokens. `takes`: whether a text still fits into `part` of them; then it is in."""

    def __init__(self, tokens: int) -> None:
        self._most = tokens
        self._bytes = 0

    def takes(self, text: str, part: float = 1.0) -> bool:
        size = self._bytes + len(text.encode("utf-8", "surrogatepass"))
        if int(size / BYTES_PER_TOKEN) + 1 > self._most * part:
            return False
        self._bytes = size
        return True


def _ordered(names: Sequence[Name], wanted: Sequence[str]) -> list[Name]:
    """Names in the order in which they are shown: wanted ones, then the outer ones of the file, public before private.
    A name inside a class comes after the class."""
    first = {name: at for at, name in reversed(list(enumerate(wanted)))}
    order = sorted(
        range(len(names)),
        key=lambda at: (
            first.get(names[at].name, len(wanted)), names[at].depth, names[at].name.startswith("_"), names[at].line
        ),
    )  # fmt: skip
    outer, above = -1, list[int]()
    for at, name in enumerate(names):
        outer = at if not name.depth else outer
        above.append(outer if name.depth else -1)
    with_outer = (each for at in order for each in (above[at], at) if each >= 0)
    return [names[at] for at in dict.fromkeys(with_outer)]


def _path_line(path: str) -> str:
    return f"{_printable(path)}\n"


def _line(name: Name) -> str:
    return f"{'  ' * (name.depth + 1)}{_printable(name.signature)}\n"


def _printable(text: str) -> str:
    """`text` on one line that is what it seems to be: line ends, direction marks and broken names are `?`."""
    return text if text.isprintable() else "".join(each if each.isprintable() else "?" for each in text)
