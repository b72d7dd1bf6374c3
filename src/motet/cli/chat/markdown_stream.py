"""Markdown that is drawn on a terminal while it arrives: nothing that was drawn is ever drawn again.

A line is drawn word by word as soon as its beginning says what it is; code line by line; a table when it ends. Line
ends of the text stay line ends. After CommonMark 0.31.2 with GitHub's tables; headings of the underlined kind, HTML
and reference links stand as they are. Nothing is loaded, no address is hidden. All text passes through `visible`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from motet.cli.chat.inline import Heading, Inline, Verbatim
from motet.cli.chat.rows import Rows
from motet.cli.chat.source_line import read_lead, without_quotes
from motet.cli.chat.table import is_delimiter, lay_out
from motet.cli.wrap import Span
from motet.visible import visible

_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_FENCE = re.compile(r"(`{3,})([^`]*)|(~{3,})(.*)")
_BLOCK = re.compile(r"<{5,9} \S.*|-{5,9} SEARCH\s*")
"""How a SEARCH/REPLACE block or a conflict of git begins: it is drawn as code, whose end is no quotation."""
_BLOCK_ENDS = {"<": re.compile(r"\s*>{5,9}(?: .*)?"), "-": re.compile(r"\s*\+{5,9} REPLACE\s*")}
_LONGEST_LINE = 2_000
"""Characters of a line of code or of a table that are held back at most."""
_MOST_ROWS = 300
"""Rows of a table that are held back at most."""
_RULE_CELLS = 40


_Painter = Callable[[str], list[Span]]


@dataclass(slots=True)
class _Fence:
    """An open fence, or a block of an edit, whose `mark` is one character."""

    mark: str
    quotes: int

    def is_closed_by(self, line: str) -> bool:
        """Whether `line`, without the marks of quotes, ends it."""
        if end := _BLOCK_ENDS.get(self.mark):
            return end.fullmatch(line) is not None
        closing = line.strip()
        return bool(closing) and not closing.strip(self.mark[0]) and len(closing) >= len(self.mark)


class MarkdownStream:
    """One answer. `add` and `end` give what can be drawn now: spans that hold their line ends.

    `styled` is false where there is no colour: then the text stands as it came, and only lines too long for the
    terminal are broken between words. Where `width` is None not even that.
    """

    def __init__(self, *, styled: bool) -> None:
        self._styled = styled
        self._rows = Rows()
        self._head = ""
        self._inline: Inline | None = None
        self._fence: _Fence | None = None
        self._code: _Painter = _plain_line
        self._is_long_code = False
        self._table: list[str] = []
        self._gap = False
        self._began = False
        self._in_list = False
        self._return = False
        self._before = ""

    @property
    def has_begun(self) -> bool:
        """Whether anything was drawn."""
        return self._began

    def add(self, text: str, width: int | None) -> list[Span]:
        """The next piece of the text."""
        if not self._styled and width is None:
            return self._as_it_came(text)
        if self._return:
            text, self._return = "\r" + text, False
        if text.endswith("\r"):
            text, self._return = text[:-1], True
        self._rows.width = width
        first, *others = text.replace("\r\n", "\n").split("\n")
        self._piece(first)
        for other in others:
            self._end_line()
            self._piece(other)
        return self._rows.take()

    def end(self, width: int | None) -> list[Span]:
        """The text is over; what was held back is drawn, and its last line ended."""
        if not self._styled and width is None:
            is_mid_line = self._began and self._before != "\n"
            self._forget()
            return [("\n", "")] if is_mid_line else []
        self._rows.width = width
        if self._return:
            self._piece("\r")
        if self._head or self._inline or self._is_long_code:
            self._end_line()
        self._end_table()
        self._forget()
        return self._rows.take()

    def _forget(self) -> None:
        self._head, self._inline, self._fence, self._code = "", None, None, _plain_line
        self._is_long_code = self._gap = self._began = self._in_list = self._return = False
        self._before = ""

    def _as_it_came(self, text: str) -> list[Span]:
        """`text` for a file or a pipe. What a joiner joins may have come in the piece before."""
        if not text:
            return []
        shown = visible(self._before + text)[len(visible(self._before)) :]
        self._before, self._began = text[-1], True
        return [(shown, "")]

    # --- lines -------------------------------------------------------------------------------------------------

    def _piece(self, text: str) -> None:
        if not text:
            return
        if self._inline is not None:
            self._put(text)
            return
        self._head += text
        if self._fence is not None:
            self._piece_of_code()
        elif not read_lead(self._head, is_whole=False).may_be_more(tables=self._styled):
            self._begin(self._head)
        elif len(self._head) > _LONGEST_LINE:
            self._end_table()
            self._begin(self._head)

    def _end_line(self) -> None:
        if self._fence is not None:
            self._line_of_code()
        elif self._inline is not None:
            self._end_text()
        else:
            self._whole_line()
        self._head = ""

    def _whole_line(self) -> None:
        """A line that was held back to its end."""
        lead = read_lead(self._head)
        body = lead.body.rstrip()
        if not body and not lead.bullet and not lead.quotes:
            self._end_table()
            self._blank_line()
        elif lead.is_row and self._styled:
            self._row_of_table()
        elif (fence := _FENCE.fullmatch(lead.body)) is not None:
            self._end_table()
            self._open(lead.quotes, fence[1] or fence[3], fence[2] or fence[4] or "")
        elif not lead.bullet and _BLOCK.fullmatch(lead.body):
            self._end_table()
            self._open(lead.quotes, lead.body[0])
        elif lead.is_rule and self._styled:
            self._end_table()
            self._before_block()
            cells = min(self._rows.width or _RULE_CELLS, _RULE_CELLS)
            self._rows.verbatim([*_quote_marks(lead.quotes), ("─" * cells, "dim")])
        else:
            self._begin(self._head)
            self._end_text()

    def _blank_line(self) -> None:
        if self._styled:
            self._gap = self._began
        else:
            self._rows.verbatim([(self._head, "")])

    def _before_block(self) -> None:
        if self._gap:
            self._rows.verbatim([])
        self._gap, self._began = False, True

    # --- text --------------------------------------------------------------------------------------------------

    def _begin(self, head: str) -> None:
        """Begin to draw a line that is text, of which `head` has come."""
        self._end_table()
        lead = read_lead(head)
        after_gap = self._gap or not self._began
        self._before_block()
        if not self._styled:
            shift = len(head) - len(head.lstrip())
            hang = " " * (shift + (len(lead.bullet) + 1 if lead.bullet else 0))
            self._rows.begin([], [(hang, "")])
            self._inline = Verbatim()
            self._put(head)
            return
        style, body = "", lead.body
        quotes = _quote_marks(lead.quotes)
        if lead.bullet:
            self._in_list = True
        elif lead.indent >= 4 and after_gap and not self._in_list:
            self._rows.begin([*quotes, (" " * lead.indent, "")], [])
            self._inline = Verbatim("cyan")
            self._put(body)
            return
        elif not lead.indent and after_gap:
            self._in_list = False
        if heading := _HEADING.match(body):
            body = body[heading.end() :]
            style = "bold underline" if len(heading[1]) == 1 else "bold"
        bullet = _shown_bullet(lead.bullet)
        indent = (" " * lead.indent, "")
        first: list[Span] = [*quotes, indent, (bullet, "cyan")]
        self._rows.begin(first, [*quotes, (" " * (lead.indent + len(bullet)), "")])
        self._inline = Heading(style) if heading else Inline(style)
        self._put(body)

    def _put(self, text: str) -> None:
        if self._inline is not None:
            for piece, style in self._inline.feed(text):
                self._rows.put(piece, style)

    def _end_text(self) -> None:
        if self._inline is not None:
            for piece, style in self._inline.rest():
                self._rows.put(piece, style)
        self._rows.end()
        self._inline = None

    # --- code --------------------------------------------------------------------------------------------------

    def _open(self, quotes: int, mark: str, language: str = "") -> None:
        self._before_block()
        self._fence = _Fence(mark, quotes)
        if self._styled and language:
            from motet.cli.chat.code import Highlighter

            self._code = Highlighter(language).line
        self._rows.verbatim([(self._head.rstrip(), "dim" if self._styled else "")])

    def _line_of_code(self) -> None:
        fence, line = self._fence, self._head
        if fence is None:
            return
        if self._is_long_code:
            self._rows.verbatim([(line, "")])
            self._is_long_code = False
            return
        inside = without_quotes(line, fence.quotes)
        if fence.is_closed_by(inside):
            self._fence = None
            self._code = _plain_line
            self._rows.verbatim([(line.rstrip(), "dim" if self._styled else "")])
            return
        marks = line[: len(line) - len(inside)]
        self._rows.verbatim([(marks, "dim"), *self._code(inside)])

    def _piece_of_code(self) -> None:
        """A line that is too long to wait for its end is drawn as it comes."""
        if self._is_long_code or len(self._head) > _LONGEST_LINE:
            self._is_long_code = True
            self._rows.part(self._head)
            self._head = ""

    # --- tables ------------------------------------------------------------------------------------------------

    def _row_of_table(self) -> None:
        self._table.append(self._head)
        is_no_table = len(self._table) == 2 and not is_delimiter(self._table[1])
        if is_no_table or len(self._table) > _MOST_ROWS:
            self._end_table()

    def _end_table(self) -> None:
        lines, self._table = self._table, []
        if not lines:
            return
        self._before_block()
        drawn = None
        if len(lines) > 1 and is_delimiter(lines[1]):
            drawn = lay_out(lines, self._rows.width or 10_000)
        if drawn is not None:
            for spans in drawn:
                self._rows.verbatim(spans)
            return
        for line in lines:
            self._rows.begin([], [])
            inline = Inline()
            for piece, style in [*inline.feed(line), *inline.rest()]:
                self._rows.put(piece, style)
            self._rows.end()


def _shown_bullet(bullet: str) -> str:
    if not bullet:
        return ""
    return f"{bullet} " if bullet[0].isdigit() else "• "


def _quote_marks(depth: int) -> list[Span]:
    return [("│ " * depth, "dim")] if depth else []


def _plain_line(text: str) -> list[Span]:
    return [(text, "")]
