"""What PostgreSQL and its driver say, in words a user can act on. No text shows a password."""

from __future__ import annotations

import psycopg

from motet.board.errors import BoardError

_KEPT = "what was stored before is safe"
# https://www.postgresql.org/docs/current/errcodes-appendix.html
_AGAIN = frozenset({"40001", "40P01"})
"""Serialization failure, deadlock: nothing was stored, and the next try may succeed."""


_LOST = frozenset({"57P01", "57P02", "57P03", "25P03"})
"""The server shuts down, crashed, starts; a transaction took a rest for too long."""


def is_lost(error: psycopg.Error) -> bool:
    """Whether there is no connection any more."""
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate in _LOST or error.sqlstate.startswith("08")


def is_worth_another_try(error: psycopg.Error) -> bool:
    """Whether the same transaction may succeed when it is run again."""
    return error.sqlstate in _AGAIN


def explained(error: psycopg.Error | UnicodeEncodeError, place: str) -> BoardError:
    """The error to show instead of one that a statement met."""
    what, state = _first_line(error), "" if isinstance(error, UnicodeEncodeError) else error.sqlstate or ""
    if isinstance(error, UnicodeEncodeError):
        return BoardError(f"{place}: a text holds half a character (a lone surrogate); leave it out")
    if isinstance(error, psycopg.DataError) and "NUL" in what:
        return BoardError(f"{place}: a text holds the character U+0000, which no board can store; leave it out")
    match state:
        case "25006":
            return BoardError(
                f"{place}: the server only lets read (it is a copy, or was told so); name the one that takes writes"
            )
        case "53100":
            return BoardError(
                f"{place}: the server's disk is full, nothing more can be stored; make room there, {_KEPT}"
            )
        case "42501":
            return BoardError(
                f"{place}: the user of the URL has no right to do that ({what}); grant it CREATE on the database, or the "
                "tables of the schema"
            )
        case "55P03":
            return BoardError(f"{place}: another motet has been writing for too long; try again when it is done")
        case "57014":
            return BoardError(f"{place}: the server broke off, as it took too long ({what}); try again")
        case "40001" | "40P01":
            return BoardError(f"{place}: others kept changing the same rows ({what}); try again")
        case _:
            return BoardError(f"{place}: the boards cannot be stored: {what}")


def no_connection(error: psycopg.Error, place: str, secret: str = "") -> BoardError:
    """The error to show when there is no connection. `secret` never stands in it."""
    what = _last_line(error)
    what = what.replace(secret, "***") if secret else what
    if "authentication failed" in what or "no password supplied" in what:
        advice = "check the user and password: of board.password, the URL, PGPASSWORD or ~/.pgpass"
    elif "does not exist" in what:
        advice = "make it there, or correct board.url"
    elif "too many" in what or "remaining connection slots" in what:
        advice = "close some programs that use it, or raise its max_connections"
    else:
        advice = "is it running, and is board.url right?"
    return BoardError(f"{place}: there is no connection to the server ({what}); {advice}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _last_line(error: Exception) -> str:
    """What the server or the system said, without the driver's words around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    said = next((line for line in reversed(lines) if "failed" in line or "FATAL" in line), lines[0])
    return said.rpartition("failed: ")[2].removeprefix("FATAL:").strip()
