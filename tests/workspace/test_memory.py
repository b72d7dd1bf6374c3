"""The workspace in memory keeps the same promises as the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from motet.errors import NotText, OutsideWorkspace, StaleFile, WorkspaceError
from motet.text import TextFile
from motet.workspace import DiskWorkspace, MemoryWorkspace, Workspace

Make = Callable[[dict[str, bytes]], Workspace]


@pytest.fixture(params=["disk", "memory"])
def make(request: pytest.FixtureRequest, project: Path, disk: DiskWorkspace) -> Make:
    def on_disk(files: dict[str, bytes]) -> Workspace:
        for path, data in files.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_bytes(data)
        return disk

    return on_disk if request.param == "disk" else MemoryWorkspace


async def test_reading_writing_making_and_removing(make: Make) -> None:
    workspace = make({"src/a.py": b"a\r\n"})
    file = await workspace.read("./src/a.py")
    assert file == TextFile.decode("src/a.py", b"a\r\n")
    file = await workspace.write(file, b"b\r\n")
    assert file == await workspace.read("src/a.py")
    made = await workspace.create("new/b.py", b"x")
    assert await workspace.list_files() == ["new/b.py", "src/a.py"]
    assert await workspace.list_files(["src"]) == ["src/a.py"]
    await workspace.delete(made)
    await workspace.write(TextFile.new("c.py"), b"c")
    assert await workspace.list_files() == ["c.py", "src/a.py"]


async def test_stale_files_and_names_that_are_taken_are_refused(make: Make) -> None:
    workspace = make({"a.py": b"a"})
    stale = TextFile.decode("a.py", b"older")
    for attempt in (workspace.write(stale, b"b"), workspace.delete(stale), workspace.create("a.py", b"b")):
        with pytest.raises(StaleFile):
            await attempt
    with pytest.raises(StaleFile):
        await workspace.write(TextFile.decode("absent.py", b"a"), b"b")
    with pytest.raises(StaleFile):
        await workspace.delete(TextFile.new("absent.py"))
    assert (await workspace.read("a.py")).data == b"a"


async def test_paths_outside_absent_files_and_binary_data_are_refused(make: Make) -> None:
    workspace = make({"a.py": b"a", "binary": b"\0"})
    for path in ("../a.py", "/a.py", "x/../../a.py"):
        with pytest.raises(OutsideWorkspace):
            await workspace.read(path)
        with pytest.raises(OutsideWorkspace):
            await workspace.create(path, b"")
    with pytest.raises(WorkspaceError, match=r"^absent\.py: no such file$"):
        await workspace.read("absent.py")
    with pytest.raises(NotText):
        await workspace.read("binary")
    with pytest.raises(NotText):
        await workspace.create("b", b"\0")
