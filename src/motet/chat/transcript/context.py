"""The context block: one line for each item that was shared with a turn, as a quote that a human can edit.

    > Context:
    > - <file>src/a.py</file>
    > - 📌 <buf>server.ts</buf>

A character that would end or garble such a line (a file name may hold a line end) is written as an HTML character
reference, `&#10;`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import dropwhile

from motet.chat.transcript.values import ContextLine, Entry
from motet.context.pins import PIN, WATCH
from motet.messages import Message, Role, tags

_TITLE = "> Context:"
_ITEM = "> - "
_REFERENCE = re.compile(r"&#(\d{1,7});", re.ASCII)
_UNSAFE = re.compile(rf"&(?=#\d{{1,7}};)|[\x00-\x1f\x7f-\x9f\u2028\u2029]|\A[ {PIN}{WATCH}]| \Z", re.ASCII)
_BLANK = " \t\r"
# Editors and keyboards like to add the selector of the coloured form.
_MARKS = re.compile(rf"(?:[{PIN}{WATCH}]\ufe0f?[{_BLANK}]*)+")

SAID = frozenset({"", tags.REVIEW, tags.FROM_CUSTOM_PROMPT})
"""Tags of visible user messages that are the human's own turns."""


def is_said(entry: Entry) -> bool:
    """Whether it is shown as a turn of the human."""
    return isinstance(entry, Message) and entry.visible and entry.role is Role.USER and entry.tag in SAID


def write_context(lines: Iterable[ContextLine]) -> str:
    """The block, without a final line end; empty without lines."""
    items = [f"{_ITEM}{replace(line, id=_UNSAFE.sub(_escaped, line.id)).line}" for line in lines]
    return "\n".join([_TITLE, *items]) if items else ""


def read_context(text: str) -> tuple[tuple[ContextLine, ...], str]:
    """The lines of the block at the head of `text`, and what stands behind it."""
    rows = text.split("\n")
    if rows[0].rstrip() != _TITLE:
        return (), text
    count = 1
    while count < len(rows) and rows[count].startswith(">"):
        count += 1
    lines = (read_line(row.removeprefix(_ITEM).strip(_BLANK)) for row in rows[1:count] if row.startswith(_ITEM))
    rest = dropwhile(lambda row: not row.strip(), rows[count:])
    return tuple(dict.fromkeys(line for line in lines if line.id)), "\n".join(rest)


def contexts(entries: Sequence[Entry]) -> tuple[dict[int, list[Message]], list[Message]]:
    """What was shared with which turn of the human (by its index in `entries`), and with no turn yet.

    An item belongs to the turn that follows it, or, when the cycles say so, to the one before.
    """
    shared: dict[int, list[Message]] = {}
    waiting: list[Message] = []
    last = (-1, 0)
    for index, entry in enumerate(entries):
        if not isinstance(entry, Message):
            continue
        if is_said(entry):
            cycle = entry.meta.cycle
            for one in waiting:
                back = one.meta.cycle and one.meta.cycle == last[1] != cycle
                shared.setdefault(last[0] if back else index, []).append(one)
            waiting, last = [], (index, cycle)
        elif entry.context and not entry.visible:
            waiting.append(entry)
    for one in waiting:
        if one.meta.cycle and one.meta.cycle == last[1]:
            shared.setdefault(last[0], []).append(one)
    return shared, [one for one in waiting if not one.meta.cycle or one.meta.cycle != last[1]]


def unfold(entries: Sequence[Entry], id: str, turn: int = 0) -> str:
    """What the line `id` stands for in the context block of the human's turn number `turn` (from 1): the text that was
    sent. 0: what was shared last under that line. Empty when there is no such line."""
    shared, rest = contexts(entries)
    if turn:
        said = [index for index, entry in enumerate(entries) if is_said(entry)]
        found = shared.get(said[turn - 1], []) if turn <= len(said) else []
    else:
        found = [*(one for index in sorted(shared) for one in shared[index]), *rest]
    texts = [one.text for one in found if one.context and one.context.id == id]
    return "\n\n".join(texts if turn else texts[-1:])


def ids_of(shared: Iterable[Message]) -> list[str]:
    """The lines that these messages are linked to."""
    return [one.context.id for one in shared if one.context]


def context_lines(
    ids: Iterable[str], pinned: Collection[str] = (), watched: Collection[str] = ()
) -> tuple[ContextLine, ...]:
    """The lines with these ids, each once."""
    return tuple(ContextLine(line, line in pinned, line in watched) for line in dict.fromkeys(ids) if line)


def read_line(row: str) -> ContextLine:
    """One line of a block, without `> - `."""
    marks, at = "", 0
    if found := _MARKS.match(row):
        marks, at = found[0], found.end()
    return ContextLine(_REFERENCE.sub(_character, row[at:]), PIN in marks, WATCH in marks)


def _escaped(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def _character(found: re.Match[str]) -> str:
    code = int(found[1])
    return chr(code) if code < 0x110000 else found[0]
