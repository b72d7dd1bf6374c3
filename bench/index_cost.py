"""What the index costs: CPU, memory and disk for a tree that was never read, nothing changed, one file saved, a question.

    python bench/index_cost.py [--lines N] [--large N] [--rounds N] [--json]

Two trees: the library of the running Python, in copies that differ, until they have enough lines, without git;
`--large 0` leaves the second one out. Time is on the clock: what else the machine does counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from measure.run import BenchError
from measure.table import Measured, Result, main, measured, say
from retrieving.plainer import Keywords
from retrieving.sets import of_file, shared_cases

from motet.index.membership import list_members
from motet.index.project import FIRST_SCAN, ProjectIndex
from motet.index.question import understand
from motet.index.scanning import scan
from motet.index.weights import WEIGHTS

ABOUT = (
    "The library of the running Python, in copies that differ, until the tree has enough lines, without git; twice. *cold*: "
    "a process of its own that reads the tree for the first time, and its first answer. *first R@10*: of answers to "
    "questions in a project of which nothing was ever read (commit messages of `bench/retrieval.py`), beside a search "
    "for their keywords in all files; for the large tree the projects are put into it. The other rows are of one process "
    "with the index open; *saved* is from the write of one file until it is found, in a process that follows the files; "
    "*again* is a process of its own that starts, sees that nothing changed, and answers. Bars are held against the clock, "
    "as the other rows are; CPU stands beside them, of all threads."
)
QUESTIONS = (
    "where is a redirect of an HTTP request followed?",
    "how are dates parsed from a string",
    "thread pool shutdown waits for pending futures",
    "UnicodeDecodeError while reading the configuration file",
    "json encoder default method is not called for subclasses of dict",
)
COLD = """
import asyncio, json, resource, sys, time
from pathlib import Path
from motet.index.project import ProjectIndex
async def read():
    index = ProjectIndex(Path(sys.argv[1]), Path(sys.argv[2]))
    began = time.monotonic()
    first = await index.search(sys.argv[3], 10)
    answered = time.monotonic() - began
    await index.finish()
    wall = time.monotonic() - began
    status = await index.status()
    await index.close()
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(json.dumps({"wall": wall, "first": answered, "found": len(first.found), "cpu": time.process_time(),
        "peak": peak / 1000, "lines": status.lines, "files": status.files, "chunks": status.chunks, "disk": 100 * status.disk / status.size}))
asyncio.run(read())
"""
AGAIN = """
import gc
from motet.__main__ import COLLECTED_AFTER
gc.set_threshold(COLLECTED_AFTER)
import asyncio, sys
from pathlib import Path
from motet.index.project import ProjectIndex
async def ask():
    index = ProjectIndex(Path(sys.argv[1]), Path(sys.argv[2]))
    assert (await index.search(sys.argv[3])).found
    await index.close()
