"""SEARCH/REPLACE blocks: the lines between markers, whatever they hold.

    <<<<<<< SEARCH
    lines as they stand in the file
    =======
    lines to stand there instead
    >>>>>>> REPLACE

`-------` and `+++++++` do for `<` and `>`. The markers with a word have five characters or more, `=======` has five to
nine. SEARCH may begin with `:start_line:12` (and `:end_line:14`, `-------`), which says where to look. A line of code
that looks like one of these lines is written with a backslash before it; without, a block is taken only when it can
be read in one way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from motet.edits.edit import Near, Replace
from motet.edits.formats.fences import is_closing_tag, opening_fence
from motet.edits.formats.reader import Piece
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError

_MARKER = re.compile(
    r"([ \t]*)(?:(?P<open><{3,}|-{3,}) ?(?:SEARCH|ORIGINAL)>?|(?P<middle>={3,9})"
    r"|(?P<close>>{3,}|\+{3,}) ?(?:REPLACE|UPDATED)>?)\s*"
)
_HEADER = re.compile(r"\s*:(start|end)_line:[ \t]*(?:\[([0-9]{1,9})\]|([0-9]{1,9}))\s*")
_HEADER_WORD = re.compile(r"\s*:(?:start|end)_line:")
_RULE = re.compile(r"\s*-{5,9}\s*")
_ESCAPED = re.compile(
    r"\s*\\(?:[<>]{5,9}(?:[ ].*)?|={5,9}\s*|-{5,9}(?:[ ]SEARCH>?)?\s*|\+{5,9}[ ]REPLACE\s*|:(?:start|end)_line:.*)"
)
_OURS, _THEIRS = re.compile(r"<{7}(?:[ ].*)?"), re.compile(r">{7}(?:[ ].*)?")
_KIN = {"<": "<", ">": "<", "-": "-", "+": "-"}
_SIGNS = frozenset("<-=>+")
"""What a marker begins with."""
_TELLING = _SIGNS | {":"}
_SHORTEST, _FEWEST_WIDE = 5, 10
_WIDE = re.compile(r"[ ]{0,3}(={10,})\s*")
"""The line under a heading; a divider for who reads as Cline does, where the block's markers are as long."""

_DOCUMENTS = (".adoc", ".log", ".markdown", ".md", ".mdx", ".org", ".rst", ".text", ".txt")
_NO_HEADING = re.compile(r"\s*(?:#|//|\Z)|[^\w]*\Z")
_ANYWHERE = Near()

MarkerKind = Literal["open", "middle", "close"]


class Marker:
    """A line that may begin, divide or end a block. `kin`: what an opening and its closing marker have in common."""

    __slots__ = ("indent", "kin", "kind")

    def __init__(self, kind: MarkerKind, text: str, indent: str) -> None:
        self.kind: MarkerKind = kind
        self.kin = (_KIN.get(text[0], "="), len(text))
        self.indent = indent


def marker_of(line: str, indent: str = "") -> Marker | None:
    """The marker that `line` is: indented by `indent`, or by at most three spaces."""
    if line.lstrip(" \t")[:1] not in _SIGNS:
        return None
    found = _MARKER.fullmatch(line)
    if found is None or (found[1] != indent and (len(found[1]) > 3 or "\t" in found[1])):
        return None
    for kind in ("open", "close", "middle"):
        text = found[kind]
        if text:
            return None if len(text) < _SHORTEST else Marker(kind, text, found[1])
    return None


