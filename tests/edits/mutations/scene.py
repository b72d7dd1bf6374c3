"""A file and the edits that a model means to make in it, with what must come out: the ground truth."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from edits.mutations import corpus

Sign = Literal[" ", "-", "+"]
WORD = re.compile(r"[A-Za-z_]\w{2,}")
NUMBER = re.compile(r"(?<!\w)\d+(?!\w)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an edit, as in a diff: kept (` `), removed (`-`) or new (`+`).

    `text` is what the model writes, `meant` what it means: the line of the file, or the new line. `origin` is the
    entry's index in the edit as meant; -1 for a line that only damage put there.
    """

    sign: Sign
    text: str
    meant: str
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Change:
    """One edit: the lines of the file from `first` (0-based) on become others. `hint` is the 1-based line at which
    the model says that it is; 0 when it does not say."""

    first: int
    entries: tuple[Entry, ...]
    hint: int = 0

    @property
    def search(self) -> list[str]:
        """The lines to be found, as written."""
        return [entry.text for entry in self.entries if entry.sign in " -"]

    @property
    def replace(self) -> list[str]:
        """The lines to stand there instead, as written."""
        return [entry.text for entry in self.entries if entry.sign in " +"]

    @property
    def last(self) -> int:
        """Exclusive end of the lines meant, 0-based: of an edit as meant only."""
        return self.first + len(self.search)

    def with_texts(self, change: Callable[[Entry], str]) -> Change:
        """The same with other texts, meant as before."""
        return replace(self, entries=tuple(replace(entry, text=change(entry)) for entry in self.entries))


@dataclass(frozen=True, slots=True)
class Scene:
    """A file, named `path`, as a model was shown it, and the edits it means, in the order of their places."""

    kind: str
    path: str
    source: str
    lines: tuple[str, ...]
    newline: str
    final_newline: bool
    bom: bool
    changes: tuple[Change, ...]

    def data(self, lines: Sequence[str] | None = None) -> bytes:
        """The bytes of a file of these lines, in the form of this one."""
        lines = self.lines if lines is None else lines
        text = self.newline.join(lines) + (self.newline if self.final_newline and lines else "")
        return (b"\xef\xbb\xbf" if self.bom else b"") + text.encode()

    def truth(self, changes: Sequence[Change] | None = None) -> list[str]:
        """The lines after `changes`: exactly their lines replaced, all others as they were."""
        result = list(self.lines)
        for change in sorted(self.changes if changes is None else changes, key=lambda change: -change.first):
            result[change.first : change.last] = [entry.meant for entry in change.entries if entry.sign in " +"]
        return result


def make_scene(rng: Random, changes: int = 1, kinds: Sequence[str] = corpus.KINDS) -> Scene | None:
    """A real file in one of its real forms and `changes` sensible edits of it; None when it has no room for them."""
    kind = rng.choice(kinds)
    source = rng.choice(corpus.files(kind))
    lines = corpus.lines(source)
    if lines is None:
        return None
    form = rng.random()
    if form < 0.06:
        lines = tuple(line + rng.choice(("", "", "", " ", "  ", "\t")) for line in lines)
    elif form < 0.14:
        lines = tuple(_with_tabs(line) for line in lines)
    elif form < 0.2:
        lines = tuple(
            line.replace("e", "é") if line.lstrip().startswith(("#", "//", "*")) else line for line in lines
        )
    scene = Scene(
        kind,
        f"src/{source.name}",
        str(source),
        lines,
        newline=rng.choice(("\n", "\n", "\r\n")),
        final_newline=not lines[-1] or rng.random() < 0.8,
        bom=rng.random() < 0.1,
        changes=(),
    )
    meant: list[Change] = []
    for _ in range(changes):
        change = next((c for _ in range(8) if (c := _make_change(lines, rng)) and _is_free(c, meant)), None)
        if change is None:
            return None
        meant.append(change)
    scene = replace(scene, changes=tuple(sorted(meant, key=lambda change: change.first)))
    return scene if scene.truth() != list(lines) else None


def _with_tabs(line: str) -> str:
    body = line.lstrip(" ")
    width = len(line) - len(body)
    return "\t" * (width // 4) + " " * (width % 4) + body


def _is_free(change: Change, others: Sequence[Change]) -> bool:
    return all(change.last <= other.first or other.last <= change.first for other in others)


# --- sensible edits --------------------------------------------------------------------------------------------


def _make_change(lines: Sequence[str], rng: Random) -> Change | None:
    """One edit of 1 to 15 lines: a name or number changed, a line deleted, inserted or written anew."""
    size = min(rng.choice((1, 2, 3, 3, 4, 5, 6, 8, 11, 15)), len(lines))
    first = rng.randrange(len(lines) - size + 1)
    snippet = lines[first : first + size]
    places = [index for index, line in enumerate(snippet) if WORD.search(line)]
    if not places:
        return None
    how = rng.choice(_HOW)
    touched = rng.sample(places, min(len(places), rng.choice((1, 1, 1, 2))))
    entries: list[Entry] = []
    for index, line in enumerate(snippet):
        if index in touched:
            entries += (Entry(sign, text, text) for sign, text in how(line, rng))
        else:
            entries.append(Entry(" ", line, line))
    entries = [replace(entry, origin=index) for index, entry in enumerate(entries)]
    change = Change(first, tuple(entries))
    return change if change.search != change.replace else None


Parts = list[tuple[Sign, str]]


def other_word(line: str, rng: Random) -> str:
    """The line with one of its names changed."""
    word = rng.choice(list(WORD.finditer(line)))
    name = rng.choice((f"{word[0]}_2", f"new_{word[0]}", f"{word[0][:-1]}x", "replacement"))
    name = name if name != word[0] else f"{name}_2"
    return line[: word.start()] + name + line[word.end() :]


def _rename(line: str, rng: Random) -> Parts:
    return [("-", line), ("+", other_word(line, rng))]


def _delete(line: str, rng: Random) -> Parts:
    return [("-", line)]


def _insert_after(line: str, rng: Random) -> Parts:
    return [(" ", line), ("+", other_word(line, rng))]


def _insert_before(line: str, rng: Random) -> Parts:
    return [("+", other_word(line, rng)), (" ", line)]


def _rewrite(line: str, rng: Random) -> Parts:
    return [("-", line), ("+", other_word(line, rng)), ("+", other_word(line, rng))]


_HOW: tuple[Callable[[str, Random], Parts], ...] = (
    _rename,
    _rename,
    _delete,
    _insert_after,
    _insert_before,
    _rewrite,
)
