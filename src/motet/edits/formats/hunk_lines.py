"""What unified diffs and apply_patch share: the line that says where a hunk belongs, and the lines of the hunk."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from motet.edits.edit import Insert, Near, Replace
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError

_RANGES = re.compile(
    r"@@+[ \t]*-([0-9]{1,9})(?:,([0-9]{1,9}))?[ \t]+\+([0-9]{1,9})(?:,([0-9]{1,9}))?[ \t]*(?:@@)?(.*)"
)
_LINE_NUMBER = re.compile(r"lines?[ \t]+([0-9]{1,9})(?:[ \t]*[-–][ \t]*[0-9]{1,9})?", re.IGNORECASE)
_NO_RANGES = re.compile(r"[-+.,… \t]*")


_ANYWHERE = Near()
_DEEPEST = 16
_APART = 10
"""Lines by which a model that counts badly may be wrong."""
_BLANK_CHANGES = (("-", ""), ("+", ""))
"""Changes behind which an empty line is no accident: which of the blank lines is meant depends on it."""


@dataclass(frozen=True, slots=True)
class HunkHead:
    """An `@@` line. `old_count` and `new_count`: the lines it promises, as in `@@ -first,count +first,count @@`;
    None without numbers."""

    near: Near = _ANYWHERE
    old_count: int | None = None
    new_count: int | None = None


def is_hunk_head(line: str) -> bool:
    """Whether `line` begins a hunk: `@@`, with or without numbers or a header."""
    return line.startswith("@@") and not line.startswith("@@@")


def read_hunk_head(line: str) -> HunkHead:
    """What an `@@` line says. Numbers are hints; what is no number is a header: `@@ def area():`, `@@ line 12`."""
    found = _RANGES.fullmatch(line.rstrip())
    if found is not None:
        header = found[5].strip()
        near = Near(int(found[1]), (header,) if header else ())
        return HunkHead(near, _count(found[2]), _count(found[4]))
    header = line.removeprefix("@@").strip().removeprefix("@@").removesuffix("@@").strip()
    number = _LINE_NUMBER.fullmatch(header)
    if number is not None:
        return HunkHead(Near(int(number[1])))
    if _NO_RANGES.fullmatch(header):
        return HunkHead()
    return HunkHead(Near(headers=(header,)))


class HunkLines:
    """The lines of one hunk, given as they are written: with `+`, `-` or a space before the text.

    Empty lines count once something follows them: an answer often has some after a hunk. A context line that
    lacks its space is taken as it stands; whether the other context lines lack theirs too is told from their
    indentation, which is odd when a space was put before it.
    """

    def __init__(self, line: int, head: HunkHead) -> None:
        self.line = line
        self.head = head
        self.old = 0
        self.new = 0
        self.blanks = 0
        self._rows: list[tuple[str, str]] = []
        self._bare = False
        self._ends_file = False
        self._old_is_open = False
        self._new_is_open = False

    def __bool__(self) -> bool:
        return bool(self._rows)

    @property
    def changes(self) -> bool:
        """Whether any line is added or removed."""
        return any(sign in ("+", "-") for sign, _ in self._rows)

    @property
    def lacks_signs(self) -> bool:
        """Whether no line has a `+` or `-`, and some not even the space of context: what should change is not said."""
        return self._bare and not self.changes

    @property
    def only_adds(self) -> bool:
        return all(sign == "+" for sign, _ in self._rows)

    @property
    def only_removes(self) -> bool:
        return all(sign == "-" for sign, _ in self._rows)

    @property
    def complete(self) -> bool:
        """Whether the hunk has exactly the lines that its `@@` line promises."""
        return self._has(self.old, self.new)

    @property
    def complete_with_pair(self) -> bool:
        """Whether one removed and one added line more would make it complete."""
        return self._has(self.old + 1, self.new + 1)

    def add(self, written: str) -> list[tuple[Literal["search", "replace"], str]]:
        """Take the next line; what it adds to the text to be found and to the new text, in order."""
        if not written:
            self.blanks += 1
            return []
        parts: list[tuple[Literal["search", "replace"], str]] = []
        for _ in range(self.blanks):
            parts += self._take(" ", "")
        self.blanks = 0
        sign, text = (written[0], written[1:]) if written[0] in " +-" else ("", written)
        return parts + self._take(sign, text)

    def stack(self, head: HunkHead) -> None:
        """Another `@@` line follows before any line: its header stands below those given so far."""
        headers = self.head.near.headers + head.near.headers
        if len(headers) > _DEEPEST:
            raise EditFormatError(f"line {self.line}: this hunk has more than {_DEEPEST} headers", self.line)
        self.head = replace(head, near=Near(head.near.line or self.head.near.line, headers))
        self.blanks = 0

    def keep_blanks(self) -> None:
        """Take the empty lines that came last, where they are what makes the hunk complete."""
        if self.blanks and self._has(self.old + self.blanks, self.new + self.blanks):
            for _ in range(self.blanks):
                self._take(" ", "")
            self.blanks = 0

    def end_without_newline(self) -> None:
        """The line before is the last of its file and has no line end."""
        self._ends_file = True
        self._old_is_open |= bool(self._rows) and self._rows[-1][0] != "+"
        self._new_is_open |= bool(self._rows) and self._rows[-1][0] != "-"

    def last_context(self) -> str:
        """The last line as it was written, if it is context; otherwise empty."""
        sign, text = self._rows[-1] if self._rows else ("+", "")
        return "" if sign in ("+", "-") else sign + text

    def drop_last(self) -> None:
        """Forget the last line."""
        self._rows.pop()

    def old_text(self) -> str:
        """The text before the change."""
        return self._text("+")

    def new_text(self) -> str:
        """The text after the change; its last line has an end unless the hunk says otherwise."""
        text = self._text("-")
        return text.removesuffix("\n") if self._new_is_open else text

    def place_of_added(self) -> Near:
        """Where a hunk without any old line goes. Beside a number, a header is the heading that diff programs put
        there: some line before the hunk, not the one above the new lines. `-5,0` means below line 5."""
        near = self.head.near
        if self.head.old_count == 0:
            return Near(near.line + 1)
        if self.head.old_count is not None and not near.headers:
            raise EditFormatError(
                f"line {self.line}: these added lines have no context, and their @@ line counts other ones", self.line
            )
        if self.head.old_count is not None:
            return Near(headers=near.headers)
        return Near(near.line) if near.line else near

    def edit(self, path: str, call: str, near: Near) -> Replace | Insert:
        """The edit that the hunk means. Its number may decide where the hunk has the lines that it promises, because
        then a program made it. Where the hunk says nothing of a last line end, the file keeps what it has."""
        if self.blanks and self._rows[-1] in _BLANK_CHANGES:
            self._take(" ", "")
        if self.only_adds:
            return Insert(path, self._text("-"), near, call, self.line)
        near = replace(near, at_end=near.at_end or self._ends_file, apart=_APART if self.complete else None)
        final = None if self._old_is_open == self._new_is_open else self._old_is_open
        signs = "".join(sign or " " for sign, _ in self._rows)
        return Replace(
            path,
            self._text("+"),
            self._text("-"),
            call,
            self.line,
            near,
            final_newline=final,
            signs=signs,
            raw=(self._raw("+"), self._raw("-")),
        )

    def _take(self, sign: str, text: str) -> list[tuple[Literal["search", "replace"], str]]:
        self._rows.append((sign, text))
        match sign:
            case "+":
                self.new += 1
                return [("replace", text)]
            case "-":
                self.old += 1
                return [("search", text)]
            case _:
                self._bare |= not sign
                self.old += 1
                self.new += 1
                return [("search", text), ("replace", text)]

    def _has(self, old: int, new: int) -> bool:
        return (old, new) == (self.head.old_count, self.head.new_count)

    def _text(self, without: str) -> str:
        space = " " if self._bare and self._indents_are_even() else ""
        return "".join(
            f"{space if sign == ' ' and text else ''}{text}\n" for sign, text in self._rows if sign != without
        )

    def _raw(self, without: str) -> str:
        return "".join(f"{sign * (sign == ' ')}{text}\n" for sign, text in self._rows if sign != without)

    def _indents_are_even(self) -> bool:
        indents = (1 + len(text) - len(text.lstrip(" ")) for sign, text in self._rows if sign == " " and text.strip())
        return all(indent % 2 == 0 for indent in indents)


def previews(path: str, number: int, parts: list[tuple[Literal["search", "replace"], str]]) -> list[EditPreview]:
    """The lines that a hunk line adds, as previews of the `number`th edit."""
    return [EditPreview(path, number, part, (text,)) for part, text in parts]


def _count(digits: str | None) -> int:
    return 1 if digits is None else int(digits)
