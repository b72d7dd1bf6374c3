"""The tool call `anchored {path, edits:[…]}`, each entry one of

    {"replace": "12:a3f..15:f0z", "text": "new lines"}
    {"insert_after": "15:f0z", "text": "new lines"}        ("insert_after": 0 is before the first line)
    {"delete": "12:a3f..13:b1k"}

Sources of the anchors: `formats.anchors`.
"""

from __future__ import annotations

import re

from motet.edits.edit import Anchor, ReplaceAnchored
from motet.edits.formats.anchors import read_anchor
from motet.edits.formats.arguments import PATH_NAMES, Arguments

TEXT_NAMES = frozenset(["text", "new_text", "newText", "new_string", "newString", "content", "new", "lines"])
_REPLACE_NAMES = frozenset(("replace", "range", "anchor", "anchors"))
_INSERT_NAMES = frozenset(("insert_after", "insertAfter", "insert after", "after"))
_DELETE_NAMES = frozenset(("delete", "remove"))
_TO = re.compile(r"[ \t]?(?:\.{2,3}|…|[-–—]|\bto\b)[ \t]?")
_START = frozenset(("0", "start", "top", "0:"))
_LONGEST = 300


def read_range(text: str) -> tuple[Anchor, Anchor] | None:
    """The first and last line of `12:a3f..15:f0z`, or of one anchor twice; None for anything else."""
    if len(text) > _LONGEST:
        return None
    single = read_anchor(text)
    if single is not None:
        return (single, single) if single.line else None
    ends = [read_anchor(end) for end in _TO.split(text.strip())]
    match ends:
        case [Anchor() as first, Anchor() as last] if 1 <= first.line <= last.line:
            return first, last
        case _:
            return None


def read_place(text: str) -> Anchor | None:
    """The line that new lines go below; line 0 is before the first one."""
    return Anchor(0, "") if text.strip().lower() in _START else read_anchor(text[:_LONGEST])


def read_anchored(arguments: Arguments, path: str, call: str, line: int) -> ReplaceAnchored:
    """The edit of one entry; `path` is the file of the call, which may be empty."""
    kinds = [names for names in (_REPLACE_NAMES, _INSERT_NAMES, _DELETE_NAMES) if arguments.has(names)]
    if len(kinds) != 1:
        raise arguments.error("exactly one of 'replace', 'insert_after' and 'delete' is needed")
    path = arguments.text(PATH_NAMES, "") or path
    where = arguments.value(kinds[0])
    named = str(where) if isinstance(where, (str, int)) and not isinstance(where, bool) else ""
    if kinds[0] is _INSERT_NAMES:
        place, text = read_place(named), _ended(arguments.text(TEXT_NAMES, called="text"))
        if place is None or not text:
            raise arguments.error("'insert_after' needs an anchor such as \"12:a3f\", and new lines in 'text'")
        return ReplaceAnchored(path, place, None, text, call, line)
    lines = read_range(named)
    if lines is None:
        raise arguments.error('one anchor or two are needed, such as "12:a3f..15:f0z"')
    text = "" if kinds[0] is _DELETE_NAMES else _ended(arguments.text(TEXT_NAMES, called="text"))
    if kinds[0] is _DELETE_NAMES and arguments.text(TEXT_NAMES, ""):
        raise arguments.error("'delete' takes no text; use 'replace'")
    return ReplaceAnchored(path, *lines, text, call, line)


def _ended(text: str) -> str:
    return text if not text or text.endswith(("\n", "\r")) else text + "\n"
