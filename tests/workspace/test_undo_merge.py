"""Undo where a file was changed since: motet's change goes, everybody else's stays, or nothing happens at all."""

from __future__ import annotations

import codecs
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import workspace_kit as kit

from motet.errors import UndoRefused
from motet.permissions import Gate, GrantStore, RuleSet
from motet.text import TextFile
from motet.workspace import Checkpoints, DiskWorkspace

Open = Callable[[], DiskWorkspace]

LINES = [f"line {number}\n" for number in range(1, 21)]
TEXT = "".join(LINES)


def text(**changed: str) -> str:
    """Twenty lines; `_3="x"` is another third line."""
    lines = list(LINES)
    for number, line in changed.items():
        lines[int(number[1:]) - 1] = line and f"{line}\n"
    return "".join(lines)


async def write(disk: DiskWorkspace, path: str, new: str) -> None:
    await disk.write(await disk.read(path), new.encode())


@pytest.fixture
async def changed(project: Path, disk: DiskWorkspace) -> Path:
    """A file of which motet has changed line 3 and somebody else, later, line 10."""
    file = project / "f.py"
    file.write_text(TEXT)
    await disk.begin("a turn")
    await write(disk, "f.py", text(_3="motet"))
    await disk.finish()
    file.write_text(text(_3="motet", _10="own"))
    return file


@pytest.mark.acceptance("T-26")
async def test_only_motets_change_is_taken_back(changed: Path, disk: DiskWorkspace) -> None:
    changed.chmod(0o755)
    report = await disk.undo(merge=True)
    assert (report.merged, report.restored, report.checkpoint) == (("f.py",), (), "2")
    assert changed.read_text() == text(_10="own")
    assert stat.S_IMODE(changed.stat().st_mode) == 0o755


async def test_without_merge_it_is_refused_and_merge_is_advised(changed: Path, disk: DiskWorkspace) -> None:
    with pytest.raises(UndoRefused) as caught:
        await disk.undo()
    assert str(caught.value) == (
        "checkpoint 1 is not undone, nothing is changed: f.py (changed since); "
        "`motet undo --merge` would take back motet's change alone"
    )
    assert changed.read_text() == text(_3="motet", _10="own")


@pytest.mark.parametrize(
    ("now", "where"),
    [
        (text(_3="own"), "line 3"),
        (text(_3="motet", _4="own"), "lines 3-4"),
        (text(_3="motet\nown\nown too"), "lines 3-5"),
        (text(_3=""), "line 3"),
    ],
)
async def test_the_same_or_touching_lines_refuse_it_and_are_named(
    project: Path, changed: Path, disk: DiskWorkspace, now: str, where: str
) -> None:
    changed.write_text(now)
    with pytest.raises(UndoRefused) as caught:
        await disk.undo(merge=True)
    assert str(caught.value) == (
        f"checkpoint 1 is not undone, nothing is changed: f.py (changed since where motet changed it too: {where})"
    )
    with pytest.raises(UndoRefused, match=r"f\.py \(changed since\)$"):
        await disk.undo()
    assert changed.read_text() == now


