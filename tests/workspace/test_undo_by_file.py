"""Undo of single files: the newest change of each that stands, in whatever checkpoint it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import workspace_kit as kit

from motet.errors import PermissionDenied, UndoRefused, UsageError
from motet.permissions import Answer
from motet.text import TextFile
from motet.workspace import DiskWorkspace

Open = Callable[[], DiskWorkspace]


@pytest.fixture
async def turns(project: Path, disk: DiskWorkspace) -> Path:
    """Three turns: the first writes a, b and c, the second a, the third b."""
    for number, names in enumerate(("abc", "a", "b"), 1):
        await disk.begin(f"turn {number}")
        for name in names:
            file = await disk.read(name) if (project / name).exists() else TextFile.new(name)
            await disk.write(file, b"%d" % number)
    await disk.finish()
    return project


def held(project: Path) -> dict[str, str]:
    return {path: data.decode() for path, data in kit.files(project).items()}


async def test_each_file_loses_its_newest_change(turns: Path, disk: DiskWorkspace) -> None:
    report = await disk.undo(paths=["a", "b", "c"])
    assert held(turns) == {"a": "1", "b": "1"}
    assert (report.ids, report.labels) == (("3", "2", "1"), ("turn 3", "turn 2", "turn 1"))
    assert (report.restored, report.removed, report.checkpoint) == (("a", "b"), ("c",), "4")


async def test_one_undo_brings_all_of_them_back(turns: Path, open_disk: Open) -> None:
    before = held(turns)
    await open_disk().undo(paths=["a", "b", "c"])
    report = await open_disk().undo()
    assert held(turns) == before
    assert (report.ids, report.labels) == (("4",), ("undo of 3 (turn 3), 2 (turn 2), 1 (turn 1)",))
    assert [(one.id, one.standing, one.undoes) for one in await open_disk().history()] == [
        ("5", ("b", "a", "c"), ("4",)),
        ("4", (), ("3", "2", "1")),
        ("3", ("b",), ()),
        ("2", ("a",), ()),
        ("1", ("a", "b", "c"), ()),
    ]


async def test_the_list_says_which_files_still_stand(turns: Path, disk: DiskWorkspace) -> None:
    await disk.undo(paths=["a", "c"])
    assert [(one.id, one.standing, one.undone) for one in await disk.history()] == [
        ("4", ("a", "c"), False),
        ("3", ("b",), False),
        ("2", (), True),
        ("1", ("a", "b"), False),
    ]


async def test_the_same_file_again_brings_its_change_back(turns: Path, disk: DiskWorkspace) -> None:
    for expected in ("1", "2", "1"):
        await disk.undo(paths=["a"])
        assert held(turns) == {"a": expected, "b": "3", "c": "1"}


async def test_with_an_id_only_that_checkpoint_counts(turns: Path, disk: DiskWorkspace) -> None:
    report = await disk.undo("1", ["c"])
    assert (report.ids, held(turns)) == (("1",), {"a": "2", "b": "3"})
    with pytest.raises(UsageError, match=r"^c: not changed by checkpoint 2, or undone already$"):
        await disk.undo("2", ["a", "c"])


async def test_a_file_that_was_never_changed_is_named_and_nothing_happens(turns: Path, disk: DiskWorkspace) -> None:
    before = held(turns)
    with pytest.raises(UsageError, match=r"^d, e: not changed by any checkpoint, or undone already$"):
        await disk.undo(paths=["a", "e", "d"])
    assert held(turns) == before


async def test_a_link_means_the_file_that_it_leads_to(turns: Path, disk: DiskWorkspace) -> None:
    (turns / "link").symlink_to("a")
    report = await disk.undo(paths=["link"])
    assert report.restored == ("a",)
    assert (turns / "a").read_text() == "1"
    assert (turns / "link").is_symlink()


async def test_one_file_that_changed_since_refuses_all_and_names_the_checkpoints(
    turns: Path, disk: DiskWorkspace
) -> None:
    (turns / "b").write_text("own")
    with pytest.raises(UndoRefused) as caught:
        await disk.undo(paths=["a", "b"])
    assert str(caught.value) == "checkpoints 3 and 2 are not undone, nothing is changed: b (changed since)"
    assert held(turns) == {"a": "2", "b": "own", "c": "1"}


async def test_files_of_several_checkpoints_are_merged_together(project: Path, disk: DiskWorkspace) -> None:
    lines = [b"%d\n" % number for number in range(9)]
    for name in ("a", "b"):
        await disk.begin(name)
        (project / name).write_bytes(b"".join(lines))
        await disk.write(await disk.read(name), b"".join([b"motet\n", *lines[1:]]))
        (project / name).write_bytes(b"".join([b"motet\n", *lines[1:-1], b"own\n"]))
    report = await disk.undo(paths=["a", "b"], merge=True)
    assert (report.merged, report.ids) == (("a", "b"), ("2", "1"))
    assert kit.files(project) == dict.fromkeys("ab", b"".join([*lines[:-1], b"own\n"]))


async def test_a_protected_file_among_them_asks(project: Path, disk: DiskWorkspace, human: kit.Human) -> None:
    human.answer = Answer.ONCE
    await disk.begin("one")
    await disk.create(".envrc", b"x")
    await disk.begin("two")
    await disk.create("a", b"x")
    human.answer = Answer.NO
    with pytest.raises(PermissionDenied):
        await disk.undo(paths=["a", ".envrc"])
    assert set(kit.files(project)) == {"a", ".envrc"}
    report = await disk.undo(paths=["a", ".envrc"], dry_run=True)
    assert report.removed == (".envrc", "a")
    assert len(human.asked) == 2, "a dry run asks nothing"


async def test_a_file_moved_and_changed_again_later_is_taken_back_step_by_step(
    project: Path, disk: DiskWorkspace
) -> None:
    (project / "old").write_text("1")
    await disk.begin("a move")
    old = await disk.read("old")
    await disk.create("new", b"2", moved_from="old")
    await disk.delete(old)
    await disk.begin("a change")
    await disk.write(await disk.read("new"), b"3")
    with pytest.raises(UndoRefused, match=r"^checkpoint 1 is not undone, nothing is changed: new \(changed since\)$"):
        await disk.undo(paths=["old"])
    await disk.undo("2")
    await disk.undo(paths=["old"])
    assert held(project) == {"old": "1"}
