"""Damage to which lines an edit has: left out, added, swapped, elided, taken from elsewhere, too few."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from edits.mutations.damage import Written, damage, one
from edits.mutations.scene import Change, Entry, Scene

_COMMENT = {"python": "#", "c": "//", "typescript": "//", "javascript": "//", "prose": ""}


def _kept(change: Change, *, blank: bool | None = None) -> list[int]:
    """Indices of kept lines; only blank or only other ones, if `blank` says so."""
    return [
        index
        for index, entry in enumerate(change.entries)
        if entry.sign == " " and (blank is None or blank is not bool(entry.text.strip()))
    ]


def _inner(change: Change, *, blank: bool) -> list[int]:
    """Those kept lines that stand between lines to be found, none of them blank.

    Where the search text begins or ends is not for its reader to question: a line left out there makes another
    edit, and the new text then says exactly, and wrongly, that the line shall be there twice.
    """
    old = [index for index, entry in enumerate(change.entries) if entry.sign != "+" and entry.text.strip()]
    return [index for index in _kept(change, blank=blank) if old and old[0] < index < old[-1]]


def _with(change: Change, entries: list[Entry]) -> Written | None:
    """The edit with these lines instead, unless nothing is left to find or to do."""
    changed = replace(change, entries=tuple(entries))
    return one(changed) if changed.search and changed.search != changed.replace else None


def _without(change: Change, index: int, rng: Random | None = None) -> Written | None:
    """The edit without the kept line at `index`; with `rng`, perhaps from the search text alone."""
    entries = list(change.entries)
    if rng is not None and rng.random() < 0.5:
        entries[index] = replace(entries[index], sign="+", origin=-1)
    else:
        del entries[index]
    return _with(change, entries)


@damage()
def blank_line_left_out(scene: Scene, rng: Random) -> Written | None:
    """A blank line between two others is missing, from both texts or from the search text."""
    change = scene.changes[0]
    places = _inner(change, blank=True)
    return _without(change, rng.choice(places), rng) if places else None


@damage()
def blank_line_added(scene: Scene, rng: Random) -> Written | None:
    """A blank line that the file does not have stands between two lines, in both texts or in the search text."""
    change = scene.changes[0]
    places = [index for index, entry in enumerate(change.entries) if index and entry.sign != "+"]
    places = [index for index in places if any(entry.sign != "+" for entry in change.entries[:index])]
    if not places:
        return None
    index = rng.choice(places)
    sign = rng.choice((" ", "-"))
    return _with(change, [*change.entries[:index], Entry(sign, "", ""), *change.entries[index:]])


@damage()
def first_line_left_out(scene: Scene, rng: Random) -> Written | None:
    """The first line is missing from both texts, which then simply begin later."""
    change = scene.changes[0]
    return _without(change, 0) if change.entries[0].sign == " " else None


@damage()
def last_line_left_out(scene: Scene, rng: Random) -> Written | None:
    """The last line is missing from both texts."""
    change = scene.changes[0]
    return _without(change, len(change.entries) - 1) if change.entries[-1].sign == " " else None


@damage()
def middle_line_left_out(scene: Scene, rng: Random) -> Written | None:
    """A line that is not blank is missing from between others, from both texts or from the search text."""
    change = scene.changes[0]
    places = _inner(change, blank=False)
    return _without(change, rng.choice(places), rng) if places else None


@damage()
def line_duplicated(scene: Scene, rng: Random) -> Written | None:
    """A line stands twice in a row, in both texts or in the search text."""
    change = scene.changes[0]
    places = [index for index, entry in enumerate(change.entries) if entry.sign != "+"]
    index = rng.choice(places)
    entry = change.entries[index]
    again = replace(entry, sign=rng.choice((entry.sign, "-")), origin=-1)
    return _with(change, [*change.entries[:index], again, *change.entries[index:]])


@damage()
def two_lines_swapped(scene: Scene, rng: Random) -> Written | None:
    """Two neighbouring lines stand in the other order, in both texts or in the search text."""
    change = scene.changes[0]
    pairs = [
        index
        for index in _kept(change, blank=False)
        if index + 1 in _kept(change, blank=False) and change.entries[index].text != change.entries[index + 1].text
    ]
    if not pairs:
        return None
    index = rng.choice(pairs)
    one_, other = change.entries[index : index + 2]
    swapped = [other, one_]
    if rng.random() < 0.5:
        removed = [replace(entry, sign="-") for entry in swapped]
        swapped = [*removed, *(replace(entry, sign="+", origin=-1) for entry in (one_, other))]
    return _with(change, [*change.entries[:index], *swapped, *change.entries[index + 2 :]])


@damage()
def lines_joined(scene: Scene, rng: Random) -> Written | None:
    """The end of a kept line is lost, so that the next kept one continues it, in both texts."""
    change = scene.changes[0]
    pairs = [index for index in _kept(change, blank=False) if index + 1 in _kept(change, blank=False)]
    if not pairs:
        return None
    index = rng.choice(pairs)
    one_, other = change.entries[index : index + 2]
    joined = replace(one_, text=f"{one_.text} {other.text.strip()}", origin=-1)
    return _with(change, [*change.entries[:index], joined, *change.entries[index + 2 :]])


@damage()
def line_wrapped(scene: Scene, rng: Random) -> Written | None:
    """A kept line is two lines, broken at a space, in both texts."""
    change = scene.changes[0]
    places = [index for index in _kept(change) if " " in change.entries[index].text.strip()]
    if not places:
        return None
    index = rng.choice(places)
    entry = change.entries[index]
    body = entry.text.lstrip()
    indent = entry.text[: len(entry.text) - len(body)]
    head, _, tail = body.partition(" ")
    halves = [replace(entry, text=indent + text, origin=-1) for text in (head, tail)]
    return _with(change, [*change.entries[:index], *halves, *change.entries[index + 1 :]])


# --- left out on purpose ---------------------------------------------------------------------------------------


def _run(change: Change, rng: Random, least: int) -> tuple[int, int] | None:
    """Where at least `least` kept lines stand between two others: first index and exclusive last."""
    runs: list[tuple[int, int]] = []
    start = None
    for index, entry in enumerate((*change.entries, Entry("+", "", ""))):
        if entry.sign == " " and 0 < index < len(change.entries) - 1:
            start = index if start is None else start
        elif start is not None:
            runs.append((start, index))
            start = None
    runs = [run for run in runs if run[1] - run[0] >= least]
    if not runs:
        return None
    first, last = rng.choice(runs)
    first += rng.randint(0, last - first - least)
    return first, rng.randint(first + least, last)


def _ellipsis(scene: Scene, rng: Random, indent: str) -> str:
    comment = _COMMENT.get(scene.kind, "")
    words = rng.choice(("...", "... existing code ...", "...existing code...", "…", "... (unchanged) ..."))
    return rng.choice((indent, "")) + (rng.choice(("...", f"{comment} {words}")) if comment else "...")


def _elided(scene: Scene, rng: Random, sign: str) -> Written | None:
    change = scene.changes[0]
    run = _run(change, rng, 1)
    if run is None:
        return None
    first, last = run
    text = change.entries[first].text
    ellipsis = _ellipsis(scene, rng, text[: len(text) - len(text.lstrip())])
    filled = [Entry(" ", ellipsis, "")]
    if sign == "-":
        filled = [Entry("-", ellipsis, "")]
        filled += [replace(entry, sign="+", origin=-1) for entry in change.entries[first:last]]
    return _with(change, [*change.entries[:first], *filled, *change.entries[last:]])


@damage()
def middle_elided_in_both_texts(scene: Scene, rng: Random) -> Written | None:
    """A line `...` or `# ... existing code ...` stands for lines that shall stay, in the search and the new text."""
    return _elided(scene, rng, " ")


@damage()
def middle_elided_in_the_search_text(scene: Scene, rng: Random) -> Written | None:
    """A line `...` stands for lines in the search text; the new text has them all."""
    return _elided(scene, rng, "-")


@damage()
def comment_elided(scene: Scene, rng: Random) -> Written | None:
    """The middle of a comment, or of a long line, is `...`."""
    change = scene.changes[0]
    places = [index for index in _kept(change) if len(change.entries[index].text.split()) > 4]
    if not places:
        return None
    index = rng.choice(places)
    entry = change.entries[index]
    words = entry.text.split(" ")
    cut = max(1, len(words) // 3)
    text = " ".join([*words[: len(words) - 2 * cut], "...", *words[len(words) - cut :]])
    return _with(change, [*change.entries[:index], replace(entry, text=text), *change.entries[index + 1 :]])


# --- not enough, or not from there -----------------------------------------------------------------------------


@damage()
def snippet_too_short(scene: Scene, rng: Random) -> Written | None:
    """The search text is one line that stands in many places of the file."""
    counts = Counter(scene.lines)
    change = scene.changes[0]
    places = [i for i, e in enumerate(change.entries) if e.sign == "-" and counts[e.text] > 1]
    places += [
        i for i, e in enumerate(change.entries) if e.sign == " " and counts[e.text] > 1 and _beside_new(change, i)
    ]
    if not places or len([entry for entry in change.entries if entry.sign != " "]) > 2:
        return None
    index = rng.choice(places)
    entry = change.entries[index]
    if entry.sign == "-" and any(e.sign == "-" for i, e in enumerate(change.entries) if i != index):
        return None
    following = change.entries[index + 1 : index + 2]
    new = [e for e in following if e.sign == "+"]
    if len(new) != len([e for e in change.entries if e.sign == "+"]):
        return None
    return _with(change, [entry, *new])


def _beside_new(change: Change, index: int) -> bool:
    return index + 1 < len(change.entries) and change.entries[index + 1].sign == "+"


@damage()
def part_taken_from_elsewhere(scene: Scene, rng: Random) -> Written | None:
    """Some lines of the search text are the same number of lines from another part of the file."""
    change = scene.changes[0]
    old = [index for index, entry in enumerate(change.entries) if entry.sign != "+"]
    if len(old) < 2:
        return None
    count = rng.randint(1, len(old) - 1)
    taken = rng.choice((old[:count], old[-count:], old[1:-1][:count]))
    if not taken:
        return None
    starts = range(len(scene.lines) - len(taken) + 1)
    start = rng.choice([i for i in starts if i + len(taken) <= change.first or i >= change.last] or [-1])
    if start < 0:
        return None
    entries = list(change.entries)
    for index, line in zip(taken, scene.lines[start:], strict=False):
        entries[index] = replace(entries[index], text=line)
    changed = replace(change, entries=tuple(entries))
    return _with(change, entries) if changed.search != change.search else None


@damage()
def first_and_last_line_alone_are_right(scene: Scene, rng: Random) -> Written | None:
    """The first and the last line stand in the file, everything between them is made up."""
    change = scene.changes[0]
    old = [index for index, entry in enumerate(change.entries) if entry.sign != "+"]
    if len(old) < 3:
        return None
    entries = list(change.entries)
    for index in old[1:-1]:
        entries[index] = replace(entries[index], text=f"    made_up_{index} = {rng.randrange(100)}")
    return _with(change, entries)


@damage()
def search_text_cut_off(scene: Scene, rng: Random) -> Written | None:
    """The search text breaks off inside its last line."""
    change = scene.changes[0]
    last = change.search[-1].rstrip()
    if len(last) < 8 or len(change.search) < 2:
        return None
    return Written((change,), ended=False, cut=rng.randint(1, len(last) - 4))


@damage()
def one_line_cut_off(scene: Scene, rng: Random) -> Written | None:
    """The search text is one line and breaks off before its end; the new text, too, as far as it keeps the line."""
    change = scene.changes[0]
    if len(change.search) != 1 or len(change.search[0].rstrip()) < 8:
        return None
    text = change.search[0].rstrip()
    return Written((change,), ended=False, cut=rng.randint(1, len(text) - 4))
