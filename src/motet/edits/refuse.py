"""Refusals, one function a reason: what was wrong, where it nearly fits, one line of advice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from motet.edits.alignment import small_diff
from motet.edits.edit import Anchor, Delete, Edit, Insert, Move, Replace, ReplaceAnchored, Write
from motet.edits.elision import is_placeholder, leaves_out
from motet.edits.match import lines_of
from motet.edits.outcome import Candidate, Match, Refusal, RefusalReason
from motet.edits.view import View

_MARKER = re.compile(r"^(?:<{5,9} ?SEARCH|>{5,9} ?REPLACE|[-]{5,9} SEARCH|[+]{5,9} REPLACE)>?\s*$")
_CONFLICT = re.compile(r"(?:<{7,}|>{7,})(?: .*)?")
_DOCUMENTS = (".adoc", ".markdown", ".md", ".mdx", ".rst", ".txt")
_FENCE = re.compile(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
_LINES_OF_A_BODY = 2
"""`pass` and its line end."""
_DOTS_ARE_TEXT = ("", ".md", ".markdown", ".rst", ".txt", ".yaml", ".yml")
"""Files in which a line of dots ends a document, or is just a line."""
_SUSPECT = re.compile(r"^[ \t]*+(?:#|//|/\*|--|<|>|%|;|\(|\.\.\.|…|\+{5})[^\r\n]*+", re.MULTILINE)
"""Lines that could be one of these, told apart quickly."""


def refuse_not_found(edit: Edit, view: View, why: str, *, show: bool = True) -> Refusal:
    """The search text has no place; the nearest text is shown when there is one (and `show`)."""
    diff, candidates = _nearest(edit, view) if show else ("", ())
    advice = "copy the lines from the file exactly as they are, white space and misspellings included"
    if candidates and not diff:
        advice = "take whole lines as they stand in the file, and give the new text with the same indentation"
    elif not diff:
        advice = "nothing in the file is near this text; read the file again and search for lines that stand in it"
    return Refusal(edit, RefusalReason.NOT_FOUND, why, advice, candidates, diff)


def refuse_deletion(edit: Edit, view: View) -> Refusal:
    """A diff that removes a file has to remove all that is there, and nothing else."""
    return Refusal(
        edit,
        RefusalReason.NOT_FOUND,
        f"the lines to be removed are not the {len(view.lines)} lines of the file, so it is not deleted",
        "read the file again; to delete it whatever it holds, delete it by its name alone",
    )


def refuse_stale(edit: Edit, view: View) -> Refusal:
    """The file changed since it was shown, at this very place."""
    diff, candidates = _nearest(edit, view)
    return Refusal(
        edit,
        RefusalReason.STALE,
        "the file has changed here since you were shown it"
        + ("; the search text stood in the older version" if isinstance(edit, Replace) else ""),
        "read the file again and repeat the edit on its new text",
        candidates,
        diff,
    )


def refuse_anchor(edit: ReplaceAnchored, anchor: Anchor, view: View) -> Refusal:
    """An anchor names a line that is another one now, or none."""
    lines = view.lines
    standing = f"+{lines[anchor.line - 1]}" if 1 <= anchor.line <= len(lines) else ""
    return Refusal(
        edit,
        RefusalReason.STALE,
        f"anchor {anchor.line}:{anchor.hash} does not fit: "
        + ("that line has other text now" if standing else f"the file has {len(lines)} lines"),
        "read the file again and use the anchors that it shows now",
        (Candidate(anchor.line, anchor.line),) if standing else (),
        standing,
    )


def refuse_ambiguous(edit: Edit, candidates: Sequence[Candidate], places: int, *, are_more: bool = False) -> Refusal:
    """The search text stands in so many places, or in more (`are_more`), of which the first are told."""
    return Refusal(
        edit,
        RefusalReason.AMBIGUOUS,
        f"the search text stands in {'more than ' if are_more else ''}{places} places",
        "take in enough neighbouring lines to make the search text unique",
        tuple(candidates),
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
    """There is no such file to search in, to move or to delete."""
    advice = "check the path; to create the file, leave the search text empty"
    if isinstance(edit, Delete | Move):
        advice = "check the path; or this was done before"
    return Refusal(edit, RefusalReason.NOT_FOUND, "there is no such file", advice)


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


def refuse_piece(edit: Edit, lines: int, why: str) -> Refusal:
    """A text that was given as the whole of a file which has so many lines, and may be only a part of it; 0: there is
    no such file."""
    if not lines:
        return Refusal(
            edit,
            RefusalReason.NOT_FOUND,
            "there is no such file, and one of this name in another directory",
            "name the file with its directories; ./ before a name says that it is new",
        )
    new = len(lines_of(edit.text)) if isinstance(edit, Write) else 0
    return Refusal(
        edit,
        RefusalReason.BAD_FORMAT,
        f"this looks like a piece of the file: it has {new} lines, the file has {lines}"
        + (f"; {why}" if why else ""),
        "give the whole text of the file, or SEARCH/REPLACE blocks for what changes; what is meant to go, "
        "name it in a comment: removed: NAME",
    )


def refuse_placeholder(edit: Edit, line: str) -> Refusal:
    """A line of the new text that stands where lines of the file would vanish."""
    return Refusal(
        edit,
        RefusalReason.BAD_FORMAT,
        f"the new text holds a placeholder: {line}",
        "write out all lines of the new text",
    )


def refuse_large(edit: Edit, error: Exception) -> Refusal:
    """The file would become larger than any that motet reads."""
    return Refusal(edit, RefusalReason.TOO_LARGE, str(error), "write the file in another way, or split it")


def refuse_unencodable(edit: Edit, error: Exception) -> Refusal:
    """The new text has a character that the file's encoding does not have."""
    return Refusal(
        edit,
        RefusalReason.BAD_FORMAT,
        str(error),
        "use only characters that the file's encoding has, and leave its declaration as it is",
    )


