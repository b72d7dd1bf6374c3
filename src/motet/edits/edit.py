"""Edits as a model means them, before anybody has looked for their place.

    Edit = Replace | Insert | ReplaceAnchored | Write | Delete | Move

Every edit has a `path` (relative to the workspace, with `/`), a `call` (the tool call or answer it came from) and a
`line` (1-based, in that text, where it begins).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Anchor:
    """One line of a file that was shown as `12:a3│ text`: its 1-based number and the hash of its content."""

    line: int
    hash: str


@dataclass(frozen=True, slots=True)
class Near:
    """What a model said about a place besides the text that stands there.

    `line`: 1-based, only a hint. It decides between several places where one begins in that very line and every
    other one at least `apart` lines away (None: never), or where it has the `hash` of an `Anchor`. `headers`: lines or symbols that stand before the place,
    outermost first. `at_end`: the place ends where the file ends.
    """

    line: int = 0
    headers: tuple[str, ...] = ()
    at_end: bool = False
    apart: int | None = None
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace `search` by `replace`; an empty `search` creates the file, or fills it when it is empty.

    Both are whole lines; with `inline` they are characters, and may begin and end inside a line. `replace_all`
    means every place, however many. `final_newline`: whether the file ends with a line end afterwards, where the
    place is at its end; None: as before. `escaped`: marker lines in `replace` are meant, they were escaped. `signs`:
    of each line of a hunk its `-`, `+` or space, which says which of equal lines stay; empty where nothing says so.
    `raw`: search and new text with each context line as it was written, its first character included: the space before
    it may have been lost. `doubled`: its divider was there twice, and the second one was taken for one too many. `as_conflict`: it was written as a
    conflict, which a file may hold itself.
    """

    path: str
    search: str
    replace: str
    call: str = ""
    line: int = 1
    near: Near = Near()
    inline: bool = False
    replace_all: bool = False
    final_newline: bool | None = None
    escaped: bool = False
    signs: str = field(default="", compare=False)
    doubled: bool = field(default=False, compare=False)
    raw: tuple[str, str] | None = field(default=None, compare=False)
    as_conflict: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Insert:
    """New lines `text` at a place: at the end of the file (`near.at_end`), after the one line that the last of
    `near.headers` names, or before line `near.line` (the line after the last one appends)."""

    path: str
    text: str
    near: Near
    call: str = ""
    line: int = 1


@dataclass(frozen=True, slots=True)
class ReplaceAnchored:
    """Replace the lines from `first` to `last` by `text`; without `last`, insert `text` after `first` (line 0 is
    before the first line). An anchor whose hash does not fit is never applied."""

    path: str
    first: Anchor
    last: Anchor | None
    text: str
    call: str = ""
    line: int = 1


@dataclass(frozen=True, slots=True)
class Write:
    """The whole new text of a file; with `create`, only where no such file exists. `shown`: the text stood in prose
    under the file's name, so it may be only a piece of the file."""

    path: str
    text: str
    create: bool = False
    call: str = ""
    line: int = 1
    shown: bool = False
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the file; with `text` only if that is what it holds, line ends and white space at the ends of lines apart."""

    path: str
    call: str = ""
    line: int = 1
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """Rename the file to `to`, together with the other edits of `path`."""

    path: str
    to: str
    call: str = ""
    line: int = 1


Edit = Replace | Insert | ReplaceAnchored | Write | Delete | Move
