"""A process that lives long sees what happens to the files, without asking for it and without waiting."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from index_kit import git, put

from motet.index import following, watching
from motet.index.project import ProjectIndex

DEADLINE = 15.0


class Followed:
    """An index that follows its project."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.index = ProjectIndex(root, home, follows=True)

    async def start(self) -> None:
        self.following = self.index.follow()
        await self.until(lambda: self.following.is_watching)
        await self.following.settle()

    async def until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while not holds():
            assert time.monotonic() < end, sorted(path for path, _ in self.index.paths())
            await asyncio.sleep(0.01)

    async def shows(self, *paths: str) -> None:
        """Wait until the index has exactly `paths`, by itself."""
        await self.until(lambda: [path for path, _ in self.index.paths()] == sorted(paths))

    async def finds(self, word: str, *paths: str) -> None:
        answer = await self.index.search(word, patience=DEADLINE)
        assert (sorted(place.path for place in answer.found), answer.complete) == (sorted(paths), True)


@pytest_asyncio.fixture(params=["git", "no git"])
async def followed(project: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncGenerator[Followed]:
    if request.param == "git":
        git(project, "init", "-q", "-b", "main")
    put(project, {"a.py": "alpha = 1\n", "sub/b.py": "beta = 1\n", ".gitignore": "*.log\nout/\n"})
    (project / "empty").mkdir()
    found = Followed(project, tmp_path / "home")
    await found.start()
    await found.shows(".gitignore", "a.py", "sub/b.py")
    yield found
    await found.index.close()


@pytest.mark.acceptance("VC-01")
async def test_what_is_written_made_renamed_and_deleted_is_seen_by_itself(followed: Followed) -> None:
    root = followed.root
    put(root, {"a.py": "gamma = 1\n", "empty/c.py": "gamma = 2\n", "x.log": "gamma\n", "out/d.py": "gamma\n"})
    await followed.shows(".gitignore", "a.py", "empty/c.py", "sub/b.py")
    await followed.finds("gamma", "a.py", "empty/c.py")
    await followed.finds("alpha")
    (root / "a.py").rename(root / "sub/e.py")
    (root / "sub/b.py").unlink()
    await followed.shows(".gitignore", "empty/c.py", "sub/e.py")


async def test_a_directory_that_is_made_and_filled_at_once_is_seen_whole(followed: Followed, tmp_path: Path) -> None:
    made = {f"new/deep/{name}/f{number}.py": f"zyxomma = {number}\n" for name in "abc" for number in range(20)}
    put(followed.root, made)
    await followed.shows(".gitignore", "a.py", "sub/b.py", *made)
    put(followed.root, {"new/deep/a/late.py": "late = 1\n"})
    await followed.shows(".gitignore", "a.py", "sub/b.py", "new/deep/a/late.py", *made)


async def test_directories_that_move_away_in_and_about_are_followed(followed: Followed, tmp_path: Path) -> None:
    root, beside = followed.root, tmp_path / "beside"
    put(beside, {"in/deep/g.py": "gamma = 1\n"})
    (root / "sub").rename(beside / "away")
    (beside / "in").rename(root / "in")
    await followed.shows(".gitignore", "a.py", "in/deep/g.py")
    put(beside, {"away/b.py": "no longer = 1\n", "away/c.py": "never = 1\n"})
    (root / "in/deep").rename(root / "deeper")
    put(root, {"deeper/h.py": "gamma = 2\n"})
    await followed.shows(".gitignore", "a.py", "deeper/g.py", "deeper/h.py")
    await followed.finds("gamma", "deeper/g.py", "deeper/h.py")


async def test_rules_that_change_let_directories_in_and_out(followed: Followed) -> None:
    put(followed.root, {"out/d.py": "delta = 1\n", ".motetignore": "a.py\n", ".gitignore": "sub/\n"})
    await followed.shows(".gitignore", ".motetignore", "out/d.py")
    put(followed.root, {"out/e.py": "delta = 2\n", "sub/f.py": "delta = 3\n", "a.py": "delta = 4\n"})
    await followed.shows(".gitignore", ".motetignore", "out/d.py", "out/e.py")
    (followed.root / ".gitignore").unlink()
    (followed.root / ".motetignore").unlink()
    await followed.shows("a.py", "out/d.py", "out/e.py", "sub/b.py", "sub/f.py")


async def test_a_project_that_is_deleted_and_made_again_is_followed_anew(followed: Followed) -> None:
    shutil.rmtree(followed.root)
    await followed.until(lambda: not followed.index.paths())
    put(followed.root, {"sub/z.py": "zeta = 1\n"})
    await followed.shows("sub/z.py")
    put(followed.root, {"sub/y.py": "zeta = 2\n"})
    await followed.shows("sub/y.py", "sub/z.py")


@pytest.mark.parametrize("followed", ["git"], indirect=True)
async def test_branches_and_files_that_git_is_told_of_are_seen(followed: Followed) -> None:
    root = followed.root
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    git(root, "checkout", "-q", "-b", "two")
    put(root, {"only/two.py": "two = 2\n", "a.py": "alpha = 2\n", "forced.log": "log\n"})
    await followed.shows(".gitignore", "a.py", "only/two.py", "sub/b.py")
    git(root, "add", "-f", "-A", ".", "forced.log")
    await followed.shows(".gitignore", "a.py", "forced.log", "only/two.py", "sub/b.py")
    git(root, "commit", "-q", "-m", "two")
    git(root, "checkout", "-q", "main")
    await followed.shows(".gitignore", "a.py", "sub/b.py")
    await followed.finds("alpha", "a.py")
    git(root, "checkout", "-q", "two")
    await followed.shows(".gitignore", "a.py", "forced.log", "only/two.py", "sub/b.py")


async def test_more_than_fits_into_the_queue_of_the_system_is_seen(followed: Followed) -> None:
    followed.index.follow()._quiet = 1.0  # pyright: ignore[reportPrivateUsage]
    made = {f"many/f{number}.py": "x = 1\n" for number in range(watching.MOST + 50)}
    put(followed.root, made)
    await followed.shows(".gitignore", "a.py", "sub/b.py", *made)


def test_a_queue_that_overflows_asks_for_everything_anew(project: Path) -> None:
    watches = watching.Watches(project)
    watches.add([""])
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(most // 2 + 10):  # made, and closed
        (project / str(number)).touch()
    batch = watches.take()
    assert batch.again and batch.listing
    watches.close()


async def test_where_nothing_can_be_watched_files_are_listed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(*_: object) -> None:
        raise watching.WatchingShort("no space left on device")

    monkeypatch.setattr(watching.Watches, "add", short)
    monkeypatch.setattr(following, "_SLOWEST", 0.1)
    monkeypatch.setattr(following, "_IDLE_SHARE", 1.0)  # else it listed again after seconds
    put(project, {"a.py": "alpha = 1\n"})
    found = Followed(project, tmp_path / "home")
    found.index.follow()
    await found.shows("a.py")
    put(project, {"b.py": "alpha = 2\n"})
    await found.shows("a.py", "b.py")
    await found.finds("alpha", "a.py", "b.py")
    assert not found.index.follow().is_watching
    await found.index.close()


async def test_names_that_are_no_text_and_links_are_followed(followed: Followed) -> None:
    (followed.root / os.fsdecode(b"\xff\xfe.py")).write_text("gamma = 1\n")
    (followed.root / "loop").symlink_to(followed.root, target_is_directory=True)
    (followed.root / "link.py").symlink_to("a.py")
    await followed.shows(".gitignore", "a.py", "sub/b.py", os.fsdecode(b"\xff\xfe.py"))


@pytest.mark.acceptance("AV-03")
async def test_following_costs_nothing_while_nothing_happens(followed: Followed) -> None:
    await followed.following.settle()
    began = time.process_time()
    await asyncio.sleep(3)
    assert time.process_time() - began < 0.003 * 3 + 0.005


async def test_two_that_follow_one_project_share_what_is_read(followed: Followed, tmp_path: Path) -> None:
    other = Followed(followed.root, tmp_path / "home")
    await other.start()
    put(followed.root, {"c.py": "gamma = 1\n"})
    for one in (followed, other):
        await one.shows(".gitignore", "a.py", "c.py", "sub/b.py")
        await one.finds("gamma", "c.py")
    await other.index.close()


def _watching() -> list[str]:
    """The descriptors of this process by which it hears of files."""
    found: list[str] = []
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found += [one.name] if str(one.readlink()) == "anon_inode:inotify" else []
    return found


async def test_who_stops_while_it_is_asked_watches_nothing_afterwards(project: Path) -> None:
    put(project, {"a.py": "alpha = 1\n"})
    asked, may_go_on = threading.Event(), threading.Event()
    may_go_on.set()

    def known() -> set[str]:
        asked.set()
        may_go_on.wait(DEADLINE)
        return set()

    async def done() -> bool:
        return True

    before = _watching()
    follower = following.Following(project, known, done, lambda _: done())
    follower.start()
    end = time.monotonic() + DEADLINE
    while not follower.is_watching:
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    assert await follower.settle()
    asked.clear()
    may_go_on.clear()
    put(project, {".gitignore": "*.log\n"})  # all is watched anew
    settling = asyncio.create_task(follower.settle())
    assert await asyncio.to_thread(asked.wait, DEADLINE)
    stopping = asyncio.create_task(follower.stop())
    await asyncio.sleep(0)
    may_go_on.set()
    await asyncio.wait_for(asyncio.gather(settling, stopping), DEADLINE)
    assert _watching() == before


STARTS = """
import sys
sys.addaudithook(lambda event, args: print(event, args) if event in ("subprocess.Popen", "os.posix_spawn") else None)
from pathlib import Path
from motet.index.watching import Watches
Watches(Path(sys.argv[1])).add(["."])
"""


def test_to_watch_starts_no_program(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", STARTS, tmp_path], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
