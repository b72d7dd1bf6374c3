"""The workspace on disk: what it does not write, and what is left when it cannot."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from motet.errors import (
    FileTooLarge,
    NotText,
    OutsideWorkspace,
    StaleFile,
    WorkspaceError,
)
from motet.permissions import Gate, GrantStore, RuleSet
from motet.text import MAX_TEXT_BYTES, TextFile
from motet.workspace import Checkpoints, DiskWorkspace, _fs


async def test_binary_data_wrong_encoding_and_huge_files_are_refused(project: Path, disk: DiskWorkspace) -> None:
    (project / "binary").write_bytes(b"a\0b")
    (project / "wrong").write_bytes(b"\xff\xfe\xff")
    with (project / "huge").open("wb") as file:
        file.truncate(MAX_TEXT_BYTES + 1)
    with pytest.raises(NotText):
        await disk.read("binary")
    with pytest.raises(NotText):
        await disk.read("wrong")
    with pytest.raises(FileTooLarge, match=r"huge: 16\.8 MB is more than motet edits \(16 MiB\)"):
        await disk.read("huge")


async def test_bytes_that_would_be_no_text_are_not_written(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    with pytest.raises(NotText):
        await disk.write(file, b"\xff\xff")
    with pytest.raises(NotText):
        await disk.create("g.py", b"a\0b")
    assert [path.name for path in project.iterdir()] == ["f.py"]


@pytest.mark.acceptance("T-26")
async def test_a_file_that_changed_since_it_was_read_is_not_written(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    times = (project / "f.py").stat()
    (project / "f.py").write_bytes(b"own")
    os.utime(project / "f.py", ns=(times.st_atime_ns, times.st_mtime_ns))
    for attempt in (disk.write(file, b"new"), disk.delete(file)):
        with pytest.raises(StaleFile, match=r"f\.py: changed since it was read"):
            await attempt
    assert (project / "f.py").read_bytes() == b"own"


async def test_a_file_that_was_removed_since_is_not_made_again(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    (project / "f.py").unlink()
    with pytest.raises(StaleFile, match="removed"):
        await disk.write(file, b"new")
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("doing", ["write", "delete"])
async def test_a_file_that_became_a_directory_meanwhile_is_left_alone(
    project: Path, disk: DiskWorkspace, doing: str
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    (project / "f.py").unlink()
    (project / "f.py").mkdir()
    with pytest.raises(WorkspaceError, match=r"^f\.py: not a regular file$"):
        await (disk.write(file, b"new") if doing == "write" else disk.delete(file))
    assert (project / "f.py").is_dir()
    assert await disk.history() == []


@pytest.mark.parametrize("doing", ["write", "delete"])
async def test_a_file_whose_directory_became_a_file_meanwhile_is_left_alone(
    project: Path, disk: DiskWorkspace, doing: str
) -> None:
    (project / "src").mkdir()
    (project / "src/f.py").write_bytes(b"old")
    file = await disk.read("src/f.py")
    (project / "src").rename(project / "moved")
    (project / "src").write_bytes(b"a file")
    with pytest.raises(WorkspaceError, match=r"^src/f\.py: not \w+: a part of the path is not a directory$"):
        await (disk.write(file, b"new") if doing == "write" else disk.delete(file))
    assert (project / "moved/f.py").read_bytes() == b"old"
    assert (project / "src").read_bytes() == b"a file"


@pytest.mark.parametrize("doing", ["write", "delete"])
async def test_a_file_that_was_made_read_only_meanwhile_is_left_alone(
    project: Path, disk: DiskWorkspace, doing: str
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    (project / "f.py").chmod(0o444)
    with pytest.raises(WorkspaceError, match=r"^f\.py: read-only"):
        await (disk.write(file, b"new") if doing == "write" else disk.delete(file))
    assert (project / "f.py").read_bytes() == b"old"
    assert await disk.history() == []


@pytest.mark.parametrize("doing", ["write", "delete"])
async def test_a_file_that_got_a_second_name_outside_meanwhile_is_left_alone(
    project: Path, tmp_path: Path, disk: DiskWorkspace, doing: str
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    (tmp_path / "outside").hardlink_to(project / "f.py")
    with pytest.raises(WorkspaceError, match="2 names"):
        await (disk.write(file, b"new") if doing == "write" else disk.delete(file))
    assert (tmp_path / "outside").read_bytes() == b"old"
    assert (tmp_path / "outside").samefile(project / "f.py")


async def test_a_file_that_was_made_meanwhile_is_not_overwritten(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"own")
    with pytest.raises(StaleFile):
        await disk.write(TextFile.new("f.py"), b"new")
    with pytest.raises(StaleFile, match="exists already"):
        await disk.create("f.py", b"new")
    assert (project / "f.py").read_bytes() == b"own"


@pytest.mark.parametrize("exchange", [True, False])
async def test_what_somebody_writes_in_the_last_moment_wins(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch, exchange: bool
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    real = _fs.exchange

    def somebody_writes(one: str, other: str, *, at: int) -> bool:
        monkeypatch.setattr(_fs, "exchange", real)
        (project / "f.py").write_bytes(b"own")
        return real(one, other, at=at) if exchange else False

    monkeypatch.setattr(_fs, "exchange", somebody_writes)
    with pytest.raises(StaleFile):
        await disk.write(file, b"new")
    assert (project / "f.py").read_bytes() == b"own"
    assert [path.name for path in project.iterdir()] == ["f.py"]


async def test_what_somebody_writes_in_the_last_moment_is_not_removed(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    real = _fs.rename

    def somebody_writes(old: str, new: str, *, at: int | None = None) -> None:
        if old == "f.py":
            (project / "f.py").write_bytes(b"own")
        real(old, new, at=at)

    monkeypatch.setattr(_fs, "rename", somebody_writes)
    with pytest.raises(StaleFile):
        await disk.delete(file)
    assert (project / "f.py").read_bytes() == b"own"
    assert [path.name for path in project.iterdir()] == ["f.py"]


async def test_when_the_name_is_taken_again_in_that_moment_no_version_is_lost(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    real = _fs.rename

    def somebody_writes_twice(old: str, new: str, *, at: int | None = None) -> None:
        if old == "f.py":
            (project / "f.py").write_bytes(b"own")
        real(old, new, at=at)
        if old == "f.py":
            (project / "f.py").write_bytes(b"newest")

    monkeypatch.setattr(_fs, "rename", somebody_writes_twice)
    with pytest.raises(WorkspaceError, match=r"kept beside it as f\.py\."):
        await disk.delete(file)
    assert (project / "f.py").read_bytes() == b"newest"
    assert sorted(path.read_bytes() for path in project.iterdir()) == [b"newest", b"own"]


@pytest.mark.parametrize("plain", [True, False])
async def test_what_somebody_makes_in_the_last_moment_is_not_overwritten(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    real = _fs.rename_new

    def somebody_makes(old: str, new: str, *, at: int) -> None:
        (project / "f.py").write_bytes(b"own")
        real(old, new, at=at)

    monkeypatch.setattr(_fs, "rename_new", somebody_makes)
    if plain:
        monkeypatch.setattr(_fs, "_extended_rename", lambda: None)
    with pytest.raises(StaleFile, match="exists already"):
        await disk.create("f.py", b"new")
    assert (project / "f.py").read_bytes() == b"own"
    assert [path.name for path in project.iterdir()] == ["f.py"]


async def test_two_motets_that_write_one_file_lose_no_line(
    project: Path, open_disk: Callable[[], DiskWorkspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fs, "sync", os.fstat)
    (project / "f.txt").write_bytes(b"")

    async def motet(name: str) -> None:
        disk = open_disk()
        for number in range(100):
            while True:
                try:
                    file = await disk.read("f.txt")
                    await disk.write(file, file.data + f"{name} {number}\n".encode())
                    break
                except StaleFile:
                    continue

    await asyncio.gather(motet("one"), motet("two"))
    lines = (project / "f.txt").read_text().splitlines()
    for name in ("one", "two"):
        assert [line for line in lines if line.startswith(name)] == [f"{name} {number}" for number in range(100)]


@pytest.mark.acceptance("T-10")
@pytest.mark.parametrize("doing", ["write", "delete"])
async def test_a_file_with_several_names_is_not_written(project: Path, disk: DiskWorkspace, doing: str) -> None:
    (project / "f.py").write_bytes(b"shared")
    (project.parent / "store").hardlink_to(project / "f.py")
    file = await disk.read("f.py")
    with pytest.raises(WorkspaceError, match="2 names \\(hard links\\)"):
        await (disk.write(file, b"new") if doing == "write" else disk.delete(file))
    assert (project.parent / "store").read_bytes() == b"shared"


async def test_a_read_only_file_stays_as_it_is(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    (project / "f.py").chmod(0o444)
    with pytest.raises(WorkspaceError, match=r"^f\.py: read-only; allow writing first \(chmod u\+w\)$"):
        await disk.write(await disk.read("f.py"), b"new")
    assert (project / "f.py").read_bytes() == b"old"


AS_NOBODY = """
import asyncio, os, sys
from pathlib import Path
sys.path.append(sys.argv[1])
import concurrent.futures.thread, ctypes  # what this user may not read any more
import workspace_kit as kit
project, state = Path(sys.argv[2]), Path(sys.argv[3])
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
async def main():
    disk = kit.open_workspace(project, state)
    for path in ("fixed/f.py", "foreign.py"):
        try:
            await disk.write(await disk.read(path), b"new")
        except Exception as error:
            print(type(error).__name__, error)
