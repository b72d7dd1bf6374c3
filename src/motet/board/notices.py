"""What humans are told, one line each, and the record of what was refused."""

from __future__ import annotations

from motet.board.database import Tx
from motet.board.schema import next_number
from motet.board.values import Notice, NoticeKind, Refusal

_NOTICE = "id, at, board, kind, text, about, settled"


def notify(tx: Tx, board: str, kind: NoticeKind, text: str, now: float, about: str = "") -> None:
    """Tell the humans."""
    tx.run(
        f"INSERT INTO notices ({_NOTICE}) VALUES (?, ?, ?, ?, ?, ?, '')",
        *(next_number(tx, "lines"), now, board, kind, text, about),
    )


def notices(tx: Tx, after: int = 0, limit: int = 100) -> list[Notice]:
    """The notices behind number `after`, the oldest first."""
    rows = tx.all(f"SELECT {_NOTICE} FROM notices WHERE id > ? ORDER BY id LIMIT ?", after, limit)
    return [Notice(row[0], row[1], row[2], NoticeKind(row[3]), row[4], row[5], row[6]) for row in rows]


def last(tx: Tx) -> int:
    """The number of the newest notice; 0 when there is none."""
    row = tx.one("SELECT max(id) FROM notices")
    return int(row[0] or 0) if row else 0


def settle_about(tx: Tx, about: str, how: str) -> None:
    """A human has decided."""
    tx.run("UPDATE notices SET settled = ? WHERE about = ? AND settled = ''", how, about)


def is_told(tx: Tx, kind: NoticeKind, about: str, since: float) -> bool:
    """Whether that was said already."""
    return tx.one("SELECT 1 FROM notices WHERE kind = ? AND about = ? AND at > ?", kind, about, since) is not None


def refused(tx: Tx, actor: str, board: str, what: str, why: str, now: float) -> None:
    """Keep that somebody tried what is not allowed."""
    tx.run(
        "INSERT INTO refusals (id, at, actor, board, what, why) VALUES (?, ?, ?, ?, ?, ?)",
        *(next_number(tx, "lines"), now, actor, board, what, why),
    )


def refusals(tx: Tx, limit: int) -> list[Refusal]:
    """What was refused, the newest first."""
    rows = tx.all("SELECT id, at, actor, board, what, why FROM refusals ORDER BY id DESC LIMIT ?", limit)
    return [Refusal(*row) for row in rows]
