"""The workspace on disk: what a write keeps."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet.text import TextFile
from motet.workspace import DiskWorkspace, _fs


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


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(old=st.text(), new=st.text(), encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
async def test_any_text_survives_writing_and_undoing(
    project: Path, disk: DiskWorkspace, no_waiting: None, old: str, new: str, encoding: str
) -> None:
    before, after = old.replace("\0", "").encode(encoding), new.replace("\0", "").encode(encoding)
    (project / "f").write_bytes(before)
    await disk.begin("a write")
    await disk.write(await disk.read("f"), after)
    assert (project / "f").read_bytes() == after
    if before != after:
        await disk.undo()
    assert (project / "f").read_bytes() == before


@pytest.mark.acceptance("T-25")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    lines=st.lists(
        st.tuples(st.text("ab ä\t\\", max_size=4), st.sampled_from(["\n", "\r\n", "\r"])), min_size=5, max_size=9
    ),
    last=st.sampled_from(["", "end"]),
)
async def test_an_edit_of_one_line_and_its_merged_undo_touch_no_other_byte(
    project: Path, disk: DiskWorkspace, no_waiting: None, encoding: str, lines: list[tuple[str, str]], last: str
) -> None:
    first = "# coding: latin-1\n" if encoding == "latin-1" else ""

    def data(**changed: str) -> bytes:
        numbered = (f"{changed.get(f'_{number}', number)}{text}{end}" for number, (text, end) in enumerate(lines))
        return f"{first}{''.join(numbered)}{last}".encode(encoding)

    (project / "f").write_bytes(data())
    await disk.begin("a write")
    file = await disk.read("f")
    await disk.write(file, file.encode(data(_1="motet").decode(encoding)))
    assert (project / "f").read_bytes() == data(_1="motet")
    (project / "f").write_bytes(data(_1="motet", _3="own"))
    await disk.undo(merge=True)
    assert (project / "f").read_bytes() == data(_3="own")


@pytest.mark.acceptance("T-23")
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


@pytest.mark.acceptance("T-23")
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
    record = ["write", "write", "write", "sync file", "rename", "sync directory"]  # with both contents, in one file
    # The record and the new bytes go to the disk side by side; both are there before the name is.
    assert steps[-2:] == ["exchange", "sync directory"]
    # First a note of what is being written, for which nobody waits.
    assert sorted(steps[:-2]) == sorted(["write", *record, "write", "sync file"])
    assert [step for step in steps[:-2] if "directory" in step or step == "rename"] == record[-2:]
    steps.clear()
    await disk.write(await disk.read("f.py"), b"newest")
    assert sorted(steps[:-2]) == ["sync file", "sync file", "write", "write", "write", "write"]
    assert steps[-2:] == ["exchange", "sync directory"]
    steps.clear()
    await disk.finish()
    assert steps == ["write"], "what only spares a look at the files waits for nothing"
