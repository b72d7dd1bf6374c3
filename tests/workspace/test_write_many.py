"""Many files in one call: one record, one wait for the disk, and each file stands for itself."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import workspace_kit as kit

from motet.errors import MotetError, NotText, OutsideWorkspace, PermissionDenied, StaleFile, WorkspaceError
from motet.permissions import Answer, Gate, GrantStore, RuleSet
from motet.text import TextFile
from motet.workspace import Checkpoints, DiskWorkspace, _fs, batch

NAMES = [f"{letter}.py" for letter in "abcdefgh"]


@pytest.fixture
def files(project: Path) -> dict[str, bytes]:
    """Eight files in one directory."""
    held = {name: f"old {name}\n".encode() for name in NAMES}
    for name, data in held.items():
        (project / name).write_bytes(data)
    return held


def changed(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data.replace(b"old", b"new") for name, data in files.items()}


async def rewrite(disk: DiskWorkspace, news: dict[str, bytes]) -> list[TextFile | MotetError]:
    return await disk.write_many([(await disk.read(name), new) for name, new in news.items()])


def said(outcomes: list[TextFile | MotetError]) -> list[str]:
    """Why files were not written, or their paths."""
    return [str(one) if isinstance(one, MotetError) else one.path for one in outcomes]


async def test_all_are_written_in_one_checkpoint_and_one_undo_brings_them_back(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes]
) -> None:
    (project / "c.py").chmod(0o755)
    outcomes = await rewrite(disk, changed(files))
    assert outcomes == [TextFile.decode(name, data) for name, data in changed(files).items()]
    assert kit.files(project) == changed(files)
    assert [one.files for one in await disk.history()] == [tuple(NAMES)]
    await disk.undo()
    assert kit.files(project) == files
    assert stat.S_IMODE((project / "c.py").stat().st_mode) == 0o755


async def test_new_files_and_their_directories_are_made_among_them(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes]
) -> None:
    news = [(TextFile.new(path), path.encode()) for path in ("new/deep/one.py", "new/two.py", "three.py")]
    outcomes = await disk.write_many([(await disk.read("a.py"), b"1"), *news])
    assert said(outcomes) == ["a.py", "new/deep/one.py", "new/two.py", "three.py"]
    assert (project / "new/deep/one.py").read_bytes() == b"new/deep/one.py"
    await disk.undo()
    assert kit.files(project) == files
    assert not (project / "new").exists()


async def test_one_that_fails_stops_no_other_and_says_why(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes]
) -> None:
    news = [(await disk.read(name), data) for name, data in changed(files).items()]
    (project / "b.py").write_bytes(b"own")
    (project / "c.py").unlink()
    (project / "d.py").chmod(0o444)
    news[4] = (news[4][0], b"\0")
    news[5] = (TextFile.decode("../f.py", b""), b"")
    outcomes = await disk.write_many(news)
    assert said(outcomes) == [
        "a.py",
        "b.py: changed since it was read; read it again",
        "c.py: was removed since it was read",
        "d.py: read-only; allow writing first (chmod u+w)",
        "e.py: binary file",
        "../f.py: leaves the workspace (..)",
        "g.py",
        "h.py",
    ]
    kinds = [type(one) for one in outcomes if isinstance(one, MotetError)]
    assert kinds == [StaleFile, StaleFile, WorkspaceError, NotText, OutsideWorkspace]
    written = {name: changed(files)[name] for name in ("a.py", "g.py", "h.py")}
    left = {name: files[name] for name in ("d.py", "e.py", "f.py")}
    assert kit.files(project) == {**written, **left, "b.py": b"own"}
    assert [one.files for one in await disk.history()] == [("a.py", "g.py", "h.py")]


async def test_a_directory_is_waited_for_once_and_so_is_the_record(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    await disk.write(await disk.read("a.py"), b"first")  # the store's own directories are there
    await disk.begin("a turn")
    steps: list[str] = []
    home = project.stat().st_ino

    def noted(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            info = os.fstat(int(str(args[0]))) if name == "sync" else None
            steps.append(name if info is None or info.st_ino != home else "project")
            return real(*args, **kwargs)

        return call

    for name in ("sync", "exchange"):
        monkeypatch.setattr(_fs, name, noted(name, getattr(_fs, name)))
    await rewrite(disk, changed(files))
    record_and_contents = ["sync"] * (2 + len(files))
    assert steps == [*record_and_contents, *["exchange"] * len(files), "project"]


async def test_more_files_than_are_held_open_at_once_are_one_checkpoint(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST", 3)
    await disk.begin("a turn")
    assert said(await rewrite(disk, changed(files))) == NAMES
    assert [one.files for one in await disk.history()] == [tuple(NAMES)]
    await disk.undo()
    assert kit.files(project) == files


async def test_no_handle_stays_open(project: Path, disk: DiskWorkspace, files: dict[str, bytes]) -> None:
    await rewrite(disk, changed(files))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  (a handle is opened to look)
    (project / "b.py").write_bytes(b"own")
    await disk.write_many([(TextFile.decode(name, b"stale"), b"x") for name in NAMES])
    await rewrite(disk, files)
    async with asyncio.timeout(10):  # old files are let go of a little later
        while len(os.listdir("/proc/self/fd")) > before:  # noqa: PTH208
            await disk.read("a.py")


async def test_without_a_record_no_file_is_touched(project: Path, tmp_path: Path, files: dict[str, bytes]) -> None:
    (tmp_path / "full").write_bytes(b"a file, where a directory is needed")
    gate = Gate(project, RuleSet(), GrantStore(tmp_path / "state"))
    disk = DiskWorkspace(project, gate=gate, checkpoints=Checkpoints(tmp_path / "full", project))
    outcomes = await rewrite(disk, changed(files))
    assert all("no checkpoint can be kept, so nothing is written" in one for one in said(outcomes))
    assert kit.files(project) == files


async def test_a_record_that_fails_leaves_neither_change_nor_temporary(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _fs.rename

    def full(old: str, new: str, *, at: int | None = None) -> None:
        if str(new).endswith(".journal"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(old, new, at=at)

    with monkeypatch.context() as patch:
        patch.setattr(_fs, "rename", full)
        outcomes = await rewrite(disk, changed(files))
    assert len([one for one in outcomes if isinstance(one, WorkspaceError) and "no space left" in str(one)]) == 8
    assert kit.files(project) == files
    assert await disk.history() == []


async def test_the_same_file_twice_is_written_once(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes]
) -> None:
    (project / "link.py").symlink_to("a.py")
    both = [(await disk.read("a.py"), b"one"), (await disk.read("link.py"), b"two")]
    assert said(await disk.write_many(both)) == ["a.py", "link.py: written already at this moment; read it again"]
    assert (project / "a.py").read_bytes() == b"one"
    await disk.undo()
    assert kit.files(project)["a.py"] == files["a.py"]


async def test_what_is_as_it_should_be_already_is_not_written(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes]
) -> None:
    inode = (project / "a.py").stat().st_ino
    assert said(await rewrite(disk, files)) == NAMES
    assert await disk.write_many([]) == []
    assert (project / "a.py").stat().st_ino == inode
    assert await disk.history() == []


@pytest.mark.parametrize("answer", [Answer.ONCE, Answer.NO])
async def test_a_protected_place_among_them_asks_and_a_no_is_for_that_file_alone(
    project: Path, disk: DiskWorkspace, human: kit.Human, answer: Answer
) -> None:
    (project / "a.py").write_bytes(b"a")
    human.answer = answer
    [secret, ordinary] = await disk.write_many([(TextFile.new(".envrc"), b"x"), (await disk.read("a.py"), b"A")])
    assert [action.subject for action in human.asked] == [".envrc"]
    assert isinstance(secret, PermissionDenied) == (answer is Answer.NO)
    assert ordinary == TextFile.decode("a.py", b"A")
    assert (project / ".envrc").exists() == (answer is Answer.ONCE)
    await disk.undo()
    assert kit.files(project) == {"a.py": b"a"}


async def test_names_that_the_disk_does_not_confirm_are_said_and_can_be_taken_back(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "sub").mkdir()
    (project / "sub/f.py").write_bytes(b"old")
    news = {**changed(files), "sub/f.py": b"new"}
    home = project.stat().st_ino
    real = _fs.sync

    def failing(handle: int) -> None:
        if os.fstat(handle).st_ino == home:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(_fs, "sync", failing)
        *outcomes, other = said(await rewrite(disk, news))
    assert other == "sub/f.py"
    assert outcomes[0] == (
        "a.py: written, but not confirmed by the disk: the disk reported an input/output error; check it"
    )
    assert kit.files(project) == news
    await disk.undo()
    assert kit.files(project) == {**files, "sub/f.py": b"old"}


async def test_what_somebody_writes_in_the_last_moment_wins_and_the_others_are_written(
    project: Path, disk: DiskWorkspace, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _fs.exchange

    def somebody_writes(one: str, other: str, *, at: int) -> bool:
        if other == "d.py":
            monkeypatch.setattr(_fs, "exchange", real)
            (project / "d.py").write_bytes(b"own")
        return real(one, other, at=at)

    monkeypatch.setattr(_fs, "exchange", somebody_writes)
    outcomes = await rewrite(disk, changed(files))
    assert [isinstance(one, StaleFile) for one in outcomes] == [name == "d.py" for name in NAMES]
    assert kit.files(project) == {**changed(files), "d.py": b"own"}
    await disk.undo()
    assert kit.files(project) == {**files, "d.py": b"own"}
