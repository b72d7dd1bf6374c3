"""The places that an edit may mean in one text, by the ladder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from motet.edits import elision
from motet.edits.edit import Replace
from motet.edits.lines import Line, join_lines, split_lines
from motet.edits.lookalikes import fold
from motet.edits.match import (
    AS_GIVEN,
    MOST_PLACES,
    Found,
    Needle,
    Spot,
    find_drifted,
    find_exact,
    find_loose,
    find_within,
    spot_of,
)
from motet.edits.outcome import Rung
from motet.edits.splice import Change, newline_at, splice
from motet.edits.view import View


@dataclass(frozen=True, slots=True)
class Located:
    """All spots on the strictest rung that has any; when there are more than `MOST_PLACES`, not all of them.
    `inside`: the search text of whole lines is a part of a line. `raw`: it is `Replace.raw` that was found."""

    rung: Rung
    needle: Needle
    spots: tuple[Spot, ...]
    inside: bool = False
    raw: bool = False

    @property
    def are_too_many(self) -> bool:
        """Whether `spots` are not all."""
        return self.spots[0].fit is None and len(self.spots) > MOST_PLACES


class Ununiform(Exception):
    """The change of indentation that the search text needs does not fit the new text."""


def locate(view: View, edit: Replace) -> Located | None:
    """Where the search text of `edit` stands in `view`, on rungs 1 to 7."""
    if edit.inline and (spots := _within(view, edit.search, all=edit.replace_all)):
        return Located(_exactness(view, spots, edit.search), needle_of(edit), spots)
    needle = Needle.of(edit.search, edit.replace, edit.signs)
    if not edit.inline and (spots := _exact(view, needle)):
        rung = Rung.EXACT if _same_ends(view, spots[0], edit.search) else Rung.LINE_ENDS
        return Located(rung, needle, spots)
    if edit.inline and edit.replace and ends_line(edit.search) != ends_line(edit.replace):
        return None  # it joins or divides lines: only its exact place is certain
    return (
        _of_found(find_drifted(view, needle))
        or (None if edit.inline else _inside(view, needle, all=edit.replace_all))
        or _of_found(find_loose(view, needle))
    )


def locate_raw(view: View, edit: Replace) -> Located | None:
    """Where the lines of a hunk stand as they were written, on rungs 1 to 3."""
    if edit.raw is None or edit.raw[0] == edit.search:
        return None
    needle = Needle.of(*edit.raw, edit.signs)
    if spots := _exact(view, needle):
        return Located(Rung.EXACT, needle, spots, raw=True)
    found = find_drifted(view, needle)
    return Located(found.rung, needle, found.spots, raw=True) if found and found.rung <= Rung.TRAILING_SPACE else None


def needle_of(edit: Replace) -> Needle:
    """What an edit looks for and puts there, where it is found exactly."""
    return (
        Needle((edit.search,), (edit.replace,)) if edit.inline else Needle.of(edit.search, edit.replace, edit.signs)
    )


def locate_parts(view: View, edit: Replace) -> list[Located] | None:
    """Where the parts of an elided edit stand (rung 8): each has exactly one spot, behind the one before."""
    needle = Needle.of(edit.search, edit.replace)
    parts = elision.parts(needle)
    if parts is None or not {line.strip() for line in needle.search if elision.is_elision(line)}.isdisjoint(
        view.keys
    ):
        return None  # in this file, such a line is text
    located: list[Located] = []
    for part in parts:
        text = "".join(line + "\n" for line in part.search)
        one = locate(
            view,
            replace(edit, search=text, replace="".join(line + "\n" for line in part.replace), inline=False, signs=""),
        )
        if one is None or len(one.spots) != 1 or one.inside or one.rung > Rung.INDENTATION:
            return None
        if located and not _is_below(view, located[-1].spots[0], one.spots[0]):
            return None
        located.append(one)
    return located


def _is_below(view: View, above: Spot, below: Spot) -> bool:
    """Whether one part stands below another, and inside of the block that it begins, if it is indented deeper."""
    if above.end > below.start:
        return False
    first = view.lines_of(above.start, above.end)[0]
    between = view.lines[first + 1 : view.lines_of(below.start, below.end)[0] + 1]
    indents = [len(line) - len(line.lstrip()) for line in (view.lines[first], *between) if line.strip()]
    return indents[-1] <= indents[0] or min(indents[1:]) > indents[0]


def change_at(view: View, edit: Replace, located: Located, spot: Spot) -> Change:
    """What `edit` changes at one of its spots. Raises `Ununiform`."""
    if edit.inline and spot.fit is None:
        start = _start_of_gone_line(view.text, spot.start, edit)
        return Change(start, spot.end, _with_ends(edit.replace, view.text, spot.start), whole=False)
    if located.inside:
        old = view.text[spot.start : spot.end]
        return Change(spot.start, spot.end, _swap(old, located.needle), whole=False)
    final = edit.final_newline
    if spot.fit is None:
        new = "".join(line + "\n" for line in located.needle.replace)
        return Change(spot.start, spot.end, new, final_newline=final)
    old_lines = split_lines(view.text[spot.start : spot.end])
    is_exact = located.rung <= Rung.LINE_ENDS
    needle = located.needle if is_exact else _with_blank_lines(located.needle)
    lines = splice(old_lines, needle, spot.fit, newline_at(view.text, spot.start))
    if lines is None:
        raise Ununiform
    return Change(spot.start, spot.end, join_lines(lines), final_newline=final)


def _start_of_gone_line(text: str, start: int, edit: Replace) -> int:
    """Where the change begins: with the indentation of the line whose whole text is removed together with its end."""
    if not ends_line(edit.search) or edit.search[:1] in "\r\n" or edit.replace[:1] not in ("", "\n", "\r"):
        return start
    return start - len(indentation_before(text, start) or "")


def _with_blank_lines(needle: Needle) -> Needle:
    """Without the white space of blank lines, which was forgiven on the way here."""
    search, new = (
        tuple(line if fold(line).strip() else "" for line in lines) for lines in (needle.search, needle.replace)
    )
    return Needle(search, new, needle.signs)


def _within(view: View, search: str, *, all: bool) -> tuple[Spot, ...]:
    wanted = search.replace("\r\n", "\n").replace("\r", "\n") if "\r" in search else search
    return tuple(
        Spot(view.original(at), view.original(at + len(wanted)))
        for at in find_within(view, wanted, all=all)
        if not _cuts_number(view.flat, at, at + len(wanted))
        and not (wanted.strip() and _cuts_indentation(view.flat, at))
    )


def _cuts_indentation(text: str, start: int) -> bool:
    """Whether the search text begins with a part of a line's indentation: it is indented otherwise than the file."""
    return text[start] in " \t" and bool(indentation_before(text, start))


