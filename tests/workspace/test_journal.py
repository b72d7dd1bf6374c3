"""The record of a checkpoint on disk: whole or ignored, damaged or named, never guessed at."""

from __future__ import annotations

import json
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
import workspace_kit as kit
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import UndoRefused, WorkspaceError
from motet.workspace import DiskWorkspace
from motet.workspace.atomic import digest
from motet.workspace.change import Change
from motet.workspace.journal import Journal
from motet.workspace.manifest import Entry, Manifest, Saved

OLD, NEW, NEWEST = b"old\n" * 3000, b"old\n" * 1500 + b"new\n" + b"old\n" * 1500, b"newest\n"


def first(path: Path) -> Journal:
    change = Change("f.py", OLD, NEW, 0o644)
    entry = Entry("f.py", Saved(digest(OLD), 0o644), (change.new,))
    return Journal.create(path, Manifest(1, "/root", 1.5, "a turn", entries=(entry,)), [change])


def both(path: Path) -> Journal:
    journal = first(path)
    change = Change("f.py", NEW, NEWEST)
    journal.add([Entry("f.py", Saved(digest(OLD), 0o644), (change.old, change.new))], [change])
    return journal


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    written = both(tmp_path / "1.journal")
    read = Journal.load(tmp_path / "1.journal")
    assert (read.manifest, read.size) == (written.manifest, (tmp_path / "1.journal").stat().st_size)
    assert read.manifest.entries[0].after == (digest(NEW), digest(NEWEST))
    for journal in (written, read):
        assert [journal.content(digest(data)) for data in (OLD, NEW, NEWEST)] == [OLD, NEW, NEWEST]


def test_of_what_a_change_left_only_the_difference_is_kept(tmp_path: Path) -> None:
    first(tmp_path / "1.journal")
    assert len(OLD) < (tmp_path / "1.journal").stat().st_size < len(OLD) + 1000


@given(one=st.binary(max_size=12), changes=st.lists(st.binary(max_size=12), min_size=1, max_size=5))
def test_any_contents_survive(tmp_path_factory: pytest.TempPathFactory, one: bytes, changes: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("journal") / "1.journal"
    journal = Journal.create(path, Manifest(1, "/", 0.0, ""), [Change("f", one, changes[0])])
    for old, new in pairwise(changes):
        journal.add([], [Change("f", old, new)])
    for data in (one, *changes):
        assert Journal.load(path).content(digest(data)) == data


def test_a_frame_that_is_cut_off_anywhere_is_ignored_and_replaced(tmp_path: Path) -> None:
    data = both(tmp_path / "whole.journal") and (tmp_path / "whole.journal").read_bytes()
    path = tmp_path / "1.journal"
    start = first(path).size
    for size in range(start, len(data)):
        path.write_bytes(data[:size])
        journal = Journal.load(path)
        assert (journal.size, journal.manifest.entries[0].after) == (start, (digest(NEW),))
        assert journal.content(digest(NEW)) == NEW
        journal.add([Entry("g.py", None, (None,))])
        assert [entry.path for entry in Journal.load(path).manifest.entries] == ["f.py", "g.py"]


def test_a_frame_of_which_a_power_cut_left_zeros_is_ignored(tmp_path: Path) -> None:
    data = both(tmp_path / "whole.journal") and (tmp_path / "whole.journal").read_bytes()
    path = tmp_path / "1.journal"
    start = first(path).size
    for size in range(start, len(data) - len(NEWEST)):
        path.write_bytes(data[:size].ljust(len(data), b"\0"))
        assert Journal.load(path).size == start


def test_damage_is_named_and_never_taken_for_the_end(tmp_path: Path) -> None:
    path = tmp_path / "1.journal"
    journal = first(path)
    start = journal.size
    journal.add([Entry("g.py", None, (None,))])
    journal.add([Entry("h.py", None, (None,))])
    data = path.read_bytes()
    head = data.index(b"\n") + 1
    for place in (0, 7, head, head + 20, start, start + 8, start + 30):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(WorkspaceError, match=r"1\.journal: this checkpoint is damaged"):
            Journal.load(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"motet 2 0 00000000\n{}", b"\0" * 100])
