"""Whom the body of a post calls.

| written | called |
|---|---|
| `@reviewer-def34` | the one with this address |
| `@reviewer` | the one with this name, if it is unique; else one of those with this role |
| `@role:reviewer` | one of those with this role; all of them with `?all` behind |
| `@All` | everyone but the author |
| `@human` | every human but the author |

Case and Unicode form (NFKC) make no difference. `!` directly behind says that it is urgent. A mention stands at a word
boundary; in Japanese and the like a name ends where the longest known one does. Code, headings, quotes (`>`), HTML, link
targets, addresses, front matter, and what stands behind a backslash call nobody. Pure; linear in the length of the body.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from motet.board.addresses import is_name_character, key
from motet.prose import Prose, begins, is_spaceless, is_word, leaves


class Addressee(StrEnum):
    """What a mention names."""

    NAME = "name"
    ROLE = "role"
    ALL = "all"
    HUMAN = "human"


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters `start` up to `end` of a body, `text` as written. `name` is folded, without `@`, `role:`, `!` and `?all`.

    `high`: it had the `!`. `every`: it had the `?all`. `kind` is NAME too where nobody of that name is known.
    """

    start: int
    end: int
    text: str
    kind: Addressee
    name: str
    high: bool = False
    every: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """One who can be called."""

    address: str
    name: str
    roles: tuple[str, ...] = ()
    is_human: bool = False
    is_gone: bool = False


