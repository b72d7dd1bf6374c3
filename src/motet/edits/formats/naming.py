"""Which file a block or a fence is for, told from the lines before it."""

from __future__ import annotations

from motet.edits.formats.fences import Fence, is_closing_tag, opening_fence
from motet.edits.formats.paths import path_in_info, path_on_line, paths_within
from motet.errors import EditFormatError


class PathWatch:
    """Sees every line outside edits, and knows which file was named last.

    A path counts when it stands on the line before an edit or its fence, in the fence's info string, or on an earlier
    line of its own. `path`: the file meant when none is named.
    """

    def __init__(self, path: str = "") -> None:
        self.direct = ""
        self.fence: Fence | None = None
        self._current = path
        self._earlier = ""
        self._is_list = False
        self._sentence = ""
        self._is_sample = False

    @property
    def indent(self) -> str:
        """The white space before the fence that is open."""
        return self.fence.indent if self.fence else ""

    def margin(self, indent: str) -> str:
        """What to take off the lines of a block whose marker is indented by `indent`: that much if its fence is
        indented alike, because then it is no part of the code."""
        return indent if indent == self.indent else ""

    def may_open(self, fence: Fence) -> bool:
        """Whether `fence` opens one, and is no part of an example: also when the fence of a block was left open."""
        return self.fence is None or (not self._is_sample and not fence.is_bare)

    def see(self, line: str) -> None:
        """Take a line that is no part of an edit."""
        if not line or line.isspace():
            return
        fence = opening_fence(line)
        if fence is not None or is_closing_tag(line):
            self._see_fence(fence, line)
            return
        path = path_on_line(line)
        if not path:
            self.direct = ""
            self._sentence = self._sentence if self._is_sample else line
        elif self._is_sample:
            self.direct = path
        else:
            self._is_list = bool(self.direct) and self.direct != path
            self.direct = self._earlier = path

    def for_block(self, number: int) -> str:
        """The file that the block beginning in line `number` is for; `EditFormatError` when that is not clear."""
        path = self.direct or self._earlier or self._current
        if not self.direct:
            path = self._checked(path, number)
        if not path:
            raise EditFormatError(f"line {number}: no path before this block says which file it is for", number)
        self.edit_begins(path)
        return path

    def edit_begins(self, path: str) -> None:
        """An edit of `path` begins: what was named before it is used up."""
        self._current = path
        self.direct = self._earlier = self._sentence = ""
        self._is_list = self._is_sample = False

    def _see_fence(self, fence: Fence | None, line: str) -> None:
        if fence is None or (self.fence is not None and self.fence.is_closed_by(line)):
            self.fence = None
            self._is_sample = False
            return
        self.fence = fence
        self._is_sample = True
        path = path_in_info(fence.info)
        if path:
            self.direct = self._earlier = path
            self._is_list = False

    def _checked(self, path: str, number: int) -> str:
        """`path`, when nothing between it and the block speaks for another file."""
        names = paths_within(self._sentence)
        if not path and len(names) == 1:
            return names[0]
        if names and not any(path == name or path.endswith(f"/{name}") for name in names):
            files = " or ".join(dict.fromkeys([path, *names] if path else names))
            raise EditFormatError(
                f"line {number}: it is not clear whether this block is for {files}; name its file on the line before",
                number,
            )
        if self._is_list and self._earlier:
            raise EditFormatError(
                f"line {number}: several files are named before this block; name its file on the line before", number
            )
        return path
