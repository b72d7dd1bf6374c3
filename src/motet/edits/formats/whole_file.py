"""A path and the whole new text of the file in a fence.

The path stands on the line before the fence or in its info string. A fence within the text needs a shorter mark than
the fence around it, or an info string where it opens; otherwise it is not clear where the file ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from motet.edits.dialect import MOTET, Dialect
from motet.edits.edit import Write
from motet.edits.formats.blocks import whole_lines
from motet.edits.formats.fences import Fence, opening_fence
from motet.edits.formats.naming import PathWatch
from motet.edits.formats.paths import cites_lines, path_in_info
from motet.edits.formats.reader import Piece
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError

_SHELLS = frozenset(
    [
        "bash",
        "bat",
        "cmd",
        "console",
        "fish",
        "output",
        "powershell",
        "sh",
        "shell",
        "shell-session",
        "terminal",
        "text",
        "zsh",
    ]
)
_SHELL_FILES = (".bash", ".bat", ".cmd", ".fish", ".ps1", ".sh", ".txt", ".zsh")
_MARKDOWN = (".markdown", ".md", ".mdx", ".mkd", ".qmd", ".rmd")


class OpenFile:
    """A file whose fence was opened: takes the lines behind it until `done`."""

    tail: Sequence[tuple[str, int]] = ()

    def __init__(self, path: str, fence: Fence, *, line: int, number: int, call: str) -> None:
        self.path = path
        self.done = False
        self._fences = [fence]
        self._line = line
        self._number = number
        self._call = call
        self._lines: list[str] = []
        self._last = 0
        self._is_doubtful = path.lower().endswith(_MARKDOWN)

    def line(self, text: str, number: int) -> list[Piece]:
        """Take a line of the file, or the fence that ends it."""
        outer = self._fences[0]
        if self._fences[-1].is_closed_by(text):
            if len(self._fences) > 1:
                self._fences.pop()
            elif not text.startswith((" ", "\t"), len(outer.indent)):
                self.done, self._last = True, number
                return [Write(self.path, whole_lines(self._lines), call=self._call, line=self._line)]
        else:
            inner = opening_fence(text)
            if inner is not None and inner.info and inner.mark.startswith(outer.mark):
                self._fences.append(inner)
        line = outer.inside(text)
        self._lines.append(line)
        return [EditPreview(self.path, self._number, "replace", (line,))]

    def end(self) -> list[Piece]:
        """The answer ends within the file."""
        raise EditFormatError(
            f"line {self._line}: the fence around the text of {self.path} is not closed", self._line
        )

    def check_after(self, text: str, number: int) -> None:
        """Look at a line behind the file; raises when the fence that ended it may have been a part of its text.

        It may when the file is Markdown, or goes on right behind that fence, and another such fence follows.
        """
        outer = self._fences[0]
        if number == self._last + 1 and text.strip():
            self._is_doubtful = True
        if self._is_doubtful and outer.mark[0] in "`~" and outer.is_closed_by(text):
            raise EditFormatError(
                f"line {number}: it is not clear whether {self.path} ends in line {self._last} or goes on; "
                "put a longer fence around it",
                number,
            )


class WholeFileReader:
    """Reads files in fences (`formats.reader.Reader`); fences without a path are examples and are skipped.

    `path` is the file meant by the only fence without a path, unless that holds what goes into a shell.
    """

    def __init__(self, *, path: str = "", call: str = "", dialect: Dialect = MOTET) -> None:
        self.names = PathWatch()
        self._given = path
        self._call = call
        self._file: OpenFile | None = None
        self._before: OpenFile | None = None
        self._took_given = 0
        self._count = 0

    def line(self, text: str, number: int) -> list[Piece]:
        file = self._file
        if file is not None:
            pieces = file.line(text, number)
            if file.done:
                self._file, self._before = None, file
            return pieces
        fence = opening_fence(text)
        path = self._path_of(fence, number) if fence and self.names.may_open(fence) else ""
        if fence is not None and path:
            self.names.edit_begins(path)
            self._count += 1
            self._file = OpenFile(path, fence, line=number, number=self._count, call=self._call)
            return []
        if self._before is not None and self.names.fence is None:
            self._before.check_after(text, number)
        self.names.see(text)
        return []

    def end(self) -> list[Piece]:
        return self._file.end() if self._file else []

    def _path_of(self, fence: Fence, number: int) -> str:
        path = named_by(fence, self.names)
        language = fence.info.split()[0].lower() if fence.info else ""
        is_example = language in _SHELLS and not self._given.lower().endswith(_SHELL_FILES)
        if path or not self._given or is_example or cites_lines(fence.info):
            return path
        if self._took_given:
            raise EditFormatError(
                f"line {number}: it is not clear whether this fence or that of line {self._took_given} "
                f"is {self._given}; name the file of each on the line before",
                number,
            )
        self._took_given = number
        return self._given


def named_by(fence: Fence, names: PathWatch) -> str:
    """The file whose whole text `fence` holds: named in its info string or on the line before; empty for a piece."""
    if cites_lines(fence.info):
        return ""
    return path_in_info(fence.info) or names.direct
