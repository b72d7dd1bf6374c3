"""Edits whose place is given and not looked for: whole texts, insertions, and lines named by their anchors."""

from __future__ import annotations

from motet.edits.edit import Insert, Replace, ReplaceAnchored, Write
from motet.edits.formats.anchors import anchor_of
from motet.edits.ground import Ground
from motet.edits.lines import Line, join_lines, split_lines
from motet.edits.locate import ends_line
from motet.edits.match import AS_GIVEN, Needle, Spot, lines_of
from motet.edits.near import insertion
from motet.edits.outcome import Match, Place, Remark, Rung
from motet.edits.pieces import merged as with_definitions
from motet.edits.pieces import what_vanishes
from motet.edits.placed import Attempt, Placed
from motet.edits.refuse import (
    refuse_absent_file,
    refuse_anchor,
    refuse_existing_file,
    refuse_existing_text,
    refuse_foreign_text,
    refuse_no_change,
    refuse_no_place,
    refuse_stale,
)
from motet.edits.splice import Change, newline_at, splice
from motet.text.merge import merge


def fill(ground: Ground, edit: Replace) -> Attempt:
    """An empty search text: new text for a file that has none."""
    text = ground.now.text
    foreign = refuse_foreign_text(edit, edit.replace, text)
    if foreign is not None:
        return foreign
    new = edit.replace if edit.inline or not edit.replace or ends_line(edit.replace) else edit.replace + "\n"
    if text and not edit.replace:
        return refuse_no_change(edit)
    if not text:
        return Placed(edit, (Change(0, len(text), new, whole=False),), Match(edit, Rung.EXACT))
    if ground.now.lines == list(lines_of(edit.replace)):
        return Match(edit, Rung.EXACT, (), (Remark.ALREADY,))
    return refuse_existing_text(edit)


def write(ground: Ground, edit: Write) -> Attempt:
    """The whole text of a file, new or instead of what is there."""
    text = ground.now.text
    if edit.create and ground.exists and text != edit.text:
        return refuse_existing_file(edit, edit.path)
    shortens = bool(text) and len(lines_of(edit.text)) <= len(ground.now.lines)
    foreign = refuse_foreign_text(edit, edit.text, text, shortens=shortens)
    if foreign is not None:
        return foreign
    if not text:
        rung = Rung.APPROXIMATE if edit.loose else Rung.EXACT
        return Placed(edit, (Change(0, 0, edit.text, whole=False),), Match(edit, rung))
    new = _merged(ground, edit)
    if new is None or (_says_nothing_new(ground, edit) and new != edit.text):
        return refuse_stale(edit, ground.now)
    old = split_lines(text)
    needle = Needle(tuple(line.text for line in old), lines_of(new))
    lines = splice(old, needle, AS_GIVEN, newline_at(text, 0))
    assert lines is not None  # nothing is shifted
    change = Change(0, len(text), join_lines(lines))
    if ground.exists and [line.text for line in lines] == [line.text for line in old]:
        return Match(edit, Rung.EXACT, (), (Remark.ALREADY,))
    why = _why_a_piece(ground, edit)
    if why and not ground.has_changed:
        whole = with_definitions(text, edit.text, edit.path)
        change = change if whole in (None, text) else Change(0, len(text), whole)
    rung = Rung.APPROXIMATE if edit.loose or why else Rung.EXACT
    remarks = (Remark.MERGED,) if ground.has_changed and lines_of(new) != lines_of(edit.text) else ()
    return Placed(edit, (change,), Match(edit, rung, (Place(0, len(text), text),), remarks, why))


def _says_nothing_new(ground: Ground, edit: Write) -> bool:
    """Whether it is the text that the model saw, in a file that has changed since."""
    return ground.has_changed and ground.view.lines == list(lines_of(edit.text)) != ground.now.lines


