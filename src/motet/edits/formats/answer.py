"""An answer as a whole: what it asks for, and what of it is no edit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from motet.edits.edit import Edit, Insert, Replace, ReplaceAnchored, Write
from motet.edits.formats.auto import AutoReader
from motet.edits.formats.naming import is_named
from motet.edits.formats.paths import IsPath, is_no_path
from motet.edits.formats.reader import read
from motet.edits.formats.whole_file import LeftOut

_QUOTED = re.compile(r" {0,3}>[ ]?")
_DEEPEST = 5
_ESCAPED = re.compile(
    r"^[ \t]*(?:(?:&lt;){5,9} ?(?:SEARCH|ORIGINAL)\b|&lt;(?:replace_file|replace_in_file|apply_diff|write_to_file"
    r"|(?:antml:)?invoke name=|function=|edits&gt;))",
    re.MULTILINE,
)
_ESCAPED_MARKER = re.compile(
    r"^[ \t]*(?:&lt;){5,9} ?(?:SEARCH|ORIGINAL)(?:&gt;)?\s*$|^[ \t]*(?:&gt;){5,9} ?(?:REPLACE|UPDATED)(?:&gt;)?\s*$",
    re.MULTILINE,
)
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "#39": "'", "#x27": "'", "nbsp": "\u00a0"}
_ENTITY = re.compile(rf"&({'|'.join(_ENTITIES)});")
_LABELLED = re.compile(r"^[ \t]*(?:content|diff)[ \t]*:[ \t]*(?=[<-]{5,9} ?SEARCH>?[ \t]*$)", re.MULTILINE)
"""What some models write before the first marker of a block: `diff: <<<<<<< SEARCH`."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What an answer holds: its edits, and the fences of code that are none. `loosely_named`: by their line in the
    answer, the files that are not named right before their fence or in its info string. `quoted`: edits that the answer
    only quotes."""

    edits: list[Edit]
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    loosely_named: frozenset[int] = frozenset()
    quoted: list[Edit] = field(default_factory=list[Edit])


def understand(answer: str, *, path: str = "", quotes: bool = False, is_path: IsPath = is_no_path) -> Understood:
    """All that `answer`, in whatever format, holds; see `AutoReader`. What is quoted as a whole is read unless `quotes`, and
    what was copied out of a page's source is read as the page shows it. Raises `EditFormatError` for what cannot be
    understood; an answer without edits has none."""
    answer = _LABELLED.sub("", _unescaped(answer if quotes else _unquoted(answer)))
    reader = AutoReader(path=path, sentences=True, quotes=quotes, is_path=is_path)
    edits = read(reader, answer)
    edits, shown = outranked(edits, [edit for edit in edits if edit.line in reader.loosely_named])
    left_out = [
        replace(one, rivals="", beside=one.rivals) if one.rivals and _is_edited(one.rivals, edits) else one
        for one in (*reader.left_out, *shown)
    ]
    left_out.sort(key=lambda one: one.line)
    return Understood(edits, left_out, frozenset(reader.loosely_named), reader.quoted)


def outranked(edits: Sequence[Edit], shown: Sequence[Edit]) -> tuple[list[Edit], list[LeftOut]]:
    """`edits` without those whole texts among `shown` whose file the answer edits otherwise: old text that it shows."""
    left = [edit for edit in shown if isinstance(edit, Write) and edit.shown and _is_edited(edit.path, edits)]
    ids = {id(edit) for edit in left}
    return [edit for edit in edits if id(edit) not in ids], [LeftOut(e.line, "", beside=e.path) for e in left]


def _is_edited(path: str, edits: Sequence[Edit]) -> bool:
    """Whether one of `edits` changes a part of that file, which may be named with its directories there."""
    parts = (edit.path for edit in edits if isinstance(edit, (Replace, Insert, ReplaceAnchored)))
    return any(is_named(path, part) for part in parts)


def _unquoted(answer: str) -> str:
    """`answer` without the `>` before its lines, when they all have one."""
    for _ in range(_DEEPEST):
        lines = answer.split("\n")
        if not answer.strip() or not all(_QUOTED.match(line) for line in lines if line.strip()):
            break
        answer = "\n".join(_QUOTED.sub("", line, count=1) for line in lines)
    return answer


def _unescaped(answer: str) -> str:
    """`answer` with the characters of its entities when it was copied out of a page's source: all of them, or where it
    has a `<` of its own, those of its markers."""
    if _ESCAPED.search(answer) is None:
        return answer
    pattern = _ESCAPED_MARKER if "<" in answer else _ENTITY
    return pattern.sub(lambda found: _ENTITY.sub(lambda one: _ENTITIES[one[1]], found[0]), answer)
