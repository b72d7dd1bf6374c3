"""Posts by words: an index of terms of our own narrows down, the text itself decides. The same on both engines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from motet.board.database import Dialect, Tx, marks
from motet.board.rows import JOINED_POST, post_of
from motet.board.schema import ROW
from motet.board.values import Post, PostKind
from motet.text.terms import Wanted, terms, wanted

_AT_ONCE = 200
"""Posts that are looked at in one go."""
_NEAR = 4_000
"""The newest posts of a board in which words are looked for without the index of terms, on a server: what is common is
among them."""
_LONGEST = 200
"""Characters of a term that count."""
_WHOLE_NAME = re.compile(r"(?<=[/.])[A-Za-z0-9_]*[A-Za-z0-9][A-Za-z0-9_]*(?=[/.])")
"""A name in a path with both its ends. The first and the last one may be parts of longer ones."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for; what is empty does not matter. `mention` is an address that it was delivered to, `path` a
    text that stands in it as it is, `state` that of one of its deliveries."""

    words: str = ""
    author: str = ""
    mention: str = ""
    kind: PostKind | None = None
    chain: str = ""
    path: str = ""
    after: float | None = None
    before: float | None = None
    state: str = ""


def add(tx: Tx, posts: Sequence[tuple[int, str]]) -> None:
    """Make posts, by row and body, findable."""
    found = [(row, terms(body)) for row, body in posts]
    if tx.dialect is Dialect.SQLITE:
        tx.many(
            "INSERT INTO found (rowid, words, whole) VALUES (?, ?, ?)",
            [(row, " ".join(each.words), " ".join(each.whole)) for row, each in found],
        )
    else:
        tx.many(
            "INSERT INTO found (row, words) VALUES (?, array_to_tsvector(string_to_array(?, ' ')))",
            [(row, _lexemes([*each.words, *each.whole])) for row, each in found],
        )


def change(tx: Tx, row: int, old: str, new: str) -> None:
    """The text of a post has changed."""
    if tx.dialect is Dialect.SQLITE:
        each = terms(old)
        tx.run(
            "INSERT INTO found (found, rowid, words, whole) VALUES ('delete', ?, ?, ?)",
            *(row, " ".join(each.words), " ".join(each.whole)),
        )
    else:
        tx.run("DELETE FROM found WHERE row = ?", row)
    add(tx, [(row, new)])


def search(tx: Tx, query: Query, boards: Sequence[str], limit: int) -> list[Post]:
    """The newest posts of `boards` that match, retracted ones not. Words must all stand in the body; those in double
    quotes next to each other; the last one may be a beginning."""
    words = wanted(query.words)
    if not boards or (query.words.strip() and not words):
        return []
    rows = tx.all(f"SELECT id, number, last FROM boards WHERE id IN ({marks(boards)})", *boards)
    found = [
        post
        for board, number, last in rows
        for post in _on_one(tx, query, words, str(board), int(number), last, limit)
    ]
    return sorted(found, key=lambda post: (post.at, post.seq), reverse=True)[:limit]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Posts that are read together, from the newest on: those above `first` and below `last` in `row`. `source` are
    tables and a condition, with `values`."""

    source: str
    values: Sequence[object]
    row: str
    first: int
    last: int


def _on_one(
    tx: Tx, query: Query, words: Sequence[Wanted], board: str, number: int, newest: int, limit: int
) -> Iterable[Post]:
    """The newest posts of one board that match: read in order from what narrows most, so that none is sorted."""
    where, values = _conditions(tx, query)
    delivered, wanted_by = _delivered(query)
    if indexed := [*words, *_names_in(query.path)]:
        if delivered:
            where += f" AND EXISTS (SELECT 1 FROM deliveries WHERE deliveries.post = posts.id AND {delivered})"
            values += wanted_by
        stretches = _stretches(tx, indexed, number * ROW, newest)
    elif delivered:
        join = "CROSS JOIN" if tx.dialect is Dialect.SQLITE else "JOIN"  # which keeps the order of the tables
        source = f"deliveries {join} posts ON posts.id = deliveries.post WHERE {delivered} AND deliveries.board = ?"
        stretches = [_Stretch(source, (*wanted_by, board), "deliveries.seq", 0, ROW)]
    else:
        stretches = [_Stretch("posts WHERE 1 = 1", (), "posts.row", number * ROW, (number + 1) * ROW)]
    found: dict[str, Post] = {}  # one may have been delivered to two
    for stretch in stretches:
        last = stretch.last
        while len(found) < limit:
            rows = tx.all(
                f"SELECT {JOINED_POST}, {stretch.row} FROM {stretch.source} AND {where} "
                f"AND {stretch.row} > ? AND {stretch.row} < ? ORDER BY {stretch.row} DESC LIMIT {_AT_ONCE}",
                *(*stretch.values, *values, stretch.first, last),
            )
            for post in map(post_of, rows):
                if len(found) < limit and matches(post.body, words):
                    found[post.id] = post
            if len(rows) < _AT_ONCE:
                break
            last = rows[-1][-1]
    return found.values()