asyncio.run(ask())
gc.freeze()
"""


@dataclass(frozen=True)
class Cold:
    """One reading of a tree: seconds, MB, percent of the text."""

    wall: float
    first: float
    found: int
    cpu: float
    peak: float
    lines: int
    files: int
    chunks: int
    disk: float


def grown(root: Path, lines: int) -> None:
    """A tree of at least `lines` lines in `root`."""
    library = Path(sysconfig.get_path("stdlib"))
    files = [path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts]
    texts = {path.relative_to(library): path.read_bytes() for path in files if path.stat().st_size < 512_000}
    have, copy = 0, 0
    while have < lines:
        for path, text in texts.items():
            place = root / f"copy{copy}" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            lines_of = text.split(b"\n")
            lines_of[::25] = [line + b"  # of copy %d" % copy for line in lines_of[::25]]
            place.write_bytes(b"\n".join(lines_of))
            have += text.count(b"\n")
            if have >= lines:
                return
        copy += 1


def cold(root: Path, home: Path) -> Cold:
    """Read `root` for the first time, in a process of its own."""
    shutil.rmtree(home, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-c", COLD, root, home, QUESTIONS[0]], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchError(done.stderr.strip().splitlines()[-1])
    return Cold(**json.loads(done.stdout))


@dataclass(frozen=True)
class Warm:
    """Seconds, CPU seconds of saves and questions, and the share of CPU while nothing happens."""

    unchanged: list[float]
    saved: list[float]
    saved_cpu: list[float]
    asked: list[float]
    asked_cpu: list[float]
    idle: list[float]


async def warm(root: Path, home: Path, rounds: int) -> Warm:
    """What one process with the index open needs."""
    index = ProjectIndex(root, home, follows=True)
    found = Warm([], [], [], [], [], [])
    await index.update()
    for _ in range(rounds):
        began = time.perf_counter()
        await index.update()
        found.unchanged.append(time.perf_counter() - began)
    following = index.follow()
    await seen(lambda: following.is_watching)
    await following.settle()
    for number in range(rounds):
        name, before = f"zyxomma{number}", index.stores.catalog.row("copy0/saved.py")
        began, cpu = time.perf_counter(), time.process_time()
        (root / "copy0" / "saved.py").write_text(f"def {name}():\n    return {number}\n")
        await seen(lambda before=before: index.stores.catalog.row("copy0/saved.py") != before)  # nobody asks
        answer = await index.search(name, 1, patience=0)
        if [place.path for place in answer.found] != ["copy0/saved.py"]:
            raise BenchError("a file that was saved is not found")
        found.saved.append(time.perf_counter() - began)
        found.saved_cpu.append(time.process_time() - cpu)
        for question in QUESTIONS:
            began, cpu = time.perf_counter(), time.process_time()
            await index.search(question)
            found.asked.append(time.perf_counter() - began)
            found.asked_cpu.append(time.process_time() - cpu)
    await following.settle()
    for _ in range(3):
        cpu = time.process_time()
        await asyncio.sleep(5)
        found.idle.append(100 * (time.process_time() - cpu) / 5)
    await index.close()
    return found


async def seen(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > 300:
            raise BenchError("what was written is not seen")
        await asyncio.sleep(0.01)


def again(root: Path, home: Path) -> tuple[float, float]:
    """Seconds and CPU seconds of a process that asks an index that is there, with its modules compiled, and that begins and
    ends as `motet` does."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", AGAIN, root, home, QUESTIONS[1]], check=True, capture_output=True, env=environ
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return time.perf_counter() - began, cpu


