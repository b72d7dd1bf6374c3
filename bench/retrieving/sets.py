"""Questions whose answers are known: commit messages, and the source files that each commit changed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from measure.run import BenchError
from offline.corpus import sdist

from motet.index.membership import kind_of

SDISTS = {"pytest": "pytest==8.4.2", "sphinx": "sphinx==8.1.3"}
_SOURCE = re.compile(r"\.(?:py|pyi|js|mjs|ts|tsx|jsx|go|rs|c|h|cc|cpp|hpp|java|kt|rb|lua|sh|php|cs|swift|scala|vim)$")


@dataclass(frozen=True)
class Case:
    """`gold`: the files to find. `names_path`: the question says the name of one of them. `lines`: by path, those of the
    tree that were then edited (1-based), where that is known."""

    query: str
    gold: frozenset[str]
    names_path: bool
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])


@dataclass(frozen=True)
class Set:
    """A tree and what is asked of it; `skipped`: questions without an answer in this tree."""

    name: str
    root: Path
    cases: tuple[Case, ...]
    skipped: int


def shared_cases() -> Path:
    """The folder of the sets beside the project."""
    shared = os.environ.get("MOTET_SHARED")
    return (Path(shared) if shared else Path(__file__).resolve().parents[3] / "shared") / "cases" / "retrieval"


def of_file(file: Path, tree: Path | None = None) -> Set:
    """The set in `file`: JSON lines with `query`, `gold` and, where known, `lines` by path. The tree is `tree`, or the
    sdist of its project; where that is a repository, it is asked as it is, with its history."""
    root = (tree or sdist(SDISTS[file.stem])).resolve()
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    cases: list[Case] = []
    rows = [row for row in rows if not row.get("meta")]
    for row in rows:
        gold = frozenset(path for path in row["gold"] if (root / path).is_file())
        if gold:
            lines = {path: frozenset(edited) for path, edited in row.get("lines", {}).items() if path in gold}
            named = row.get("names_path", names(row["query"], gold))
            cases.append(Case(row["query"], gold, named, lines))
    return Set(file.stem, root, tuple(cases), len(rows) - len(cases))


def of_repository(repository: Path, count: int, place: Path) -> Set:
    """The newest `count` commits of `repository` that change 1 to 5 source files, no merges; the tree, made in
    `place`, is the parent of the oldest, with only the history before it."""
    commits = list(_commits(repository, count))
    if not commits:
        raise BenchError(f"{repository}: no commit that changes 1 to 5 source files")
    parent = _git(repository, "rev-parse", f"{commits[-1][0]}^").strip()
    root = place / repository.name
    _git(repository, "clone", "--quiet", "--shared", "--no-checkout", str(repository.resolve()), str(root))
    _git(root, "checkout", "--quiet", "--detach", parent)
    cases: list[Case] = []
    for name, message, paths in commits:
        gold = frozenset(path for path in paths if (root / path).is_file())
        if gold:
            lines = {path: frozenset(edited_lines(repository, parent, name, path)) for path in gold}
            cases.append(Case(message, gold, names(message, gold), lines))
    return Set(repository.name, root, tuple(cases), len(commits) - len(cases))


def edited_lines(repository: Path, tree: str, commit: str, path: str) -> Iterator[int]:
    """The lines of `path`, numbered as in the commit `tree`, that `commit` changed or put something beside."""
    moved = list(_hunks(_git(repository, "diff", "-U0", "--no-renames", tree, f"{commit}^", "--", path)))
    for old, count, _, _ in _hunks(_git(repository, "diff", "-U0", "--no-renames", f"{commit}^", commit, "--", path)):
        for line in range(old, old + max(count, 1)):
            shift = 0
            for _, before, new, after in moved:
                if new <= line < new + after:
                    break  # a line that the tree does not have yet
                if new + after <= line or (not after and new < line):
                    shift += before - after
            else:
                yield max(1, line + shift)


def _hunks(diff: str) -> Iterable[tuple[int, int, int, int]]:
    for old, count, new, after in re.findall(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", diff, re.MULTILINE):
        yield int(old), int(count or 1), int(new), int(after or 1)


def names(query: str, gold: Iterable[str]) -> bool:
    """Whether `query` has the name of a file of `gold` in it."""
    return any(path.rpartition("/")[2].rpartition(".")[0].lower() in query.lower() for path in gold)


def is_source(path: str) -> bool:
    """Whether the name is one of program text that is no test."""
    return bool(_SOURCE.search(path)) and kind_of(path) == "source"


def said(message: str) -> str:
    """`message` without addresses and numbers of issues."""
    return re.sub(r"https?://\S+|\(?#\d+\)?|^[\w-]+: .*@.*$", "", message, flags=re.MULTILINE).strip()


def _commits(repository: Path, count: int) -> Iterator[tuple[str, str, list[str]]]:
    answer = _git(repository, "log", "-z", "--no-merges", "--name-only", "--no-renames", "--format=%x01%H%x1f%B%x1f")
    found = 0
    for entry in answer.split("\x01")[1:]:
        name, message, changed = entry.split("\x1f")
        paths = [path for path in changed.strip("\0\n").split("\0") if is_source(path)]
        if 1 <= len(paths) <= 5:
            yield name, said(message), paths
            found += 1
            if found == count:
                return


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    if done.returncode:
        raise BenchError(f"git {arguments[0]} in {root}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")
