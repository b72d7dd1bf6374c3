"""One example, and whether what became of it is right.

Right is the ground truth, byte for byte: exactly the lines meant replaced. A refusal that leaves the file alone is as
good. Everything else is wrong. Six freedoms, no more:

- New lines that were damaged themselves may stand as `damage.Damage.new` says.
- An edit that is listed twice and whose search text stands exactly twice in the file may have been meant twice.
- New lines that stand beside a blank line may come before or after it where both texts leave it out.
- An example is *excluded* when the edit as sent names another place than the one meant: nobody could know better.
  That is so when its search text fits other lines more strictly than those meant (`Fit`); when several places fit
  equally and the line number as sent is at least as near to another one; or when several places fit equally and the
  edits as sent are not in the order of their places or share lines, because order is what tells such places apart.
  An anchor with a wrong number names another place when the line there is the same as the line meant.
- Lines that stand as sent exactly once in the file, although they are not the ones meant, may be taken literally.
- An `edit_file` text that breaks off inside a line or begins with a line end, and stands exactly so once, may be taken
  literally, because that format replaces characters, not lines.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from random import Random

from edits.mutations import corpus
from edits.mutations import lines as _lines
from edits.mutations import order as _order
from edits.mutations import texts as _texts
from edits.mutations.damage import DAMAGES, Damage, Written
from edits.mutations.scene import Change, Scene, make_scene
from edits.mutations.sending import FORMATS, send, texts

from motet.edits import Edit, FilePlan, Refusal, plan
from motet.errors import EditFormatError
from motet.text import TextFile

assert _lines and _order and _texts  # imported for the damages that they put on the list
_MOST_TRIES = 60
_FORMATS_WITH_ANY_TEXT = ("values", "search_replace", "replace_in_file", "edit_file", "xml")


class Verdict(StrEnum):
    """What became of an example."""

    RIGHT = "right"
    REFUSED = "refused"
    WRONG = "wrong"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Example:
    """A file, the edits meant (`scene`), the edits as sent, and in which form."""

    damage: Damage
    scene: Scene
    written: Written
    format: str
    seed: int

    @property
    def now(self) -> TextFile:
        """The file when the edits arrive."""
        return TextFile.decode(self.scene.path, self.scene.data(self.written.now))

    @property
    def is_unique(self) -> bool:
        """Whether each edit as meant has one place, and nothing in the file looks like it."""
        return all(len(fits(change.search, self.scene.lines)) == 1 for change in self.scene.changes)

    @property
    def allowed(self) -> list[bytes]:
        """The bytes of which any is right."""
        if self.written.now is not None:
            return [] if self.written.truth is None else [self.scene.data(self.written.truth)]
        changes = [self.scene.changes, *self._beside_a_blank_line_left_out()]
        as_written = tuple(map(self._as_written, self.scene.changes))
        if self.damage.new == "as_written" or (self.damage.new == "mended" and not self._shows):
            changes.append(as_written)
        if len(self.written.changes) == 2 and self.written.changes[0] == self.written.changes[1]:
            changes += self._meant_twice()
        return [self.scene.data(self.scene.truth(each)) for each in changes] + self._literal()

    @property
    def _shows(self) -> bool:
        """Whether any line of a search text is not as in the file."""
        return any(
            entry.text != entry.meant
            for change in self.written.changes
            for entry in change.entries
            if entry.sign != "+"
        )

    def _as_written(self, change: Change) -> Change:
        new = {
            entry.origin: entry.text for each in self.written.changes for entry in each.entries if entry.sign == "+"
        }
        entries = (
            replace(entry, meant=new.get(entry.origin, entry.meant)) if entry.sign == "+" else entry
            for entry in change.entries
        )
        return replace(change, entries=tuple(entries))

    def _literal(self) -> list[bytes]:
        """The file after `str.replace`, where the search text breaks off inside its last line or begins with a line
        end, and stands in the file just once, from the beginning of a line on."""
        change = self.written.changes[0]
        if len(self.written.changes) == 1 and not self.written.cut and self.damage.name != "nothing_damaged":
            size = len(change.search)
            starts = [
                at for at in range(len(self.scene.lines)) if [*self.scene.lines[at : at + size]] == change.search
            ]
            if len(starts) == 1:
                return [
                    self.scene.data(
                        (*self.scene.lines[: starts[0]], *change.replace, *self.scene.lines[starts[0] + size :])
                    )
                ]
        if self.format != "edit_file" or not (
            self.written.cut or change.search[-1] not in self.scene.lines or not change.search[0]
        ):
            return []
        text, newline = self.scene.data().decode(), self.scene.newline
        sent = [each.replace("\r\n", "\n").replace("\n", newline) for each in texts(self.written, change)]
        found: list[bytes] = []
        for search, new in (sent, [each.removesuffix(newline) for each in sent]):
            starts_a_line = "" if search.startswith(newline) else r"(?:^|(?<=[\n\ufeff]))"
            places = [place.start() for place in re.finditer(starts_a_line + re.escape(search), text)]
            if len(places) == 1:
                (start,) = places
                found.append((text[:start] + new + text[start + len(search) :]).encode())
        return found

    def _beside_a_blank_line_left_out(self) -> list[Sequence[Change]]:
        """The edit with the new lines next to such a line on its other side."""
        (change, *others), (written, *_) = self.scene.changes, self.written.changes
        gone = {index for index, entry in enumerate(change.entries) if entry.sign == " " and not entry.text.strip()}
        gone -= {entry.origin for entry in written.entries}
        if (
            others
            or len(gone) != 1
            or self.damage.name != "blank_line_left_out"
            or len(change.search) == len(written.search)
        ):
            return []
        index = gone.pop()
        entries = [entry for entry in change.entries if entry.origin != index]
        first = last = index
        while entries[first - 1].sign == "+":
            first -= 1
        while entries[last].sign == "+":
            last += 1
        return [
            [replace(change, entries=(*entries[:place], change.entries[index], *entries[place:]))]
            for place in (first, last)
        ]

    def _meant_twice(self) -> list[Sequence[Change]]:
        change = self.scene.changes[0]
        size = len(change.search)
        places = [
            i
            for i in range(len(self.scene.lines) - size + 1)
            if list(self.scene.lines[i : i + size]) == change.search
        ]
        if len(places) != 2 or places[1] - places[0] < size:
            return []
        return [[replace(change, first=place) for place in places]]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of an example, with the answer that was parsed, and why it is judged so."""

    verdict: Verdict
    why: str
    answer: str = ""
    edits: tuple[Edit, ...] = ()
    planned: FilePlan | None = None


