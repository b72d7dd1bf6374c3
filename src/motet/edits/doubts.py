"""What speaks against an edit that has a place: its new text could be meant in two ways, and nobody knows which.

Each doubt is a message for the refusal. Whole lines that stand in the file just as they were given are taken at their
word, unless their new text alone was copied with something that is no text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz import fuzz

from motet.edits.decorations import is_fence, is_fenced, wears_alone
from motet.edits.edit import Replace
from motet.edits.indent import UNSHIFTED, keeps_indentation
from motet.edits.locate import Located, indentation_before
from motet.edits.match import Fit, Needle, Spot, lines_of
from motet.edits.outcome import Rung

_OPENERS = tuple("([{:\\=>|&+")
"""Characters at the end of a line below which a deeper line is nothing to wonder at."""
_BLOCK_WORDS = frozenset({
    "begin", "case", "catch", "class", "def", "defmodule", "defp", "do", "else", "elseif", "elsif", "ensure", "except",
    "for", "foreach", "function", "if", "let", "loop", "module", "procedure", "program", "repeat", "rescue", "select",
    "struct", "sub", "subroutine", "switch", "then", "try", "unless", "until", "when", "where", "while", "with",
})  # fmt: skip
"""What lines begin with that open a block in languages without brackets; where a file shows otherwise, that counts."""
_WORD = re.compile(r"[ \t]*([^\W\d]\w*)")
_RULE = re.compile(r"[ \t]*={5,9}[ \t]*(?:[\r\n]|\Z)")
_ENDS = re.compile(r"[\r\n]")
_COMMENT = re.compile(r"[ \t](?:#|//).*")
_FENCE_LENGTH = 100
"""Characters in which a fence has ended."""
_NEAR = 4_000
"""Characters in which the line beside a place, and the blank lines before it, have ended."""
_WITH_FENCES = (".md", ".markdown", ".rst", ".txt")
"""Files in which fences, numbers and bars in front of lines are text."""


def doubt(text: str, edit: Replace, located: Located, spot: Spot) -> str:
    """Why `edit` should not be applied at `spot` of `text`; empty when nothing speaks against it."""
    if not edit.path.endswith(_WITH_FENCES) and wears_alone(lines_of(edit.search), lines_of(edit.replace)):
        return "its new text was copied with line numbers, a fence or diff marks, its search text was not"
    if edit.doubled and _RULE.match(text, spot.end):
        return "its block has two ======= lines, and such a line stands below its place"
    if _has_lost_a_fence(edit, located) and _is_between_fences(text, spot):
        return "its place stands between two fences, and so does its search text: perhaps they are meant as text"
    if located.inside:
        return _goes_on(text, spot, located.needle)
    if not edit.inline and _repeats_an_opener(text, spot, located.needle):
        return "its new text begins with the line that stands above its place and opens a block"
    if edit.inline and _comments_twice(text, spot, edit.replace):
        return (
            "its new text ends with a comment, and the line goes on with another one that the search text leaves out"
        )
    if spot.fit is None:
        return _begins_behind_indentation(text, spot, edit) if edit.inline else ""
    if _is_reordered(lines_of(text[spot.start : spot.end]), located.needle.search, spot.fit):
        return "lines of its search text stand there in another order"
    if located.rung is Rung.FOLDED and _doubles(text, spot, located.needle):
        return "blank lines apart, its new text would repeat the line that stands beside its place"
    return _is_shifted_twice(text, spot.fit, located.needle) if spot.fit.shift != UNSHIFTED else ""


def _comments_twice(text: str, spot: Spot, new: str) -> bool:
    """Whether the line of the place goes on with a comment, and the last new line ends with one."""
    behind = _ENDS.split(text[spot.end : spot.end + _NEAR], maxsplit=1)[0]
    last = new.rpartition("\n")[2]
    return _COMMENT.match(f" {behind.lstrip()}") is not None and _COMMENT.search(last) is not None


def _repeats_an_opener(text: str, spot: Spot, needle: Needle) -> bool:
    """Whether the first new line, which the search text does not have, is the very line above, and opens a block."""
    new = next((line for line in needle.replace if line.strip()), "").strip()
    old = next((line for line in needle.search if line.strip()), "").strip()
    if not new or new == old or not _COMMENT.sub("", new).rstrip().endswith((":", "{")):
        return False
    above = text[max(spot.start - _NEAR, 0) : spot.start].rstrip()
    return above[max(above.rfind("\n"), above.rfind("\r")) + 1 :].strip() == new


def _doubles(text: str, spot: Spot, needle: Needle) -> bool:
    """Whether a new line stands beside the place already: the search text lost it together with a blank line."""
    old, new = ([line.strip() for line in lines if line.strip()] for lines in (needle.search, needle.replace))
    above, below = text[max(spot.start - _NEAR, 0) : spot.start].rstrip(), text[spot.end : spot.end + _NEAR].lstrip()
    above = above[max(above.rfind("\n"), above.rfind("\r")) + 1 :]
    beside = {above.strip(), _ENDS.split(below, maxsplit=1)[0].strip()} - {""}
    return bool(new) and (
        (new[0] != old[0] and new[0] in beside)
        or (new[-1] != old[-1] and new[-1] in beside)
        or any(line in beside for line in new if line not in old)
    )


def _has_lost_a_fence(edit: Replace, located: Located) -> bool:
    """Whether a fence around the search text was taken off, which is another than that of the new text."""
    search, new = lines_of(edit.search), lines_of(edit.replace)
    if not is_fenced(search) or is_fenced(located.needle.search):
        return False
    return not is_fenced(new) or (search[0], search[-1]) != (new[0], new[-1])


def _is_between_fences(text: str, spot: Spot) -> bool:
    above = _ENDS.split(text[max(spot.start - _FENCE_LENGTH, 0) : spot.start].rstrip("\r\n"))[-1]
    below = _ENDS.split(text[spot.end : spot.end + _FENCE_LENGTH])[0]
    return is_fence(above) and is_fence(below)


def _is_reordered(lines: Sequence[str], search: Sequence[str], fit: Fit) -> bool:
    """Whether a search line that is not quite the line it is taken for is exactly another of these."""
    pairs = fit.pairs or range(len(search))
    unlike = [
        (line.strip(), lines[at].strip())
        for line, at in zip(search, pairs, strict=True)
        if at is not None and at < len(lines) and line.strip() != lines[at].strip()
    ]
    return not {wanted for wanted, _ in unlike}.isdisjoint(found for _, found in unlike)


def _goes_on(text: str, spot: Spot, needle: Needle) -> str:
    """The search text is a part of a line, and the new text goes on as the rest of that line does: it broke off."""
    [old], [new] = needle.search, needle.replace
    most = max(len(old), len(new))  # more of a long line says no more
    before = _ENDS.split(text[max(spot.start - most, 0) : spot.start])[-1].strip()
    behind = _ENDS.split(text[spot.end : spot.end + most])[0].rstrip()
    alone = fuzz.ratio(old, new)
    if any(fuzz.ratio(whole, new) > alone for whole in (old + behind, before + old, before + old + behind)):
        return "it is a part of a line, and its new text looks like more of that line: whole lines are needed"
    return ""


def _begins_behind_indentation(text: str, spot: Spot, edit: Replace) -> str:
    """Characters behind the indentation of their line: is the new text indented as it is meant, or as the search
    text, which lacks the indentation of its first line?"""
    before = indentation_before(text, spot.start)
    if not before or not edit.search.strip():
        return ""
    if edit.replace[:1] in (" ", "\t"):
        return "its new text begins with white space, which its search text leaves out"
    old, new = (lines.split("\n")[1:] for lines in (edit.search, edit.replace))
    first = edit.replace.partition("\n")[0]
    if (first.strip() and first in old and not _is_below(first, before)) or not all(
        line in old or _is_below(line, before) for line in new
    ):
        return "its new lines are indented less than the line they would go to"
    return ""


def _is_below(line: str, before: str) -> bool:
    return not line.strip() or line.startswith(before)


def _is_shifted_twice(text: str, fit: Fit, needle: Needle) -> str:
    """The search text is indented otherwise than the file: is the new text indented like the one or the other?"""
    search = [line for line in needle.search if line.strip()]
    replace = [line for line in needle.replace if line.strip()]
    if not keeps_indentation(search, replace):
        return "its new text is not indented like its search text"
    kind = " " if fit.shift.tab_width > 0 else "\t" if fit.shift.tab_width else ""
    if kind and any(kind in _indent(line) for line in replace) and not any(kind in _indent(line) for line in search):
        return "its new text mixes tabs and spaces, its search text does not"
    if fit.shift.add and search and _jumps(text, search, replace, fit.shift.add):
        return "a part of its new text is indented as in the file, another part as in its search text"
    return ""


def _jumps(text: str, search: Sequence[str], replace: Sequence[str], step: str) -> bool:
    """Whether a new line is deeper by `step` than the one above it, which opens nothing; the search text has none."""
    if any(_is_jump(above, line, step) for above, line in pairwise(search)):
        return False
    jumps = [
        above for above, line in pairwise([search[0], *replace]) if line not in search and _is_jump(above, line, step)
    ]
    openers = _opening_words(lines_of(text)) if jumps else frozenset[str]()
    return any(_first_word(above) not in openers for above in jumps)


def _is_jump(above: str, line: str, step: str) -> bool:
    """Whether `line` is deeper than `above`, which ends with no sign that opens anything, by `step` or by that and
    whole levels: one blank more is no level."""
    jumped = _indent(above) + step
    is_jump = line.startswith(jumped) and line[len(jumped) :] != f" {line.lstrip(' ')}"
    return is_jump and not _COMMENT.sub("", above).rstrip().endswith(_OPENERS)


def _opening_words(lines: Sequence[str]) -> frozenset[str]:
    """The words that blocks open with here: most lines that begin with one have a deeper line below."""
    counts: Counter[str] = Counter(_BLOCK_WORDS)
    for above, line in pairwise(line for line in lines if line.strip()):
        counts[_first_word(above)] += 1 if len(_indent(line)) > len(_indent(above)) else -1
    return frozenset(word for word, count in counts.items() if count > 0 and word)


def _first_word(line: str) -> str:
    """The word that a line begins with; of a name that is called or looked into, none."""
    found = _WORD.match(line)
    word = found[1].lower() if found else ""
    return (
        word
        if word in _BLOCK_WORDS or (found and line[found.end() : found.end() + 1] in ("", " ", "\t", ":"))
        else ""
    )


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]