def refuse_existing_file(edit: Edit, path: str) -> Refusal:
    """A file that was to be created, or moved to, is there."""
    return Refusal(
        edit,
        RefusalReason.BAD_FORMAT,
        f"{path} exists already",
        "edit the file that is there, or choose another path",
    )


def refuse_company(edit: Edit, other: str) -> Refusal:
    """Another edit of the same answer does something to the whole file."""
    return Refusal(
        edit,
        RefusalReason.OVERLAP,
        f"another edit of the same answer {other}",
        "do one of the two",
    )


def refuse_no_place(edit: Insert, view: View) -> Refusal:
    """Nothing says where new lines should go."""
    where = f"below {edit.near.headers[-1]!r}" if edit.near.headers else f"before line {edit.near.line}"
    return Refusal(
        edit,
        RefusalReason.NOT_FOUND,
        f"it only adds lines, and {where} is no certain place in {len(view.lines)} lines",
        "take in the neighbouring lines as they stand in the file",
    )


def refuse_foreign_text(edit: Edit, new: str, before: str, *, shortens: bool = False) -> Refusal | None:
    """Refuse new text that is not code: left-over markers, or a placeholder for code left out. When there are lines
    that could be left out (`shortens`), a mere `# ...` or `// existing code` is one, too; not so in a fence of a
    document that grows."""
    if isinstance(edit, Replace) and edit.as_conflict and any(map(_CONFLICT.fullmatch, lines_of(before))):
        why = "the edit is written as a conflict, and the file holds conflicts itself"
        return Refusal(edit, RefusalReason.BAD_FORMAT, why, "give it as a SEARCH/REPLACE block")
    markers_are_meant = isinstance(edit, Replace) and edit.escaped
    may_show = isinstance(edit, Replace) and not shortens and PurePosixPath(edit.path).suffix.lower() in _DOCUMENTS
    known: set[str] = set()
    for found in _SUSPECT.finditer(new):
        line = found[0].strip()
        is_marker = _MARKER.match(line) or _is_conflict(line, edit.path)
        if is_marker and not markers_are_meant:
            why, advice = f"a marker is left over in the new text: {line}", "send the block again, whole"
        elif may_show and len(_FENCE.findall(new, 0, found.start())) % 2:
            continue
        elif is_placeholder(line) or (shortens and _leaves_out(edit, line, new[: found.start()])):
            why, advice = f"the new text holds a placeholder: {line}", "write out all lines of the new text"
        else:
            continue
        known = known or {"", *map(str.strip, lines_of(before))}
        if line not in known:
            return Refusal(edit, RefusalReason.BAD_FORMAT, why, advice)
    return None


def _is_conflict(line: str, path: str) -> bool:
    """Whether `line` begins or ends a conflict as git writes it, where none is shown to a reader."""
    return _CONFLICT.fullmatch(line) is not None and PurePosixPath(path).suffix.lower() not in _DOCUMENTS


def _leaves_out(edit: Edit, line: str, above: str) -> bool:
    """Whether `line` can only stand for lines that were left out; `...` is code in Python where it is a whole body."""
    if line != "...":
        return leaves_out(line)
    suffix = PurePosixPath(edit.path).suffix.lower()
    if suffix in (".py", ".pyi"):
        is_body = isinstance(edit, Replace) and len(edit.search.split("\n")) <= _LINES_OF_A_BODY and not above.strip()
        return not (is_body or above.rstrip().endswith(":"))
    return suffix not in _DOTS_ARE_TEXT


def _nearest(edit: Edit, view: View) -> tuple[str, tuple[Candidate, ...]]:
    """The part of the file most like the search text, as a small diff against it."""
    if not isinstance(edit, Replace):
        return "", ()
    search = lines_of(edit.search)
    window = view.survey(search).nearest
    if window is None:
        return "", ()
    found = view.lines[window.first : window.last]
    return small_diff(search, found), (Candidate(window.first + 1, window.last),)
