"""Changing and taking back one's own posts, as steps of a transaction. Nothing is ever removed from the log."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from motet.board import causes, finding
from motet.board.database import Tx, marks
from motet.board.errors import BoardMissing, BoardRefused
from motet.board.limits import Limits
from motet.board.members import Members
from motet.board.mentions import Called
from motet.board.reached import Reached
from motet.board.rows import POST, delivery_values, post_of
from motet.board.schema import ROW
from motet.board.screening import checked_body
from motet.board.values import Budget, Post, Posted, Told
from motet.messages import new_id


def get(tx: Tx, post: str) -> Post:
    """Raises `BoardMissing`."""
    row = tx.one(f"SELECT {POST} FROM posts WHERE id = ?", post)
    if row is None:
        raise BoardMissing(f"there is no post {post!r}")
    return post_of(row)


def change(tx: Tx, post_id: str, author: str, body: str, members: Members, limits: Limits, now: float) -> Posted:
    """Give one's own post another text. Whoever is newly mentioned, by role too, gets it; whoever is mentioned no more,
    and has not read it, does not. The same text again is nothing. Raises `BoardRefused` for somebody else's post."""
    post = _own(tx, post_id, author)
    body = checked_body(body, limits)
    if body == post.body:
        return Posted(post, was_new=False)
    there, answered = members.of(tx, post.board), causes.answered(tx, post.reply_to, post.board)
    before, after = there.called(post.body, author), there.called(body, author)
    old, new = Reached.of(before, answered, author), Reached.of(after, answered, author)
    changed = replace(post, body=body, version=post.version + 1)
    tx.run(
        "INSERT INTO versions (post, version, at, body) VALUES (?, ?, ?, ?)", post.id, post.version, now, post.body
    )
    tx.run("UPDATE posts SET body = ?, version = ? WHERE id = ?", body, changed.version, post.id)
    finding.change(tx, members.number(tx, post.board) * ROW + post.seq, post.body, body)
    if not after.everyone:
        _withdraw(tx, post.id, now, sorted(old.named.keys() - new.named.keys()))
    _withdraw(tx, post.id, now, sorted(old.roles.keys() - new.roles.keys()), of="role")
    if before.everyone and not after.everyone:
        _withdraw_everyone(tx, post, now, keep=new.named.keys())
    if after.everyone and not before.everyone:
        _call_everyone(tx, post, after, len(there.addresses - there.humans - {author}))
    added = Reached(
        {one: high for one, high in new.named.items() if one not in old.named and (high or not before.everyone)},
        {role: high for role, high in new.roles.items() if role not in old.roles and not before.everyone},
    )
    _call(tx, changed, added, post.budget.share(added.many(there.humans)), now)
    unknown = tuple(Told(told.text, told.why, told.nearest) for told in after.unknown)
    whom = (*added.named, *(f"role:{role}" for role in added.roles))
    return Posted(changed, whom, after.everyone and not before.everyone, unknown)


def _call(tx: Tx, post: Post, whom: Reached, share: Budget, now: float) -> None:
    """Deliver a changed post to those whom its new text calls; also to one from whom it was withdrawn."""
    calls = [(one, "", high) for one, high in whom.named.items()]
    calls += [("", role, high) for role, high in whom.roles.items()]
    for address, role, high in calls:
        values = delivery_values(
            new_id(), post, share, recipient=address, role=role, high=high, mentioned=True, now=now
        )
        tx.run(
            f"INSERT INTO deliveries VALUES ({marks(values)}) ON CONFLICT (post, recipient, role) DO UPDATE "
            "SET state = 'queued', changed = excluded.changed WHERE deliveries.state = 'withdrawn'",
            *values,
        )


def _call_everyone(tx: Tx, post: Post, called: Called, among: int) -> None:
    tx.run(
        "INSERT INTO broadcasts (board, seq, high, among) VALUES (?, ?, ?, ?) ON CONFLICT (board, seq) DO NOTHING",
        *(post.board, post.seq, int(called.everyone_high), among),
    )
    tx.run("UPDATE members SET expanded = ? WHERE board = ? AND expanded >= ?", post.seq - 1, post.board, post.seq)


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


def _withdraw(tx: Tx, post: str, now: float, whom: Sequence[str] | None = None, of: str = "recipient") -> None:
    """Take it back from `whom`, who have not read it; from all when that is None. `of`: "recipient" or "role"."""
    if whom is not None and not whom:
        return
    named = " AND role = ''" if of == "recipient" else ""
    who = "" if whom is None else f" AND {of} IN ({marks(whom)}){named}"
    tx.run(
        f"UPDATE deliveries SET state = 'withdrawn', changed = ? WHERE post = ? AND state IN ('queued', 'leased'){who}",
        *(now, post, *(whom or ())),
    )


def _withdraw_everyone(tx: Tx, post: Post, now: float, keep: Set[str]) -> None:
    tx.run("DELETE FROM broadcasts WHERE board = ? AND seq = ?", post.board, post.seq)
    rows = tx.all("SELECT recipient FROM deliveries WHERE post = ? AND role = ''", post.id)
    _withdraw(tx, post.id, now, sorted({str(row[0]) for row in rows} - keep))
