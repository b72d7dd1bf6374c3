"""A path and the whole new text of the file in a fence.

The path stands on the line before the fence or in its info string. A fence within the text needs a shorter mark than
the fence around it, or an info string where it opens; otherwise it is not clear where the file ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from motet.edits.edit import Replace, Write
from motet.edits.formats.blocks import whole_lines
from motet.edits.formats.fences import Fence, opening_fence
from motet.edits.formats.naming import PathWatch
from motet.edits.formats.paths import cites_lines, path_in_info
from motet.edits.formats.reader import Piece
from motet.edits.preview import EditPreview
from motet.errors import EditFormatError

_SHELL_NAMES = """
bash bat cmd console fish log output plaintext powershell pwsh sh shell shell-session shellsession stdout terminal
text txt zsh
"""
_SHELLS = frozenset(_SHELL_NAMES.split())
_ENDINGS = {
    language: frozenset(endings.split())
    for languages, endings in (
        ("python py python3", "py pyi pyx"),
        ("javascript js jsx node", "js jsx mjs cjs vue svelte"),
        ("typescript ts tsx", "ts tsx mts cts vue svelte"),
        ("json jsonc json5", "json jsonc json5 ipynb"),
        ("yaml yml", "yaml yml"),
        ("toml", "toml lock"),
        ("html", "html htm vue svelte"),
        ("css scss sass less", "css scss sass less"),
        ("c h cpp c++ cc hpp", "c h cc cpp cxx hpp hxx"),
        ("java", "java"),
        ("go golang", "go"),
        ("rust rs", "rs"),
        ("ruby rb", "rb"),
        ("sql", "sql"),
        ("xml", "xml html htm svg"),
    )
    for language in languages.split()
}
"""Endings of the files that a language is written in, where a fence may say another one than its file has."""
_CONFLICT = re.compile(r"(?:<{7}|\|{7}|>{7})(?: .*)?|={7}")
_SHELL_FILES = (".bash", ".bat", ".cmd", ".fish", ".ps1", ".sh", ".txt", ".zsh")
MARKDOWN = (".markdown", ".md", ".mdx", ".mkd", ".qmd", ".rmd")


class OpenFile:
    """A file whose fence was opened: takes the lines behind it until `done`. `shown`: see `Write`."""

    tail: Sequence[tuple[str, int]] = ()

    def __init__(self, path: str, fence: Fence, *, line: int, number: int, call: str, shown: bool = False) -> None:
        self.path = path
        self.done = False
        self._fences = [fence]
        self._line = line
        self._number = number
        self._call = call
        self._shown = shown
        self._lines: list[str] = []
        self._last = 0
        self._is_doubtful = path.lower().endswith(MARKDOWN)

    def line(self, text: str, number: int) -> list[Piece]:
        """Take a line of the file, or the fence that ends it."""
        outer = self._fences[0]
        if self._fences[-1].is_closed_by(text):
            if len(self._fences) > 1:
                self._fences.pop()
            elif not text.startswith((" ", "\t"), len(outer.indent)):
                self.done, self._last = True, number
                conflicts = self._conflicts()
                if conflicts:
                    return [*conflicts]
                text = whole_lines(self._lines)
                return [Write(self.path, text, call=self._call, line=self._line, shown=self._shown)]
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

    def _conflicts(self) -> list[Replace]:
        """The fence as edits, when it holds nothing but conflicts as git writes them: the upper half of each, or what
        stood there before them, becomes the lower half."""
        edits: list[Replace] = []
        part, halves, first = "", {"<": list[str](), "=": list[str]()}, 0
        for offset, line in enumerate(self._lines, 1):
            mark = _CONFLICT.fullmatch(line)
            kind = mark[0][0] if mark else ""
            if kind and part + kind in ("<", "<|", "<=", "|="):
                part, first = kind, first if part else self._line + offset
                halves = {"<": list[str](), "=": list[str]()} if kind == "<" else halves
            elif kind and part + kind == "=>":
                search, replace = whole_lines(halves["<"]), whole_lines(halves["="])
                edits.append(Replace(self.path, search, replace, self._call, first, as_conflict=True))
                part = ""
            elif kind or (not part and line.strip()):
                return []
            elif part in halves:
                halves[part].append(line)
        return edits if not part and all(edit.search for edit in edits) else []

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

    def __init__(self, *, path: str = "", call: str = "") -> None:
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
        is_example = language_of(fence) in _SHELLS and not self._given.lower().endswith(_SHELL_FILES)
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
    return path_in_info(fence.info) or ("" if cites_lines(names.direct) else names.direct)


def language_of(fence: Fence) -> str:
    """The language that the fence says it holds, in small letters; empty for none."""
    return fence.info.split()[0].lower() if fence.info else ""


def may_hold(fence: Fence, path: str) -> bool:
    """Whether `fence` may hold the text of a file that is not named right before it: not what goes into a shell or
    comes out of it, and no other language than that of the file."""
    language = language_of(fence)
    if language in _SHELLS:
        return False
    endings = _ENDINGS.get(language)
    return endings is None or path.lower().rpartition(".")[2] in endings


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A fence of code that is no edit. `line`: 1-based, where it opens; `language`: what it says it holds; `is_example`:
    the answer calls it one; `rivals`: it could be the text of this file, but another fence could be, too. `quotes`: it is an
    edit of this file that the answer only quotes. `beside`: the answer edits this file otherwise, and may only show it here."""

    line: int
    language: str
    is_example: bool = False
    rivals: str = ""
    quotes: str = ""
    beside: str = ""

    def describe(self) -> str:
        """One line for people."""
        if self.quotes:
            return f"line {self.line}: an edit of {self.quotes} in a quotation was left out"
        kind = f"{self.language} fence" if self.language else "fence"
        head = f"line {self.line}: {'an' if kind[0] in 'aeio' else 'a'} {kind} "
        if self.beside:
            return f"{head}that may show {self.beside} was left out: the answer has edits of that file"
        if self.rivals:
            return f"{head}was left out: it is not the only one that could be {self.rivals}"
        return f"{head}that names no file was left out{' (an example, as it seems)' if self.is_example else ''}"