async def test_many_places_are_named_up_to_five(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_text(TEXT)
    odd = {f"_{number}": f"motet {number}" for number in range(2, 21, 3)}
    await write(disk, "f.py", text(**odd))
    (project / "f.py").write_text(text(**dict.fromkeys(odd, "own")))
    with pytest.raises(UndoRefused, match=r"too: lines 2, 5, 8, 11, 14 and 2 more\)$"):
        await disk.undo(merge=True)


async def test_the_undo_of_a_merged_undo_brings_the_exact_file_back_and_so_on(changed: Path, open_disk: Open) -> None:
    both, own = text(_3="motet", _10="own"), text(_10="own")
    await open_disk().undo(merge=True)
    for expected in (both, own, both):
        await open_disk().undo()
        assert changed.read_text() == expected


async def test_a_merged_undo_is_itself_merged_when_the_file_changed_again(changed: Path, disk: DiskWorkspace) -> None:
    await disk.undo(merge=True)
    changed.write_text(text(_10="own", _15="later"))
    with pytest.raises(UndoRefused, match="--merge"):
        await disk.undo()
    report = await disk.undo(merge=True)
    assert (report.ids, report.merged) == (("2",), ("f.py",))
    assert changed.read_text() == text(_3="motet", _10="own", _15="later")
    await disk.undo("1", merge=True)
    assert changed.read_text() == text(_10="own", _15="later")


async def test_an_earlier_turn_is_taken_back_from_under_a_later_one(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_text(TEXT)
    for number in ("_3", "_10", "_17"):
        await disk.begin(f"turn {number}")
        await write(disk, "f.py", (project / "f.py").read_text().replace(f"line {number[1:]}\n", "motet\n"))
    await disk.undo("1", merge=True)
    assert (project / "f.py").read_text() == text(_10="motet", _17="motet")
    await disk.undo("2", merge=True)
    assert (project / "f.py").read_text() == text(_17="motet")
    await disk.undo("5")
    assert (project / "f.py").read_text() == text(_10="motet", _17="motet")


async def test_several_writes_of_one_turn_are_one_change(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_text(TEXT)
    await disk.begin("a turn")
    for new in (text(_3="a"), text(_3="b", _17="c"), text(_3="d", _17="c")):
        await write(disk, "f.py", new)
    (project / "f.py").write_text(text(_3="d", _10="own", _17="c"))
    await disk.undo(merge=True)
    assert (project / "f.py").read_text() == text(_10="own")


async def test_what_was_taken_back_by_hand_already_is_no_conflict(changed: Path, disk: DiskWorkspace) -> None:
    changed.write_text(text(_10="own"))
    report = await disk.undo(merge=True)
    assert changed.read_text() == text(_10="own")
    assert report.unchanged == ("f.py",)


async def test_one_file_that_cannot_be_merged_refuses_all_of_them(project: Path, disk: DiskWorkspace) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (project / name).write_text(TEXT)
    await disk.begin("a turn")
    for name in ("a.py", "b.py", "c.py"):
        await write(disk, name, text(_3="motet"))
    (project / "a.py").write_text(text(_3="motet", _10="own"))
    (project / "b.py").write_text(text(_3="own"))
    before = kit.files(project)
    with pytest.raises(UndoRefused, match=r"changed: b\.py \(changed since where motet changed it too: line 3\)$"):
        await disk.undo(merge=True)
    with pytest.raises(UndoRefused, match=r"changed: a\.py \(changed since\); b\.py \(changed since\)$"):
        await disk.undo()
    assert kit.files(project) == before
    report = await disk.undo("1", ["a.py", "c.py"], merge=True)
    assert (report.merged, report.restored) == (("a.py",), ("c.py",))


async def test_a_dry_run_says_the_same_and_writes_nothing(project: Path, changed: Path, disk: DiskWorkspace) -> None:
    before = kit.files(project)
    report = await disk.undo(merge=True, dry_run=True)
    assert (report.ids, report.merged, report.checkpoint) == (("1",), ("f.py",), None)
    with pytest.raises(UndoRefused):
        await disk.undo(dry_run=True)
    assert kit.files(project) == before
    assert [one.id for one in await disk.history()] == ["1"]


# --- files that came, went or are no text ------------------------------------------------------------------------


async def test_a_file_that_motet_made_and_somebody_changed_stays(project: Path, disk: DiskWorkspace) -> None:
    await disk.create("new.py", TEXT.encode())
    (project / "new.py").write_text(text(_10="own"))
    with pytest.raises(
        UndoRefused, match=r"new\.py \(changed since, and motet made it, so nothing of it would stay\)$"
    ):
        await disk.undo(merge=True)
    assert (project / "new.py").read_text() == text(_10="own")


async def test_a_file_that_motet_removed_and_somebody_made_anew_stays(project: Path, disk: DiskWorkspace) -> None:
    (project / "old.py").write_text(TEXT)
    await disk.delete(await disk.read("old.py"))
    (project / "old.py").write_text("new\n")
    with pytest.raises(UndoRefused, match=r"old\.py \(made anew since\)$"):
        await disk.undo(merge=True)
    assert (project / "old.py").read_text() == "new\n"


async def test_a_file_that_somebody_removed_is_not_made_again(changed: Path, disk: DiskWorkspace) -> None:
    changed.unlink()
    with pytest.raises(UndoRefused, match=r"f\.py \(removed since\)$"):
        await disk.undo(merge=True)
    assert not changed.exists()


async def test_a_file_that_is_no_text_any_more_is_not_merged(changed: Path, disk: DiskWorkspace) -> None:
    changed.write_bytes(b"\0\1\2")
    with pytest.raises(UndoRefused, match=r"f\.py \(changed since, and cannot be merged as text\)$"):
        await disk.undo(merge=True)
    assert changed.read_bytes() == b"\0\1\2"


@pytest.mark.parametrize("spoil", ["directory", "hard link", "link", "read-only"])
async def test_what_is_no_plain_file_any_more_is_left_alone(
    project: Path, changed: Path, disk: DiskWorkspace, tmp_path: Path, spoil: str
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(text(_3="motet", _10="outside"))
    match spoil:
        case "directory":
            changed.unlink()
            changed.mkdir()
            why = r"f\.py: not a regular file"
        case "hard link":
            changed.unlink()
            changed.hardlink_to(outside)
            why = r"f\.py: the file has 2 names \(hard links\)"
        case "link":
            changed.unlink()
            changed.symlink_to(outside)
            why = r"f\.py: leads out of the workspace through a link"
        case _:
            changed.chmod(0o444)
            why = r"f\.py: read-only"
    with pytest.raises(UndoRefused, match=why):
        await disk.undo(merge=True)
    assert outside.read_text() == text(_3="motet", _10="outside")
    if spoil == "read-only":
        assert changed.read_text() == text(_3="motet", _10="own")


# --- moved files -------------------------------------------------------------------------------------------------


@pytest.fixture
async def moved(project: Path, disk: DiskWorkspace) -> Path:
    """motet has moved an executable file, and changed its third line on the way."""
    (project / "old.py").write_text(TEXT)
    (project / "old.py").chmod(0o755)
    await disk.begin("a move")
    old = await disk.read("old.py")
    await disk.create("new/place.py", text(_3="motet").encode(), moved_from="old.py")
    await disk.delete(old)
    await disk.finish()
    assert stat.S_IMODE((project / "new/place.py").stat().st_mode) == 0o755
    return project


@pytest.mark.parametrize("paths", [None, ["old.py"], ["new/place.py"]])
async def test_a_move_is_taken_back_as_one_whichever_path_is_named(
    moved: Path, open_disk: Open, paths: list[str] | None
) -> None:
    report = await open_disk().undo(paths=paths)
    assert (report.restored, report.removed) == (("old.py",), ("new/place.py",))
    assert kit.files(moved) == {"old.py": TEXT.encode()}
    assert stat.S_IMODE((moved / "old.py").stat().st_mode) == 0o755
    assert not (moved / "new").exists()
    await open_disk().undo(paths=paths)
    assert kit.files(moved) == {"new/place.py": text(_3="motet").encode()}
    assert stat.S_IMODE((moved / "new/place.py").stat().st_mode) == 0o755


async def test_what_somebody_wrote_at_the_new_place_goes_back_with_the_file(moved: Path, open_disk: Open) -> None:
    (moved / "new/place.py").write_text(text(_3="motet", _10="own"))
    with pytest.raises(UndoRefused, match=r"changed: new/place\.py \(changed since\); `motet undo --merge`"):
        await open_disk().undo()
    report = await open_disk().undo(merge=True)
    assert (report.merged, report.removed) == (("old.py",), ("new/place.py",))
    assert kit.files(moved) == {"old.py": text(_10="own").encode()}
    await open_disk().undo()
    assert kit.files(moved) == {"new/place.py": text(_3="motet", _10="own").encode()}


async def test_a_moved_file_that_changed_where_motet_changed_it_stays_where_it_is(
    moved: Path, disk: DiskWorkspace
) -> None:
    (moved / "new/place.py").write_text(text(_3="own"))
    with pytest.raises(UndoRefused, match=r"changed: new/place\.py \(changed since where motet .* line 3\)$"):
        await disk.undo(merge=True)
    assert kit.files(moved) == {"new/place.py": text(_3="own").encode()}


# --- bytes -------------------------------------------------------------------------------------------------------

ENCODINGS = {
    "utf-8": ("utf-8", b"", ""),
    "utf-8 with a mark": ("utf-8", codecs.BOM_UTF8, ""),
    "utf-16-le": ("utf-16-le", codecs.BOM_UTF16_LE, ""),
    "utf-16-be": ("utf-16-be", codecs.BOM_UTF16_BE, ""),
    "latin-1": ("latin-1", b"", "# -*- coding: latin-1 -*-\n"),
}


@pytest.mark.acceptance("T-25", "CC-10")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "mixed"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("how", ENCODINGS)
async def test_a_merged_undo_touches_only_the_intended_lines_in_every_encoding(
    project: Path, disk: DiskWorkspace, how: str, end: str, last: bool
) -> None:
    encoding, mark, first = ENCODINGS[how]
    ends = ("\n", "\r\n", "\r") if end == "mixed" else (end,)

    def data(**changed: str) -> bytes:
        lines = [f"\tzeile {number}ä  " for number in range(12)]
        for number, line in changed.items():
            lines[int(number[1:])] = line
        whole = first + "".join(f"{line}{ends[index % len(ends)]}" for index, line in enumerate(lines))
        return mark + (whole if last else whole.rstrip("\r\n")).encode(encoding)

    file = project / "f.txt"
    file.write_bytes(data())
    await disk.write(await disk.read("f.txt"), data(_2="motet ö", _9="motet ü"))
    file.write_bytes(data(_2="motet ö", _5="own ß", _9="motet ü"))
    await disk.undo(merge=True)
    assert file.read_bytes() == data(_5="own ß")


async def test_a_merged_undo_reads_the_encoding_that_the_user_set(project: Path, state: Path) -> None:
    gate = Gate(project, RuleSet(), GrantStore(state))
    disk = DiskWorkspace(project, gate=gate, checkpoints=Checkpoints(state, project), encoding="utf-16-le")
    file = project / "f.txt"
    texts = ["one é\n2\n3\n4\n", "one è\n2\n3\n4\n", "one è\n2\n3\nown\n", "one é\n2\n3\nown\n"]
    first, motets, own, last = (text.encode("utf-16-le") for text in texts)
    file.write_bytes(first)
    await disk.write(await disk.read("f.txt"), motets)
    file.write_bytes(own)
    await disk.undo(merge=True)
    assert file.read_bytes() == last


async def test_git_sees_only_what_somebody_else_changed(project: Path, changed: Path, disk: DiskWorkspace) -> None:
    changed.write_text(TEXT)
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    changed.write_text(text(_3="motet", _10="own"))
    await disk.undo(merge=True)
    lines = git(project, "diff", "-U0").splitlines()[4:]
    assert lines[1:] == ["-line 10", "+own"]


def git(project: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=project, check=True, capture_output=True, text=True).stdout


async def test_a_new_encoding_of_somebody_else_stays(changed: Path, disk: DiskWorkspace) -> None:
    changed.write_bytes(codecs.BOM_UTF16_LE + text(_3="motet", _10="own ä").encode("utf-16-le"))
    await disk.undo(merge=True)
    assert changed.read_bytes() == codecs.BOM_UTF16_LE + text(_10="own ä").encode("utf-16-le")


async def test_a_mark_that_motet_added_goes(project: Path, changed: Path, disk: DiskWorkspace) -> None:
    file = project / "g.py"
    file.write_text(TEXT)
    await disk.write(await disk.read("g.py"), codecs.BOM_UTF8 + text(_3="motet").encode())
    file.write_bytes(codecs.BOM_UTF8 + text(_3="motet", _10="own").encode())
    await disk.undo(merge=True)
    assert file.read_text() == text(_10="own")


async def test_encodings_that_both_have_changed_refuse_it(project: Path, changed: Path, disk: DiskWorkspace) -> None:
    file = project / "g.py"
    file.write_text(TEXT)
    await disk.write(await disk.read("g.py"), codecs.BOM_UTF8 + text(_3="motet").encode())
    newest = codecs.BOM_UTF16_LE + text(_3="motet", _10="own").encode("utf-16-le")
    file.write_bytes(newest)
    with pytest.raises(UndoRefused, match=r"g\.py \(changed since, its encoding too\)$"):
        await disk.undo(merge=True)
    assert file.read_bytes() == newest


async def test_a_character_that_the_old_encoding_lacks_refuses_it(project: Path, disk: DiskWorkspace) -> None:
    declared = "# coding: latin-1\n"
    (project / "f.py").write_bytes((declared + text()).encode("latin-1"))
    await disk.write(await disk.read("f.py"), ("# coding: utf-8\n" + text()).encode())
    newest = ("# coding: utf-8\n" + text(_10="日本")).encode()
    (project / "f.py").write_bytes(newest)
    with pytest.raises(UndoRefused, match=r"f\.py \(changed since, and cannot be merged as text\)$"):
        await disk.undo(merge=True)
    assert (project / "f.py").read_bytes() == newest


async def test_an_empty_file_that_both_have_filled_refuses_it(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"")
    await disk.write(TextFile.new("f.py"), b"motet\n")
    (project / "f.py").write_bytes(b"motet\nown\n")
    with pytest.raises(UndoRefused, match=r"too: lines 1-2\)$"):
        await disk.undo(merge=True)
