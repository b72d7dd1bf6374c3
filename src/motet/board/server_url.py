"""Where the boards of a team are: `postgresql://me@host/database`, perhaps with `?schema=NAME`. No text shows a password."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from motet.board.errors import BoardError

SCHEMA = "motet"
"""The schema that holds the boards when the URL names none."""
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """`connect` is what the driver gets; `place` is for texts: server, database and schema, no user, no password."""

    connect: str = field(repr=False)
    schema: str
    place: str

    @classmethod
    def of(cls, url: str) -> ServerUrl:
        """Raises `BoardError` for what is no such URL, without repeating it: it may hold a password."""
        try:
            parts = urlsplit(url)
            query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        except ValueError:
            raise _bad("it cannot be read") from None
        if parts.scheme not in ("postgresql", "postgres"):
            raise _bad("it does not begin with postgresql://")
        _, has_user, servers = parts.netloc.rpartition("@")
        if "@" in parts.path or (not has_user and "@" in url):
            raise _bad("a character of the user or password has a meaning in URLs; write it as %XX")
        schema = dict(query).get("schema", SCHEMA)
        if not _NAME.fullmatch(schema):
            raise _bad("its schema is no name of lower-case letters, digits and _")
        shown = [(name, value) for name, value in query if name in ("host", "port")]
        shown += [("schema", schema)] if schema != SCHEMA else []
        rest = [(name, value) for name, value in query if name != "schema"]
        return cls(
            f"postgresql://{parts.netloc}{parts.path}{_query(rest)}",
            schema,
            f"postgresql://{servers}{parts.path}{_query(shown)}",
        )


def _query(values: list[tuple[str, str]]) -> str:
    return f"?{urlencode(values, safe='/', quote_via=quote)}" if values else ""


def _bad(why: str) -> BoardError:
    return BoardError(f"the URL of the boards is wrong: {why}; it looks like postgresql://USER@HOST/DATABASE")