class LooseFences:
    """What becomes of fences before which no file is named on the very line.

    The text of a file that was named further above waits until what follows shows that no other fence could be meant
    as well: with a second one, both are left out.
    """

    def __init__(self) -> None:
        self.left_out: list[LeftOut] = []
        self._open: LeftOut | None = None
        self._waiting: tuple[LeftOut, list[Piece], int] | None = None

    @property
    def waits_for(self) -> str:
        """The file whose text waits; empty for none."""
        return self._waiting[0].rivals if self._waiting else ""

    def opened(self, fence: Fence, line: int, *, is_example: bool) -> None:
        """A fence that names no file opens."""
        language = language_of(fence)
        self._open = None if language in _SHELLS else LeftOut(line, language, is_example)

    def taken(self) -> None:
        """An edit was found in the fence that is open."""
        self._open = None

    def closed(self) -> None:
        """The fence that is open ends; it was no edit."""
        sample, self._open = self._open, None
        if sample is None:
            return
        if self._waiting is not None and not sample.is_example:
            sample = self._give_up(sample)
        self.left_out.append(sample)

    def hold(self, fence: Fence, line: int, path: str, pieces: list[Piece], section: int) -> None:
        """The text of `path`, named above it, is complete."""
        one = LeftOut(line, language_of(fence), rivals=path)
        if self.waits_for == path:
            self.left_out.append(self._give_up(one))
        else:
            self._waiting = one, pieces, section

    def release(self, section: int = -1) -> list[Piece]:
        """The edit that waits, unless the answer is still in that section."""
        if self._waiting is None or self._waiting[2] == section:
            return []
        (_, pieces, _), self._waiting = self._waiting, None
        return pieces

    def _give_up(self, rival: LeftOut) -> LeftOut:
        assert self._waiting is not None
        waiting, self._waiting = self._waiting[0], None
        self.left_out.append(waiting)
        return replace(rival, rivals=waiting.rivals)
