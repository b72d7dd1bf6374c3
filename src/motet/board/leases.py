"""Claims of files, as steps of a transaction. Every claim has a number that only grows, its fencing token: a writer
that shows an older one was overtaken, and is refused where it writes."""

from __future__ import annotations

from collections.abc import Sequence

from motet.board.agents import THERE
from motet.board.database import Row, Tx
from motet.board.errors import BoardRefused
from motet.board.globs import matches, normal, overlap
from motet.board.schema import next_number
from motet.board.values import FileLease

_LEASE = "project, glob, owner, token, until, task"
LONGEST = 4 * 3600.0
"""Seconds that a claim may last at most without being renewed."""


def claim(
    tx: Tx, project: str, owner: str, globs: Sequence[str], seconds: float, now: float, task: str = ""
) -> list[FileLease]:
    """Claim all of `globs`, or none. One's own claims are renewed with a new token. Raises `BoardRefused` when
    another agent holds something of it."""
    wanted = list(dict.fromkeys(normal(glob) for glob in globs))
    until = now + min(seconds, LONGEST)
    for glob in wanted:
        for held in _held(tx, project, now, owner):
            if held.owner != owner and overlap(held.glob, glob):
                raise BoardRefused(_taken(held, glob, now))
    claimed: list[FileLease] = []
    for glob in wanted:
        lease = FileLease(project, glob, owner, next_number(tx, "leases"), until, task)
        tx.run(
            f"INSERT INTO file_leases ({_LEASE}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (project, glob) DO UPDATE SET "
            "owner = excluded.owner, token = excluded.token, until = excluded.until, task = excluded.task",
            *(lease.project, lease.glob, lease.owner, lease.token, lease.until, lease.task),
        )
        claimed.append(lease)
    return claimed


def renew(tx: Tx, project: str, owner: str, tokens: Sequence[int], seconds: float, now: float) -> list[FileLease]:
    """Hold them longer, with the same tokens. Raises `BoardRefused` for one that was lost."""
    mine = {lease.token: lease for lease in _held(tx, project, now, owner) if lease.owner == owner}
    for token in tokens:
        if token not in mine:
            raise BoardRefused(f"the claim {token} has run out or was given to another; claim again")
        until = now + min(seconds, LONGEST)
        tx.run("UPDATE file_leases SET until = ? WHERE project = ? AND token = ?", until, project, token)
    return leases(tx, project, now, owner)


def release(tx: Tx, project: str, owner: str, globs: Sequence[str] = ()) -> int:
    """Let go of claims, of all when none is named. Returns how many."""
    released = 0
    for (glob,) in tx.all("SELECT glob FROM file_leases WHERE project = ? AND owner = ?", project, owner):
        if not globs or glob in {normal(each) for each in globs}:
            released += tx.run(
                "DELETE FROM file_leases WHERE project = ? AND glob = ? AND owner = ?", project, glob, owner
            )
    return released


def leases(tx: Tx, project: str, now: float, owner: str = "") -> list[FileLease]:
    """The claims that hold, by pattern."""
    return [lease for lease in _held(tx, project, now) if owner in ("", lease.owner)]


def check(tx: Tx, project: str, owner: str, path: str, token: int | None, now: float) -> None:
    """Whether `owner`, who showed `token` (None: it never claimed), may write `path` now. Raises `BoardRefused`."""
    for held in _held(tx, project, now, owner):
        if not matches(held.glob, path):
            continue
        if held.owner != owner:
            why = _taken(held, path, now)
        elif token is not None and token < held.token:
            why = f"{path}: your claim {token} is older than {held.token}; look at the file again, then go on"
        else:
            continue
        raise BoardRefused(why)
    if token is not None and not any(
        held.owner == owner and held.token >= token
        for held in _held(tx, project, now, owner)
        if matches(held.glob, path)
    ):
        raise BoardRefused(f"{path}: your claim {token} has run out; claim it again, and read it before you write")


def expire(tx: Tx, owner: str) -> int:
    """An agent is dead or closed: what it held is free. Returns how many claims that were."""
    return tx.run("DELETE FROM file_leases WHERE owner = ?", owner)


def end(tx: Tx, owner: str, now: float) -> None:
    """What `owner` held is free where its time is over."""
    tx.run("DELETE FROM file_leases WHERE owner = ? AND until <= ?", owner, now)


def _held(tx: Tx, project: str, now: float, asker: str = "") -> list[FileLease]:
    """The claims that hold. That of another agent does as long as this is there: it ends them itself, when it gives a
    sign of life (`end`); by its clock their time may not be over."""
    rows = tx.all(
        f"SELECT {_LEASE} FROM file_leases WHERE project = ? AND (until > ? OR owner <> ? AND owner IN "
        f"(SELECT address FROM agents WHERE {THERE})) ORDER BY glob",
        *(project, now, asker),
    )
    return [_lease(row) for row in rows]


def _lease(row: Row) -> FileLease:
    return FileLease(*row)


def _taken(held: FileLease, what: str, now: float) -> str:
    minutes = max(1, round((held.until - now) / 60))
    task = f" for “{held.task}”" if held.task else ""
    return (
        f"{what} is claimed by {held.owner}{task} (as {held.glob}, for {minutes} more min); ask for it with "
        f"@{held.owner}, or work on something else"
    )
