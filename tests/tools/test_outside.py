"""Whatever a model calls a path and wherever links lead: no tool opens, makes, changes or removes anything outside the
workspace, as the kernel tells it."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import struct
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.desk_kit import on_disk
from tools.tool_kit import Project

from motet.context import Sources
from motet.errors import MotetError, WorkspaceError
from motet.messages import ToolCall
from motet.tools import Toolbox
from motet.tools.registry import ToolRegistry
from motet.workspace import DiskWorkspace, _fs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who opens what (inotify)")

CANARY = "CANARY of the outside"


# --- what the kernel sees --------------------------------------------------------------------------------------

EVENTS = {
    0x1: "read",
    0x2: "changed",
    0x4: "attributes",
    0x20: "opened",
    0x100: "made",
    0x200: "removed",
    0xC0: "moved",
}


class Watch:
    """What happens to directories and the files in them. See inotify(7)."""

    def __init__(self, *directories: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.handle: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self.handle >= 0, os.strerror(ctypes.get_errno())
        for directory in directories:
            mask = sum(EVENTS)
            assert self._libc.inotify_add_watch(self.handle, os.fsencode(directory), mask) >= 0

    def seen(self) -> list[tuple[str, str]]:
        """What happened since the last look: to which file (empty: to a directory itself), and what."""
        found: list[tuple[str, str]] = []
        while True:
            try:
                data = os.read(self.handle, 65536)
            except BlockingIOError:
                return found
            while data:
                _, mask, _, length = struct.unpack_from("iIII", data)
                name = data[16 : 16 + length].rstrip(b"\0").decode()
                found += [(name, what) for bit, what in EVENTS.items() if mask & bit]
                data = data[16 + length :]


@contextmanager
def watching(*directories: Path) -> Iterator[Watch]:
    watch = Watch(*directories)
    try:
        yield watch
    finally:
        os.close(watch.handle)


def test_the_watch_sees_a_look_at_a_file_a_directory_and_a_change(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    with watching(tmp_path) as watch:
        (tmp_path / "f").stat()
        os.path.realpath(tmp_path / "f")
        assert watch.seen() == []
        (tmp_path / "f").read_text()
        assert ("f", "opened") in watch.seen()
        assert len(list(tmp_path.iterdir())) == 1
        assert ("", "opened") in watch.seen()
        (tmp_path / "g").touch()
        assert ("g", "made") in watch.seen()


# --- any path, any links ---------------------------------------------------------------------------------------

PARTS = st.sampled_from(
    ["a", "b", "f", "l", "m", "n", ".", "..", "", "A", "F", "f:stream", "C:", "\\\\host\\share", "~"]
)
PATHS = st.one_of(
    st.lists(PARTS, min_size=1, max_size=6).map("/".join),
    st.sampled_from(
        [
            "BASE/outside/f", "BASE/project/../outside/f", "//BASE/outside/f", "../outside/f", "a/../../outside/f", "..", "/",
            "BASE/project-beside/f", "../project-beside/f", "file://BASE/outside/f", "\\\\localhost\\outside\\f", "..\\outside\\f",
            "l/f", "m/f", "n", "a/l/f", "l/../outside/f", "BASE/PROJECT/f", "./l/./f", "l//f", "%2e%2e/outside/f", "\u2024\u2024/outside/f",
        ]
    ),
)  # fmt: skip
TARGETS = st.sampled_from(
    [
        "BASE/outside", "BASE/outside/f", "../outside", "../outside/f", "../../outside/f", "..", "../..", "/", "a", "f", "a/f", "l",
        "BASE/project/../outside", "BASE/project/a", "../project-beside/f", "nowhere", "BASE/outside/new",
    ]
)  # fmt: skip
LINKS = st.dictionaries(st.sampled_from(["l", "m", "n", "a/l", "a/m"]), TARGETS, max_size=4)


def calls(path: str) -> list[tuple[str, dict[str, object]]]:
    """Calls of every tool that takes a path, with this one. Those that change something come last."""
    old = f"{CANARY}\n"
    diff = f"<<<<<<< SEARCH\n{old}=======\nnew\n>>>>>>> REPLACE\n"
    return [
        ("read_file", {"path": path}),
        ("list_files", {"path": path}),
        ("find_files", {"name": path}),
        ("search_text", {"pattern": "CANARY", "paths": [path]}),
        ("outline", {"path": path}),
        ("find_symbol", {"name": "canary", "paths": [path]}),
        ("find_references", {"name": "canary", "paths": [path]}),
        ("changed_files", {"paths": [path]}),
        ("run_command", {"argv": ["cat", path], "cwd": path}),
        ("run_command", {"argv": [path]}),
        ("replace_in_file", {"path": path, "diff": diff}),
        ("create_file", {"path": path, "content": "new\n"}),
        ("create_file", {"path": f"{path}/new.txt", "content": "new\n"}),
        ("move_file", {"path": path, "to": "moved.txt"}),
        ("move_file", {"path": "f", "to": path}),
        ("delete_file", {"path": path}),
    ]


async def tried(base: Path, path: str) -> list[str]:
    """What all the tools say, and what a mention of the path shares."""
    project = Project(base)
    registry = ToolRegistry(project.kit, edit_format="replace_in_file")
    wanted = calls(path)
    toolbox = Toolbox(registry.tool(name) for name in dict.fromkeys(name for name, _ in wanted))
    said = await toolbox.run([ToolCall(f"c{at}", name, json.dumps(given)) for at, (name, given) in enumerate(wanted)])
    try:
        mentioned = (await Sources(project.workspace, project.gate).read(path)).text
    except MotetError as error:
        mentioned = str(error)
    await registry.close()
    return [*(output.text for output in said), mentioned]


@pytest.mark.acceptance("T-09")
@settings(max_examples=100, deadline=None)
@given(links=LINKS, path=PATHS)
def test_no_tool_opens_anything_outside_by_any_path_through_any_links(links: dict[str, str], path: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        base = Path(os.path.realpath(directory))
        for place in ("project/a/b", "outside/a", "project-beside"):
            (base / place).mkdir(parents=True)
        outside = [base / name for name in ("outside/f", "outside/a/f", "project-beside/f")]
        for file in (*outside, base / "project/f", base / "project/a/f"):
            file.write_text(f"{CANARY if file in outside else 'inside'}\n")
        for name, target in links.items():
            (base / "project" / name).symlink_to(target.replace("BASE", str(base)))
        with watching(base / "outside", base / "outside/a", base / "project-beside") as watch:
            said = asyncio.run(tried(base, path.replace("BASE", str(base))))
            assert watch.seen() == []
        assert not any(CANARY in text for text in said)
        assert {file.read_text() for file in outside} == {f"{CANARY}\n"}
        assert sorted(place.name for place in (base / "outside").iterdir()) == ["a", "f"]


# --- while others swap files and links -------------------------------------------------------------------------

SWAPS, BURST = 100_000, 250
PAIRS = (("f.py", "link.py"), ("d", "to-outside"), ("d/g.py", "d/link.py"), ("e", "to-outside-too"))
"""A file or directory, and a link that leads outside."""


class Swapping(threading.Thread):
    """Exchanges both of each pair in one step, again and again. After each burst all is in its place until the writer
    has tried once more, so that it finds both what is in its place and what is not."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        self.tried = threading.Semaphore(0)
        self.swaps = 0

    def run(self) -> None:
        try:
            while self.swaps < SWAPS:
                for number in range(BURST // 2):
                    one, other = PAIRS[number % len(PAIRS)]
                    for _ in range(2):
                        assert _fs.exchange(one, other, at=self.handle)
                        self.swaps += 1
                while self.tried.acquire(blocking=False):
                    continue
                assert self.tried.acquire(timeout=60)
        finally:
            os.close(self.handle)


async def attempts(disk: DiskWorkspace, number: int) -> tuple[int, int]:
    """Writes, makes and removes files through all of these names; how often it was done, how often refused."""
    done = refused = 0
    for path in ("f.py", "d/g.py", "e/h.py", "link.py", "d/link.py", "to-outside/f.py"):
        try:
            await disk.write(await disk.read(path), b"%d" % number)
            done += 1
        except WorkspaceError:
            refused += 1
    for path in (f"d/new-{number}.py", f"to-outside/new-{number}.py"):
        try:
            await disk.delete(await disk.create(path, b"new"))
            done += 1
        except WorkspaceError:
            refused += 1
    return done, refused


@pytest.mark.acceptance("T-10")
async def test_while_files_and_links_are_swapped_100000_times_nothing_outside_is_opened_or_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fs, "sync", os.fstat)  # nothing here loses its power
    root, outside = tmp_path / "project", tmp_path / "outside"
    disk = on_disk(root, tmp_path / "state")
    for place in (outside, root / "d", root / "e"):
        place.mkdir()
    for file in (
        outside / "f.py",
        outside / "g.py",
        outside / "h.py",
        root / "f.py",
        root / "d/g.py",
        root / "e/h.py",
    ):
        file.write_bytes(b"0")
    (root / "link.py").symlink_to("../outside/f.py")
    (root / "d/link.py").symlink_to("../../outside/g.py")
    (root / "to-outside").symlink_to("../outside")
    (root / "to-outside-too").symlink_to(outside)
    done = refused = number = 0
    swapping = Swapping(root)
    with watching(outside) as watch:
        swapping.start()
        while swapping.is_alive():
            number += 1
            more = await attempts(disk, number)
            done, refused = done + more[0], refused + more[1]
            swapping.tried.release()
        swapping.join()
        assert watch.seen() == []
    assert swapping.swaps == SWAPS
    assert done > 100 and refused > 100
    assert {place.name: place.read_bytes() for place in outside.iterdir()} == {
        "f.py": b"0", "g.py": b"0", "h.py": b"0",
    }  # fmt: skip
