"""How a line of Markdown begins, as far as it has come: what it is nested in, and whether more of it must come before
that can be said."""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTES = re.compile(r"(?: {0,3}> ?)*")
_ONE_QUOTE = re.compile(r"^ {0,3}> ?")
_BULLET = re.compile(r"([-*+]|\d{1,9}[.)])([ \t]+)(?=\S)")
_BULLET_MAY_COME = re.compile(r"(?:[-*+]|\d{1,9}[.)]?)[ \t]*")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*")
_RULE_MAY_COME = re.compile(r"([-*_])(?:[ \t]*\1)*[ \t]*")
_HEADING_MAY_COME = re.compile(r"#{1,6}[ \t]*")
_STRUCTURE = frozenset("`~|#-*+_<0123456789")
_BLOCK_MAY_COME = re.compile(r"<{1,9}|<{5,9} .*|-{2,9}(?: (?:S(?:E(?:A(?:R(?:C(?:H\s*)?)?)?)?)?)?)?")


@dataclass(frozen=True, slots=True)
class Lead:
    """The beginning of a line: the depth of quotes, columns of indentation, the bullet, and the rest."""

    quotes: int
    indent: int
    bullet: str
    body: str

    @property
    def is_rule(self) -> bool:
        """Whether the line, if this is all of it, is a rule across the page."""
        return not self.bullet and _RULE.fullmatch(self.body) is not None

    @property
    def is_row(self) -> bool:
        """Whether the line may belong to a table; one inside of a quote or a list is drawn as text."""
        return self.body.startswith("|") and not self.bullet and not self.quotes

    def may_be_more(self, *, tables: bool) -> bool:
        """Whether more of the line must come before it can be drawn; without `tables` rows of them are text."""
        body = self.body
        if not body:
            return True
        first = body[0]
        if first not in _STRUCTURE:
            return False
        if not self.bullet and _BLOCK_MAY_COME.fullmatch(body):
            return True
        if first in "`~":
            return body.startswith(first * 3) or (len(body) < 3 and body == first * len(body))
        if first == "|":
            return tables and self.is_row
        if not self.bullet and (_RULE_MAY_COME.fullmatch(body) or _BULLET_MAY_COME.fullmatch(body)):
            return True
        return _HEADING_MAY_COME.fullmatch(body) is not None


def read_lead(head: str, *, is_whole: bool = True) -> Lead:
    """What `head` begins with. Indentation is in columns, tabs at every fourth.

    Unless it `is_whole`, what may become a rule has no bullet.
    """
    quoted = _QUOTES.match(head)
    end = quoted.end() if quoted else 0
    rest = head[end:]
    body = rest.lstrip(" \t")
    quotes, indent = head[:end].count(">"), len(rest[: len(rest) - len(body)].expandtabs(4))
    bullet = _BULLET.match(body)
    rule = _RULE if is_whole else _RULE_MAY_COME
    if bullet is None or rule.fullmatch(body):
        return Lead(quotes, indent, "", body)
    return Lead(quotes, indent, bullet[1], body[bullet.end() :])


def without_quotes(line: str, depth: int) -> str:
    """`line` without the marks of the `depth` quotes that it stands in."""
    for _ in range(depth):
        line = _ONE_QUOTE.sub("", line, count=1)
    return line
