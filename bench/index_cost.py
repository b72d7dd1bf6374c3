"""What the index costs: CPU, memory and disk for a tree that was never read, nothing changed, one file saved, a question.

    python bench/index_cost.py [--lines N] [--rounds N] [--json]

The tree is the library of the running Python, in copies until it has enough lines, without git.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from measure.run import BenchError
from measure.table import Measured, Result, main, measured, say

from motet.index.project import ProjectIndex

ABOUT = (
    "The library of the running Python, in copies until the tree has enough lines, without git. *cold*: a process of its "
    "own that reads the tree for the first time. The other rows are of one process with the index open; *saved* is from "
    "the write of one file until it is found. CPU is of all threads."
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
        "peak": peak / 1000, "lines": status.lines, "files": status.files, "disk": 100 * status.disk / status.size}))
asyncio.run(read())
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
            place.write_bytes(text)
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
    """Seconds, and CPU seconds of saves."""

    unchanged: list[float]
    saved: list[float]
    saved_cpu: list[float]
    asked: list[float]


async def warm(root: Path, home: Path, rounds: int) -> Warm:
    """What one process with the index open needs."""
    index = ProjectIndex(root, home)
    found = Warm([], [], [], [])
    await index.update()
    await index.search(QUESTIONS[0], patience=0)
    for number in range(rounds):
        began = time.perf_counter()
        await index.update()
        found.unchanged.append(time.perf_counter() - began)
        name = f"zyxomma{number}"
        began, cpu = time.perf_counter(), time.process_time()
        (root / "copy0" / "saved.py").write_text(f"def {name}():\n    return {number}\n")
        await index.update_paths(["copy0/saved.py"])
        answer = await index.search(name, 1, patience=0)
        if [place.path for place in answer.found] != ["copy0/saved.py"]:
            raise BenchError("a file that was saved is not found")
        found.saved.append(time.perf_counter() - began)
        found.saved_cpu.append(time.process_time() - cpu)
        for question in QUESTIONS:
            began = time.perf_counter()
            await index.search(question, patience=0)
            found.asked.append(time.perf_counter() - began)
    await index.close()
    return found


def p95(values: list[float]) -> float:
    """The value that 95 of 100 do not exceed."""
    return statistics.quantiles(values, n=20)[-1]


def measure(lines: int, rounds: int) -> Result:
    """The table."""
    with tempfile.TemporaryDirectory(prefix="motet-index-") as place:
        root, home = Path(place).resolve() / "tree", Path(place) / "home"
        grown(root, lines)
        readings = []
        for _ in range(max(1, rounds // 10)):
            readings.append(cold(root, home))
            say(f"{readings[-1]}")
        one = readings[0]
        found = asyncio.run(warm(root, home, rounds))
    large = lines > 2_000_000
    head = f"{one.lines:,} lines in {one.files:,} files"
    rows = [
        Measured(f"cold: time, {head}", "s", [each.wall for each in readings], 60 if large else 10 * lines / 700_000),
        Measured("cold: CPU", "s", [each.cpu for each in readings], None if large else 7 * lines / 700_000),
        Measured("cold: first answer", "s", [each.first for each in readings], 2),
        Measured("cold: most memory", "MB", [each.peak for each in readings], 200),
        Measured("cold: disk, percent of the text", "%", [each.disk for each in readings], 25),
        Measured("nothing changed", "s", found.unchanged, 0.2 if one.files < 5000 else 1),
        Measured("saved, p95", "ms", [1000 * p95(found.saved)], 500),
        Measured("saved: CPU", "ms", [1000 * value for value in found.saved_cpu], 50),
        Measured("question, p95", "ms", [1000 * p95(found.asked)], 20),
    ]
    return measured("What the index costs", ABOUT, rows)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"lines": 700_000, "rounds": 20}, measure))