def _merged(ground: Ground, edit: Write) -> str | None:
    """The whole new text with what has changed since the file was shown; None when they touch each other."""
    if not ground.has_changed:
        return edit.text
    merged = merge(ground.view.flat, ground.now.flat, "".join(line + "\n" for line in lines_of(edit.text)))
    return None if merged.conflicts else merged.text


def insert(ground: Ground, edit: Insert) -> Attempt:
    """New lines at the place that `near` names: a line, a header, or the end."""
    if not ground.will_exist:
        return refuse_absent_file(edit)
    foreign = refuse_foreign_text(edit, edit.text, ground.now.text)
    if foreign is not None:
        return foreign
    at = insertion(ground.view, edit.near)
    if at is None:
        return refuse_no_place(edit, ground.now)
    if not ground.has_changed:
        return _new_lines(ground, edit, edit.text, at, at)
    moved = ground.moved(Spot(at, at))
    return (
        refuse_stale(edit, ground.now)
        if moved is None
        else _new_lines(ground, edit, edit.text, moved.start, moved.end)
    )


def replace_anchored(ground: Ground, edit: ReplaceAnchored) -> Attempt:
    """New lines for those between two anchors, which must still stand where they were shown."""
    if not ground.exists:
        return refuse_absent_file(edit)
    foreign = refuse_foreign_text(edit, edit.text, ground.now.text)
    if foreign is not None:
        return foreign
    last = edit.last or edit.first
    for anchor in (edit.first, last):
        if anchor.line == 0 and edit.last is None:
            continue
        lines = ground.view.lines
        if not 1 <= anchor.line <= len(lines) or anchor_of(lines[anchor.line - 1], anchor.line) != anchor:
            return _stands_there(ground, edit) or refuse_anchor(edit, anchor, ground.now)
    if edit.last is not None and last.line < edit.first.line:
        return refuse_anchor(edit, last, ground.now)
    first, count = (edit.first.line - 1, last.line - edit.first.line + 1) if edit.last else (edit.first.line, 0)
    there = first if not ground.has_changed else ground.map.place(first, first + count)
    if there is None:
        return refuse_anchor(edit, edit.first, ground.now)
    return _new_lines(ground, edit, edit.text, *ground.now.span(there, there + count))


def _stands_there(ground: Ground, edit: ReplaceAnchored) -> Match | None:
    """The edit as one that was made before, when its new lines stand where the old ones should, and no line of the file
    could be the one that it begins with: it may have been miscounted."""
    new, lines = list(lines_of(edit.text)), ground.now.lines
    first = edit.first.line - 1
    if edit.last is None or not new or lines[first : first + len(new)] != new:
        return None
    if any(anchor_of(line, 1).hash == edit.first.hash for line in lines):
        return None
    return Match(edit, Rung.EXACT, (), (Remark.ALREADY,))


def _new_lines(ground: Ground, edit: Insert | ReplaceAnchored, text: str, start: int, end: int) -> Attempt:
    """Whole lines in place of whole lines, with the line ends of the neighbourhood."""
    old = split_lines(ground.now.text[start:end])
    needle = Needle(tuple(line.text for line in old), lines_of(text))
    lines = splice(old, needle, AS_GIVEN, newline_at(ground.now.text, start))
    assert lines is not None  # nothing is shifted
    if lines == [line if line.end else Line(line.text, "\n") for line in old]:
        return refuse_no_change(edit)
    change = Change(start, end, join_lines(lines))
    return Placed(edit, (change,), Match(edit, Rung.EXACT, (Place(start, end, ground.now.text),)))


def _why_a_piece(ground: Ground, edit: Write) -> str:
    """Why the new text may be only a part of the file; empty when nothing says so."""
    text = ground.view.text
    begins = [next((line for line in one.splitlines() if line.strip()), "") for one in (text, edit.text)]
    if edit.shown and begins[0] and begins[1][:1].isspace() and not begins[0][0].isspace():
        return "it begins inside a block"
    is_said = not edit.shown and not edit.call  # that it is the whole file: by the human
    return "" if is_said else what_vanishes(text, edit.text, edit.path, elsewhere=ground.elsewhere)