def unchanged(place: Path, files: int) -> tuple[list[float], list[float]]:
    """Seconds in which nothing is found to have changed, in a work tree of git with so many files; CPU seconds, git's
    included."""
    root = place / f"tree{files}"
    for number in range(files):
        directory = root / f"d{number % 300}"
        if number < 300:
            directory.mkdir(parents=True)
        (directory / f"f{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    subprocess.run(["git", "init", "-q", str(root)], check=True)

    async def look() -> tuple[list[float], list[float]]:
        index, walls, cpus = ProjectIndex(root, place / "home-of-many"), list[float](), list[float]()
        await index.update()
        for _ in range(5):
            began, used = time.perf_counter(), os.times()
            await index.update()
            walls.append(time.perf_counter() - began)
            cpus.append(sum(os.times()[:4]) - sum(used[:4]))
        await index.close()
        return walls, cpus

    return asyncio.run(look())


def first_answers(place: Path, count: int, among: Path | None = None) -> tuple[list[float], list[float]]:
    """R@10 of answers from files that nobody read before, and of a search for keywords, set by set. `among`: a tree that
    the projects are put into."""
    own: list[float] = []
    plain: list[float] = []
    sets = [of_file(file) for file in sorted(shared_cases().glob("*.jsonl"))]
    if among is not None:
        for given in sets:
            shutil.copytree(given.root, among / given.name)
    for given in sets:
        root, below = (given.root, "") if among is None else (among, f"{given.name}/")
        members = asyncio.run(list_members(root))
        keywords = Keywords(root, [one.path for one in members if not one.left_out])
        cases = random.Random(1).sample(given.cases, min(count, len(given.cases)))
        index, mine, theirs = ProjectIndex(root, place / "home-of-none"), 0.0, 0.0
        for case in cases:
            gold = {f"{below}{path}" for path in case.gold}
            asked = understand(case.query, WEIGHTS)
            scanned = scan(root, members, asked, {}, FIRST_SCAN)
            best = [one.path for one in index.ranked(asked, {}, scanned=scanned)[:10]]
            mine += len(gold.intersection(best)) / len(gold)
            theirs += len(gold.intersection(keywords.ranked(case.query)[:10])) / len(gold)
        asyncio.run(index.close())
        own.append(mine / len(cases))
        plain.append(theirs / len(cases))
    return own, plain


def installed() -> float:
    """MB of the packages that only the index needs."""
    files = [file for name in ("tantivy", "inotify-simple") for file in metadata.files(name) or ()]
    return sum(Path(str(file.locate())).stat().st_size for file in files if Path(str(file.locate())).is_file()) / 1e6


def p95(values: list[float]) -> float:
    """The value that 95 of 100 do not exceed."""
    return statistics.quantiles(values, n=20)[-1]


def measure(lines: int, large: int, rounds: int) -> Result:
    """The table."""
    with tempfile.TemporaryDirectory(prefix="motet-index-") as name:
        place = Path(name).resolve()
        rows = [
            *of_tree(place / "tree", lines, rounds, 10 * lines / 700_000, 7 * lines / 700_000),
            *few(place, rounds),
        ]
        if large:
            others = of_tree(place / "large", large, max(4, rounds // 4), 60 * large / 5_700_000, None)
            if shared_cases().is_dir():
                others.append(first_found(place, rounds, place / "large"))
            rows += [replace(row, what=f"large tree: {row.what}") for row in others]
    return measured("What the index costs", ABOUT, rows)


def of_tree(root: Path, lines: int, rounds: int, wall: float, cpu: float | None) -> list[Measured]:
    """The rows of a tree; `wall` and `cpu`: seconds that reading it may take."""
    home = root.parent / f"home-of-{root.name}"
    grown(root, lines)
    readings: list[Cold] = []
    for _ in range(max(1, rounds // 10)):
        readings.append(cold(root, home))
        say(f"{readings[-1]}")
    os.sync()  # what was written for this is not written while it is measured
    asked_again = [again(root, home) for _ in range(max(3, rounds // 4))]
    found = asyncio.run(warm(root, home, rounds))
    one = readings[0]
    about = f"{one.lines:,} lines in {one.files:,} files"
    return [*of_cold(readings, about, wall, cpu), *of_warm(found, asked_again, f"{one.chunks:,} chunks")]


def of_cold(readings: list[Cold], about: str, wall: float, cpu: float | None) -> list[Measured]:
    """The rows of first readings."""
    return [
        Measured(f"cold: time, {about}", "s", [each.wall for each in readings], wall),
        Measured("cold: CPU", "s", [each.cpu for each in readings], cpu),
        Measured("cold: first answer", "s", [each.first for each in readings], 2),
        Measured("cold: most memory", "MB", [each.peak for each in readings], 200),
        Measured("cold: disk, percent of the text", "%", [each.disk for each in readings], 25),
    ]


def of_warm(found: Warm, asked_again: list[tuple[float, float]], about: str) -> list[Measured]:
    """The rows of an index that is there."""
    return [
        Measured("nothing changed", "s", found.unchanged),
        Measured("saved, p95", "ms", [1000 * p95(found.saved)], 500),
        Measured("saved: CPU", "ms", [1000 * value for value in found.saved_cpu], 50),
        Measured(f"question, p95, {about}", "ms", [1000 * p95(found.asked)], 20),
        Measured("question, p95 of its CPU", "ms", [1000 * p95(found.asked_cpu)]),
        Measured(f"question, again, {about}", "ms", [1000 * wall for wall, _ in asked_again], 200),
        Measured("question, again: CPU", "ms", [1000 * cpu for _, cpu in asked_again]),
        Measured("nothing happens: CPU, percent of a core", "%", found.idle, 0.3),
    ]


def few(place: Path, rounds: int) -> list[Measured]:
    """The rows that a large tree says nothing new of."""
    rows: list[Measured] = []
    for count, bar in ((4_000, 0.2), (20_000, 1.0)):
        walls, cpus = unchanged(place, count)
        rows.append(Measured(f"nothing changed, {count:,} files in git", "s", walls, bar))
        rows.append(Measured(f"nothing changed, {count:,} files in git: CPU", "s", cpus))
    if shared_cases().is_dir():
        rows.append(first_found(place, 2 * rounds))
    return [*rows, Measured("installed", "MB", [installed()], 40)]


def first_found(place: Path, count: int, among: Path | None = None) -> Measured:
    """What a first answer finds."""
    own, plain = first_answers(place, count, among)
    return Measured("first R@10", "", own, None, "keywords", plain, at_least=1.0)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"lines": 700_000, "large": 5_700_000, "rounds": 20}, measure))