def _stretches(tx: Tx, words: Sequence[Wanted], first: int, newest: int) -> list[_Stretch]:
    """The posts of a board whose terms fit. A server takes the newest ones in order, and all before them from its index
    of terms: left to itself, it reads a whole board for a word that nobody wrote."""
    index, asked = _index(tx, words)
    if tx.dialect is Dialect.SQLITE:
        source = f"found CROSS JOIN posts ON posts.row = found.rowid WHERE {index}"
        return [_Stretch(source, asked, "found.rowid", first, first + ROW)]
    near = first + max(newest - _NEAR, 0)
    newest_first = "(SELECT row, words FROM found WHERE row > ? ORDER BY row DESC OFFSET 0) AS found"
    in_order = f"{newest_first} JOIN posts ON posts.row = found.row WHERE {index}"
    by_terms = f"posts WHERE posts.row = ANY(ARRAY(SELECT found.row FROM found WHERE {index}))"
    return [
        _Stretch(in_order, (near, *asked), "found.row", near, first + ROW),
        _Stretch(by_terms, asked, "posts.row", first, near + 1),
    ]


def _names_in(path: str) -> list[Wanted]:
    """What every text holds in which `path` stands: the names in it that are whole, of which the index knows."""
    return [one for name in _WHOLE_NAME.findall(path) for one in wanted(f'"{name}"')]


def matches(body: str, words: Sequence[Wanted]) -> bool:
    """Whether all of `words` stand in `body`: what a search finds, by definition."""
    if not words:
        return True
    found = terms(body)
    whole = frozenset(found.whole)
    return all((one.whole and one.whole in whole) or _stands(one, found.words) for one in words)


def _stands(one: Wanted, words: Sequence[str]) -> bool:
    """Whether the words of one piece stand next to each other."""
    size = len(one.words)
    if not size:
        return False
    *front, end = one.words
    for at in range(len(words) - size + 1):
        last = words[at + size - 1]
        if (last.startswith(end) if one.begins else last == end) and list(words[at : at + size - 1]) == front:
            return True
    return False


def indexed(tx: Tx, words: Sequence[Wanted]) -> tuple[str, tuple[object, ...]]:
    """A condition on `posts` that every post with `words` fulfils, and its values. `matches` decides."""
    index, asked = _index(tx, words)
    row = "rowid" if tx.dialect is Dialect.SQLITE else "row"
    return f"posts.row IN (SELECT found.{row} FROM found WHERE {index})", asked


def _index(tx: Tx, words: Sequence[Wanted]) -> tuple[str, tuple[object, ...]]:
    """The condition that every match fulfils, and its values. There is a word at least."""
    pieces = [_sqlite(one) if tx.dialect is Dialect.SQLITE else _postgres(one) for one in words]
    if tx.dialect is Dialect.SQLITE:
        return "found MATCH ?", (" AND ".join(f"({piece})" for piece in pieces),)
    return "found.words @@ CAST(? AS tsquery)", (" & ".join(f"({piece})" for piece in pieces),)


def _sqlite(one: Wanted) -> str:
    terms = [f'"{word}"' for word in one.words]
    if one.begins and terms:
        terms[-1] += " *"
    ways = [" AND ".join(terms)] if terms else []
    return " OR ".join([*(f"({way})" for way in ways), *([f'"{one.whole}"'] if one.whole else [])])


def _postgres(one: Wanted) -> str:
    terms = [_quoted(word) for word in one.words]
    if one.begins and terms:
        terms[-1] += ":*"
    ways = [" & ".join(terms)] if terms else []
    return " | ".join([*(f"({way})" for way in ways), *([_quoted(one.whole)] if one.whole else [])])


def _quoted(word: str) -> str:
    return "'" + word[:_LONGEST].replace("\\", "\\\\").replace("'", "''") + "'"


def _lexemes(words: Sequence[str]) -> str:
    """The terms, none twice; there is no space in one."""
    return " ".join(sorted({word[:_LONGEST] for word in words if word}))


def _conditions(tx: Tx, query: Query) -> tuple[str, list[object]]:
    """What is asked of the posts themselves."""
    where, values = ["posts.retracted = 0"], list[object]()
    for condition, value in (
        ("posts.author = ?", query.author),
        ("posts.kind = ?", query.kind or ""),
        ("posts.chain = ?", query.chain),
        ("posts.at >= ?", query.after),
        ("posts.at < ?", query.before),
        (f"{'instr' if tx.dialect is Dialect.SQLITE else 'strpos'}(posts.body, ?) > 0", query.path),
    ):
        if value not in ("", None):
            where.append(condition)
            values.append(value)
    return " AND ".join(where), values


def _delivered(query: Query) -> tuple[str, list[object]]:
    """What is asked of one of their deliveries; nothing when it does not matter."""
    parts = [
        (condition, value)
        for condition, value in (("deliveries.recipient = ?", query.mention), ("deliveries.state = ?", query.state))
        if value
    ]
    return " AND ".join(condition for condition, _ in parts), [value for _, value in parts]