asyncio.run(main())
"""


def test_a_directory_without_permission_and_a_file_of_somebody_else_are_one_clear_line_each(project: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a file of somebody else")
    open_up(project)
    state = project / "state"
    state.mkdir(mode=0o777)
    state.chmod(0o777)
    (project / "fixed").mkdir()
    (project / "fixed/f.py").write_bytes(b"old")
    os.chown(project / "fixed/f.py", 65534, 65534)
    (project / "foreign.py").write_bytes(b"old")
    (project / "foreign.py").chmod(0o666)
    project.chmod(0o777)
    script = [sys.executable, "-c", AS_NOBODY, str(Path(__file__).parent), str(project), str(state)]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "WorkspaceError fixed/f.py: not written: no permission; check the owner and mode of the file and its directory",
        "WorkspaceError foreign.py: belongs to another user or group (uid 0, gid 0), which motet cannot keep; "
        "change the owner first",
    ]
    assert sorted(path.name for path in (project / "fixed").iterdir()) == ["f.py"]
    assert (project / "foreign.py").read_bytes() == b"old"


def open_up(place: Path) -> None:
    """Let everybody pass on the way to `place`."""
    while place.stat().st_uid == os.geteuid() and place != place.parent and place.name != "tmp":
        place.chmod(place.stat().st_mode | 0o055)
        place = place.parent


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "no space left on the disk"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "input/output error"),
    ],
)
async def test_a_failing_disk_is_one_clear_line(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    real = _fs.open_file

    def fail(name: object, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
        if at is not None and flags & os.O_CREAT:
            raise OSError(code, os.strerror(code))
        return real(str(name), flags, mode, at=at)

    monkeypatch.setattr(_fs, "open_file", fail)
    with pytest.raises(WorkspaceError, match=f"^f.py: not written: .*{words}[^\\n]*$"):
        await disk.write(file, b"new")
    assert (project / "f.py").read_bytes() == b"old"


async def test_without_room_for_a_checkpoint_nothing_is_written(project: Path, tmp_path: Path) -> None:
    (project / "f.py").write_bytes(b"old")
    (tmp_path / "full").write_bytes(b"a file, where a directory is needed")
    gate = Gate(project, RuleSet(), GrantStore(tmp_path / "state"))
    disk = DiskWorkspace(project, gate=gate, checkpoints=Checkpoints(tmp_path / "full", project))
    with pytest.raises(WorkspaceError, match="no checkpoint can be kept, so nothing is written"):
        await disk.write(await disk.read("f.py"), b"new")
    assert (project / "f.py").read_bytes() == b"old"


@pytest.mark.parametrize("name", ["a\\b.py", "a\nb.py", "x\u202ey.py", "d\t/x.py"])
async def test_a_new_file_with_a_name_that_misleads_is_not_made(
    project: Path, disk: DiskWorkspace, name: str
) -> None:
    with pytest.raises(WorkspaceError, match="not a name for a new file") as caught:
        await disk.create(name, b"x")
    assert str(caught.value).isprintable()
    assert list(project.iterdir()) == []


@pytest.mark.acceptance("T-09")
async def test_nothing_outside_is_written_made_or_removed(project: Path, tmp_path: Path, disk: DiskWorkspace) -> None:
    (tmp_path / "outside.py").write_bytes(b"outside")
    (project / "link.py").symlink_to("../outside.py")
    (project / "directory").symlink_to("..")
    for path in ("../outside.py", "link.py", "directory/outside.py", str(tmp_path / "outside.py")):
        file = TextFile.decode(path, b"outside")
        for attempt in (disk.write(file, b"new"), disk.create(path, b"new"), disk.delete(file)):
            with pytest.raises(OutsideWorkspace):
                await attempt
    assert (tmp_path / "outside.py").read_bytes() == b"outside"


async def test_a_file_is_not_removed_through_a_link_that_would_lead_nowhere(
    project: Path, disk: DiskWorkspace
) -> None:
    (project / "src").mkdir()
    (project / "src/f.py").write_bytes(b"old")
    (project / "link.py").symlink_to("src/f.py")
    (project / "again.py").symlink_to("link.py")
    for name in ("link.py", "again.py"):
        with pytest.raises(WorkspaceError) as caught:
            await disk.delete(await disk.read(name))
        assert str(caught.value) == (
            f"{name}: not removed: it is a link to src/f.py, which would lead nowhere; name src/f.py"
        )
    assert (project / "again.py").read_bytes() == b"old"
    assert await disk.history() == []


async def test_a_file_is_not_moved_through_a_link_that_would_lead_nowhere(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    (project / "link.py").symlink_to("f.py")
    with pytest.raises(WorkspaceError, match=r"^link\.py: not moved: it is a link to f\.py, .*; name f\.py$"):
        await disk.create("new.py", b"new", moved_from="link.py")
    assert sorted(path.name for path in project.iterdir()) == ["f.py", "link.py"]
    assert (project / "link.py").read_bytes() == b"old"


async def test_a_file_in_a_linked_directory_is_removed(project: Path, disk: DiskWorkspace) -> None:
    (project / "real").mkdir()
    (project / "real/f.py").write_bytes(b"old")
    (project / "linked").symlink_to("real")
    await disk.delete(await disk.read("linked/f.py"))
    assert list((project / "linked").iterdir()) == []
    await disk.undo()
    assert (project / "linked/f.py").read_bytes() == b"old"


async def test_a_failed_creation_leaves_no_directories(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _fs.rename_new

    def out_of_room(old: str, new: str, *, at: int) -> None:
        monkeypatch.setattr(_fs, "rename_new", real)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_fs, "rename_new", out_of_room)
    with pytest.raises(WorkspaceError, match="no space"):
        await disk.create("a/b/c.py", b"x")
    assert list(project.iterdir()) == []


def machine() -> str:
    return hashlib.sha256(os.uname().nodename.encode()).hexdigest()[:8]


def dead_process() -> int:
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


async def test_only_leftovers_of_dead_processes_of_this_machine_are_removed(
    project: Path, disk: DiskWorkspace
) -> None:
    dead = dead_process()
    leftover = f".motet-{machine()}-{dead}-0a1b2c3d.tmp"
    others = [
        f".motet-{machine()}-{os.getppid()}-0a1b2c3d.tmp",
        f".motet-ffffffff-{dead}-0a1b2c3d.tmp",
        f".motet-{machine()}-{dead}-0a1b2c3d.tmp.py",
        "motet.tmp",
    ]
    for name in (leftover, *others):
        (project / name).write_bytes(b"x")
    (project / f".motet-{machine()}-{dead}-00000000.tmp").mkdir()
    await disk.create("f.py", b"x")
    left = sorted(path.name for path in project.iterdir())
    assert left == sorted(["f.py", *others, f".motet-{machine()}-{dead}-00000000.tmp"])


async def test_what_lives_is_left_alone_when_the_leftovers_of_a_killed_run_go(
    project: Path, state: Path, open_disk: Callable[[], DiskWorkspace]
) -> None:
    (project / "sub").mkdir()
    (project / "a.py").write_bytes(b"a")
    (project / "link.py").symlink_to("sub/b.py")
    killed, alive = f"{machine()}-{dead_process()}", f"{machine()}-{os.getppid()}"
    await open_disk().create("made.py", b"x")
    [home] = (state / "checkpoints/workspaces").iterdir()
    for process in (killed, alive):
        (project / f"sub/.motet-{process}-0a1b2c3d.tmp").write_bytes(b"x")
        (home / f"{process}.writing").write_text('["gone/c.py", "link.py", "../b.py"]')
    for note in ('["cut of', "7", "null", '{"a.py": 1}', "[1, null]"):
        (home / f"{machine()}-{dead_process()}.writing").write_text(note)
    await open_disk().read("a.py")
    assert [path.name for path in (project / "sub").iterdir()] == [f".motet-{alive}-0a1b2c3d.tmp"]
    assert [path.name for path in home.glob("*.writing")] == [f"{alive}.writing"]