class OpenBlock:
    """A block whose opening marker was read: takes the lines behind it until `done`.

    `tail`: the lines, with their numbers, that came after the end of a block whose closing marker was a second
    `=======`; they are still to be read.
    """

    def __init__(self, marker: Marker, path: str, *, line: int, number: int, indent: str, call: str) -> None:
        self.done = False
        self.tail: list[tuple[str, int]] = []
        self._kin = marker.kin
        self._path = path
        self._first = line
        self._number = number
        self._indent = indent
        self._call = call
        self._lines: list[str] = []
        self._raw: list[tuple[str, int]] = []
        self._middles: list[tuple[int, int]] = []
        self._wide: list[tuple[int, int]] = []
        self._depth = 0
        self._escaped = False
        self._doubled = False
        self._near = _ANYWHERE
        self._header: Literal["none", "lines", "over"] = "none"

    def line(self, text: str, number: int) -> list[Piece]:
        """Take a line of the block, or what ends it."""
        may_mark = text.lstrip(" \t")[:1] in _SIGNS
        marker = marker_of(text, self._indent) if may_mark else None
        if marker is None or (marker.kind == "middle" and self._depth):
            return self._body(text, number)
        if marker.kind == "open":
            return self._open(marker, text, number)
        if marker.kind == "close":
            return self._close(marker, text, number)
        self._middles.append((len(self._lines), marker.kin[1]))
        self._lines.append(text)
        if len(self._middles) == 2:
            self._raw.append((text, number))
        return []

    def run(self, lines: Sequence[str], at: int) -> list[Piece]:
        """Take the lines from `at` on that can be nothing but text of the block, all at once; none where each has to be
        looked at. What comes of them is a preview that holds them."""
        if self._header != "over" or self._indent or len(self._middles) > 1 or self._kin[1] >= _FEWEST_WIDE:
            return []
        end = at
        for end in range(at, len(lines) + 1):
            if end == len(lines) or lines[end].lstrip()[:1] in _TELLING or "\\" in lines[end]:
                break
        if end == at:
            return []
        taken = lines[at:end]
        self._lines += taken
        return [EditPreview(self._path, self._number, "replace" if self._middles else "search", tuple(taken))]

    def end(self) -> list[Piece]:
        """The answer ends within the block."""
        if self._is_ended_by_middle():
            return self._end_at_middle()
        missing = "REPLACE" if self._middles else "======="
        raise EditFormatError(f"line {self._first}: the block has no {missing} marker", self._first)

    def _open(self, marker: Marker, text: str, number: int) -> list[Piece]:
        if self._is_ended_by_middle():
            pieces = self._end_at_middle()
            self.tail.append((text, number))
            return pieces
        if marker.kin == self._kin:
            raise EditFormatError(
                f"line {number}: a new SEARCH marker before the block of line {self._first} was closed", number
            )
        self._depth += 1  # an example within the code, if its markers differ and it is closed
        return self._body(text, number)

    def _close(self, marker: Marker, text: str, number: int) -> list[Piece]:
        if self._depth:
            if marker.kin == self._kin:
                raise EditFormatError(
                    f"line {number}: it is not clear whether this ends the block of line {self._first}, "
                    "which holds another SEARCH marker",
                    number,
                )
            self._depth -= 1
            return self._body(text, number)
        if self._middles and any(width == self._kin[1] for _, width in self._wide):
            raise EditFormatError(
                f"line {number}: the block of line {self._first} holds ======= and a line of = as wide as its markers; "
                "it is not clear which divides it",
                number,
            )
        if not self._middles:
            raise EditFormatError(f"line {self._first}: the block has no ======= marker", self._first)
        return self._finish(self._divider(marker, number), len(self._lines))

    def _body(self, text: str, number: int) -> list[Piece]:
        line = self._dedented(text) if self._indent else text
        if not self._middles:
            if self._header != "over" and self._take_header(line):
                return []
        elif ":" in line and _HEADER_WORD.match(line):
            raise EditFormatError(
                f"line {number}: {line.strip()[:40]} belongs into SEARCH; write \\ before it if it is code", number
            )
        if self._kin[1] >= _FEWEST_WIDE and not self._depth:
            wide = _WIDE.fullmatch(line)
            if wide is not None and len(wide[1]) <= self._kin[1]:
                self._wide.append((len(self._lines), len(wide[1])))
        if "\\" in line and _ESCAPED.fullmatch(line):
            line = line.replace("\\", "", 1)
            self._escaped = True
        self._lines.append(line)
        if not self._middles:
            return [EditPreview(self._path, self._number, "search", (line,))]
        if len(self._middles) == 2:  # only then may lines be given back
            self._raw.append((text, number))
        return [EditPreview(self._path, self._number, "replace", (line,))]

    def _take_header(self, line: str) -> bool:
        """Whether `line` says where to look, instead of being code."""
        if self._header == "over" or self._lines:
            return False
        found = _HEADER.fullmatch(line)
        if found is not None:
            if found[1] == "start":
                self._near = Near(line=int(found[2] or found[3]), apart=1)
            self._header = "lines"
            return True
        is_rule = self._header == "lines" and _RULE.fullmatch(line) is not None
        self._header = "over"
        return is_rule

    def _dedented(self, text: str) -> str:
        end = 0
        while end < len(self._indent) and text[end : end + 1] == self._indent[end]:
            end += 1
        return text[end:]

    def _divider(self, close: Marker, number: int) -> int:
        """The one `=======` that can divide the block."""
        if len(self._middles) == 1:
            return self._middles[0][0]
        (first, _), (second, _) = self._middles[:2]
        outside = self._outside_conflicts()
        is_at_end = second == len(self._lines) - 1 and len(outside) == 2
        if is_at_end and not self._may_underline(first) and (second == first + 1 or self._is_below_code(second)):
            self._lines.pop()  # one too many before the end: neither can be code
            self._doubled = True
            return first
        as_wide = [(index, width) for index, width in outside if width == self._kin[1] == close.kin[1]]
        for possible in (outside, as_wide):
            if len(possible) == 1:
                return possible[0][0]
        raise EditFormatError(
            f"line {number}: the block of line {self._first} holds {len(self._middles)} ======= lines; "
            "it is not clear which divides it",
            number,
        )

    def _outside_conflicts(self) -> list[tuple[int, int]]:
        """The `=======` lines that are no part of a conflict which git left in the file."""
        middles = dict(self._middles)
        outside: list[tuple[int, int]] = []
        is_open = False
        for index, line in enumerate(self._lines):
            if _OURS.fullmatch(line) or _THEIRS.fullmatch(line):
                if is_open == line.startswith("<"):
                    return self._middles
                is_open = not is_open
            elif index in middles and not is_open:
                outside.append((index, middles[index]))
        return self._middles if is_open else outside

    def _is_ended_by_middle(self) -> bool:
        """Whether a second `=======` stands where the closing marker should: a fence ends right behind it, or it
        cannot be the line under a heading."""
        if len(self._middles) != 2 or self._depth:
            return False
        (first, _), (second, _) = self._middles
        after = self._lines[second + 1 : second + 2]
        if second == first + 1:
            return False
        if after and (opening_fence(after[0]) is not None or is_closing_tag(after[0])):
            return True
        return not (after and after[0].strip()) and not self._may_underline(second)

    def _may_underline(self, index: int) -> bool:
        """Whether the `=======` at `index` may be the line under a heading, and so a part of the code."""
        above = (self._lines[index - 1] if index else "").rstrip()
        is_heading = above[:1] not in " \t" and bool(re.search(r"\w", above))
        return is_heading and not self._is_code(above)

    def _is_below_code(self, index: int) -> bool:
        """Whether what stands above line `index` is code, and nothing that a line of `=` is drawn under."""
        above = self._lines[index - 1].rstrip()
        if self._is_code(above):
            return True
        return above[:1] in " \t" and re.search(r"[()\[\]{};=]", above) is not None

    def _is_code(self, line: str) -> bool:
        """Whether this line of a file of code is no heading: it is blank, a comment or closes something, or it has what
        few headings have and another length than the line under it."""
        if self._path.lower().endswith(_DOCUMENTS) or "." not in self._path.rpartition("/")[2]:
            return False
        return _NO_HEADING.match(line) is not None or (
            re.search(r"[()\[\]{};=<>]", line) is not None and len(line) != self._kin[1]
        )

    def _end_at_middle(self) -> list[Piece]:
        (first, _), (second, _) = self._middles
        self.tail = self._raw[1:]
        return self._finish(first, second)

    def _finish(self, middle: int, end: int) -> list[Piece]:
        self.done = True
        if not self._escaped and _ours(self._lines[:middle]) > _ours(self._lines[middle:]):
            raise EditFormatError(
                f"line {self._first}: SEARCH holds one half of a conflict; write \\ before its <<<<<<< if it is meant",
                self._first,
            )
        search, replace = whole_lines(self._lines[:middle]), whole_lines(self._lines[middle + 1 : end])
        given = self._path, search, replace, self._call, self._first, self._near
        return [Replace(*given, escaped=self._escaped, doubled=self._doubled)]


def _ours(lines: list[str]) -> int:
    """How many conflicts begin in `lines` and do not end there."""
    marked = [line for line in lines if line.startswith(("<<<<<<<", ">>>>>>>"))]
    return sum(bool(_OURS.fullmatch(line)) - bool(_THEIRS.fullmatch(line)) for line in marked)


def whole_lines(lines: list[str]) -> str:
    """`lines` as one text, a line end after each."""
    return "\n".join([*lines, ""])
