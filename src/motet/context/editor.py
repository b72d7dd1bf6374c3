"""What only an editor knows. A front end that is an editor implements `Editor`; without one there is none.

Paths are relative to the workspace, with `/`; empty for what has no file. Lines and columns are 1-based.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from motet.text import Diagnostic


@dataclass(frozen=True, slots=True)
class Buffer:
    """One open text. `name` is how the editor shows it; `path` is empty for one without a file in the workspace."""

    number: int
    name: str
    text: str
    path: str = ""
    filetype: str = ""
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the human is: in which buffer, line and column."""

    buffer: int
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Whole lines of a buffer, as selected or as seen in a window."""

    buffer: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class QuickfixEntry:
    """One line of the quickfix list; `line` is 0 where the entry names none."""

    path: str
    line: int
    column: int
    text: str
    kind: str = ""


class Editor(Protocol):
    """Each part may be absent: None says that this editor has no such thing now."""

    async def buffers(self) -> Sequence[Buffer] | None:
        """The listed buffers, by number."""
        ...

    async def open_files(self) -> Mapping[str, str | None] | None:
        """The files of the workspace that are open, by path, with the text of those that are not saved; None: as on the
        disk."""
        ...

    async def current_file(self) -> str | None:
        """The path of the file that the human worked in last; empty where it is none of the workspace."""
        ...

    async def cursor(self) -> Cursor | None:
        """The place of the cursor in the window that the human worked in last."""
        ...

    async def selection(self) -> Excerpt | None:
        """What is selected, or was last."""
        ...

    async def viewport(self) -> Sequence[Excerpt] | None:
        """What each window shows, the human's first."""
        ...

    async def diagnostics(self) -> Sequence[Diagnostic] | None:
        """What the editor's own sources complain about."""
        ...

    async def quickfix(self) -> Sequence[QuickfixEntry] | None:
        """The quickfix list."""
        ...

    async def messages(self) -> str | None:
        """The editor's own message history."""
        ...

    async def terminal(self) -> str | None:
        """The newest output of the terminal that was used last."""
        ...