def make_example(name: str, number: int, kinds: Sequence[str] = corpus.KINDS) -> Example | None:
    """The example of this damage and number; None when the damage has nothing to bite on in many files."""
    damage = DAMAGES[name]
    rng = Random(f"{name}:{number}")
    for _ in range(_MOST_TRIES):
        scene = make_scene(rng, damage.changes, kinds)
        written = damage.bite(scene, rng) if scene is not None else None
        if scene is None or written is None:
            continue
        format = written.format or rng.choice(_formats(scene, written))
        return Example(damage, scene, written, format, number)
    return None


def _formats(scene: Scene, written: Written) -> Sequence[str]:
    """The formats in which these edits can be sent at all."""
    if written.cut or not written.ended:
        return ("values", "edit_file")
    if any(change.hint for change in written.changes):
        return ("values",)
    # Of two hunks for one place each says that it comes after the other; a diff has no room for that.
    in_order = all(a.last <= b.first for a, b in zip(written.changes, written.changes[1:], strict=False))
    return FORMATS if in_order else _FORMATS_WITH_ANY_TEXT


def judge(example: Example) -> Result:
    """Send, plan, compare. Raises whatever `parse` and `plan` raise that they must not."""
    rng = Random(example.seed)
    before = example.now
    excluded = _names_another_place(example)
    try:
        answer, sent = send(example.scene, example.written, example.format, rng)
    except EditFormatError as error:
        return Result(Verdict.EXCLUDED if excluded else Verdict.REFUSED, str(error))
    shown = TextFile.decode(example.scene.path, example.scene.data())
    with_shown = example.written.now is not None or rng.random() < 0.3
    planned = plan({before.path: before}, sent, shown={before.path: shown} if with_shown else None).files[0]
    result = Result(Verdict.WRONG, "", answer, tuple(sent), planned)
    after = planned.after.data if planned.after is not None else b""
    broken = _breaks_a_promise(before, planned)
    if broken:
        return replace(result, why=broken)
    if excluded:
        return replace(result, verdict=Verdict.EXCLUDED, why=excluded)
    if planned.refusals:
        if after != before.data:
            return replace(result, why="refused, and yet the file is another")
        return replace(result, verdict=Verdict.REFUSED, why=str(planned.refusals[0].reason))
    if after in example.allowed:
        return replace(result, verdict=Verdict.RIGHT)
    return replace(result, why="said to be done, nothing was changed" if after == before.data else "another text")


