"""The path guard: what it opens lies inside, whatever the path and whatever the links."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motet.errors import OutsideWorkspace, StaleFile, WorkspaceError
from motet.workspace import DiskWorkspace, _fs, atomic
from motet.workspace.failures import told
from motet.workspace.guard import Guard


def read(root: Path, path: str) -> bytes:
    with told(path), Guard(root).locate(path) as place:
        return atomic.read(place)


def real_path(root: Path, path: str) -> str:
    with told(path), Guard(root).locate(path) as place:
        return place.real


@pytest.mark.acceptance("T-09")
@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "..", "a/..", "//x"])
def test_a_path_that_leaves_by_its_spelling_is_refused(project: Path, path: str) -> None:
    with pytest.raises(OutsideWorkspace):
        read(project, path)


@pytest.mark.parametrize("path", ["", ".", "./", "a\0b", "x" * 300, "\ud800"])
def test_a_path_that_cannot_name_a_file_is_refused_in_one_line(project: Path, path: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        read(project, path)
    assert str(caught.value).isprintable()


def test_a_path_has_one_spelling(project: Path) -> None:
    (project / "a").mkdir()
    (project / "a/b.py").write_bytes(b"x")
    assert real_path(project, "./a//./b.py") == "a/b.py"


@pytest.mark.parametrize("target", ["/etc", "..", "../outside", "a/../../outside"])
def test_a_link_that_leaves_is_refused_as_directory_and_as_file(project: Path, tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/hostname").write_bytes(b"secret")
    (project / "a").mkdir()
    (project / "directory").symlink_to(target)
    (project / "file").symlink_to(f"{target}/hostname")
    for path in ("directory/hostname", "file"):
        with pytest.raises(OutsideWorkspace, match="through a link"):
            read(project, path)


def test_links_that_stay_inside_are_followed(project: Path) -> None:
    (project / "src/deep").mkdir(parents=True)
    (project / "src/deep/a.py").write_bytes(b"inside")
    (project / "relative").symlink_to("src/deep/../deep/a.py")
    (project / "absolute").symlink_to(project / "src")
    (project / "src/up").symlink_to("../relative")
    (project / "src/out_and_back").symlink_to(f"../../{project.name}/src/./deep")
    for path in ("relative", "absolute/deep/a.py", "src/up", "src/out_and_back/a.py"):
        assert read(project, path) == b"inside"
        assert real_path(project, path) == "src/deep/a.py"


def test_links_in_a_circle_end_in_an_error(project: Path) -> None:
    (project / "a").symlink_to("b")
    (project / "b").symlink_to("a")
    with pytest.raises(WorkspaceError, match="circle"):
        read(project, "a/x")


def test_pipes_sockets_devices_and_directories_are_not_opened(project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "directory").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(project)  # the path of a socket is short
        server.bind("socket")
        os.chdir(here)
    for path in ("pipe", "socket", "directory"):
        with pytest.raises(WorkspaceError, match="not a regular file"):
            read(project, path)


def test_a_device_behind_a_link_is_outside(project: Path) -> None:
    (project / "zero").symlink_to("/dev/zero")
    with pytest.raises(OutsideWorkspace):
        read(project, "zero")


# --- any path, any links -----------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c", "f", "up", ".."])
PATHS = st.lists(st.sampled_from(["a", "b", "c", "f", "l", "m", "n", ".", "..", ""]), max_size=6).map("/".join)
TARGETS = st.one_of(
    PATHS,
    PATHS.map(lambda path: f"ROOT/{path}"),
    PATHS.map(lambda path: f"ROOT/../outside/{path}"),
    PATHS.map(lambda path: f"../project/{path}"),
    st.sampled_from(["/", "/etc/passwd", "ROOT", "ROOT/..", "../../outside/f"]),
)
LINKS = st.dictionaries(st.tuples(st.sampled_from(["", "a", "a/b", "c"]), st.sampled_from(["l", "m", "n"])), TARGETS)


@contextmanager
def opened_paths() -> Generator[list[str]]:
    """The real path of everything that the room opens in the block, as the kernel tells it."""
    opened: list[str] = []
    real = _fs.open_file

    def open_file(*args: object, **kwargs: object) -> int:
        handle = real(*args, **kwargs)  # pyright: ignore[reportArgumentType]
        opened.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        return handle

    _fs.open_file = open_file  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield opened
    finally:
        _fs.open_file = real


@pytest.mark.acceptance("T-09")
@settings(max_examples=400, deadline=None)
@given(links=LINKS, path=PATHS)
def test_nothing_outside_is_ever_opened_and_everything_inside_is_found(
    links: dict[tuple[str, str], str], path: str
) -> None:
    base = Path(os.path.realpath(tempfile.mkdtemp()))
    try:
        root = base / "project"
        for directory in ("project/a/b", "project/c", "outside/a"):
            (base / directory).mkdir(parents=True)
        for file in ("project/f", "project/a/f", "project/a/b/f", "project/c/f", "outside/f", "outside/a/f"):
            (base / file).write_text(file)
        for (directory, name), target in links.items():
            (root / directory / name).symlink_to(target.replace("ROOT", str(root)) or ".")
        with opened_paths() as opened:
            try:
                found = read(root, path)
            except WorkspaceError:
                found = None
        assert all(Path(place).is_relative_to(root) for place in opened)
        assert found == expected(root, path)
    finally:
        shutil.rmtree(base)


def expected(root: Path, path: str) -> bytes | None:
    """What the system itself finds, if neither the path nor a link on the way goes through the outside."""
    if path.startswith("/") or ".." in path.split("/") or not stays_inside(root, path):
        return None
    place = root / path
    try:
        return place.read_bytes()
    except OSError:
        return None


def stays_inside(root: Path, path: str) -> bool:
    """Walk by names alone, resolving links one at a time; the places above the root are only passed through."""
    here, todo, links = root, [part for part in path.split("/") if part not in ("", ".")], 0
    above = list(root.parents)
    while todo:
        part = todo.pop(0)
        if part == "..":
            here = here.parent
        else:
            step = here / part
            if here.is_relative_to(root) and step.is_symlink():
                links += 1
                if links > 40:
                    return False
                target = str(step.readlink())
                here = Path("/") if target.startswith("/") else here
                todo = [part for part in target.split("/") if part not in ("", ".")] + todo
                continue
            here = step
        if not here.is_relative_to(root) and here not in above:
            return False
    return here.is_relative_to(root)


# --- races -------------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("T-10")
@pytest.mark.timeout(110)
async def test_a_directory_swapped_for_a_link_during_2000_writes_never_leads_outside(
    project: Path, tmp_path: Path, disk: DiskWorkspace, no_waiting: None
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.py").write_bytes(b"outside")
    (project / "d").mkdir()
    (project / "d/f.py").write_bytes(b"0")
    (project / "other").symlink_to(outside)
    done = threading.Event()
    written = refused = 0
    thread = threading.Thread(target=swapping(project, done))
    thread.start()
    try:
        for number in range(2000):
            try:
                await disk.begin("a write")
                file = await disk.read("d/f.py")
                await disk.write(file, b"%d" % number)
                written += 1
            except WorkspaceError:
                refused += 1
    finally:
        done.set()
        thread.join()
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"f.py": b"outside"}
    assert written > 0
    assert refused > 0


def swapping(project: Path, done: threading.Event) -> Callable[[], None]:
    """Exchange `d` and `other`, in one step each, and back at once; so the directory is there for a while, too."""

    def swap() -> None:
        handle = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
        while not done.wait(0.0002):
            assert _fs.exchange("d", "other", at=handle)
            assert _fs.exchange("d", "other", at=handle)
        os.close(handle)

    return swap


@pytest.mark.acceptance("T-10")
async def test_a_file_swapped_for_a_link_while_it_is_written_never_leads_outside(
    project: Path, tmp_path: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"0")
    (project / "f.py").write_bytes(b"0")
    file = await disk.read("f.py")
    real = _fs.exchange

    def swap_first(one: str, other: str, *, at: int) -> bool:
        monkeypatch.setattr(_fs, "exchange", real)
        (project / "f.py").unlink()
        (project / "f.py").symlink_to(outside)
        return real(one, other, at=at)

    monkeypatch.setattr(_fs, "exchange", swap_first)
    with pytest.raises(WorkspaceError):
        await disk.write(file, b"1")
    assert outside.read_bytes() == b"0"
    assert (project / "f.py").is_symlink()
    assert [path.name for path in project.iterdir()] == ["f.py"]


async def test_a_directory_replaced_during_the_write_makes_it_stale(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "d").mkdir()
    (project / "d/f.py").write_bytes(b"0")
    file = await disk.read("d/f.py")
    real = _fs.set_mode

    def replace_directory(handle: int, mode: int) -> None:
        (project / "d").rename(project / "moved")
        (project / "d").mkdir()
        real(handle, mode)

    monkeypatch.setattr(_fs, "set_mode", replace_directory)
    with pytest.raises(StaleFile, match="directory was replaced"):
        await disk.write(file, b"1")
    assert (project / "moved/f.py").read_bytes() == b"0"
    assert [path.name for path in (project / "moved").iterdir()] == ["f.py"]