class Roster:
    """All who can be called, by the words that call them. Made once, for many bodies. Of those who share a name it means
    the human, else the ones who are there, else all."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.known = tuple(known)
        self.addresses = {key(one.address): one for one in self.known}
        self.names: dict[str, list[Known]] = {}
        self.roles: dict[str, list[Known]] = {}
        for one in self.known:
            self.names.setdefault(key(one.name), []).append(one)
            for role in {key(role): None for role in one.roles}:
                self.roles.setdefault(role, []).append(one)
        self.names = {name: preferred(ones) for name, ones in self.names.items()}
        self.longest = max(map(len, ("human", *self.addresses, *self.names, *self.roles)))

    def kind(self, word: str) -> Addressee | None:
        """What the folded `word` names; None for nothing."""
        if word in ("all", "human"):
            return Addressee(word)
        if word in self.addresses or len(self.names.get(word, ())) == 1:
            return Addressee.NAME
        if word in self.roles:
            return Addressee.ROLE
        return Addressee.NAME if word in self.names else None


def preferred(ones: list[Known]) -> list[Known]:
    """Whom a name means that these share."""
    return [one for one in ones if one.is_human] or [one for one in ones if not one.is_gone] or ones


@dataclass(frozen=True, slots=True)
class Recipient:
    """One who is called by address or name, as a human, or with all of a role."""

    address: str
    high: bool


@dataclass(frozen=True, slots=True)
class RoleCall:
    """A role (folded) that is called: one of the `members` (addresses) answers."""

    role: str
    members: tuple[str, ...]
    high: bool


@dataclass(frozen=True, slots=True)
class Unknown:
    """A mention that calls nobody, and `why`. `nearest`: up to three words to write behind the `@` instead."""

    text: str
    why: str
    nearest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """Whom a body calls, each once, with the highest priority; never the author.

    With `everyone` the `recipients` and `roles` hold only what goes beyond it: those whom it would call with a lower
    priority. `unknown` holds what the author should be told, at most twenty of it.
    """

    recipients: tuple[Recipient, ...] = ()
    roles: tuple[RoleCall, ...] = ()
    everyone: bool = False
    everyone_high: bool = False
    unknown: tuple[Unknown, ...] = ()


def find_mentions(body: str, roster: Roster) -> tuple[Mention, ...]:
    """The mentions of `body` in order, of those in `roster` and of unknown words that look like a name."""
    if "@" not in body and "＠" not in body:
        return ()
    head = _FRONT_MATTER.match(body)
    start = head.end() if head else 0
    text = body[start:]
    found: list[Mention] = []
    for leaf in leaves(text):
        if leaf[0].heading:
            continue
        prose = Prose(text, leaf)
        for reading in _readings(prose, roster):
            at, end = start + prose.place(reading.start), start + prose.place(reading.end)
            found.append(
                Mention(at, end, body[at:end], reading.kind, reading.name, high=reading.high, every=reading.every)
            )
    return tuple(found)


def called(mentions: Sequence[Mention], roster: Roster, author: str) -> Called:
    """Whom the `mentions` of a post call. `author`: the address of who wrote it."""
    calls = _Calls(roster, key(author))
    for mention in mentions:
        calls.add(mention)
    return calls.result()


_FRONT_MATTER = re.compile(
    r"\ufeff?---[ \t]*\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[A-Za-z_][\w-]*[ \t]*:(?:[ \t].*)?\r?\n"
    r"(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
_ROLE = re.compile("role:", re.IGNORECASE)
_BEHIND = re.compile(r"(!(?![=\[]))?(\?all(?![A-Za-z0-9_]))?(!(?![=\[]))?", re.IGNORECASE)
_ASCII_NAME = re.compile("[A-Za-z0-9_-]*")
_NO_NAME = re.compile(r"[-_]*[({<=/\[]")
"""Behind an unknown word: it is called, a path, or to be filled in."""
_EMPHASIS = re.compile("[_＿]+")
_LONGEST_RUN = 300
_FORMS = 4
"""A character of a name is written with so many at most, each accent on its own."""
_MOST_TOLD = 20
_NEAREST = 3
_CUTOFF = 60


def _readings(prose: Prose, roster: Roster) -> Iterator[Mention]:
    """The mentions of one paragraph, placed in its text."""
    last = -1
    for mark in prose.marks("@＠"):
        if mark.target:
            continue
        is_next = mark.start == last + 1 and prose.text[last] in "/&"  # @one/@other
        if (is_next or _begins(prose.text, mark.start)) and (mention := _read(prose.text, mark.start, roster)):
            last = mention.end
            prose.pass_over(mention.end)
            yield mention


def _begins(text: str, at: int) -> bool:
    """Whether a mention may begin at `at`; emphasis (`_@name_`) may stand before it."""
    while at and text[at - 1] == "_":
        at -= 1
    return begins(text, at)


def _read(text: str, at: int, roster: Roster) -> Mention | None:
    role = _ROLE.match(text, at + 1)
    start = role.end() if role else at + 1
    run = _run(text, start)
    end = _known(text, start, run, roster, of_role=role is not None) or _unknown(text, start, run)
    if end is None:
        return None
    name = key(text[start:end])
    kind = Addressee.ROLE if role else roster.kind(name) or Addressee.NAME
    behind = _BEHIND.match(text, end)
    if behind is None:
        return Mention(at, end, text[at:end], kind, name)
    high, every = bool(behind[1] or behind[3]), bool(behind[2])
    return Mention(at, behind.end(), text[at : behind.end()], kind, name, high=high, every=every)


def _run(text: str, start: int) -> int:
    """Where what could be a name ends at the latest."""
    plain = _ASCII_NAME.match(text, start, start + _LONGEST_RUN)
    end = plain.end() if plain else start
    while end < min(len(text), start + _LONGEST_RUN) and is_name_character(_simple(text[end])):
        end += 1
    return end


@lru_cache(4096)
def _simple(character: str) -> str:
    """The letter that a full-width, half-width or circled one stands for."""
    return character if character < "\u0300" else unicodedata.normalize("NFKC", character)[:1]


def _known(text: str, start: int, run: int, roster: Roster, *, of_role: bool) -> int | None:
    """The end of the longest known name at `start`."""
    for end in range(min(run, start + _FORMS * roster.longest), start, -1):
        if _ends(text, end):
            word = key(text[start:end])
            if word in roster.roles if of_role else roster.kind(word):
                return end
    return None


def _ends(text: str, at: int) -> bool:
    """Whether a name that goes up to `at` may end there."""
    if at >= len(text):
        return True
    one, other = _simple(text[at - 1]), _simple(text[at])
    if other == "-" or text[at] in "./" or (text[at] == "@" and not is_spaceless(one)):
        return at + 1 >= len(text) or not is_word(_simple(text[at + 1]))
    if emphasis := _EMPHASIS.match(text, at):
        return emphasis.end() >= len(text) or not is_word(text[emphasis.end()])
    if unicodedata.category(other)[0] == "M" or _joins(text[at - 1], text[at]):
        return False
    if is_word(other):  # 山田PRs: another script, another word; 担当10 is not 担当1
        return is_spaceless(one) and not other.isdigit()
    return not (_is_katakana(one) and _is_katakana(other))


def _joins(one: str, other: str) -> bool:
    """Whether both are one character in the composed form."""
    return len(unicodedata.normalize("NFC", one + other)) < 2


def _is_katakana(character: str) -> bool:
    return ("\u30a1" <= character <= "\u30ff" and character != "\u30fb") or "\u31f0" <= character <= "\u31ff"


def _unknown(text: str, start: int, run: int) -> int | None:
    """The end of an unknown word at `start` that could be meant as a name: no `@app.route(`, no `@scope/package`, no
    `@file.ts`, no `@2x`."""
    if run == start or not _simple(text[start]).isalpha():
        return None
    end = start + 1
    while end < run and _script(text[end]) in (_script(text[start]), ""):
        end += 1
    if end == start + _LONGEST_RUN:
        return None
    end = start + len(text[start:end].rstrip("-_"))
    behind = text[end : end + 2]
    if _NO_NAME.match(text, end) or (behind[:1] in tuple(".:@\\") and behind[1:] and is_word(behind[1])):
        return None
    return end


@lru_cache(4096)
def _script(character: str) -> str:
    """What runs of one word are made of; nothing for what goes with every script."""
    simple = _simple(character)
    if simple in "-_" or unicodedata.category(simple)[0] == "M":
        return ""
    if is_word(simple):
        return "" if simple.isdigit() else "letters"
    if _is_katakana(simple):
        return "katakana"
    return "hiragana" if "\u3041" <= simple <= "\u309f" else "others"


@dataclass(slots=True)
class _Calls:
    """What is gathered from mention after mention. Values of the dicts: whether it is urgent."""

    roster: Roster
    author: str
    direct: dict[str, bool] = field(default_factory=dict[str, bool])
    roles: dict[str, bool] = field(default_factory=dict[str, bool])
    everyone: bool = False
    everyone_high: bool = False
    unknown: dict[tuple[Addressee, str], Unknown] = field(default_factory=dict[tuple[Addressee, str], Unknown])

    def add(self, mention: Mention) -> None:
        """Take in the next mention."""
        match mention.kind:
            case Addressee.ALL:
                self.everyone = True
                self.everyone_high |= mention.high
            case Addressee.HUMAN:
                humans = self._others(one for one in self.roster.known if one.is_human)
                if not humans:
                    self._tell(mention, "nobody else here is human")
                self._call(humans, high=mention.high)
            case Addressee.ROLE:
                self._add_role(mention)
            case Addressee.NAME:
                self._add_name(mention)

    def _add_name(self, mention: Mention) -> None:
        one = self.roster.addresses.get(mention.name)
        meant = [one] if one else self.roster.names.get(mention.name, [])
        if not meant:
            self._tell(mention, "nobody of this name", self._nearest)
        elif len(meant) > 1:
            self._tell(mention, "several have this name", lambda _: self._others(meant))
        else:
            self._call(self._others(meant), high=mention.high)

    def _add_role(self, mention: Mention) -> None:
        members = self.roster.roles.get(mention.name, [])
        others = self._others(members)
        if not members:
            self._tell(mention, "nobody has this role", self._nearest)
        elif not others:
            self._tell(mention, "nobody else has this role")
        elif mention.every:
            self._call(others, high=mention.high)
        else:
            self.roles[mention.name] = self.roles.get(mention.name, False) or mention.high

    def _others(self, ones: Iterable[Known]) -> list[str]:
        return [one.address for one in ones if key(one.address) != self.author]

    def _call(self, addresses: Iterable[str], *, high: bool) -> None:
        for each in addresses:
            self.direct[each] = self.direct.get(each, False) or high

    def _tell(self, mention: Mention, why: str, instead: Callable[[Mention], Sequence[str]] = lambda _: ()) -> None:
        which = (mention.kind, mention.name)
        if which not in self.unknown and len(self.unknown) < _MOST_TOLD:
            self.unknown[which] = Unknown(mention.text, why, tuple(instead(mention)[:_NEAREST]))

    def _nearest(self, mention: Mention) -> list[str]:
        """What to write for the words most like the name, the best first."""
        from rapidfuzz import fuzz, process

        words = [(role, f"role:{role}") for role in self.roster.roles]
        if mention.kind is Addressee.NAME:
            for one in self.roster.known:
                if key(one.address) != self.author:
                    words += [(key(one.address), one.address), (key(one.name), one.address)]
        choices = [word for word, _ in words]
        found = process.extract(mention.name, choices, scorer=fuzz.ratio, score_cutoff=_CUTOFF, limit=None)
        return list(dict.fromkeys(words[at][1] for _, _, at in found))

    def result(self) -> Called:
        """What the mentions come to."""
        direct = {each: high for each, high in self.direct.items() if not self._reached(high=high)}
        roles = [
            RoleCall(role, tuple(self._others(self.roster.roles[role])), high)
            for role, high in self.roles.items()
            if not self._reached(high=high)
        ]
        return Called(
            tuple(Recipient(each, high) for each, high in direct.items()),
            tuple(call for call in roles if not self._is_covered(call)),
            self.everyone,
            self.everyone_high,
            tuple(self.unknown.values()),
        )

    def _reached(self, *, high: bool) -> bool:
        """Whether the call of everyone does as much."""
        return self.everyone and (self.everyone_high or not high)

    def _is_covered(self, call: RoleCall) -> bool:
        """Whether each of the members is called already."""
        return all(each in self.direct and self.direct[each] >= call.high for each in call.members)