def _breaks_a_promise(before: TextFile, planned: FilePlan) -> str:
    """What holds of every plan, wherever its edits belong."""
    if planned.after is None or planned.refusals:
        return ""
    matches = [outcome for outcome in planned.outcomes if not isinstance(outcome, Refusal)]
    if len(matches) == 1 and not matches[0].already_applied:
        head, tail = around(before.text, matches[0].first_line, matches[0].last_line)
        if not tail and not before.text.endswith(("\r", "\n")):
            head = head.rstrip("\r\n")  # a file without a final line end keeps it so when its last line goes
        text = planned.after.text
        if not text.startswith(head) or not text[len(head) :].endswith(tail):
            return "lines outside the place that was named changed"
    return ""


def around(text: str, first: int, last: int) -> tuple[str, str]:
    """What stands before line `first` and after line `last` (1-based)."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", text)
    return "".join(lines[: first - 1]), "".join(lines[last:])


# --- which place the edit as sent names -------------------------------------------------------------------------


class Fit(IntEnum):
    """How a search text fits lines of the file, strictest first."""

    EXACT = 0
    TRAILING_SPACE = 1
    INDENTATION = 2
    INNER_SPACE_AND_LOOK_ALIKES = 3
    BLANK_LINES = 4
    PART_OF_A_LINE = 5
    NOT_AT_ALL = 6


_LOOK_ALIKES = str.maketrans("“”‘’–—‑−\u200b\ufeff\u2060", "\"\"''----   ")


def _folded(line: str) -> str:
    return " ".join(unicodedata.normalize("NFC", line).translate(_LOOK_ALIKES).split())


_KEYS = (lambda line: line, str.rstrip, str.strip, _folded)


def fits(search: Sequence[str], lines: Sequence[str]) -> dict[int, Fit]:
    """The places (0-based first lines) that a search text fits, each with its strictest fit."""
    found: dict[int, Fit] = {}
    folded = [_folded(line) for line in lines]
    wanted = [_folded(line) for line in search]
    size = len(search)
    for start in range(len(lines) - size + 1):
        if folded[start] != wanted[0] or folded[start : start + size] != wanted:
            continue
        window = lines[start : start + size]
        found[start] = next(
            fit for fit, key in zip(Fit, _KEYS, strict=False) if [*map(key, window)] == [*map(key, search)]
        )
    full = [number for number, line in enumerate(folded) if line]
    wanted_full = [line for line in wanted if line]
    for index in range(len(full) - len(wanted_full) + 1) if wanted_full else ():
        places = full[index : index + len(wanted_full)]
        if [folded[place] for place in places] == wanted_full and not any(
            start <= places[0] < start + size for start in found
        ):
            found[places[0]] = Fit.BLANK_LINES
    if size == 1 and len(wanted[0]) > 2:
        for start, line in enumerate(folded):
            if start not in found and wanted[0] in line:
                found[start] = Fit.PART_OF_A_LINE
    return found


def _names_another_place(example: Example) -> str:
    """Why the edits as sent name another place than the one meant; empty when they do not."""
    scene, written = example.scene, example.written
    if any(written.anchors):
        return _anchors_fit_elsewhere(scene, written)
    for change in written.changes:
        meant = next(each for each in scene.changes if each.first <= change.first <= each.last)
        found = fits(_search_as_sent(written, change), scene.lines)
        size = len(change.search)
        own = {
            start: fit
            for start, fit in found.items()
            if meant.first <= start < meant.last
            and (fit > Fit.INNER_SPACE_AND_LOOK_ALIKES or start + size <= meant.last)
        }
        others = {start: fit for start, fit in found.items() if start not in own}
        best_own = min(own.values(), default=Fit.NOT_AT_ALL)
        best_other = min(others.values(), default=Fit.NOT_AT_ALL)
        if best_other < best_own:
            return f"the search text fits line {min(others, key=others.__getitem__) + 1} more strictly"
        rivals = [start for start, fit in others.items() if fit == best_own]
        if rivals and change.hint:
            away = abs(change.first + 1 - change.hint)
            if min(abs(start + 1 - change.hint) for start in rivals) <= away and away:
                return "the line number as sent is nearer to another place that fits as well"
        if rivals and not _is_in_order(written.changes):
            return "several places fit, and the edits are not in order"
    return ""


def _anchors_fit_elsewhere(scene: Scene, written: Written) -> str:
    change = written.changes[0]
    for line, by in zip((change.first, change.last - 1), written.anchors, strict=True):
        there = scene.lines[line + by] if 0 <= line + by < len(scene.lines) else None
        if there is None or there.rstrip() != scene.lines[line].rstrip():
            return ""
    return "the anchors as sent are those of other lines"


def _is_in_order(changes: Sequence[Change]) -> bool:
    return all(a.last <= b.first or a == b for a, b in itertools.pairwise(changes))


def _search_as_sent(written: Written, change: Change) -> list[str]:
    search = change.search
    return [*search[:-1], search[-1].rstrip()[: -written.cut]] if written.cut else search
