"""What the map of a project shows of the files that a file imports, and what it costs.

    python bench/map.py [--files N] [--questions N] [--json]

The trees are the standard library of this Python (copied, without what is installed into it) and motet itself.
"""

from __future__ import annotations

import ast
import asyncio
import json
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from measure.run import BenchError, Place, place
from measure.table import Measured, Result, main, measured, say

from motet.index.map import ProjectMap

HERE = Path(__file__).resolve().parent
ABOUT = (
    "`motet map --around FILE` over files of the standard library ({lines:,} lines) and of motet, drawn by seed. *Missing* "
    "are files that the file imports, by the `ast` of Python and a look into the source roots, that its map does not "
    "name: the mean over the files. CPU seconds are of the process alone, memory is its peak. *Per message*: what changed "
    "is looked for, and a map is drawn for another question around another file, in a process that goes on."
)
QUESTIONS = (
    "where is a cookie parsed from a header?", "how are threads joined at exit", "decode base64 of a mail",
    "why does zipfile refuse this archive", "日付の書式はどこで解析される", "add a timeout to urlopen",
    "fix test_parse_known_args", "class that counts hashable objects",
)  # fmt: skip


def measure(files: int, questions: int) -> Result:
    """The table."""
    with place() as where:
        library = copied_library(where.root / "library")
        lines = sum(path.read_bytes().count(b"\n") for path in library.rglob("*.py"))
        say(f"{lines:,} lines of the standard library")
        cold, warm = run_map(library, where), run_map(library, where)
        rows = [
            Measured("cold, all files read: CPU", "s", [cold["cpu"]], 10),
            Measured("cold: memory", "MB", [cold["peak"] / 1e6], 150),
            Measured("again, nothing changed, process and all: CPU", "s", [warm["cpu"]]),
            Measured("again: memory", "MB", [warm["peak"] / 1e6], 150),
        ]
        asyncio.run(_drawn(library, [""], "library", where.root / "maps", files, questions, rows))
        asyncio.run(_drawn(HERE.parent, ["src", "tests", "bench"], "motet", where.root / "maps", files, 0, rows))
    return measured("The map of a project", ABOUT.format(lines=lines), rows)


def copied_library(to: Path) -> Path:
    """The standard library of this Python without installed packages and compiled files."""
    shutil.copytree(
        sysconfig.get_path("stdlib"), to, ignore=shutil.ignore_patterns("site-packages", "__pycache__", "*.so", "*.a", "config-*")
    )  # fmt: skip
    return to


def run_map(root: Path, where: Place) -> dict[str, float]:
    """What `motet map` used in `root`: seconds of CPU and bytes of memory."""
    report = where.root / "report.json"
    done = subprocess.run(
        [sys.executable, HERE / "peak.py", report, "map", "--tokens", "1000"],
        cwd=root, env=where.environment, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode or not done.stdout:
        raise BenchError(f"motet map ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return json.loads(report.read_text())


async def _drawn(
    root: Path, roots: Sequence[str], name: str, home: Path, files: int, questions: int, rows: list[Measured]
) -> None:
    project = ProjectMap(root, home, aside=False)
    try:
        await project.draw()
        truth = dict(imported_files(root, roots))
        sample = random.Random(1).sample(sorted(truth), min(files, len(truth)))
        say(f"{len(sample)} files of {name}")
        for tokens, bar in ((1_000, 40), (4_000, 20)):
            missing: list[float] = []
            for path in sample:
                found = await project.draw(around=[path], tokens=tokens, patience=0)
                missing.append(100 * len(truth[path].difference(found.paths)) / len(truth[path]))
            rows.append(Measured(f"missing at {tokens:,} tokens, {name}", "%", [statistics.mean(missing)], bar))
        spent: list[float] = []
        for number in range(questions):
            begin = time.process_time()
            await project.draw(QUESTIONS[number % len(QUESTIONS)], [sample[number % len(sample)]])
            spent.append(time.process_time() - begin)
        if spent:
            rows.append(Measured("per message: CPU", "s", spent, 0.1))
    finally:
        await project.close()


def imported_files(root: Path, roots: Sequence[str]) -> Iterator[tuple[str, set[str]]]:
    """Each Python file below `roots` that imports others of them, with those, by the `ast` of Python."""
    paths = {path.relative_to(root).as_posix() for at in roots for path in (root / at).rglob("*.py")}

    def module(parts: Sequence[str], below: Sequence[str]) -> str | None:
        bases = ["/".join(part for part in (at, *parts) if part) for at in below]
        return next((end for base in bases for end in (f"{base}.py", f"{base}/__init__.py") if end in paths), None)

    for path in sorted(paths):
        found: set[str | None] = set()
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse((root / path).read_bytes())
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(module(each.name.split("."), roots) for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = [*path.split("/")[: -node.level]] if node.level else []
                parts = [*base, *(node.module.split(".") if node.module else [])]
                where = [""] if node.level else roots
                for each in node.names:
                    found.add(module([*parts, each.name], where) or module(parts, where))
        targets = {each for each in found if each is not None and each != path}
        if targets:
            yield path, targets


if __name__ == "__main__":
    sys.exit(main(__doc__, {"files": 300, "questions": 40}, measure))
