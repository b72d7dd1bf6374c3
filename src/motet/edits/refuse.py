"""Refusals, one function a reason: what was wrong, where it nearly fits, one line of advice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import unified_diff

from rapidfuzz import fuzz

from motet.edits.edit import Edit
from motet.edits.lines import split_lines
from motet.edits.match import Haystack
from motet.edits.outcome import Candidate, Match, Refusal, RefusalReason

_MARKER = re.compile(r"^(?:<{5,9} ?SEARCH|>{5,9} ?REPLACE|[-]{5,9} SEARCH|[+]{5,9} REPLACE)>?\s*$")
_PLACEHOLDER = re.compile(
    r"^\s*+(?:#|//|/\*|--|<!--|%|;)?\s*+(?:\.{3}|…)\s*+"
    r"(?:\(?(?:the )?(?:rest|existing|remaining|remainder|other|same|unchanged|previous)\b.*)$",
    re.IGNORECASE,
)
_NEAR_ENOUGH = 55.0
"""Similarity in per cent below which a nearest text helps nobody."""
_WINDOWS = 40
"""How many windows of the file are compared closely."""


def refuse_not_found(edit: Edit, haystack: Haystack, why: str, *, show: bool = True) -> Refusal:
    """The search text has no place; the nearest text is shown when there is one (and `show`)."""
    nearest, candidate = _nearest(edit, haystack) if show else ("", ())
    advice = "copy the lines from the file exactly as they are, white space and misspellings included"
    if not nearest:
        advice = "nothing in the file is near this text; read the file again and search for lines that stand in it"
    return Refusal(edit, RefusalReason.NOT_FOUND, why, advice, candidate, nearest)


def refuse_stale(edit: Edit, haystack: Haystack) -> Refusal:
    """The file changed since it was shown."""
    nearest, candidate = _nearest(edit, haystack)
    return Refusal(
        edit,
        RefusalReason.STALE,
        "the file has changed since you were shown it; the search text stood in the older version",
        "read the file again and repeat the edit on its new text",
        candidate,
        nearest,
    )


def refuse_ambiguous(edit: Edit, places: Sequence[tuple[int, int]]) -> Refusal:
    """The search text stands in several places."""
    return Refusal(
        edit,
        RefusalReason.AMBIGUOUS,
        f"the search text stands in {len(places)} places",
        "take in enough neighbouring lines to make the search text unique",
        tuple(Candidate(first, last) for first, last in places),
    )


def refuse_overlap(edit: Edit, match: Match, rival: Match) -> Refusal:
    """Two edits of one answer want the same lines."""
    return Refusal(
        edit,
        RefusalReason.OVERLAP,
        f"lines {match.first_line}-{match.last_line} overlap lines {rival.first_line}-{rival.last_line} "
        "of another edit in the same answer",
        "merge the two into one edit",
        (Candidate(match.first_line, match.last_line), Candidate(rival.first_line, rival.last_line)),
    )


def refuse_no_change(edit: Edit) -> Refusal:
    """Old and new text are the same."""
    return Refusal(
        edit,
        RefusalReason.NO_CHANGE,
        "the new text equals the text that stands there",
        "leave this edit out, or say what should be different",
    )


def refuse_absent_file(edit: Edit) -> Refusal:
    """There is no such file to search in."""
    return Refusal(
        edit,
        RefusalReason.NOT_FOUND,
        "there is no such file",
        "check the path; to create the file, leave the search text empty",
    )


def refuse_existing_text(edit: Edit) -> Refusal:
    """An empty search text, but the file is not empty."""
    return Refusal(
        edit,
        RefusalReason.BAD_FORMAT,
        "the search text is empty, but the file has text",
        "give the lines to be replaced; an empty search text only creates a file",
    )


def refuse_syntax(edit: Edit, match: Match) -> Refusal:
    """A loosely matched edit would leave a file with a syntax error that it did not have."""
    return Refusal(
        edit,
        RefusalReason.SYNTAX,
        "applied at the only place that fits, the file would have a syntax error it does not have now",
        "copy the search text with its indentation exactly as it stands in the file",
        (Candidate(match.first_line, match.last_line),),
    )


def refuse_unencodable(edit: Edit, error: Exception) -> Refusal:
    """The new text has a character that the file's encoding does not have."""
    return Refusal(edit, RefusalReason.BAD_FORMAT, str(error), "use only characters that the file's encoding has")


def refuse_foreign_text(edit: Edit, before: str) -> Refusal | None:
    """Refuse new text that is not code: left-over markers, or a placeholder for code left out."""
    for line in split_lines(edit.replace):
        if _MARKER.match(line.text) and line.text not in before:
            why, advice = f"a marker is left over in the new text: {line.text}", "send the block again, whole"
        elif _PLACEHOLDER.match(line.text) and line.text not in before:
            why = f"the new text holds a placeholder: {line.text.strip()}"
            advice = "write out all lines of the new text"
        else:
            continue
        return Refusal(edit, RefusalReason.BAD_FORMAT, why, advice)
    return None


def _nearest(edit: Edit, haystack: Haystack) -> tuple[str, tuple[Candidate, ...]]:
    """The part of the file most like the search text, as a small diff against it."""
    search = [line.text for line in split_lines(edit.search)]
    lines = [line.text for line in haystack.lines]
    size = len(search)
    if not search or not lines:
        return "", ()
    wanted = "\n".join(search)
    starts = _promising_windows(search, lines)
    scored = [(fuzz.ratio(wanted, "\n".join(lines[start : start + size])), -start) for start in starts]
    score, negative = max(scored)
    if score < _NEAR_ENOUGH:
        return "", ()
    found = lines[-negative : -negative + size]
    diff = list(unified_diff(search, found, lineterm="", n=1))[2:]
    place = Candidate(-negative + 1, -negative + len(found))
    return "\n".join(line for line in diff if not line.startswith("@@")), (place,)


def _promising_windows(search: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Starts of the windows that share most words with the search text; work grows with the file only."""
    size = len(search)
    words = {word for line in search for word in re.findall(r"\w+", line)}
    weights = [len(words.intersection(re.findall(r"\w+", line))) for line in lines]
    last = max(len(lines) - size, 0)
    total = sum(weights[:size])
    sums = [total]
    for start in range(1, last + 1):
        total += (weights[start + size - 1]) - weights[start - 1]
        sums.append(total)
    return sorted(range(last + 1), key=lambda start: -sums[start])[:_WINDOWS]