async def test_a_file_that_is_no_journal_is_set_aside_and_named(
    state: Path, disk: DiskWorkspace, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    await disk.create("f.py", b"x")
    path = next((state / "checkpoints/workspaces").glob("*/000001.journal"))
    path.write_bytes(content)
    assert await disk.history() == []
    (aside,) = path.parent.glob("000001.journal.damaged-*")
    assert aside.read_bytes() == content
    (said,) = caplog.messages
    assert said.startswith(f"{path}: this checkpoint is damaged; the file is kept as {aside.name}")


async def test_a_journal_that_another_process_writes_meanwhile_is_no_damaged_one(
    state: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    await disk.create("f.py", b"x")
    path = next((state / "checkpoints/workspaces").glob("*/000001.journal"))
    whole, load = path.read_bytes(), Journal.load
    path.write_bytes(b"")

    def ends_the_write(path: Path) -> Journal:
        """A moment between two writes of a process that holds the lock: it ends when this one has seen it."""
        try:
            return load(path)
        finally:
            path.write_bytes(whole)

    monkeypatch.setattr(Journal, "load", ends_the_write)
    assert [info.files for info in await disk.history()] == [("f.py",)]
    assert [kept.name for kept in path.parent.glob("0*")] == [path.name]


async def test_undo_passes_a_damaged_run_when_said_again(project: Path, state: Path, disk: DiskWorkspace) -> None:
    await disk.create("f.py", b"x")
    await disk.begin("second")
    await disk.create("g.py", b"x")
    next((state / "checkpoints/workspaces").glob("*/000002.journal")).write_bytes(b"")
    with pytest.raises(WorkspaceError, match="the newest run that can be is 1, one before a damaged one"):
        await disk.undo()
    assert (project / "f.py").exists()
    assert (await disk.undo()).removed == ("f.py",)


async def test_a_journal_of_a_newer_motet_is_not_guessed_at(state: Path, disk: DiskWorkspace) -> None:
    await disk.create("f.py", b"x")
    path = next((state / "checkpoints/workspaces").glob("*/000001.journal"))
    text = json.dumps({"version": 99}).encode()
    path.write_bytes(b"motet %d 0 %08x\n%b" % (len(text), zlib.crc32(text), text))
    with pytest.raises(WorkspaceError, match=r"000001\.journal: written by a newer motet \(format 99\)"):
        await disk.history()


async def test_a_content_that_the_disk_damaged_refuses_the_undo(
    project: Path, state: Path, disk: DiskWorkspace
) -> None:
    (project / "f.py").write_bytes(b"some old text")
    await disk.write(await disk.read("f.py"), b"new")
    path = next((state / "checkpoints/workspaces").glob("*/000001.journal"))
    path.write_bytes(path.read_bytes().replace(b"some old text", b"some odd text"))
    with pytest.raises(UndoRefused, match="missing or damaged"):
        await disk.undo()
    assert (project / "f.py").read_bytes() == b"new"


# --- the first format --------------------------------------------------------------------------------------------


def lay_out_old_format(project: Path, state: Path, disk: DiskWorkspace) -> Path:
    """A checkpoint as it was written before there were journals: f.py changed, g.py made, h.py removed."""
    home = next((state / "checkpoints/workspaces").glob("*"))
    (project / "f.py").write_bytes(b"new\n")
    (project / "g.py").write_bytes(b"made\n")

    def saved(data: bytes) -> dict[str, object]:
        blob = state / "checkpoints/blobs" / digest(data)[:2] / digest(data)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(zlib.compress(data))
        return {"hash": digest(data), "mode": 0o755}

    def entry(path: str, before: dict[str, object] | None, after: str | None) -> dict[str, object]:
        return {"path": path, "before": before, "after": [after], "made": [], "undone": False}

    row = {
        "version": 1, "number": 7, "root": str(project), "time": 1.0, "label": "long ago", "undoes": None,
        "finished": True, "entries": [
            entry("f.py", saved(b"old\n"), digest(b"new\n")),
            entry("g.py", None, digest(b"made\n")),
            entry("h.py", saved(b"gone\n"), None),
        ],
    }  # fmt: skip
    (home / "000007.json").write_text(json.dumps(row))
    return home


@pytest.fixture
async def old_format(project: Path, state: Path, disk: DiskWorkspace) -> Path:
    await disk.create("x.py", b"x")
    await disk.undo()
    return lay_out_old_format(project, state, disk)


async def test_a_checkpoint_of_the_first_format_is_listed_and_taken_back(
    project: Path, state: Path, old_format: Path
) -> None:
    disk = kit.open_workspace(project, state)
    assert next((one.id, one.label) for one in await disk.history()) == ("7", "long ago")
    report = await disk.undo()
    assert (report.ids, report.checkpoint) == (("7",), "8")
    assert kit.files(project) == {"f.py": b"old\n", "h.py": b"gone\n"}
    assert (project / "h.py").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in old_format.iterdir())[-2:] == ["000007.journal", "000008.journal"]
    assert not (state / "checkpoints/blobs").exists()
    await disk.undo()
    assert kit.files(project) == {"f.py": b"new\n", "g.py": b"made\n"}


async def test_a_checkpoint_of_the_first_format_cannot_be_merged_and_says_why(
    project: Path, state: Path, old_format: Path
) -> None:
    (project / "f.py").write_bytes(b"new\n1\n2\n3\nown\n")
    disk = kit.open_workspace(project, state)
    with pytest.raises(UndoRefused) as caught:
        await disk.undo(merge=True)
    assert str(caught.value) == (
        "checkpoint 7 is not undone, nothing is changed: "
        "f.py (changed since, and the checkpoint does not hold what motet left (older ones do not))"
    )


async def test_a_damaged_one_of_the_first_format_is_left_and_stops_nobody(
    project: Path, state: Path, old_format: Path
) -> None:
    (old_format / "000007.json").write_bytes(b"{")
    disk = kit.open_workspace(project, state)
    await disk.create("y.py", b"y")
    assert (old_format / "000007.json").read_bytes() == b"{"
    assert (state / "checkpoints/blobs").exists()
