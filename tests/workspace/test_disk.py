"""The workspace on disk: what is read, what a write keeps, what it refuses, and whom it asks."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workspace_kit import Human

from motet.errors import (
    FileTooLarge,
    NotText,
    OutsideWorkspace,
    PermissionDenied,
    StaleFile,
    WorkspaceError,
)
from motet.permissions import Action, Answer, Gate, GrantStore, RuleSet
from motet.text import MAX_TEXT_BYTES, TextFile
from motet.workspace import Checkpoints, DiskWorkspace, Workspace, _fs

PROTECTED = [
    ".git/config", ".git/hooks/pre-commit", "sub/.git/HEAD", ".motet.toml", ".envrc", ".nvim.lua", ".exrc",
    ".vscode/settings.json", ".github/workflows/ci.yml", ".mcp.json", "AGENTS.md", ".env", ".GIT/config",
]  # fmt: skip


# --- bytes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"a\rb\nc\r\nno final newline", b"a\rB\nc\r\nno final newline"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
        ("﻿日本語 <&]]>`\t🎼\n".encode("utf-16-le"), "﻿日本 <&]]>`\t🎼\n".encode("utf-16-le")),
        ("﻿x\n".encode("utf-16-be"), "﻿y\n".encode("utf-16-be")),
        ("# coding: latin-1\ns = 'ä'\n".encode("latin-1"), "# coding: latin-1\ns = 'ö'\n".encode("latin-1")),
        ("a\t<b> & ]]> ```x``` '日本' 🎼\r\n".encode(), "b\t<b> &amp; ]]> ````y```` '語' 🎼\r\n".encode()),
        (b"", b"a"),
        (b"a", b""),
    ],
)
@pytest.mark.acceptance("CC-10")
async def test_bytes_on_disk_are_exactly_the_ones_written(
    project: Path, disk: DiskWorkspace, old: bytes, new: bytes
) -> None:
    (project / "f.py").write_bytes(old)
    file = await disk.read("f.py")
    assert file.data == old
    after = await disk.write(file, new)
    assert after == TextFile.decode("f.py", new)
    assert (project / "f.py").read_bytes() == new


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=st.text(), new=st.text(), encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
async def test_any_text_survives_writing_and_undoing(
    project: Path, disk: DiskWorkspace, old: str, new: str, encoding: str
) -> None:
    before, after = old.replace("\0", "").encode(encoding), new.replace("\0", "").encode(encoding)
    (project / "f").write_bytes(before)
    await disk.begin("a write")
    await disk.write(await disk.read("f"), after)
    assert (project / "f").read_bytes() == after
    if before != after:
        await disk.undo()
    assert (project / "f").read_bytes() == before


async def test_mode_owner_times_of_others_and_attributes_stay(project: Path, disk: DiskWorkspace) -> None:
    path = project / "run.sh"
    path.write_bytes(b"old")
    path.chmod(0o751)
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
    with_attributes = hasattr(os, "setxattr")
    if with_attributes:
        os.setxattr(path, "user.origin", b"\x00kept")
    before = path.stat()
    await disk.write(await disk.read("run.sh"), b"new")
    after = path.stat()
    assert stat.S_IMODE(after.st_mode) == 0o751
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    if with_attributes:
        assert os.getxattr(path, "user.origin") == b"\x00kept"


async def test_set_id_bits_go_as_with_any_write(project: Path, disk: DiskWorkspace) -> None:
    path = project / "tool"
    path.write_bytes(b"old")
    path.chmod(0o6755)
    await disk.write(await disk.read("tool"), b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_a_new_file_has_the_users_default_mode(project: Path, disk: DiskWorkspace) -> None:
    mask = os.umask(0o027)
    try:
        await disk.create("new/f.py", b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((project / "new/f.py").stat().st_mode) == 0o640
    assert stat.S_IMODE((project / "new").stat().st_mode) == 0o750


async def test_a_link_stays_a_link_and_its_target_is_written(project: Path, disk: DiskWorkspace) -> None:
    (project / "real.py").write_bytes(b"old")
    (project / "link.py").symlink_to("real.py")
    await disk.write(await disk.read("link.py"), b"new")
    assert (project / "link.py").is_symlink()
    assert (project / "real.py").read_bytes() == b"new"


async def test_an_open_handle_to_the_old_file_still_reads_the_old_bytes(project: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    with (project / "f.py").open("rb") as reader:
        await disk.write(await disk.read("f.py"), b"new and longer")
        assert reader.read() == b"old"


async def test_data_reaches_the_disk_before_the_name_and_the_name_before_the_answer(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "f.py").write_bytes(b"oldest")
    file = await disk.write(await disk.read("f.py"), b"old")
    await disk.begin("a second write")
    steps: list[str] = []

    def noted(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            what = "directory" if name == "sync" and stat.S_ISDIR(os.fstat(int(str(args[0]))).st_mode) else "file"
            steps.append(f"{name} {what}" if name == "sync" else name)
            return real(*args, **kwargs)

        return call

    for name in ("write", "sync", "exchange", "rename"):
        monkeypatch.setattr(_fs, name, noted(name, getattr(_fs, name)))
    await disk.write(file, b"new")
    durable = ["write", "sync file", "rename", "sync directory"]
    assert steps == [
        "sync directory",  # for the new directory of the content
        *durable,  # the content
        *durable,  # the record
        "write", "sync file", "exchange", "sync directory",
    ]  # fmt: skip


# --- refusals ----------------------------------------------------------------------------------------------------


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


async def test_only_leftovers_of_dead_processes_of_this_machine_are_removed(
    project: Path, disk: DiskWorkspace
) -> None:
    dead = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, check=True).stdout.decode().strip()
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


# --- protected places --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROTECTED)
async def test_a_protected_place_asks_and_a_no_changes_nothing(
    project: Path, disk: DiskWorkspace, human: Human, path: str
) -> None:
    with pytest.raises(PermissionDenied):
        await disk.create(path, b"x")
    assert [action.subject for action in human.asked] == [path]
    assert list(project.iterdir()) == []


async def test_a_protected_place_with_a_yes_is_written(project: Path, disk: DiskWorkspace, human: Human) -> None:
    human.answer = Answer.ONCE
    await disk.create(".github/workflows/ci.yml", b"on: push\n")
    assert (project / ".github/workflows/ci.yml").read_bytes() == b"on: push\n"


@pytest.mark.parametrize("alias", ["link", "to/config", "./.git/config", "deep/../.git/config"])
async def test_no_other_name_leads_to_a_protected_place_without_a_question(
    project: Path, disk: DiskWorkspace, human: Human, alias: str
) -> None:
    (project / ".git").mkdir()
    (project / ".git/config").write_bytes(b"old")
    (project / "link").symlink_to(".git/config")
    (project / "to").symlink_to(".git")
    with pytest.raises((PermissionDenied, OutsideWorkspace)):
        await disk.write(TextFile.decode(alias, b"old"), b"new")
    assert (project / ".git/config").read_bytes() == b"old"
    assert all(action.subject == ".git/config" for action in human.asked)


async def test_an_ordinary_file_does_not_ask(project: Path, disk: DiskWorkspace, human: Human) -> None:
    await disk.create("src/f.py", b"x")
    assert human.asked == []


async def test_a_link_that_is_turned_while_the_human_thinks_is_not_followed(
    project: Path, disk: DiskWorkspace, human: Human, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git").mkdir()
    (project / ".git/config").write_bytes(b"old")
    (project / ".env").write_bytes(b"old")
    (project / "link").symlink_to(".env")

    async def yes_and_turn(action: Action) -> Answer:
        human.asked.append(action)
        (project / "link").unlink()
        (project / "link").symlink_to(".git/config")
        return Answer.ONCE

    monkeypatch.setattr(disk, "_gate", Gate(project, RuleSet(), GrantStore(project.parent / "grants"), yes_and_turn))
    with pytest.raises(StaleFile, match="leads elsewhere"):
        await disk.write(TextFile.decode("link", b"old"), b"new")
    assert (project / ".git/config").read_bytes() == b"old"
    assert (project / ".env").read_bytes() == b"old"


async def test_motets_own_state_is_no_part_of_a_workspace_around_it(tmp_path: Path) -> None:
    state = tmp_path / ".local/state/motet"
    gate = Gate(tmp_path, RuleSet(), GrantStore(state))
    disk = DiskWorkspace(tmp_path, gate=gate, checkpoints=Checkpoints(state, tmp_path))
    await disk.create("f.py", b"x")
    for path in (".local/state/motet/grants.json", ".local/state/motet/checkpoints/x"):
        with pytest.raises(OutsideWorkspace, match="own state"):
            await disk.create(path, b"[]")
    assert await disk.list_files() == ["f.py"]


# --- stopping ----------------------------------------------------------------------------------------------------


async def test_a_write_that_has_begun_is_brought_to_its_end_when_it_is_cancelled(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    checkpoint = await disk.begin("a turn")
    begun, go_on = threading.Event(), threading.Event()
    real = _fs.exchange

    def wait(one: str, other: str, *, at: int) -> bool:
        begun.set()
        assert go_on.wait(20)
        return real(one, other, at=at)

    monkeypatch.setattr(_fs, "exchange", wait)
    task = asyncio.create_task(disk.write(file, b"new"))
    assert await asyncio.to_thread(begun.wait, 20)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (project / "f.py").read_bytes() == b"new"
    assert checkpoint.changed == ("f.py",)


async def test_a_wait_for_another_motet_can_be_cancelled(project: Path, state: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    with Checkpoints(state, project).locked():
        task = asyncio.create_task(disk.write(file, b"new"))
        async with asyncio.timeout(10):  # less than the wait for the lock
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    assert (project / "f.py").read_bytes() == b"old"


def test_the_disk_keeps_the_promise_of_a_workspace(disk: DiskWorkspace) -> None:
    promise: Workspace = disk
    assert promise.root == disk.root
