"""Others write too: a human types, a formatter runs. Nothing of theirs is lost, and nothing is claimed that is not so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.desk_kit import Place

from motet.edits import Decision, Delete, Edit, Move, Proposal, Replace, Write
from motet.errors import PermissionDenied, WorkspaceError
from motet.text import TextFile
from motet.workspace import MemoryWorkspace

TEN = "".join(f"line {n}\n" for n in range(1, 11))
TWO = Replace("a.py", "line 2\n", "two\n")


def while_deciding(place: Place, *changes: Callable[[], None]) -> None:
    """Let `changes` happen while the human decides."""

    def decide(proposal: Proposal) -> Proposal:
        for change in changes:
            change()
        return proposal.decide_pending(Decision.ACCEPTED)

    place.reviewer.decide = decide


@pytest.mark.acceptance("S0-031")
async def test_typing_elsewhere_in_the_file_is_merged_with_what_was_accepted(place: Place) -> None:
    place.write("a.py", TEN)
    typed = TEN.replace("line 9\n", "typed\r\nmore\r\n")
    while_deciding(place, lambda: place.write("a.py", typed))
    report = (await place.submit(TWO)).of("a.py")
    assert place.files == {"a.py": typed.replace("line 2", "two").encode()}
    assert (report.is_error, report.merged) == (False, True)
    assert report.before is not None
    assert report.before.data == typed.encode(), "taking it back must bring back what was typed"
    assert report.describe() == (
        "a.py: applied 1 of 1 hunk\n"
        "a.py: the file had been changed elsewhere meanwhile; your edits were merged with that"
    )


async def test_typing_in_the_same_lines_wins_and_the_model_is_shown_them(place: Place) -> None:
    place.write("a.py", TEN)
    typed = TEN.replace("line 2\n", "typed\nmore\n")
    while_deciding(place, lambda: place.write("a.py", typed))
    report = (await place.submit(TWO, Replace("a.py", "line 9\n", "nine\n"))).of("a.py")
    assert place.files == {"a.py": typed.encode()}
    assert (report.is_error, report.stale, report.was_written, report.applied) == (True, True, False, None)
    assert report.describe() == (
        "a.py: not written (stale): changed since it was read; read it again\n"
        "lines 1-6 now:\nline 1\ntyped\nmore\nline 3\nline 4\nline 5"
    )


async def test_a_file_that_was_emptied_meanwhile_is_not_filled_again(place: Place) -> None:
    place.write("a.py", TEN)
    while_deciding(place, lambda: place.write("a.py", ""))
    report = (await place.submit(TWO)).of("a.py")
    assert place.files == {"a.py": b""}
    assert report.describe().splitlines()[1:] == ["the file is empty now"]


async def test_the_same_change_by_somebody_else_is_no_problem(place: Place) -> None:
    place.write("a.py", TEN)
    same = TEN.replace("line 2", "two")
    while_deciding(place, lambda: place.write("a.py", same))
    report = (await place.submit(TWO)).of("a.py")
    assert (place.files, report.is_error) == ({"a.py": same.encode()}, False)


@pytest.mark.parametrize("edit", [TWO, Move("a.py", "b.py")])
async def test_a_file_that_was_removed_meanwhile_stays_removed(place: Place, edit: Edit) -> None:
    place.write("a.py", TEN)
    while_deciding(place, lambda: place.remove("a.py"))
    report = (await place.submit(edit)).of("a.py")
    assert (place.files, report.is_error, report.was_written) == ({}, True, False)


async def test_a_removal_that_somebody_else_made_first_is_done(place: Place) -> None:
    place.write("a.py", TEN)
    while_deciding(place, lambda: place.remove("a.py"))
    report = (await place.submit(Delete("a.py"))).of("a.py")
    assert (report.is_error, report.removed, report.describe()) == (False, True, "a.py: deleted")


async def test_a_file_that_changed_meanwhile_is_not_removed(place: Place) -> None:
    place.write("a.py", TEN)
    while_deciding(place, lambda: place.write("a.py", f"{TEN}typed\n"))
    report = (await place.submit(Delete("a.py"))).of("a.py")
    assert place.files == {"a.py": f"{TEN}typed\n".encode()}
    assert (report.is_error, report.stale, report.removed) == (True, True, False)


@pytest.mark.parametrize(("theirs", "is_error"), [("mine\n", False), ("theirs\n", True)])
async def test_a_file_that_somebody_else_created_meanwhile_is_kept(place: Place, theirs: str, is_error: bool) -> None:
    while_deciding(place, lambda: place.write("a.py", theirs))
    report = (await place.submit(Write("a.py", "mine\n"))).of("a.py")
    assert (place.files, report.is_error) == ({"a.py": theirs.encode()}, is_error)


async def test_a_file_that_changed_meanwhile_moves_with_that_change(place: Place) -> None:
    place.write("a.py", TEN)
    while_deciding(place, lambda: place.write("a.py", f"{TEN}typed\n"))
    report = (await place.submit(Move("a.py", "b.py"), TWO)).of("a.py")
    assert place.files == {"b.py": f"{TEN}typed\n".replace("line 2", "two").encode()}
    assert (report.is_error, report.merged) == (False, True)


async def test_a_file_does_not_move_onto_one_that_came_meanwhile(place: Place) -> None:
    place.write("a.py", TEN)
    while_deciding(place, lambda: place.write("b.py", "b\n"))
    report = (await place.submit(Move("a.py", "b.py"))).of("a.py")
    assert (place.files, report.is_error) == ({"a.py": TEN.encode(), "b.py": b"b\n"}, True)


class Busy(MemoryWorkspace):
    """Somebody writes just before each of our first writes and removals."""

    def __init__(self, *changes: tuple[str, str]) -> None:
        super().__init__({"a.py": TEN})
        self.changes = list(changes)

    def _somebody(self) -> None:
        if self.changes:
            path, text = self.changes.pop(0)
            self.files[path] = text.encode()

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        self._somebody()
        return await super().write(file, new)

    async def delete(self, file: TextFile) -> None:
        self._somebody()
        await super().delete(file)


async def test_a_file_that_changes_again_during_the_merge_is_merged_again() -> None:
    once, twice = TEN.replace("line 9", "nine"), TEN.replace("line 9", "nine").replace("line 6", "six")
    place = Place(Busy(("a.py", once), ("a.py", twice)))
    report = (await place.submit(TWO)).of("a.py")
    assert place.files == {"a.py": twice.replace("line 2", "two").encode()}
    assert not report.is_error


async def test_a_file_that_never_comes_to_rest_is_given_up() -> None:
    changes = [("a.py", f"{TEN}typed {number}\n") for number in range(100)]
    place = Place(Busy(*changes))
    report = (await place.submit(TWO)).of("a.py")
    assert (report.is_error, report.stale) == (True, True)
    assert place.files == {"a.py": f"{TEN}typed 2\n".encode()}
    assert report.describe() == ("a.py: not written (stale): somebody else keeps changing it; read it again")


async def test_a_move_that_stops_half_way_says_where_the_file_stands() -> None:
    place = Place(Busy(("a.py", f"{TEN}typed\n")))
    report = (await place.submit(Move("a.py", "b.py"))).of("a.py")
    assert place.files == {"a.py": f"{TEN}typed\n".encode(), "b.py": TEN.encode()}
    assert (report.is_error, report.was_written, report.removed) == (True, True, False)
    assert report.describe() == (
        "a.py: moved only in part: b.py was written, but a.py still stands: changed since it was read; read it again"
    )


@given(st.lists(st.tuples(st.integers(0, 29), st.booleans(), st.booleans()), max_size=12))
def test_whoever_writes_meanwhile_loses_nothing_and_neither_does_what_was_accepted_unless_it_is_told(
    changes: list[tuple[int, bool, bool]],
) -> None:
    """Each change: at which line, by whom, and whether it replaces the line or goes below it."""
    lines = [f"line {number}\n" for number in range(31)]
    mine, theirs = lines.copy(), lines.copy()
    for number, (line, is_mine, replaces) in enumerate(changes):
        whose, word = (mine, "accepted") if is_mine else (theirs, "typed")
        whose[line] = ("" if replaces else whose[line]) + f"{word} {number}\n"
    mine[30] = "accepted last\n"  # without any change of ours nobody would be asked
    place = Place(MemoryWorkspace({"a.py": "".join(lines)}))
    while_deciding(place, lambda: place.write("a.py", "".join(theirs)))
    report = asyncio.run(place.submit(Write("a.py", "".join(mine)))).files[0]
    now = place.files["a.py"].decode().splitlines()
    written = [*theirs, *([] if report.is_error else mine)]
    words = {line for text in written for line in text.splitlines() if not line.startswith("line")}
    assert words <= set(now)
    if report.is_error:
        assert now == "".join(theirs).splitlines()


class Denying(MemoryWorkspace):
    """Lets nothing be removed."""

    async def delete(self, file: TextFile) -> None:
        raise PermissionDenied(f"write:{file.path}: you said no")


@pytest.mark.parametrize("edit", [Delete("a.py"), Move("a.py", "b.py")])
async def test_a_denied_removal_is_told_as_denied(edit: Edit) -> None:
    place = Place(Denying({"a.py": TEN}))
    report = (await place.submit(edit)).of("a.py")
    assert (report.denied, report.is_error, report.removed) == (True, True, False)
    assert report.describe().endswith("write:a.py: you said no")
    assert place.files["a.py"] == TEN.encode()


class Lying(MemoryWorkspace):
    """Says that everything was done, and does something else: nothing, or what `instead` says."""

    def __init__(self, instead: bytes | None = None) -> None:
        super().__init__({"a.py": TEN})
        self.instead = instead

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        if self.instead is not None:
            self.files[file.path] = self.instead
        return TextFile.decode(file.path, new)

    async def create(self, path: str, data: bytes, *, moved_from: str | None = None) -> TextFile:
        return TextFile.decode(path, data)

    async def delete(self, file: TextFile) -> None:
        return


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (TWO, "a.py: not written as asked: the file is as it was before"),
        (Write("b.py", "b\n"), "b.py: not written as asked: there is no such file"),
        (Delete("a.py"), "a.py: not removed as asked: a.py still stands"),
        (Move("a.py", "b.py"), "a.py: not written as asked: there is no such file"),
    ],
)
@pytest.mark.acceptance("S0-031", "T-32")
async def test_a_workspace_that_lies_is_found_out(edit: Edit, said: str) -> None:
    place = Place(Lying())
    reports = await place.submit(edit)
    (report,) = reports.files
    assert (report.is_error, report.was_written, report.applied, report.removed) == (True, False, None, False)
    assert report.describe() == said
    assert reports.summary == "Applied changes to 0 of 1 file."


@pytest.mark.acceptance("T-32")
async def test_a_file_that_holds_something_else_than_was_written_is_told() -> None:
    place = Place(Lying(b"something else\n"))
    report = (await place.submit(TWO)).of("a.py")
    assert (report.is_error, report.applied, report.was_written) == (True, None, True)
    assert report.describe() == ("a.py: not written as asked: the file holds another text now; read it again")


class Broken(MemoryWorkspace):
    """A disk that has no space for one of the files."""

    async def write(self, file: TextFile, new: bytes) -> TextFile:
        if file.path == "a.py":
            raise WorkspaceError(f"{file.path}: not written: no space left on the disk")
        return await super().write(file, new)


async def test_a_file_that_cannot_be_written_does_not_stop_the_others() -> None:
    place = Place(Broken({"a.py": TEN}))
    reports = await place.submit(TWO, Write("b.py", "b\n"))
    assert place.files == {"a.py": TEN.encode(), "b.py": b"b\n"}
    assert reports.of("a.py").describe() == "a.py: not written: no space left on the disk"
    assert not reports.of("b.py").is_error
    assert reports.summary == "Applied changes to 1 of 2 files."
