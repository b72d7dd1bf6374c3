"""The index when a process is killed, two write, files of it are damaged, or its place cannot be written."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from index_kit import paths, put

from motet.index.project import ProjectIndex
from motet.storage.lease import Lease

LOCKS = Path("/proc/locks")
KILLS = int(os.environ.get("MOTET_INDEX_KILLS", "4"))
"""As it is when tests are collected: each test is rid of such variables."""
BUILD = """
import asyncio, sys
from pathlib import Path
from motet.index import keeping, stores
from motet.index.project import ProjectIndex
keeping.BATCH_BYTES = 4000
opened = stores.open_text_store
def told(kind, place):
    store = opened(kind, place)
    commit = store.commit
    def tell():
        commit()
        print("commit", flush=True)
    store.commit = tell
    return store
stores.open_text_store = told
async def main():
    index = ProjectIndex(Path(sys.argv[1]), Path(sys.argv[2]))
    print("ready", flush=True)
    change = await index.update()
    print("done" if change else "taken", flush=True)
    await index.close()
asyncio.run(main())
"""


def builder(project: Path, home: Path) -> subprocess.Popen[bytes]:
    """Another process that reads the files of `project`, in many small commits."""
    return subprocess.Popen([sys.executable, "-c", BUILD, project, home], stdout=subprocess.PIPE)


def until(what: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def fill(project: Path, count: int = 60) -> None:
    put(project, {f"f{number}.py": f"def function_{number}():\n    return zyxomma\n" for number in range(count)})


def home_of(home: Path) -> Path:
    (directory,) = home.iterdir()
    return directory


def ask(project: Path, home: Path, question: str = "zyxomma") -> list[str]:
    index = ProjectIndex(project, home)
    try:
        return sorted(paths(index, question, limit=100))
    finally:
        asyncio.run(index.close())


def test_a_writer_that_is_killed_at_any_moment_leaves_an_index_that_is_completed(
    project: Path, tmp_path: Path
) -> None:
    fill(project)
    every = [f"f{number}.py" for number in range(60)]
    for attempt in range(KILLS):
        put(
            project,
            {f"f{number}.py": f"def function_{number}():\n    return zyxomma + {attempt}\n" for number in range(60)},
        )
        process = builder(project, tmp_path / "home")
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        for _ in range(2 * attempt + attempt % 3):
            said = process.stdout.readline()
            assert said in (b"commit\n", b"done\n")
            if said == b"done\n":
                break  # it has fewer moments
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    assert ask(project, tmp_path / "home") == sorted(every)
    assert ask(project, tmp_path / "home", "function 7") != []


def test_one_process_writes_and_the_other_looks_at_what_is_there(project: Path, tmp_path: Path) -> None:
    fill(project, 5)
    home = tmp_path / "home"
    ask(project, home)
    put(project, {"new.py": "zyxomma = 2\n"})
    lease = Lease.take(home_of(home) / "writer.lock")
    assert lease is not None
    with lease:
        index = ProjectIndex(project, home)
        answer = asyncio.run(index.search("zyxomma", 100))
        assert sorted(place.path for place in answer.found) == [*(f"f{n}.py" for n in range(5)), "new.py"]
        assert not answer.complete  # `new.py` was only looked at
        asyncio.run(index.close())
    assert "new.py" in ask(project, home)


def test_two_processes_that_begin_together_make_one_whole_index(project: Path, tmp_path: Path) -> None:
    fill(project)
    both = [builder(project, tmp_path / "home") for _ in range(2)]
    answers = sorted(process.communicate(timeout=60)[0].splitlines()[-1] for process in both)
    assert answers in ([b"done", b"done"], [b"done", b"taken"])
    assert len(ask(project, tmp_path / "home")) == 60


def test_an_index_that_is_half_made_by_another_process_is_waited_for(project: Path, tmp_path: Path) -> None:
    fill(project, 5)
    ask(project, tmp_path / "home")
    directory = home_of(tmp_path / "home")
    lease = Lease.take(directory / "opening.lock")
    assert lease is not None
    (directory / "chunks" / "meta.json").rename(tmp_path / "meta.json")
    other = builder(project, tmp_path / "home")
    try:
        until(lambda: other.poll() is not None or f"-> FLOCK  ADVISORY  WRITE {other.pid} " in LOCKS.read_text())
        (tmp_path / "meta.json").rename(directory / "chunks" / "meta.json")
        lease.close()
        assert other.communicate(timeout=60)[0].splitlines() == [b"ready", b"done"]
    finally:
        other.kill()


@pytest.mark.parametrize("damaged", ["catalog.sqlite", "chunks/meta.json", "files/meta.json"])
def test_a_damaged_index_is_made_anew(damaged: str, project: Path, tmp_path: Path) -> None:
    fill(project, 5)
    before = ask(project, tmp_path / "home")
    (home_of(tmp_path / "home") / damaged).write_bytes(b"\x01" * 5000)
    for extra in home_of(tmp_path / "home").glob("catalog.sqlite-*"):
        extra.unlink()
    assert ask(project, tmp_path / "home") == before


def test_segments_that_are_gone_are_made_anew(project: Path, tmp_path: Path) -> None:
    fill(project, 5)
    before = ask(project, tmp_path / "home")
    for file in (home_of(tmp_path / "home") / "chunks").glob("*.idx"):
        file.unlink()
    assert ask(project, tmp_path / "home") == before


FULL = """
import asyncio, resource, sys
from pathlib import Path
from motet.index.project import ProjectIndex
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
async def main():
    index = ProjectIndex(Path(sys.argv[1]), Path(sys.argv[2]))
    found = (await index.search("zyxomma", 100)).found
    await index.finish()
    again = (await index.search("zyxomma", 100)).found
    await index.close()
    print(len(found), len(again))
