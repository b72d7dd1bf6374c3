"""Changing and taking back one's own posts, as steps of a transaction. Nothing is ever removed from the log."""

from __future__ import annotations

from dataclasses import replace

from motet.board import finding
from motet.board.database import Tx, marks
from motet.board.errors import BoardMissing, BoardRefused
from motet.board.limits import Limits
from motet.board.members import Members
from motet.board.rows import POST, delivery_values, post_of
from motet.board.schema import ROW
from motet.board.screening import checked_body
from motet.board.values import Post, Posted, Told
from motet.messages import new_id


def get(tx: Tx, post: str) -> Post:
    """Raises `BoardMissing`."""
    row = tx.one(f"SELECT {POST} FROM posts WHERE id = ?", post)
    if row is None:
        raise BoardMissing(f"there is no post {post!r}")
    return post_of(row)


def change(tx: Tx, post_id: str, author: str, body: str, members: Members, limits: Limits, now: float) -> Posted:
    """Give one's own post another text. Whoever is newly mentioned gets it; whoever is mentioned no more, and has not
    read it, does not. The same text again is nothing. Raises `BoardRefused` for somebody else's post."""
    post = _own(tx, post_id, author)
    body = checked_body(body, limits)
    if body == post.body:
        return Posted(post, was_new=False)
    there = members.of(tx, post.board)
    before, after = there.called(post.body, author), there.called(body, author)
    changed = replace(post, body=body, version=post.version + 1)
    tx.run(
        "INSERT INTO versions (post, version, at, body) VALUES (?, ?, ?, ?)", post.id, post.version, now, post.body
    )
    tx.run("UPDATE posts SET body = ?, version = ? WHERE id = ?", body, changed.version, post.id)
    finding.change(tx, members.number(tx, post.board) * ROW + post.seq, post.body, body)
    old = {one.address for one in before.recipients}
    new = [one for one in after.recipients if one.address not in old and not (before.everyone and not one.high)]
    gone = old - {one.address for one in after.recipients}
    if gone and not after.everyone:
        _withdraw(tx, post.id, now, sorted(gone))
    if before.everyone and not after.everyone:
        _withdraw_everyone(tx, post, now, keep={one.address for one in after.recipients})
    if after.everyone and not before.everyone:
        many = len(there.addresses - there.humans - {author})
        tx.run(
            "INSERT INTO broadcasts (board, seq, high, among) VALUES (?, ?, ?, ?) ON CONFLICT (board, seq) DO NOTHING",
            *(post.board, post.seq, int(after.everyone_high), many),
        )
        tx.run(
            "UPDATE members SET expanded = ? WHERE board = ? AND expanded >= ?", post.seq - 1, post.board, post.seq
        )
    share = post.budget.share(len(new))
    for one in new:
        values = delivery_values(
            new_id(), changed, share, recipient=one.address, high=one.high, mentioned=True, now=now
        )
        tx.run(
            f"INSERT INTO deliveries VALUES ({marks(values)}) ON CONFLICT (post, recipient, role) DO UPDATE "
            "SET state = 'queued', changed = excluded.changed WHERE deliveries.state = 'withdrawn'",
            *values,
        )
    unknown = tuple(Told(told.text, told.why, told.nearest) for told in after.unknown)
    return Posted(changed, tuple(one.address for one in new), after.everyone and not before.everyone, unknown)


def retract(tx: Tx, post_id: str, author: str, now: float) -> Post:
    """Take one's own post back: it stays in the log, marked, and whoever has not read it does not get it."""
    post = _own(tx, post_id, author)
    tx.run("UPDATE posts SET retracted = 1 WHERE id = ?", post.id)
    _withdraw(tx, post.id, now)
    return replace(post, retracted=True)


def versions(tx: Tx, post_id: str) -> list[tuple[float, str]]:
    """The earlier texts of a post, and when each was replaced, the oldest first."""
    rows = tx.all("SELECT at, body FROM versions WHERE post = ? ORDER BY version", post_id)
    return [(float(at), str(body)) for at, body in rows]


def _own(tx: Tx, post_id: str, author: str) -> Post:
    post = get(tx, post_id)
    if post.author != author:
        raise BoardRefused(f"post {post.seq} is {post.author}'s; only its author changes it or takes it back")
    if post.retracted:
        raise BoardRefused(f"post {post.seq} was taken back; write a new one")
    return post


def _withdraw(tx: Tx, post: str, now: float, recipients: list[str] | None = None) -> None:
    who = "" if recipients is None else f" AND recipient IN ({marks(recipients)})"
    tx.run(
        f"UPDATE deliveries SET state = 'withdrawn', changed = ? WHERE post = ? AND state IN ('queued', 'leased'){who}",
        *(now, post, *(recipients or ())),
    )


def _withdraw_everyone(tx: Tx, post: Post, now: float, keep: set[str]) -> None:
    tx.run("DELETE FROM broadcasts WHERE board = ? AND seq = ?", post.board, post.seq)
    rows = tx.all("SELECT recipient FROM deliveries WHERE post = ? AND role = ''", post.id)
    others = sorted({str(row[0]) for row in rows} - keep)
    if others:
        _withdraw(tx, post.id, now, others)
