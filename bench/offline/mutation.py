"""What a mutation is, and what the mutations of all languages have in common."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

KINDS = (
    "unused import",
    "misspelt name",
    "misspelt member",
    "== None",
    "unused variable",
    "missing ; or bracket",
    "wrong type name",
    "duplicate key",
)


@dataclass(frozen=True)
class Change:
    """Replace `text[start:end]` by `new`; `what` says so in a few words."""

    start: int
    end: int
    new: str
    what: str

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


Mutate = Callable[[random.Random, str], Change | None]
"""One change of a kind at a place drawn by the generator; None when the text has no such place."""

NAME = re.compile(r"[^\W\d]\w*")
_NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#[^\n]*",
    re.DOTALL | re.MULTILINE,
)
VARIABLES = ("leftover", "spare_count", "previous_state", "tmp_value", "checked_once", "old_total")


def without_noise(text: str) -> str:
    """C or TypeScript with comments, strings and preprocessor lines as blanks, at the same offsets."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def misspell(rng: random.Random, name: str, text: str) -> str | None:
    """`name` with one slip of the fingers (two letters swapped, one left out, doubled, or another); None when that
    gives a name that `text` has already."""
    at = rng.randrange(1, len(name) - 1) if len(name) > 2 else 1
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    wrong = rng.choice(
        (
            name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :],
            name[:at] + name[at + 1 :],
            name[:at] + name[at] + name[at:],
            name[:at] + letter + name[at + 1 :],
        )
    )
    return None if wrong == name or re.search(rf"\b{re.escape(wrong)}\b", text) else wrong


def misspelling(rng: random.Random, text: str, places: list[re.Match[str]] | list[tuple[int, str]]) -> Change | None:
    """Misspell the name at one of `places` (a match with one group, or offset and name)."""
    if not places:
        return None
    place = rng.choice(places)
    start, name = place if isinstance(place, tuple) else (place.start(1), place[1])
    wrong = misspell(rng, name, text)
    return None if wrong is None else Change(start, start + len(name), wrong, f"{name} → {wrong}")


def dropped(rng: random.Random, text: str, offsets: list[int]) -> Change | None:
    """Leave out the character at one of `offsets`."""
    if not offsets:
        return None
    at = rng.choice(offsets)
    return Change(at, at + 1, "", f"{text[at]!r} left out")


def line_starts(text: str) -> Iterator[int]:
    """Offset of each line."""
    yield 0
    for match in re.finditer("\n", text):
        yield match.end()
