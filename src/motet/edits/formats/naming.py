"""Which file a block or a fence is for, told from the lines before it."""

from __future__ import annotations

import re

from motet.edits.formats.fences import Fence, is_closing_tag, opening_fence
from motet.edits.formats.paths import IsPath, is_no_path, path_in_info, path_on_line, paths_within
from motet.errors import EditFormatError

_HEADING = re.compile(r"#{1,6}[ \t].*|\*\*[^*]+\*\*:?|(?:-{3,}|\*{3,}|_{3,})")
_EXAMPLE = re.compile(
    r"\b(?:examples?|for instance|usage|(?:use|call|run|invoke|try|test) it|(?:call|run|try) (?:this|them)"
    r"|outputs?|prints?|displays?|looks like|(?:should|will|to|you'll) see)\b",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"\b(?:snippet|(?:this|these|that|those|following) lines?|(?:find|change|replace|remove|delete) (?:this|these)"
    r"|(?:before|old|original|current(?:ly)?|find|by|to|with(?: this)?)(?= ?:?\W*$))\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"(`|\*\*)([^`*]+)\1")
_LONGEST_SENTENCE = 100
"""Characters of a sentence that hands over a file: `Create `src/a.ts`:`."""
_ORNAMENTS = "📄📁📝🗂🔧✅✏➡👉\ufe0f-+0123456789.) "
_MOST_SENTENCES = 3
"""Lines of prose between the name of a file and its text."""


class PathWatch:
    """Sees every line outside edits, and knows which file was named last.

    A path counts when it stands on the line before an edit or its fence, in the fence's info string, or on an earlier
    line of its own. `path`: the file meant when none is named; `is_path`: which texts with blanks are paths. `sections`: how many headings and paths were seen.
    """

    def __init__(self, path: str = "", is_path: IsPath = is_no_path) -> None:
        self._is_path = is_path
        self.direct = ""
        self.fence: Fence | None = None
        self._current = path
        self._earlier = ""
        self._is_list = False
        self._sentence = ""
        self._spoken: list[str] = []
        self._is_over = False
        self._is_sample = False
        self._lists = False
        self.sections = 0

    @property
    def is_example(self) -> bool:
        """Whether what was said last announces an example, an output, or lines to look for."""
        return _EXAMPLE.search(self._sentence) is not None

    @property
    def loosely(self) -> str:
        """The file that was named last on a line of its own, when what was said since speaks of its text: nothing
        names another file or announces an example, and no heading begins something else. Empty without."""
        path = self._earlier
        if not path or self._is_list or self._is_over or len(self._spoken) > _MOST_SENTENCES:
            return ""
        others = [name for line in self._spoken for name in self._within(line) if not is_named(name, path)]
        return "" if others or any(map(_hands_no_file_over, self._spoken)) else path

    @property
    def in_sentence(self) -> str:
        """The only file that the sentence before names, when the sentence is short and ends as one that hands the
        file over, or is a heading. Empty without."""
        line = self._sentence.strip()
        is_heading = line.startswith("#") or _MARKED.match(line.lstrip(_ORNAMENTS)) is not None
        names = self._within(line)
        if self._earlier and not self._is_over:
            return ""  # two files were named: it is not clear which is meant
        if len(names) != 1 or len(line) > _LONGEST_SENTENCE or _hands_no_file_over(line):
            return ""
        is_marked = any(names[0] == found[2].strip() for found in _MARKED.finditer(line))
        return names[0] if is_heading or (is_marked and line.endswith((":", "："))) else ""

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

    def reopen(self, path: str = "") -> None:
        """Forget the fence that is open, in which nothing stands but `path`: another one opens within it."""
        self.fence = None
        self._is_sample = False
        if path:
            self.direct = path
            self._begin_section(path)

    def see(self, line: str) -> None:
        """Take a line that is no part of an edit."""
        if not line or line.isspace():
            return
        fence = opening_fence(line)
        if fence is not None or is_closing_tag(line):
            self._see_fence(fence, line)
            return
        path = path_on_line(line, self._is_path)
        if not path:
            self.direct = ""
            if not self._is_sample:
                self._see_sentence(line)
        elif self._is_sample:
            self._lists = self._lists or self.direct not in ("", path)
            self.direct = path
        else:
            self._is_list = bool(self.direct) and self.direct != path
            self.direct = path
            self._begin_section(path)

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
        self._begin_section("")

    def _within(self, sentence: str) -> list[str]:
        return paths_within(sentence, self._is_path)

    def _begin_section(self, path: str) -> None:
        self._earlier = path
        self._spoken = []
        self._is_over = False
        self.sections += 1

    def _see_sentence(self, line: str) -> None:
        self._sentence = line
        if _HEADING.fullmatch(line.strip()):
            self._is_over = True
            self.sections += 1
        elif len(self._spoken) <= _MOST_SENTENCES:
            self._spoken.append(line)

    def _see_fence(self, fence: Fence | None, line: str) -> None:
        if fence is None or (self.fence is not None and self.fence.is_closed_by(line)):
            self.fence = None
            if self._is_sample and self._lists:
                self.direct = ""  # a list of files
            self._is_sample = self._lists = False
            return
        self.fence = fence
        self._is_sample = True
        path = path_in_info(fence.info)
        if path:
            self.direct = path
            self._begin_section(path)
            self._is_list = False

    def _checked(self, path: str, number: int) -> str:
        """`path`, when nothing between it and the block speaks for another file."""
        names = self._within(self._sentence)
        if not path and len(names) == 1:
            return names[0]
        if names and not any(is_named(name, path) for name in names):
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


def is_named(name: str, path: str) -> bool:
    """Whether `name`, in a sentence, may stand for `path`."""
    name, path = name.replace("\\", "/"), path.replace("\\", "/")
    return path == name or path.endswith(f"/{name}")


def _hands_no_file_over(sentence: str) -> bool:
    """Whether what follows `sentence` is said to be an example, or a piece of a file."""
    return bool(_EXAMPLE.search(sentence) or _PIECE.search(sentence))
