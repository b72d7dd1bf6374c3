"""An answer in whatever format, or in several: prose, chat logs, patches and fences mixed.

Outside of edits each line decides whether one begins, and in which format. A fence counts as a whole file when a path
is named for it: on the line before, in its info string, in a comment that is its first line, or on an earlier line of
its own when the sentences between speak of nothing else and no second fence could be meant. Other fences are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from motet.edits.edit import Edit
from motet.edits.formats import apply_patch
from motet.edits.formats.anchored import AnchoredReader
from motet.edits.formats.anchored_call import read_range
from motet.edits.formats.apply_patch import ApplyPatchReader
from motet.edits.formats.blocks import Marker, OpenBlock, marker_of
from motet.edits.formats.fences import Fence, OuterFence, doubles, opening_fence
from motet.edits.formats.hunk_lines import is_hunk_head, read_hunk_head
from motet.edits.formats.json_region import JsonRegion, may_be_json
from motet.edits.formats.naming import PathWatch
from motet.edits.formats.other_tools import calls_within
from motet.edits.formats.paths import IsPath, cites_lines, is_no_path, path_in_comment, path_on_line
from motet.edits.formats.quotations import Quotation, opens_quotation
from motet.edits.formats.reader import Piece, edits_of
from motet.edits.formats.regions import LooseRegion, NumberedLine, ReaderRegion, Region, shifted
from motet.edits.formats.tagged_calls import TaggedCall, opens_call
from motet.edits.formats.udiff import UdiffReader
from motet.edits.formats.whole_file import MARKDOWN, LeftOut, LooseFences, OpenFile, language_of, may_hold, named_by
from motet.edits.formats.xml import XmlReader, opens_element, strays
from motet.errors import EditFormatError

FORMS = (
    "SEARCH/REPLACE blocks, <replace_file> and <replace_in_file>, unified diffs, *** Begin Patch, anchored edits, "
    "a whole file in a fence with its path on the line before, and the JSON arguments of an edit tool"
)

_DIFFS = frozenset(("diff", "patch", "udiff"))
_ANCHORED = re.compile(r"[ \t]*(?:replace|delete|insert after)[ \t]+([\w\[(`\"'].*)", re.IGNORECASE)
_LONGEST = 300


def anchored_operation(line: str) -> bool:
    """Whether `line` begins an anchored edit beyond doubt: `replace 12:a3f..15:f0z`."""
    found = _ANCHORED.fullmatch(line) if len(line) < _LONGEST else None
    return found is not None and read_range(found[1].rstrip(": \t")) is not None


_MISPLACED = re.compile(r"(?:[ \t]*>[ \t>]*|[ \t]+)<{5,9} ?SEARCH>?\s*")
"""The beginning of a block in a quotation or deep in a list."""
_QUOTED = re.compile(r" {0,3}>(?!>{4}).*")


class AutoReader:
    """Finds edits in any of the text formats (`formats.reader.Reader`).

    `path` is the file meant by blocks and hunks before which none is named. `loosely_named`: the 1-based lines of
    those files whose name does not stand right before their fence or in its info string. With `sentences`, a file may
    also be named within the sentence before its fence: only for callers who look whether its text may be a piece.
    With `quotes`, what stands behind `>` is somebody else's: no edit, and nothing wrong. The edits in quotations of
    other kinds (see `quotations`) are then those `quoted`. `is_path`: which texts with blanks name a file.
    """

    def __init__(
        self,
        *,
        path: str = "",
        call: str = "",
        sentences: bool = False,
        quotes: bool = False,
        is_path: IsPath = is_no_path,
    ) -> None:
        self._quotes = quotes
        self._names = PathWatch(path, is_path)
        self._is_path = is_path
        self._path = path
        self._call = call
        self._region: Region | None = None
        self._before: OpenFile | None = None
        self._fence_line: NumberedLine = ("", 0)
        self._undecided: tuple[Fence, str] | None = None
        self._held: list[NumberedLine] = []
        self._first_held = ""
        self._sentences = sentences
        self._new_diff: tuple[str, bool] | None = None
        self._loose = LooseFences()
        self._loose_fence: Fence | None = None
        self._new_fence: Fence | None = None
        self._hollow: Fence | None = None  # an open one in which nothing stands but a path
        self._outer = OuterFence()
        self.loosely_named: set[int] = set()
        self.quoted: list[Edit] = []
        self._quotation: Quotation | None = None
        self._no_quotation_until = 0
        self._no_json_until = 0
        self._count = 0
        self._pieces: list[Piece] = []

    @property
    def left_out(self) -> list[LeftOut]:
        """The fences of code so far that are no edits, because it is not known which file they are."""
        return sorted(self._loose.left_out, key=lambda one: one.line)

    def line(self, text: str, number: int) -> list[Piece]:
        region = self._region
        self._pieces = []
        if isinstance(region, OpenBlock) and self._quotation is None:
            pieces = region.line(text, number)
            if not region.done:  # most lines of most answers: nothing but previews comes of them
                return pieces
            self._give(pieces)
            self._leave(region)
        else:
            self._take(text, number)
        return self._pieces

    def run(self, lines: Sequence[str], at: int) -> list[Piece]:
        """Take the lines from `at` on at once that are plain text of a block (see `OpenBlock.run`)."""
        region = self._region
        return region.run(lines, at) if isinstance(region, OpenBlock) and self._quotation is None else []

    def end(self) -> list[Piece]:
        self._pieces = []
        while True:
            if self._quotation is not None:
                self._leave_quotation(self._quotation)
            if self._undecided is not None:
                self._begin_file()
            elif self._new_diff is not None:
                self._decide_diff(*self._new_diff)
            region = self._region
            if region is None:
                self._loose.closed()
                self._pieces += self._loose.release()
                return self._pieces
            self._give(region.end())
            self._leave(region)

    def _take(self, text: str, number: int) -> None:
        if self._outer.ends(text, number):
            return
        self._read(text, number)
        is_over = self._region is None and self._undecided is None and self._names.fence is None
        if is_over and self._quotation is None:
            self._outer.inner_ended(number)

    def _read(self, text: str, number: int) -> None:
        region, quotation = self._region, self._quotation
        if quotation is not None:
            quotation.line(text, number)
            if quotation.done:
                self._leave_quotation(quotation)
            return
        if region is None:
            self._outside(text, number)
            return
        if isinstance(region, OpenFile):
            self._refuse_marker(region, text, number)
        self._give(region.line(text, number))
        if region.done:
            self._leave(region)

    def _give(self, pieces: list[Piece]) -> None:
        found = edits_of(pieces) if pieces else []
        if not found:
            self._pieces += pieces
            return
        for edit in found:
            self._count += 1
            self._names.edit_begins(edit.path)
        if self._loose_fence is not None and isinstance(self._region, OpenFile):
            fence, self._loose_fence = self._loose_fence, None
            if self._loose.waits_for != found[0].path:
                self._pieces += self._loose.release()
            self._loose.hold(fence, found[0].line, found[0].path, pieces, self._names.sections)
            return
        self._loose.taken()
        self._pieces += self._loose.release()
        self._pieces += pieces

    def _begin(self, region: Region, *lines: NumberedLine) -> None:
        self._region = region
        for text, number in lines:
            self._take(text, number)

    def _leave(self, region: Region) -> None:
        self._region = None
        if isinstance(region, OpenFile):
            self._before = region
        elif isinstance(region, JsonRegion) and region.tail:
            calls = calls_within(region.tail, path=self._path, call=self._call)
            if calls:
                self._give(shifted(calls, self._count))
                return
            self._no_json_until = region.tail[-1][1]
        for text, number in region.tail:
            self._take(text, number)

    def _leave_quotation(self, quotation: Quotation) -> None:
        """Keep the edits in it apart; without any it is read like other text."""
        self._quotation = None
        edits = self._within(quotation)
        if edits is None:
            return
        if quotation.shows(edits) and not self._may_be_a_file(quotation):
            self.quoted += edits
            return
        self._no_quotation_until = quotation.lines[-1][1]
        for text, number in quotation.lines:
            self._take(text, number)

    def _within(self, quotation: Quotation) -> list[Edit] | None:
        """The edits in it; None for what cannot be understood there: the model is not to mend what it quotes."""
        is_fence = quotation.fence is not None
        path = "" if is_fence else self._names.direct or self._names.loosely or self._path
        reader = AutoReader(path=path, call=self._call, sentences=self._sentences, is_path=self._is_path)
        try:
            pieces = [piece for line in quotation.inner for piece in reader.line(*line)]
            edits = edits_of(pieces + reader.end())
        except EditFormatError:
            return [] if is_fence or not quotation.done else None
        self.loosely_named |= reader.loosely_named
        return edits

    def _quotes_from(self, text: str, number: int) -> bool:
        """Whether a quotation begins with this line."""
        if not self._quotes or self._names.fence is not None or number <= self._no_quotation_until:
            return False
        quotation = opens_quotation(text, number)
        if quotation is None or (quotation.fence is not None and named_by(quotation.fence, self._names)):
            return False
        self._quotation = quotation
        return True

    def _may_be_a_file(self, quotation: Quotation) -> bool:
        """Whether it is the text of a file that is named further above, and not an edit from its first line on."""
        if quotation.fence is None or not self._named_above(quotation.fence):
            return False
        first = next((text for text, _ in quotation.inner if text.strip()), "")
        return not (
            path_on_line(first) or self._begins_edit(first) or first.startswith("--- ") or opening_fence(first)
        )

    # Outside of edits.

    def _outside(self, text: str, number: int) -> None:
        if self._undecided is not None:
            self._decide(self._undecided, text, number)
        elif self._new_diff is not None:
            if text.strip():
                self._decide_diff(*self._new_diff, (text, number))
        elif self._held:
            (name,), self._held = self._held, []
            if is_hunk_head(text) if name[0].startswith("+++ ") else text.startswith("+++ "):
                self._begin_diff(name, (text, number))
            else:
                self._see(*name)
                self._look(text, number)
        elif self._new_fence is None or not self._names_itself(self._new_fence, text, number):
            self._look(text, number)

    def _names_itself(self, fence: Fence, text: str, number: int) -> bool:
        """Whether the first line in `fence`, before which no file is named, is a comment that names one."""
        if not text.strip():
            return False
        self._new_fence = None
        path = _named_within(fence, text)
        if path:
            self._loose_fence = fence
            self._hold_name(fence, path, text, number)
        return bool(path)

    def _hold_name(self, fence: Fence, path: str, text: str, number: int) -> None:
        """Keep the first line in `fence`, which names the file; in JSON, where it can be no part of the text, drop it."""
        self._undecided = (fence, path)
        self._first_held = text.strip()
        if not path.lower().endswith(".json"):
            self._held.append((text, number))

    def _decide(self, undecided: tuple[Fence, str], text: str, number: int) -> None:
        """What the fence that was opened holds: another format, or the text of the file that is named for it."""
        if self._is_within_fence(undecided, text):
            self._undecided, self._held = None, []
            self._reopen(undecided[0], path_on_line(self._first_held) or ("" if self._loose_fence else undecided[1]))
            self._look(text, number)
            return
        before, is_minus = self._first_held, text.startswith("--- ")
        is_call = self._loose_fence is not None and may_be_json(text) and not undecided[1].endswith("json")
        if is_call or self._begins_edit(text) or (before.startswith("--- ") and text.startswith("+++ ")):
            self._undecided, self._first_held, self._loose_fence = None, "", None
            held, self._held = self._held, []
            for line in held:
                self._look(*line)
            self._outside(text, number)
        elif self._loose_fence is not None and not before and (path := _named_within(undecided[0], text)):
            self._hold_name(undecided[0], path, text, number)
        elif not text.strip() or (not before and (is_minus or path_on_line(text))):
            self._held.append((text, number))
            self._first_held = before or text.strip()
        else:
            self._begin_file((text, number))

    def _is_within_fence(self, undecided: tuple[Fence, str], text: str) -> bool:
        """Whether `text` opens a fence right at the beginning of another one, where no code could hold it."""
        fence, path = undecided
        is_bare = not self._first_held or bool(path_on_line(self._first_held))
        return is_bare and doubles(fence, text) and not path.lower().endswith(MARKDOWN)

    def _reopen(self, outer: Fence, path: str) -> None:
        self._names.reopen(path)
        self._loose.taken()
        self._loose_fence, self._first_held, self._new_fence, self._hollow = None, "", None, None
        self._outer.begins(outer)

    def _decide_diff(self, path: str, is_loose: bool, *lines: NumberedLine) -> None:
        """Take the first line in a diff fence for `path`; a hunk may lack its head, what stands in it decides."""
        self._new_diff = None
        text, number = lines[0] if lines else ("", 0)
        is_line = text[:1] in (" ", "+", "-") and not text.startswith(("--- ", "+++ "))
        if is_loose and not is_line and not is_hunk_head(text):
            self._outside(text, number)
        elif is_line:
            self._begin_diff(("@@", number), (text, number), path=path)
        else:
            self._begin_diff(*lines, path=path)

    def _begins_edit(self, text: str) -> bool:
        marker = marker_of(text, self._names.indent)
        return (
            (marker is not None and marker.kind == "open")
            or opens_element(text) is not None
            or opens_call(text) is not None
            or apply_patch.starts(text)
            or anchored_operation(text)
            or self._begins_diff(text)
        )

    def _begins_diff(self, text: str) -> bool:
        if text.startswith("diff --git "):
            return True
        return is_hunk_head(text) and bool(self._names.direct) and read_hunk_head(text).old_count is not None

    def _look(self, text: str, number: int) -> None:
        """Take a line outside of edits, with which one may begin."""
        if not text or text.isspace() or (self._quotes and self._names.fence is None and _QUOTED.fullmatch(text)):
            return
        if self._quotes_from(text, number):
            return
        marker = marker_of(text, self._names.indent)
        if marker is None and text[0] in " \t>" and self._names.fence is None and _MISPLACED.fullmatch(text):
            raise EditFormatError(
                f"line {number}: this block is quoted or indented; give it without what stands before its lines",
                number,
            )
        if marker is not None and marker.kind != "middle":
            self._begin_block(marker, number)
        elif "<" in text and (opens_element(text) is not None or strays(text)):
            reader = XmlReader(path=self._path, call=self._call)
            self._begin(ReaderRegion(reader, self._count), (text, number))
        elif (tag := opens_call(text)) is not None:
            path = self._names.for_block(number) if tag["zed"] else self._path
            self._begin(TaggedCall(tag, path, self._call), (text, number))
        elif apply_patch.starts(text):
            patch = ApplyPatchReader(call=self._call)
            self._begin(ReaderRegion(patch, self._count), (text, number))
        elif anchored_operation(text):
            anchored = AnchoredReader(path=self._names.for_block(number), call=self._call)
            self._begin(LooseRegion(anchored, self._count, line=number, names_files=True), (text, number))
        elif self._begins_diff(text):
            self._begin_diff((text, number))
        elif text.startswith(("--- ", "+++ ")) and text[4:].strip():
            self._held = [(text, number)]
        elif may_be_json(text) and number > self._no_json_until:
            self._begin(JsonRegion(self._path, self._call, self._count), (text, number))
        else:
            self._see(text, number)

    def _see(self, text: str, number: int) -> None:
        """Take a line of prose, of an example, or a fence."""
        if self._hollow is not None and not path_on_line(text):
            outer, self._hollow = self._hollow, None
            if doubles(outer, text):
                self._reopen(outer, "")
            elif outer.is_closed_by(text) and self._names.direct:
                self._loose.taken()
        fence = opening_fence(text)
        fence = fence if fence is not None and self._names.may_open(fence) else None
        path = named_by(fence, self._names) if fence is not None else ""
        loosely = self._named_above(fence) if fence is not None and not path else ""
        if not path and self._before is not None and self._names.fence is None:
            self._before.check_after(text, number)
        before = self._names.fence
        is_example = fence is not None and not path and self._names.is_example
        self._names.see(text)
        if self._names.fence is not before:
            self._fence_line = (text, number)
            self._loose.closed()
        if self._names.fence is None:
            self._pieces += self._loose.release(self._names.sections)
        if fence is None:
            return
        if language_of(fence) in _DIFFS and (named := path or self._names.loosely or self._names.in_sentence):
            self._new_diff = named, not path
        elif path or loosely:
            self._undecided = (fence, path or loosely)
            self._loose_fence = None if path else fence
        if not path:
            self._loose.opened(fence, number, is_example=is_example)
            self._new_fence = None if loosely or is_example or cites_lines(fence.info) else fence
            self._hollow = fence

    def _named_above(self, fence: Fence) -> str:
        """The file named further above whose text `fence` may hold."""
        path = self._names.loosely or (self._names.in_sentence if self._sentences else "")
        is_text = path and may_hold(fence, path) and language_of(fence) not in _DIFFS
        return path if is_text and not cites_lines(fence.info) and not cites_lines(path) else ""

    def _begin_block(self, marker: Marker, number: int) -> None:
        if marker.kind == "close":
            raise EditFormatError(f"line {number}: REPLACE marker without a SEARCH marker", number)
        path = self._names.for_block(number)
        self._region = OpenBlock(
            marker,
            path,
            line=number,
            number=self._count + 1,
            indent=self._names.margin(marker.indent),
            call=self._call,
        )

    def _begin_file(self, *lines: NumberedLine) -> None:
        assert self._undecided is not None
        fence, path = self._undecided
        held, self._held, self._undecided, self._first_held = self._held, [], None, ""
        self._names.edit_begins(path)
        self._names.fence = None
        number = self._fence_line[1]
        if self._loose_fence is not None:
            self._loose.taken()
            self.loosely_named.add(number)
        file = OpenFile(path, fence, line=number, number=self._count + 1, call=self._call, shown=True)
        self._begin(file, *held, *lines)

    def _begin_diff(self, *lines: NumberedLine, path: str = "") -> None:
        fence = self._names.fence
        reader = UdiffReader(path=path or self._names.direct or self._path, call=self._call)
        number = self._fence_line[1] if fence is not None else lines[0][1]
        if fence is not None:
            reader.line(*self._fence_line)
        self._begin(LooseRegion(reader, self._count, line=number, fence=fence), *lines)

    def _refuse_marker(self, file: OpenFile, text: str, number: int) -> None:
        # Copied out of a page's source, `<` is `&lt;`.
        marker = marker_of(text.replace("&lt;", "<") if "&lt;" in text else text)
        if marker is not None and marker.kind == "open":
            raise EditFormatError(
                f"line {number}: it is not clear whether this fence holds the text of {file.path} or SEARCH/REPLACE "
                "blocks",
                number,
            )


def _named_within(fence: Fence, first_line: str) -> str:
    """The file that the first line in `fence`, a comment, names; empty when it names none that the fence may hold."""
    path = path_in_comment(first_line, language_of(fence))
    return path if path and may_hold(fence, path) else ""