def indentation_before(text: str, at: int) -> str | None:
    """What stands before offset `at` in its line, if that is nothing but tabs and spaces."""
    start = at
    while start and text[start - 1] in " \t":
        start -= 1
    return text[start:at] if not start or text[start - 1] in "\r\n" else None


def _cuts_number(text: str, start: int, end: int) -> bool:
    """Whether a number that begins before `start`, or goes on behind `end`, is another number than the one meant."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    return bool(
        (text[start] in _DIGITS and (before[-1:] or " ") in _DIGITS)
        or (text[start] in _DIGITS and before[-1:] == "." and (before[:1] or " ") in _DIGITS)
        or (text[end - 1] in _DIGITS and (after[:1] or " ") in _DIGITS)
        or (text[end - 1] in _DIGITS and after[:1] in (".", "_") and (after[1:] or " ") in _DIGITS)
        or (text[end - 1] in _DIGITS and _THOUSANDS.match(text, end) is not None)
        or (_is_word(after[:1]) and _HEXADECIMAL.search(text, max(start, end - 20), end) is not None)
    )


def _exact(view: View, needle: Needle) -> tuple[Spot, ...]:
    text = "".join(line + "\n" for line in needle.search)
    found = find_exact(view, text)
    if view.flat is view.text:
        return tuple(Spot(at, min(at + len(text), len(view.text))) for at in found)
    return tuple(spot_of(view, at, len(needle.search), AS_GIVEN) for at in found)


def _of_found(found: Found | None) -> Located | None:
    return None if found is None else Located(found.rung, found.needle, found.spots)


_HYPHENS = ("-", "$", "@")
_THOUSANDS = re.compile(r"(?:,[0-9]{3})++(?![0-9])")
_HEXADECIMAL = re.compile(r"(?<!\w)0[xX][0-9A-Fa-f_]*+\Z")
_DIGITS = "0123456789"
_SHORTEST_INSIDE = 3
"""Shorter parts of a line say too little about the place that was meant."""


def _inside(view: View, needle: Needle, *, all: bool) -> Located | None:
    """A one-line search text that is a part of lines, on word boundaries, and stays one line: of several new lines
    nobody knows how far the later ones should be indented."""
    if len(needle.search) != 1 or len(needle.replace) > 1:
        return None
    old = needle.search[0].strip()
    new = needle.replace[0].strip() if needle.replace else ""
    if len(old) < _SHORTEST_INSIDE or not new:
        return None
    flat, size = view.flat, len(old)
    found = [
        at
        for at in find_within(view, old, all=all)
        if not (at and _goes_on_before(flat, at))
        and not _goes_on_behind(flat, at + size)
        and not _cuts_number(flat, at, at + size)
    ]
    if not found:
        return None
    spots = tuple(Spot(view.original(at), view.original(at + size)) for at in found)
    return Located(Rung.EXACT, Needle((old,), (new,)), spots, inside=True)


def _goes_on_before(text: str, start: int) -> bool:
    """Whether a word that begins at `start` is the rest of a longer one: `no` in `is-no`."""
    return _is_word(text[start]) and (
        _is_word(text[start - 1 : start])
        or (text[start - 1 : start] in _HYPHENS and _is_word(text[start - 2 : start - 1]))
    )


def _goes_on_behind(text: str, end: int) -> bool:
    """Whether a word that ends before `end` is the beginning of a longer one: `red` in `red-ish`."""
    return _is_word(text[end - 1]) and (
        _is_word(text[end : end + 1]) or (text[end : end + 1] in _HYPHENS and _is_word(text[end + 1 : end + 2]))
    )


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _swap(old: str, needle: Needle) -> str:
    assert old == needle.search[0]  # an inside spot holds exactly this
    return needle.replace[0]


def _exactness(view: View, spots: Sequence[Spot], search: str) -> Rung:
    return Rung.EXACT if view.text.startswith(search, spots[0].start) else Rung.LINE_ENDS


def _same_ends(view: View, spot: Spot, search: str) -> bool:
    return view.text.startswith(search, spot.start)


def ends_line(text: str) -> bool:
    """Whether `text` ends where a line ends."""
    return text.endswith(("\n", "\r"))


def _with_ends(new: str, text: str, at: int) -> str:
    """`new` with the line ends of the neighbourhood."""
    if "\n" not in new and "\r" not in new:
        return new
    end = newline_at(text, at)
    return join_lines([Line(line.text, line.end and end) for line in split_lines(new)])
