"""Damage to the edits of an answer as a whole: order, repetition, overlap, line ends, fences, numbers, old versions."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

from edits.mutations.damage import Written, damage
from edits.mutations.scene import WORD, Change, Entry, Scene

_TAG = {"python": "python", "c": "c", "typescript": "ts", "javascript": "js", "prose": ""}


@damage()
def nothing_damaged(scene: Scene, rng: Random) -> Written | None:
    """The edit as meant: what the others are compared with."""
    return Written(scene.changes)


@damage(changes=2)
def two_edits_as_meant(scene: Scene, rng: Random) -> Written | None:
    """Two edits of one file, both as meant."""
    return Written(scene.changes)


@damage(changes=3)
def edits_listed_in_another_order(scene: Scene, rng: Random) -> Written | None:
    """Several edits of one file are not listed in the order of their places."""
    changes = list(scene.changes)
    rng.shuffle(changes)
    return Written(tuple(changes)) if tuple(changes) != scene.changes else Written(scene.changes[::-1])


@damage()
def same_edit_twice(scene: Scene, rng: Random) -> Written | None:
    """The same edit is listed twice although it is meant once."""
    return Written(scene.changes * 2)


@damage()
def edits_overlap(scene: Scene, rng: Random) -> Written | None:
    """What is one edit is sent as two that share lines between what they change.

    Both together say just what the one says, so the lines may well be merged; they may not be doubled or lost.
    """
    (change,) = scene.changes
    touched = [index for index, entry in enumerate(change.entries) if entry.sign != " "]
    gaps = [(a + 1, b) for a, b in itertools.pairwise(touched) if b - a > 1]
    if not gaps:
        return None
    first, last = rng.choice(gaps)
    start = rng.randint(first, last - 1)
    before = replace(change, entries=change.entries[:last])
    skipped = len([entry for entry in change.entries[:start] if entry.sign != "+"])
    after = Change(change.first + skipped, change.entries[start:])
    return Written((before, after))


@damage()
def line_ends_of_windows(scene: Scene, rng: Random) -> Written | None:
    """The edit is written with CR LF, whatever the file has."""
    return Written(scene.changes, newline="\r\n")


@damage()
def final_line_end_missing(scene: Scene, rng: Random) -> Written | None:
    """Neither the search text nor the new text, which has lines, ends with a line end."""
    new = scene.changes[0].replace
    # Without the last line end a blank last line is none any more: what was meant cannot be known.
    return Written(scene.changes, ended=False) if new and new[-1].strip() else None


@damage()
def fence_copied_into_the_texts(scene: Scene, rng: Random) -> Written | None:
    """Search text and new text each stand between the lines of a Markdown fence."""
    (change,) = scene.changes
    fence = rng.choice(("```", "```", "````", "~~~"))
    if any(entry.text.lstrip().startswith(fence) for entry in change.entries):
        return None
    # Fenced one by one, as they are sent; a kept fence line stands for both.
    head = Entry(" ", fence + rng.choice((_TAG.get(scene.kind, ""), "")), "")
    return Written((replace(change, entries=(head, *change.entries, Entry(" ", fence, ""))),))


@damage()
def line_number_off(scene: Scene, rng: Random) -> Written | None:
    """The line number with which the model names the place is wrong by 1 to 50."""
    (change,) = scene.changes
    wrong = change.first + 1 + rng.choice((-1, 1)) * rng.choice((1, 2, 3, 5, 10, 20, 50))
    return Written((replace(change, hint=max(1, wrong)),), format=rng.choice(("", "udiff")))


@damage()
def line_number_right(scene: Scene, rng: Random) -> Written | None:
    """The line number is right, which tells places with equal lines apart."""
    (change,) = scene.changes
    return Written((replace(change, hint=change.first + 1),), format=rng.choice(("", "udiff")))


@damage()
def anchors_as_shown(scene: Scene, rng: Random) -> Written | None:
    """The edit names the anchors of its lines, as they were shown."""
    return Written(scene.changes, format="anchored")


@damage()
def anchor_numbers_off(scene: Scene, rng: Random) -> Written | None:
    """The model counts anchors on by itself: one number, or both, do not belong to their hashes."""
    by = rng.choice((-1, 1)) * rng.choice((1, 1, 2, 3, 10))
    return Written(scene.changes, format="anchored", anchors=rng.choice(((by, 0), (0, by), (by, by))))


@damage()
def context_left_out_of_a_patch(scene: Scene, rng: Random) -> Written | None:
    """A hunk has no lines of context, or one, around its changes."""
    (change,) = scene.changes
    touched = [index for index, entry in enumerate(change.entries) if entry.sign != " "]
    first = max(0, touched[0] - rng.choice((0, 0, 1)))
    last = touched[-1] + rng.choice((1, 1, 2))
    skipped = len([entry for entry in change.entries[:first] if entry.sign != "+"])
    cut = Change(change.first + skipped, change.entries[first:last])
    if not "".join(cut.search).strip() or cut.entries == change.entries:
        return None
    return Written((cut,), format=rng.choice(("apply_patch", "apply_patch", "udiff")))


# --- the file changed since it was shown -----------------------------------------------------------------------


@damage()
def file_changed_elsewhere_meanwhile(scene: Scene, rng: Random) -> Written | None:
    """The file was changed since the model saw it, three lines or more away from the edit."""
    (change,) = scene.changes
    places = [i for i in range(len(scene.lines)) if i < change.first - 3 or i > change.last + 3]
    now, truth = list(scene.lines), scene.truth()
    grown = len(truth) - len(now)
    for place in sorted(rng.sample(places, min(len(places), rng.randint(1, 3))), reverse=True):
        line = scene.lines[place]
        new = rng.choice(([], [line, line], [line, "one line more"]))
        now[place : place + 1] = new
        there = place + (grown if place > change.first else 0)
        truth[there : there + 1] = new
    if tuple(now) == scene.lines:
        return None
    return Written(scene.changes, now=tuple(now), truth=tuple(truth), format=rng.choice(("", "", "anchored")))


@damage()
def file_changed_at_the_place_meanwhile(scene: Scene, rng: Random) -> Written | None:
    """A line of the search text was changed in the file since the model saw it.

    Where the edit keeps that line, the edit on top of the change is right, too; else nothing but a refusal is.
    """
    (change,) = scene.changes
    places = [i for i in range(change.first, change.last) if WORD.search(scene.lines[i])]
    now = list(scene.lines)
    place = rng.choice(places)
    now[place] = WORD.sub(lambda word: f"{word[0]}_of_others", now[place], count=1)
    old = [entry for entry in change.entries if entry.sign != "+"][place - change.first]
    if old.sign == "-":
        return Written(scene.changes, now=tuple(now))
    entries = tuple(replace(entry, meant=now[place]) if entry is old else entry for entry in change.entries)
    truth = scene.truth([replace(change, entries=entries)])
    return Written(scene.changes, now=tuple(now), truth=tuple(truth))
