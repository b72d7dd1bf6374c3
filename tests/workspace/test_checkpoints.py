"""Checkpoints and undo: back to every byte, forth again, never over somebody's newer work."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import workspace_kit as kit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet.errors import PermissionDenied, UndoRefused, UsageError, WorkspaceError
from motet.permissions import Answer
from motet.text import TextFile
from motet.workspace import Checkpoints, DiskWorkspace, _fs, checkpoint, retention

Open = Callable[[], DiskWorkspace]


async def put(disk: DiskWorkspace, path: str, data: bytes) -> None:
    """Write `data` whatever the file holds now."""
    try:
        file = await disk.read(path)
    except WorkspaceError:
        file = TextFile.new(path)
    await disk.write(file, data)


@pytest.fixture
async def run(project: Path, state: Path) -> dict[str, bytes]:
    """One run that changes, makes and removes files; what it left."""
    kit.lay_out(project.parent)
    await kit.run(project, state)
    return kit.files(project)


async def test_undo_brings_back_every_file_its_mode_and_only_these(
    project: Path, disk: DiskWorkspace, run: dict[str, bytes]
) -> None:
    (project / "own.py").write_bytes(b"own")
    (project / "src/b.py").chmod(0o640)
    report = await disk.undo()
    assert kit.files(project) == {**kit.BEFORE, "own.py": b"own"}
    assert (report.restored, report.removed) == (("a.py", "src/b.py", "src/old.py"), ("new/deep/c.py",))
    assert (report.ids, report.labels, report.checkpoint) == (("1",), ("a run",), "2")
    assert not (project / "new").exists()
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o755
    assert stat.S_IMODE((project / "src/b.py").stat().st_mode) == 0o640
    assert stat.S_IMODE((project / "src/old.py").stat().st_mode) == 0o644


@pytest.mark.acceptance("T-31")
async def test_the_undo_of_the_undo_is_byte_identical_and_so_on(
    project: Path, open_disk: Open, run: dict[str, bytes]
) -> None:
    assert run == kit.AFTER
    for expected in (kit.BEFORE, kit.AFTER, kit.BEFORE, kit.AFTER):
        await open_disk().undo()
        assert kit.files(project) == expected
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o755


async def test_undo_by_id_goes_further_back_and_a_newer_change_refuses_it(project: Path, disk: DiskWorkspace) -> None:
    for number in (1, 2, 3):
        await disk.begin(f"turn {number}")
        await put(disk, "f.py", b"%d" % number)
    with pytest.raises(
        UndoRefused, match=r"^checkpoint 1 is not undone, nothing is changed: f\.py \(changed since\)$"
    ):
        await disk.undo("1")
    await disk.undo("3")
    await disk.undo("2")
    assert (project / "f.py").read_bytes() == b"1"
    await disk.undo("1")
    assert not (project / "f.py").exists()


async def test_a_file_changed_since_refuses_the_whole_undo_and_is_named(
    project: Path, disk: DiskWorkspace, run: dict[str, bytes]
) -> None:
    (project / "a.py").write_bytes(b"newer")
    (project / "new/deep/c.py").unlink()
    (project / "new/deep/c.py").mkdir()
    with pytest.raises(UndoRefused) as caught:
        await disk.undo()
    assert str(caught.value) == (
        "checkpoint 1 is not undone, nothing is changed: a.py (changed since); new/deep/c.py: not a regular file"
    )
    assert kit.files(project) == {"a.py": b"newer", "src/b.py": kit.AFTER["src/b.py"]}


async def test_some_files_of_a_checkpoint_can_be_taken_back_alone(
    project: Path, disk: DiskWorkspace, run: dict[str, bytes]
) -> None:
    (project / "a.py").write_bytes(b"newer")
    report = await disk.undo("1", ["src/b.py", "src/old.py"])
    assert report.restored == ("src/b.py", "src/old.py")
    assert kit.files(project) == {
        "a.py": b"newer",
        "src/b.py": kit.BEFORE["src/b.py"],
        "src/old.py": kit.BEFORE["src/old.py"],
        "new/deep/c.py": kit.AFTER["new/deep/c.py"],
    }
    with pytest.raises(UsageError, match=r"src/b\.py: not changed by checkpoint 1, or undone already"):
        await disk.undo("1", ["src/b.py"])
    await disk.undo("1", ["new/deep/c.py"])
    assert not (project / "new").exists()
    (project / "a.py").write_bytes(kit.AFTER["a.py"])
    assert not next(one for one in await disk.history() if one.id == "1").undone
    await disk.undo("1")
    assert kit.files(project) == kit.BEFORE
    assert next(one for one in await disk.history() if one.id == "1").undone


async def test_a_file_that_is_as_before_already_does_not_stop_the_rest(
    project: Path, disk: DiskWorkspace, run: dict[str, bytes]
) -> None:
    (project / "a.py").write_bytes(kit.BEFORE["a.py"])
    report = await disk.undo()
    assert report.unchanged == ("a.py",)
    assert kit.files(project) == kit.BEFORE


async def test_what_somebody_wrote_between_two_writes_of_a_turn_comes_back(
    project: Path, disk: DiskWorkspace
) -> None:
    (project / "f.py").write_bytes(b"0")
    await disk.begin("a turn")
    await put(disk, "f.py", b"1")
    (project / "f.py").write_bytes(b"own")
    await put(disk, "f.py", b"2")
    await disk.undo()
    assert (project / "f.py").read_bytes() == b"own"
    with pytest.raises(UndoRefused):
        await disk.undo("1")


async def test_the_list_is_newest_first_and_says_what_was_undone(project: Path, disk: DiskWorkspace) -> None:
    await disk.begin("first")
    await put(disk, "a.py", b"1")
    await put(disk, "日本.py", b"1")
    await disk.begin("nothing happens")
    await disk.begin("second")
    await put(disk, "a.py", b"2")
    await disk.undo()
    rows = [(one.id, one.label, one.files, one.undone, one.undoes, one.finished) for one in await disk.history()]
    assert rows == [
        ("3", "undo of 2 (second)", ("a.py",), False, ("2",), True),
        ("2", "second", ("a.py",), True, (), True),
        ("1", "first", ("a.py", "日本.py"), False, (), True),
    ]
    await disk.undo("3")
    assert [(one.id, one.undone) for one in await disk.history()] == [
        ("4", False), ("3", True), ("2", False), ("1", False),
    ]  # fmt: skip


async def test_nothing_to_undo_an_unknown_id_and_an_id_undone_already_say_so(disk: DiskWorkspace) -> None:
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        await disk.undo()
    await put(disk, "f.py", b"1")
    with pytest.raises(UsageError, match="checkpoint 7: there is none with this id"):
        await disk.undo("7")
    await disk.undo("1")
    with pytest.raises(UsageError, match="checkpoint 1: undone already"):
        await disk.undo("1")


async def test_writes_that_fail_or_change_nothing_leave_no_checkpoint(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"same")
    await disk.begin("a turn")
    await put(disk, "f.py", b"same")
    await put(disk, "f.py", b"other")
    await put(disk, "f.py", b"same")
    await disk.finish()
    assert await disk.history() == []


async def test_a_checkpoint_says_what_it_changed_so_far(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"0")
    turn = await disk.begin("a turn")
    assert turn.changed == ()
    await put(disk, "g.py", b"1")
    await put(disk, "f.py", b"1")
    await put(disk, "f.py", b"2")
    assert turn.changed == ("g.py", "f.py")


async def test_a_link_is_recorded_as_the_file_that_it_means(project: Path, disk: DiskWorkspace) -> None:
    (project / "real.py").write_bytes(b"old")
    (project / "link.py").symlink_to("real.py")
    await put(disk, "link.py", b"new")
    (project / "link.py").unlink()
    report = await disk.undo()
    assert report.restored == ("real.py",)
    assert (project / "real.py").read_bytes() == b"old"


async def test_a_link_where_the_file_was_is_not_written_through(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    await put(disk, "f.py", b"new")
    (project / "f.py").rename(project / "elsewhere.py")
    (project / "f.py").symlink_to("elsewhere.py")
    with pytest.raises(UndoRefused, match=r"f\.py \(a link leads elsewhere since\)$"):
        await disk.undo(merge=True)
    assert (project / "elsewhere.py").read_bytes() == b"new"


async def test_undo_in_a_protected_place_asks(
    project: Path, disk: DiskWorkspace, open_disk: Open, human: kit.Human
) -> None:
    human.answer = Answer.ONCE
    await disk.create(".envrc", b"x")
    human.answer = Answer.NO
    with pytest.raises(PermissionDenied):
        await open_disk().undo()
    assert [str(action) for action in human.asked] == ["write:.envrc", "write:.envrc"]
    assert (project / ".envrc").read_bytes() == b"x"


async def test_names_that_are_no_text_are_brought_back(project: Path, disk: DiskWorkspace) -> None:
    path = os.fsdecode(b"caf\xe9.py")
    (project / path).write_bytes(b"old")
    await put(disk, path, b"new")
    await disk.undo()
    assert (project / path).read_bytes() == b"old"


@pytest.mark.acceptance("T-32")
async def test_an_undo_that_the_disk_only_pretends_to_make_is_no_success(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "f.py").write_bytes(b"old")
    await put(disk, "f.py", b"new")

    def pretend(old: str, new: str, *, at: int | None = None) -> None: ...

    with kit.plain_renames(), monkeypatch.context() as patch:
        patch.setattr(_fs, "rename", pretend)
        with pytest.raises(WorkspaceError, match=r"^f\.py: not restored as asked: it holds something else now"):
            await disk.undo()
    assert (project / "f.py").read_bytes() == b"new"
    assert not next(one for one in await disk.history() if one.id == "1").undone
    await disk.undo()
    assert (project / "f.py").read_bytes() == b"old"


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from("abc"), st.binary(max_size=4).map(bytes.hex)),
        st.tuples(st.just("delete"), st.sampled_from("abc"), st.just("")),
        st.tuples(st.just("begin"), st.just(""), st.just("")),
    ),
    max_size=12,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(acts=ACTS)
async def test_taking_back_every_checkpoint_leads_to_the_start_and_taking_that_back_to_the_end(
    tmp_path_factory: pytest.TempPathFactory, no_waiting: None, acts: list[tuple[str, str, str]]
) -> None:
    base = tmp_path_factory.mktemp("acts")
    project, state = kit.lay_out(base)
    disk = kit.open_workspace(project, state)
    for act, path, text in acts:
        if act == "begin":
            await disk.begin("a turn")
        elif act == "write":
            await put(disk, path, text.encode())
        elif (project / path).exists():
            await disk.delete(await disk.read(path))
    await disk.finish()
    end = kit.files(project)
    turns = [one.id for one in await disk.history()]
    undos = [(await disk.undo(turn)).checkpoint for turn in turns]
    assert kit.files(project) == kit.BEFORE
    for undo in reversed(undos):
        await disk.undo(undo)
    assert kit.files(project) == end


# --- the store ---------------------------------------------------------------------------------------------------


async def test_the_store_is_private_and_nothing_is_written_into_the_project(
    project: Path, state: Path, disk: DiskWorkspace
) -> None:
    (project / ".git").mkdir()
    (project / "f.py").write_bytes(b"secret")
    await put(disk, "f.py", b"new")
    kept = [state, *state.rglob("*")]
    assert len(kept) > 5
    for path in kept:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert sorted(path.name for path in project.iterdir()) == [".git", "f.py"]
    assert list((project / ".git").iterdir()) == []


async def test_workspaces_do_not_see_each_others_checkpoints(
    tmp_path: Path, state: Path, project: Path, disk: DiskWorkspace
) -> None:
    await put(disk, "f.py", b"x")
    (tmp_path / "other").mkdir()
    assert Checkpoints(state, tmp_path / "other").history() == []
    assert len(Checkpoints(state, project).history()) == 1


async def test_the_oldest_checkpoints_go(project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "KEEP", 3)
    (project / "f.py").write_bytes(b"0")
    for number in range(1, 7):
        await disk.begin(f"turn {number}")
        await put(disk, "f.py", b"%d" % number)
    assert [one.id for one in await disk.history()] == ["6", "5", "4"]
    monkeypatch.setattr(retention, "KEEP", 200)
    for number in ("6", "5", "4"):
        await disk.undo(number)
    assert (project / "f.py").read_bytes() == b"3"


async def test_large_checkpoints_go_before_their_time_and_the_newest_never(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "KEEP_BYTES", 25_000)
    for number in range(1, 5):
        await disk.begin(f"turn {number}")
        await put(disk, f"{number}.py", b"x" * 10_000)
    assert [one.id for one in await disk.history()] == ["4", "3", "2"]
    await disk.begin("a large turn")
    await put(disk, "large.py", b"x" * 50_000)
    await disk.begin("a small turn")
    await put(disk, "small.py", b"x")
    assert [one.id for one in await disk.history()] == ["6", "5"]


async def test_checkpoints_go_after_thirty_days(project: Path, state: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    await put(disk, "f.py", b"newer")
    await disk.finish()
    record = next((state / "checkpoints/workspaces").glob("*/000001.journal"))
    os.utime(record, (time.time() - 31 * 86400,) * 2)
    os.utime(state / "checkpoints/swept", (time.time() - 2 * 86400,) * 2)
    await put(disk, "f.py", b"newest")
    assert [one.label for one in await disk.history()] == ["edit"]
    await disk.undo()
    assert (project / "f.py").read_bytes() == b"newer"


def start(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A real second process, that finds `workspace_kit` as well."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    argv = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


HOLDER = """
import sys, threading
from pathlib import Path
from motet.workspace.store import locked
with locked(Path(sys.argv[1]), 10, threading.Event()):
    print("held", flush=True)
    sys.stdin.read()