asyncio.run(main())
"""


@pytest.mark.parametrize("room", [3_000, 60_000, 200_000])
def test_on_a_full_disk_questions_are_answered_and_later_the_index_is_completed(
    room: int, project: Path, tmp_path: Path
) -> None:
    filler = "".join(f"{number}\n" for number in range(3000))
    put(project, {f"f{number}.py": f"def function_{number}(): zyxomma\n{filler}" for number in range(40)})
    words = [sys.executable, "-c", FULL, str(project), str(tmp_path / "home"), str(room)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["40", "40"]), done.stderr
    assert len(ask(project, tmp_path / "home")) == 40


def test_an_index_that_is_damaged_while_it_is_open_is_made_anew(project: Path, tmp_path: Path) -> None:
    fill(project, 5)
    home = tmp_path / "home"

    async def main() -> None:
        index = ProjectIndex(project, home)
        await index.search("zyxomma", 100, patience=60)
        for kind in ("chunks", "files"):
            for file in (home_of(home) / kind).iterdir():
                file.write_bytes(b"\0" * 100)
        put(project, {"new.py": "zyxomma\n"})
        for _ in range(2):
            await index.search("zyxomma", 100, patience=60)
            await index.finish()
        answer = await index.search("zyxomma", 100, patience=60)
        assert (len(answer.found), answer.complete, answer.files) == (6, True, 6)
        await index.close()

    asyncio.run(main())
    assert len(ask(project, home)) == 6


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_an_index_on_a_read_only_disk_is_asked_or_kept_in_memory(project: Path, tmp_path: Path) -> None:
    fill(project, 5)
    home = tmp_path / "home"
    home.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", home], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"root may not mount here: {mounted.stderr.decode().strip()}")
    try:
        ask(project, home)
        put(project, {"new.py": "zyxomma\n"})
        subprocess.run(["mount", "-o", "remount,ro", home], check=True)
        assert len(ask(project, home)) == 6
        subprocess.run(["mount", "-o", "remount,rw", home], check=True)
        assert len(ask(project, home)) == 6
    finally:
        subprocess.run(["umount", home], check=True)


def test_where_the_state_cannot_be_written_the_index_is_in_memory(project: Path, tmp_path: Path) -> None:
    fill(project, 5)
    home = tmp_path / "home"
    home.write_text("a file, so that no directory can be made there")  # also for root, who may write everywhere
    index = ProjectIndex(project, home)
    assert len(paths(index, "zyxomma")) == 5
    status = asyncio.run(index.status())
    assert (status.place, status.files, status.disk) == ("", 5, 0)
    asyncio.run(index.close())
