"""Finding messages and titles by words."""

from __future__ import annotations

import re
import sqlite3
from itertools import chain

from motet.history import index
from motet.history.columns import INFO, info
from motet.history.values import Hit
from motet.text.terms import Wanted, folded, wanted

_AROUND = 60
"""Characters before the place, and twice as many after it, that a snippet shows."""
_BLOCK = 256
_MOST = 50
"""Pieces of a query that count: more are a pasted text, and more than SQLite's expressions can hold."""
_LIVE = "messages.kept = 1 AND chats.trashed IS NULL"


def search(connection: sqlite3.Connection, query: str, workspace: str | None, limit: int) -> list[Hit]:
    """Titles, then messages, that hold all words of `query`, the newest first. Copies in forks are found once."""
    words = wanted(query)[:_MOST]
    if not words or limit <= 0:
        return []
    asked = index.expression(words, workspace)
    titles = connection.execute(
        f"SELECT {INFO} FROM titles CROSS JOIN chats ON chats.row = titles.rowid "
        "WHERE titles MATCH ? AND chats.trashed IS NULL ORDER BY titles.rowid DESC LIMIT ?",
        (asked, limit),
    ).fetchall()
    hits = [_hit(row, "", row[1], row[5], words) for row in titles]
    rows = connection.execute(
        f"SELECT {INFO}, messages.id, messages.added, messages.body, messages.meta FROM found CROSS JOIN messages "
        "ON messages.row = (SELECT min(messages.row) FROM messages CROSS JOIN chats ON chats.row = messages.chat "
        f"WHERE messages.said = found.rowid AND {_LIVE}) CROSS JOIN chats ON chats.row = messages.chat "
        "WHERE found MATCH ? ORDER BY found.rowid DESC LIMIT ?",
        (asked, limit - len(hits)),
    ).fetchall()
    return hits + [_hit(row, row[13], index.shown_in(row[15], row[16]), row[14], words) for row in rows]


def _hit(row: tuple[object, ...], message_id: str, text: str | bytes, when: float, words: list[Wanted]) -> Hit:
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogatepass")
    line, begin, end = snippet(text, words)
    return Hit(info(row), message_id, line, when, begin, end)


def snippet(text: str, words: list[Wanted]) -> tuple[str, int, int]:
    """One line of `text` around the first place of one of `words`, and where in it that place begins and ends."""
    begin, end = _place(text, words)
    first = _from(text, begin)
    last = min(len(text), end + 2 * _AROUND)
    before, place, after = (
        re.sub(r"\s+", " ", piece) for piece in (text[first:begin], text[begin:end], text[end:last])
    )
    before = ("…" if first else "") + before.lstrip()
    after = after.rstrip() + ("…" if last < len(text.rstrip()) else "")
    return before + place + after, len(before), len(before) + len(place)


def _from(text: str, begin: int) -> int:
    """Where a snippet begins: with a word, where one begins near."""
    first = max(0, begin - _AROUND)
    blank = text.find(" ", first, first + _AROUND // 3) if first else -1
    return first if blank < 0 else blank + 1


def _place(text: str, words: list[Wanted]) -> tuple[int, int]:
    """The first place of the first of `words` that stands in `text` as it was typed, or in pieces."""
    plain = folded(text)
    singles = (Wanted((), "", word) for one in words for word in (one.whole, *one.words) if word)
    for one in chain(words, singles):
        at = _find(plain, one.text)
        if at >= 0:
            return _original(text, plain, at, at + len(one.text))
    return 0, 0


def _find(plain: str, piece: str) -> int:
    """`piece` in `plain`: as a word where there is one, else anywhere."""
    if piece.isascii():
        found = re.search(rf"(?<![^\W_]){re.escape(piece)}", plain)
        if found:
            return found.start()
    return plain.find(piece)


def _original(text: str, plain: str, begin: int, end: int) -> tuple[int, int]:
    """The place of `text` that became `plain[begin:end]`."""
    if len(text) == len(plain) and plain[begin:end] == folded(text[begin:end]):
        return begin, end
    first = _before(text, begin)
    return first, max(_before(text, end), first + 1)


def _before(text: str, position: int) -> int:
    """How many characters of `text` become at most the first `position` of its folded form."""
    at = 0
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        size = len(folded(block))
        if at + size > position:
            return start + max(many for many in range(len(block)) if at + len(folded(block[:many])) <= position)
        at += size
    return len(text)