"""


async def test_a_motet_that_holds_the_store_is_waited_for_and_named_when_it_takes_too_long(
    project: Path, state: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = state / "checkpoints/lock"
    holder = start(HOLDER, str(lock))
    assert holder.stdin and holder.stdout
    try:
        assert holder.stdout.readline() == b"held\n"
        monkeypatch.setattr(checkpoint, "LOCK_SECONDS", 0.05)
        with pytest.raises(WorkspaceError, match="another motet is writing"):
            await put(disk, "f.py", b"x")
        assert list(project.iterdir()) == []
        monkeypatch.setattr(checkpoint, "LOCK_SECONDS", 60.0)
        waiting = asyncio.create_task(put(disk, "f.py", b"x"))
        holder.kill()
        await waiting
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()
    assert (project / "f.py").read_bytes() == b"x"


WRITER = """
import asyncio, sys
from pathlib import Path
import workspace_kit as kit
from motet.text import TextFile
async def main():
    disk = kit.open_workspace(Path(sys.argv[1]), Path(sys.argv[2]))
    for number in range(15):
        await disk.begin(sys.argv[3])
        path = f"{sys.argv[3]}-{number}.py"
        await disk.write(TextFile.new(path), path.encode())
    await disk.finish()
asyncio.run(main())
"""


async def test_two_motets_at_once_keep_all_their_checkpoints(project: Path, state: Path, disk: DiskWorkspace) -> None:
    writers = [start(WRITER, str(project), str(state), name) for name in ("one", "two")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    history = await disk.history()
    assert [one.id for one in history] == [str(number) for number in range(30, 0, -1)]
    assert sorted(one.label for one in history) == ["one"] * 15 + ["two"] * 15
    for one in history:
        await disk.undo(one.id)
    assert list(project.iterdir()) == []


async def test_an_undo_from_another_motet_is_not_forgotten_when_the_first_one_ends(
    project: Path, open_disk: Open
) -> None:
    (project / "f.py").write_bytes(b"old")
    first = open_disk()
    await first.begin("a turn")
    await put(first, "f.py", b"new")
    await open_disk().undo()
    await first.finish()
    assert [(one.id, one.undone) for one in await open_disk().history()] == [("2", False), ("1", True)]
    assert (project / "f.py").read_bytes() == b"old"
