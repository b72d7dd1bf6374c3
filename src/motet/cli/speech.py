"""What a model says, as it streams: without the edits in it, and without what it said in an earlier round."""

from __future__ import annotations

import re
from collections.abc import Sequence

from motet.cli.terminal import Terminal
from motet.text import Diagnostic

_EDIT_BEGINS = re.compile(r"<{5,9} SEARCH>?\s*")
_EDIT_MAY_BEGIN = re.compile(r"<{1,9}(?: S?E?A?R?C?H?>?\s*)?")
_EDIT_ENDS = re.compile(r">{5,9} REPLACE>?\s*")
_FENCE_MAY_BEGIN = re.compile(r"`{1,2}|~{1,2}")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_PATH = re.compile(r"[*`~]*[\w./@+-]*[*`:]*")
_SHORT = 4
"""Characters up to which a line is too little to count as said before."""
_HEADING = 40
"""Characters up to which a line may be a heading."""


class Speech:
    """Streams text to a terminal, line by line.

    Left out are: a line that was said in an earlier round; `- path:line: message (reason)` about one of the problems
    given to `begin_round`, because what is left and why stands at the end of the run; a heading (a short line that
    ends with a colon) with nothing below it. Edits written as text are left out too, with the fence and the path
    around them: they are shown as diffs.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._known: set[str] = set()
        self._said: set[str] = set()
        self._left: tuple[str, ...] = ()
        self._heading = ""
        self._heading_is_idle = False
        self._held = ""
        self._line = ""
        self._shown = 0
        self._in_code = False
        self._after_edit = False
        self._is_first = True
        self._edit_lines: int | None = None

    @property
    def edit_lines(self) -> int | None:
        """Lines so far of the edit that is being written as text; None outside of one."""
        return self._edit_lines

    def begin_round(self, problems: Sequence[Diagnostic]) -> None:
        """What was said until now counts as said before. `problems` are those that are asked about."""
        self._left = tuple(
            f"- {found.path}:{found.range.start.line}: {' '.join(found.message.split())} (" for found in problems
        )
        self._known |= self._said
        self._said.clear()
        self._is_first = True

    def hear(self, text: str) -> None:
        """The next piece of an answer."""
        for piece in text.splitlines(keepends=True):
            self._line += piece
            if piece.endswith("\n"):
                self._end_line()
            elif not self._may_be_left_out():
                self._show(self._line)

    def end(self) -> None:
        """The answer is over."""
        if self._line:
            self._end_line()
        if self._held.strip() and not self._heading:
            self._show("")
        self._settle_heading()
        self._heading, self._held, self._in_code, self._after_edit, self._edit_lines = "", "", False, False, None
        self._terminal.end_stream()
        self._is_first = False

    def _end_line(self) -> None:
        line = self._line.strip()
        is_fence = _FENCE.match(line) is not None
        if self._edit_lines is not None:
            self._after_edit = _EDIT_ENDS.fullmatch(line) is not None
            self._edit_lines = None if self._after_edit else self._edit_lines + 1
        elif _EDIT_BEGINS.fullmatch(line):
            self._edit_lines, self._held = 0, ""
        elif not self._in_code and not self._shown and line.endswith(":") and len(line) <= _HEADING:
            self._settle_heading()
            self._heading, self._held, self._heading_is_idle = self._line, "", line in self._known
        elif not self._in_code and not self._shown and (line in self._known or self._is_left(line)):
            self._held, self._heading_is_idle = "", True
        elif not self._shown and self._may_belong_to_edit(line):
            self._held += "" if self._after_edit and is_fence else self._line
        else:
            self._show(self._line)
        if is_fence:
            self._in_code = not self._in_code
        elif len(line) > _SHORT:
            self._said.add(line)
        self._line, self._shown = "", 0

    def _may_be_left_out(self) -> bool:
        """Whether the line that has begun may turn out to be known, or to belong to an edit."""
        if self._shown:
            return False
        line = self._line.lstrip()
        if self._edit_lines is not None or not line or _EDIT_MAY_BEGIN.fullmatch(line):
            return True
        if self._may_belong_to_edit(line) or _FENCE_MAY_BEGIN.fullmatch(line):
            return True
        if self._in_code:
            return False
        if line.startswith(self._left):
            return True
        return len(line) <= _HEADING or any(known.startswith(line) for known in (*self._known, *self._left))

    def _settle_heading(self) -> None:
        """Show the heading that waits, unless all that stood below it was left out."""
        if self._heading and not self._heading_is_idle:
            self._show("")
        self._heading = ""

    def _is_left(self, line: str) -> bool:
        return line.endswith(")") and line.startswith(self._left)

    def _may_belong_to_edit(self, line: str) -> bool:
        """Whether `line` may be what stands around an edit: its path, a fence, nothing."""
        if not line or _FENCE.match(line):
            return True
        return not self._in_code and _PATH.fullmatch(line) is not None

    def _show(self, text: str) -> None:
        if not self._is_first and (text + self._held + self._heading).strip():
            self._is_first = True
            self._terminal.line()
        if self._held or self._heading:
            self._terminal.stream(f"\n{self._heading}{self._held}" if self._heading else self._held)
            self._heading = self._held = ""
        self._after_edit = False
        self._terminal.stream(text[self._shown :])
        self._shown = len(text)
